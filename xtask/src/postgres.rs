//! A PostgreSQL server for the tests, in a temporary folder.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::Context as _;
use tempfile::TempDir;

use crate::project;
use crate::server;
use crate::tools::{self, Tools};

/// The settings of a server whose data does not have to survive anything, because it is deleted after the tests.
const FLEETING: &str = "-c fsync=off -c synchronous_commit=off -c full_page_writes=off";

/// The settings of a server that may be killed, but whose machine may not fail: a commit has reached the operating
/// system, not the disk.
const SURVIVING_KILLS: &str = "-c fsync=off -c synchronous_commit=on -c full_page_writes=off";

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
        let port = server::free_port()?;
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
        let mut stop = self.control("stop");
        if let Err(error) = project::read(stop.args(["--mode=immediate", "--wait"])) {
            // If the lock file does not exist, the server is not running.
            if self.data().join("postmaster.pid").exists() {
                eprintln!("PostgreSQL in {} is still running: {error:#}", self.data().display());
            }
        }
    }
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
    use super::*;

    #[test]
    fn a_server_accepts_connections_until_it_is_dropped() {
        // Without PostgreSQL, `cargo xtask test` leaves this test out and reports it as skipped.
        let postgres = Postgres::start(&Tools::find()).unwrap();
        let port = postgres
            .url
            .rsplit(':')
            .next()
            .unwrap()
            .split('/')
            .next()
            .unwrap()
            .to_owned();
        let address = format!("127.0.0.1:{port}");
        let folder = postgres.folder.path().to_owned();
        std::net::TcpStream::connect(&address).unwrap();
        drop(postgres);
        assert!(std::net::TcpStream::connect(&address).is_err());
        assert!(!folder.exists());
    }
}
