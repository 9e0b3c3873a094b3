//! The PostgreSQL server, which can be restarted and frozen, and whose clock can jump.
use std::net::SocketAddr;
use std::os::unix::fs::MetadataExt as _;
use std::path::PathBuf;
use std::process::Stdio;

use anyhow::{Context as _, ensure};
use rustix::process::{Pid, Signal, kill_process};
use sqlx::{Connection as _, PgConnection};
use tokio::process::Command;

use crate::clock::Clock;

/// A running server that another program started.
pub(crate) struct Database {
    /// The URL of an empty database.
    pub url: String,
    pub pg_ctl: PathBuf,
    /// The folder of the database cluster.
    pub data: PathBuf,
    /// The clock that the server has from its first restart on.
    pub clock: Clock,
}

/// The way in which PostgreSQL ends before it starts again.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Ending {
    /// All sessions end in order.
    Fast,
    /// Every process exits at once, and the next start recovers from the write-ahead log.
    Immediate,
}

/// The processes of a frozen server. They continue when this is dropped.
pub(crate) struct Frozen(Vec<Pid>);

impl Database {
    /// Returns the address in the URL.
    pub(crate) fn address(&self) -> anyhow::Result<SocketAddr> {
        let address = self.host()?;
        address
            .parse()
            .with_context(|| format!("{address} is not an IP address with a port"))
    }

    /// Returns the URL with another address.
    pub(crate) fn url_at(&self, address: SocketAddr) -> anyhow::Result<String> {
        Ok(self.url.replace(self.host()?, &address.to_string()))
    }

    fn host(&self) -> anyhow::Result<&str> {
        let (_, rest) = self
            .url
            .split_once('@')
            .context("the URL of the database has no user")?;
        let (host, _) = rest.split_once('/').context("the URL of the database has no name")?;
        Ok(host)
    }

    /// Restarts the server with its clock. Fails if the clock has no effect, for example because its library cannot be
    /// loaded.
    pub(crate) async fn take_clock(&self) -> anyhow::Result<()> {
        const HOUR: i64 = 3600;
        self.restart(Ending::Fast).await?;
        let mut connection = PgConnection::connect(&self.url).await?;
        let before = seconds_in(&mut connection).await?;
        self.clock.set(HOUR)?;
        let jump = seconds_in(&mut connection).await? - before;
        self.clock.set(0)?;
        connection.close().await?;
        ensure!(
            jump >= HOUR,
            "the clock of PostgreSQL cannot be set: it jumped by {jump} s"
        );
        Ok(())
    }

    /// Ends the server and starts it again with the same options and with its clock.
    pub(crate) async fn restart(&self, ending: Ending) -> anyhow::Result<()> {
        let owner = std::fs::metadata(&self.data).context("the database cluster is missing")?;
        let folder = self.data.parent().context("the database cluster is the root folder")?;
        let mode = match ending {
            Ending::Fast => "--mode=fast",
            Ending::Immediate => "--mode=immediate",
        };
        let mut command = Command::new(&self.pg_ctl);
        self.clock.apply_to(&mut command);
        let status = command
            .args(["restart", "--wait", "--timeout=60", mode, "--log"])
            .arg(folder.join("log"))
            .arg("--pgdata")
            .arg(&self.data)
            // PostgreSQL refuses to run as root.
            .uid(owner.uid())
            .gid(owner.gid())
            .current_dir(folder)
            // The server inherits them and would hold a pipe open.
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            // The server must not start after this program has ended.
            .kill_on_drop(true)
            .status()
            .await
            .context("pg_ctl cannot be started")?;
        let log = folder.join("log");
        ensure!(
            status.success(),
            "PostgreSQL was not restarted ({status}). Read {}",
            log.display()
        );
        Ok(())
    }

    /// Freezes all processes of the server.
    pub(crate) fn freeze(&self) -> anyhow::Result<Frozen> {
        let file = self.data.join("postmaster.pid");
        let text = std::fs::read_to_string(&file).with_context(|| format!("{} cannot be read", file.display()))?;
        let main = text.lines().next().and_then(|line| line.trim().parse().ok());
        let main: i32 = main.with_context(|| format!("{} contains no process", file.display()))?;
        let mut frozen = Frozen(Vec::new());
        // The main process first, so that it starts no others.
        frozen.add(main)?;
        for child in children(main)? {
            // A session may have ended in the meantime.
            let _ = frozen.add(child);
        }
        Ok(frozen)
    }
}

impl Frozen {
    fn add(&mut self, process: i32) -> anyhow::Result<()> {
        let process = Pid::from_raw(process).context("0 is not a process")?;
        kill_process(process, Signal::STOP)?;
        self.0.push(process);
        Ok(())
    }
}

impl Drop for Frozen {
    fn drop(&mut self) {
        for process in self.0.iter().rev() {
            // A process that does not exist any more needs no signal.
            let _ = kill_process(*process, Signal::CONT);
        }
    }
}

/// The time since 1970 by the clock of the server, in seconds.
async fn seconds_in(database: &mut PgConnection) -> anyhow::Result<i64> {
    const NOW: &str = "SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) AS BIGINT)";
    let seconds: i64 = sqlx::query_scalar(NOW).fetch_one(database).await?;
    Ok(seconds)
}

/// Returns the processes whose parent is this process.
fn children(parent: i32) -> anyhow::Result<Vec<i32>> {
    let mut children = Vec::new();
    for entry in std::fs::read_dir("/proc")? {
        let Ok(process) = entry?.file_name().to_string_lossy().parse() else {
            continue;
        };
        let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
        // The name in parentheses may contain anything; the state and the parent follow it.
        let found = stat.rsplit_once(") ").and_then(|(_, rest)| rest.split(' ').nth(1));
        if found.and_then(|found| found.parse().ok()) == Some(parent) {
            children.push(process);
        }
    }
    Ok(children)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_leads_through_another_address() {
        let database = Database {
            url: "postgres://linepress@127.0.0.1:5432/postgres".into(),
            pg_ctl: PathBuf::new(),
            data: PathBuf::new(),
            clock: Clock::default(),
        };
        assert_eq!(database.address().unwrap().port(), 5432);
        let other = "127.0.0.1:7000".parse().unwrap();
        assert_eq!(
            database.url_at(other).unwrap(),
            "postgres://linepress@127.0.0.1:7000/postgres"
        );
    }

    #[test]
    fn the_children_of_a_process_are_found() {
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        let own = i32::try_from(std::process::id()).unwrap();
        let found = children(own).unwrap();
        child.kill().unwrap();
        let id = i32::try_from(child.wait().map(|_| child.id()).unwrap()).unwrap();
        assert!(found.contains(&id), "{found:?}");
    }
}
