//! A temporary server for a demonstration or a test.

use std::fs::{self, File};
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};

use crate::folders;
use crate::interrupt;
use crate::project;

/// The time until a started server must be ready. The first start compiles the plugins: a minute on a quiet machine,
/// and several on a busy one.
const START_TIMEOUT: Duration = Duration::from_secs(10 * 60);

/// The number of lines of the log to show after a failure.
const LOG_LINES: usize = 40;

/// The server program and its settings.
pub(crate) struct Installation {
    pub program: PathBuf,
    pub plugins: PathBuf,
    /// The absolute path of the data folder.
    pub data: PathBuf,
    port: u16,
    settings: Vec<(&'static str, String)>,
}

/// A running server. Dropping it stops the server.
pub(crate) struct Server {
    child: Child,
    log: PathBuf,
    pub address: String,
}

impl Installation {
    /// Returns an installation that listens on a free port of the loopback interface.
    pub(crate) fn new(program: PathBuf, plugins: PathBuf, data: PathBuf) -> anyhow::Result<Self> {
        let port = free_port()?;
        Ok(Self {
            program,
            plugins,
            data,
            port,
            settings: Vec::new(),
        })
    }

    /// Adds a setting, by the name of its environment variable.
    pub(crate) fn with(mut self, variable: &'static str, value: impl Into<String>) -> Self {
        self.settings.push((variable, value.into()));
        self
    }

    /// Returns a command of the program with these settings and no others.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("LINEPRESS_")) {
            command.env_remove(name);
        }
        command
            // This folder has no linepress.toml that could change the settings.
            .current_dir(&self.data)
            .env("LINEPRESS_DATA_DIR", &self.data)
            .env("LINEPRESS_PLUGINS_DIR", &self.plugins)
            .env("LINEPRESS_LISTEN", format!("127.0.0.1:{}", self.port))
            .envs(self.settings.iter().map(|(name, value)| (name, value)));
        command
    }

    /// Runs a command of the program and returns its output.
    pub(crate) fn read(&self, arguments: &[&str]) -> anyhow::Result<String> {
        project::read(self.command().args(arguments))
    }

    /// Runs a command of the program that reads one line of input, and returns its output.
    pub(crate) fn feed(&self, arguments: &[&str], line: &str) -> anyhow::Result<String> {
        let mut command = self.command();
        command.args(arguments);
        project::feed(&mut command, line)
    }

    /// Creates an account with the Business plan and returns its API key. The server must have created the database.
    pub(crate) fn account(&self, email: &str, credits: u64) -> anyhow::Result<String> {
        let credits = credits.to_string();
        let plan = ["--plan", "business", "--credits", &credits];
        self.read(&[&["account", "create", "--email", email], &plan[..]].concat())?;
        self.read(&["key", "create", "--email", email, "--name", "xtask"])
    }

    /// Starts the server and waits until it is ready.
    pub(crate) fn serve(&self) -> anyhow::Result<Server> {
        let log = self.data.join("server.log");
        let output = File::create(&log).with_context(|| format!("{} cannot be written", log.display()))?;
        let mut command = self.command();
        command
            .arg("serve")
            .stdin(Stdio::null())
            .stdout(output.try_clone()?)
            .stderr(output);
        let child = command.spawn().context("the server cannot be started")?;
        let mut server = Server {
            child,
            log,
            address: format!("http://127.0.0.1:{}", self.port),
        };
        match server.wait_until_ready() {
            Ok(()) => Ok(server),
            Err(error) => {
                server.show_log();
                Err(error)
            }
        }
    }
}

impl Server {
    fn wait_until_ready(&mut self) -> anyhow::Result<()> {
        let end = Instant::now() + START_TIMEOUT;
        let agent = ureq::Agent::new_with_config(
            ureq::Agent::config_builder()
                .timeout_global(Some(Duration::from_secs(2)))
                .build(),
        );
        while Instant::now() < end {
            interrupt::check()?;
            if let Some(status) = self.child.try_wait()? {
                bail!("the server ended before it was ready ({status})");
            }
            if agent.get(format!("{}/readyz", self.address)).call().is_ok() {
                return Ok(());
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        bail!(
            "the server was not ready within {} minutes",
            START_TIMEOUT.as_secs() / 60
        )
    }

    /// Prints the end of the server's log.
    pub(crate) fn show_log(&self) {
        eprintln!("\nThe last lines of {}:", self.log.display());
        eprintln!("{}", tail(&self.log, LOG_LINES));
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // These calls fail only if the server has already ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Empties the data folder of a temporary server except for the compiled plugins, because compiling takes longer than a
/// test.
pub(crate) fn empty_data(data: &Path) -> anyhow::Result<()> {
    let (compiled, kept) = (data.join("compiled-plugins"), data.with_extension("compiled-plugins"));
    if compiled.is_dir() && !kept.exists() {
        fs::rename(&compiled, &kept)?;
    }
    folders::empty(data)?;
    if kept.is_dir() {
        fs::rename(&kept, &compiled)?;
    }
    Ok(())
}

fn tail(file: &Path, lines: usize) -> String {
    let text = fs::read(file)
        .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
        .unwrap_or_default();
    let start = text.lines().count().saturating_sub(lines);
    text.lines().skip(start).collect::<Vec<_>>().join("\n")
}

/// Returns a port that is free at this moment.
pub(crate) fn free_port() -> anyhow::Result<u16> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).context("there is no free port")?;
    Ok(listener.local_addr()?.port())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tail_of_a_log_is_its_last_lines() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("log");
        fs::write(&file, "one\ntwo\nthree\n").unwrap();
        assert_eq!(tail(&file, 2), "two\nthree");
        assert_eq!(tail(&file, 9), "one\ntwo\nthree");
        assert_eq!(tail(&folder.path().join("none"), 9), "");
    }
}
