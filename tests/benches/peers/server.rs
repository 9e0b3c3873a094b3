//! The program with the shipped plugins: the time from its start to its first response, and its memory when it is
//! idle.
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::app::from_environment;
use crate::bare_server;
use crate::process::Process;
use crate::report::{Comparison, Unit, rounds};

const ROUNDS: usize = 9;
/// After this time all work of the start has ended.
const IDLE_DELAY: Duration = Duration::from_secs(1);

pub(crate) async fn measure() -> anyhow::Result<Vec<Comparison>> {
    let folder = tempfile::tempdir()?;
    let data = folder.path();
    // Compiles the plugins and creates the databases.
    drop(Process::start(ours(data)?).await?);
    drop(Process::start(peer(data)?).await?);
    let mut memory = Comparison::new("idle memory", Unit::Mebibytes, "ours below 120 MB");
    let mut start = Comparison::new("start to first response", Unit::Milliseconds, "ours below 100 ms");
    for round in 0..rounds(ROUNDS) {
        let (ours, peer) = if round % 2 == 0 {
            let ours = figures(ours(data)?).await?;
            (ours, figures(peer(data)?).await?)
        } else {
            let peer = figures(peer(data)?).await?;
            (figures(ours(data)?).await?, peer)
        };
        start.push(ours.milliseconds, peer.milliseconds);
        memory.push(ours.mebibytes, peer.mebibytes);
    }
    eprintln!("measured start and idle memory");
    Ok(vec![start, memory])
}

struct Figures {
    milliseconds: f64,
    mebibytes: f64,
}

async fn figures(command: Command) -> anyhow::Result<Figures> {
    let process = Process::start(command).await?;
    tokio::time::sleep(IDLE_DELAY).await;
    Ok(Figures {
        milliseconds: process.took.as_secs_f64() * 1e3,
        mebibytes: process.resident_mebibytes()?,
    })
}

/// Returns the command `linepress serve` with every setting at its default.
pub(crate) fn ours(data: &Path) -> anyhow::Result<Command> {
    let mut command = Command::new(from_environment("LINEPRESS_TEST_BINARY")?);
    command
        .arg("serve")
        .env("LINEPRESS_DATA_DIR", data)
        .env("LINEPRESS_PLUGINS_DIR", from_environment("LINEPRESS_TEST_PLUGINS")?)
        // The working folder must not contain an unrelated linepress.toml.
        .current_dir(data);
    Ok(command)
}

fn peer(data: &Path) -> anyhow::Result<Command> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg(bare_server::BARE_SERVER_ARGUMENT).arg(data);
    Ok(command)
}
