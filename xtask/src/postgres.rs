//! A PostgreSQL server for the tests, in a temporary folder.

use std::collections::hash_map::RandomState;
use std::fs;
use std::hash::{BuildHasher as _, Hasher as _};
use std::net::{Ipv4Addr, TcpListener};
use std::ops::Range;
use std::path::Path;
use std::process::Command;

use anyhow::Context as _;
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use crate::project;
use crate::tools::{self, Tools};

/// The settings of a server whose data does not have to survive anything, because it is deleted after the tests.
const FLEETING: &str = "-c fsync=off -c synchronous_commit=off -c full_page_writes=off";

/// The settings of a server that may be killed, but whose machine may not fail: a commit has reached the operating
/// system, not the disk.
const SURVIVING_KILLS: &str = "-c fsync=off -c synchronous_commit=on -c full_page_writes=off";

/// Ports below those that the system gives to connections, which could otherwise take one while the server restarts.
const PORTS: Range<u16> = 20_000..32_000;

/// A running server. Dropping it stops the server and deletes its folder.
pub(crate) struct Postgres {
    folder: TempDir,
    pub pg_ctl: std::path::PathBuf,
    user: Option<String>,
    pub url: String,
}

impl Postgres {
    /// Creates a database cluster and starts it on a free port of the loopback interface.
    pub(crate) fn start(tools: &Tools) -> anyhow::Result<Self> {
        Self::start_with(tools, FLEETING)
    }

    /// Starts a server that loses no commit when its processes are killed.
    pub(crate) fn start_surviving_kills(tools: &Tools) -> anyhow::Result<Self> {
        Self::start_with(tools, SURVIVING_KILLS)
    }

    fn start_with(tools: &Tools, durability: &str) -> anyhow::Result<Self> {
        let program = |name: &str| tools.path(name).with_context(|| format!("{name} is not installed"));
        let (initdb, pg_ctl) = (program("initdb")?, program("pg_ctl")?.to_owned());
        program("postgres")?;
        let folder = tempfile::Builder::new().prefix("linepress-postgres-").tempdir()?;
        // PostgreSQL refuses to run as root.
        let user = tools::is_root().then(other_user).transpose()?;
        if let Some(user) = &user {
            project::run(Command::new("chown").arg(user).arg(folder.path()))?;
        }
        let port = free_port()?;
        let url = format!("postgres://linepress@127.0.0.1:{port}/postgres");
        let postgres = Self {
            folder,
            pg_ctl,
            user,
            url,
        };
        let mut init = postgres.as_user(initdb);
        init.args([
            "--username=linepress",
            "--auth=trust",
            "--encoding=UTF8",
            "--no-locale",
            "--no-sync",
            "--pgdata",
        ]);
        project::read(init.arg(postgres.data())).context("initdb cannot create a database cluster")?;
        let settings = format!(
            "-c listen_addresses=127.0.0.1 -c port={port} -c unix_socket_directories='' -c max_connections=300 {durability}"
        );
        let mut start = postgres.control("start");
        start
            .arg("--log")
            .arg(postgres.log())
            .args(["--wait", "--timeout=60", "--options", &settings]);
        // The server inherits the output of pg_ctl: a pipe would remain open while the server runs.
        start
            .stdin(std::process::Stdio::null())
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null());
        project::run(&mut start).with_context(|| {
            let log = fs::read_to_string(postgres.log()).unwrap_or_default();
            format!("PostgreSQL cannot be started: {}", log.trim())
        })?;
        Ok(postgres)
    }

    /// The folder of the database cluster.
    pub(crate) fn data(&self) -> std::path::PathBuf {
        self.folder.path().join("data")
    }

    /// Continues the processes of the server, which remain frozen if a run under faults was killed.
    fn thaw(&self) {
        let lock = fs::read_to_string(self.data().join("postmaster.pid")).unwrap_or_default();
        let main = lock.lines().next().and_then(|line| line.trim().parse::<u32>().ok());
        let Some(main) = main else {
            return;
        };
        let children = fs::read_to_string(format!("/proc/{main}/task/{main}/children")).unwrap_or_default();
        let children = children
            .split_whitespace()
            .filter_map(|child| child.parse::<u32>().ok());
        for process in children.chain([main]) {
            if let Some(process) = i32::try_from(process).ok().and_then(Pid::from_raw) {
                // A process that has ended needs no signal.
                let _ = kill_process(process, Signal::CONT);
            }
        }
    }

    fn log(&self) -> std::path::PathBuf {
        self.folder.path().join("log")
    }

    fn control(&self, what: &str) -> Command {
        let mut command = self.as_user(&self.pg_ctl);
        command.arg(what).arg("--pgdata").arg(self.data());
        command
    }

    /// Returns a command that runs as the owner of the folder. It runs in that folder, because its owner may have no
    /// access to the current folder.
    fn as_user(&self, program: &Path) -> Command {
        let mut command = match &self.user {
            Some(user) => {
                let mut command = Command::new("runuser");
                command.args(["--user", user, "--"]).arg(program);
                command
            }
            None => Command::new(program),
        };
        command.current_dir(self.folder.path());
        command
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        self.thaw();
        let mut stop = self.control("stop");
        if let Err(error) = project::read(stop.args(["--mode=immediate", "--wait"])) {
            // If the lock file does not exist, the server is not running.
            if self.data().join("postmaster.pid").exists() {
                eprintln!("PostgreSQL in {} is still running: {error:#}", self.data().display());
            }
        }
    }
}

