//! The program itself with the shipped plugins: from its start to its first response, and its memory when it is idle.
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};

use crate::app::from_environment;
use crate::bare_server;
use crate::client::Client;
use crate::report::{Comparison, Unit};

const ROUNDS: usize = 9;
/// Compiling the plugins for the first time takes longer than any start after it.
const PATIENCE: Duration = Duration::from_secs(120);
/// After which nothing of the start is still going on.
const PAUSE: Duration = Duration::from_secs(1);

pub(crate) async fn measure() -> anyhow::Result<Vec<Comparison>> {
    let folder = tempfile::tempdir()?;
    let data = folder.path();
    // Compiles the plugins and makes the databases.
    drop(Process::start(ours(data)?).await?);
    drop(Process::start(peer(data)?).await?);
    let mut memory = Comparison::new("idle memory", Unit::Mebibytes, "ours below 120 MB");
    let mut start = Comparison::new("start to first response", Unit::Milliseconds, "ours below 1 second");
    for round in 0..ROUNDS {
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
    tokio::time::sleep(PAUSE).await;
    Ok(Figures {
        milliseconds: process.took.as_secs_f64() * 1e3,
        mebibytes: process.resident_mebibytes()?,
    })
}

/// `linepress serve` with every setting at its default.
fn ours(data: &Path) -> anyhow::Result<Command> {
    let mut command = Command::new(from_environment("LINEPRESS_TEST_BINARY")?);
    command
        .arg("serve")
        .env("LINEPRESS_DATA_DIR", data)
        .env("LINEPRESS_PLUGINS_DIR", from_environment("LINEPRESS_TEST_PLUGINS")?)
        // Here is no linepress.toml of somebody's.
        .current_dir(data);
    Ok(command)
}

fn peer(data: &Path) -> anyhow::Result<Command> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg(bare_server::WORD).arg(data);
    Ok(command)
}

/// A server that has responded; it is killed when this is dropped.
struct Process {
    child: Child,
    took: Duration,
}

impl Process {
    async fn start(mut command: Command) -> anyhow::Result<Self> {
        let address = free_address()?;
        command
            .env("LINEPRESS_LISTEN", address.to_string())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let began = Instant::now();
        let child = command.spawn().context("the server does not start")?;
        let mut process = Self {
            child,
            took: Duration::ZERO,
        };
        // Who listens early keeps the client waiting, so that it need ask only once.
        while began.elapsed() < PATIENCE {
            if let Some(status) = process.child.try_wait()? {
                bail!("the server ended before it responded ({status})");
            }
            if let Ok(mut client) = Client::connect(address, "/readyz", "").await {
                client.get().await?;
                process.took = began.elapsed();
                return Ok(process);
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        bail!("the server did not respond within {PATIENCE:?}")
    }

    /// Linux tells of every process what it holds in memory.
    fn resident_mebibytes(&self) -> anyhow::Result<f64> {
        let path = format!("/proc/{}/status", self.child.id());
        let status = std::fs::read_to_string(&path)
            .with_context(|| format!("{path} cannot be read: memory is measured on Linux only"))?;
        let line = status
            .lines()
            .find_map(|line| line.strip_prefix("VmRSS:"))
            .context("no VmRSS")?;
        let kibibytes: f64 = line.trim().trim_end_matches(" kB").parse()?;
        Ok(kibibytes / 1024.0)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Either fails only when the server has ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// An address that nobody listens on at this moment.
fn free_address() -> anyhow::Result<SocketAddr> {
    let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    Ok(listener.local_addr()?)
}