/// Returns a port of [`PORTS`] that is free at this moment.
fn free_port() -> anyhow::Result<u16> {
    let skipped = RandomState::new().build_hasher().finish() % u64::from(PORTS.end - PORTS.start);
    let mut ports = PORTS.cycle().skip(usize::try_from(skipped)?).take(PORTS.len());
    let free = ports.find(|port| TcpListener::bind((Ipv4Addr::LOCALHOST, *port)).is_ok());
    free.with_context(|| format!("none of the ports {PORTS:?} is free"))
}

/// Returns a user other than root.
fn other_user() -> anyhow::Result<String> {
    let exists = |user: &&str| project::read(Command::new("id").arg("-u").arg(user)).is_ok();
    let user = ["postgres", "nobody"].into_iter().find(exists);
    user.map(str::to_owned)
        .context("PostgreSQL refuses to run as root, and neither the user postgres nor the user nobody exists")
}

#[cfg(test)]
mod tests {
    use std::net::TcpStream;

    use super::*;

    // Without PostgreSQL, `cargo xtask test` leaves these tests out and reports them as skipped.

    fn port(postgres: &Postgres) -> u16 {
        let (_, rest) = postgres.url.rsplit_once(':').unwrap();
        rest.split('/').next().unwrap().parse().unwrap()
    }

    #[test]
    fn a_server_accepts_connections_until_it_is_dropped() {
        let postgres = Postgres::start(&Tools::find()).unwrap();
        let port = port(&postgres);
        assert!(PORTS.contains(&port), "{port}");
        let address = (Ipv4Addr::LOCALHOST, port);
        let folder = postgres.folder.path().to_owned();
        TcpStream::connect(address).unwrap();
        drop(postgres);
        assert!(TcpStream::connect(address).is_err());
        assert!(!folder.exists());
    }

    #[test]
    fn a_frozen_server_is_stopped_when_it_is_dropped() {
        let postgres = Postgres::start(&Tools::find()).unwrap();
        let address = (Ipv4Addr::LOCALHOST, port(&postgres));
        let lock = fs::read_to_string(postgres.data().join("postmaster.pid")).unwrap();
        let main = lock.lines().next().unwrap().trim().parse().unwrap();
        kill_process(Pid::from_raw(main).unwrap(), Signal::STOP).unwrap();
        drop(postgres);
        assert!(TcpStream::connect(address).is_err());
    }
}
