//! A node: a process of `linepress serve` that is started again whenever it ends, as a service manager does.
use std::fs::{self, File};
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail, ensure};
use hyper::StatusCode;
use rustix::process::{Pid, Signal, kill_process};
use tokio::process::{Child, Command};
use tokio::sync::watch;
use tokio::time;

use crate::api;
use crate::parts::Parts;
use crate::settings::{self, ProviderBehavior};

/// The time after which a process that ended by itself is started again.
const RESTART_PAUSE: Duration = Duration::from_secs(1);

/// Much longer than a process needs to end when it is asked to.
const END_TIMEOUT: Duration = Duration::from_secs(90);

/// The first log line of a process that serves requests.
const SERVING: &str = "the server is serving requests";

pub(crate) struct Node {
    pub parts: Parts,
    /// True while the process is to run.
    wanted: watch::Sender<bool>,
    /// The process, while there is one.
    process: watch::Sender<Option<Pid>>,
    history: Mutex<History>,
}

/// The past of a node.
#[derive(Clone, Default)]
pub(crate) struct History {
    pub starts: usize,
    /// Processes that ended before they served requests, for example because the database was not available.
    pub failed_starts: usize,
    /// Descriptions of what a node must not do, such as ending by itself.
    pub offenses: Vec<String>,
}

impl Node {
    /// Creates a node whose process does not run yet.
    pub(crate) fn new(parts: Parts) -> anyhow::Result<Arc<Self>> {
        let node = Self {
            parts,
            wanted: watch::Sender::new(false),
            process: watch::Sender::new(None),
            history: Mutex::default(),
        };
        node.set_provider(ProviderBehavior::Draws)?;
        let node = Arc::new(node);
        tokio::spawn(supervise(Arc::clone(&node)));
        Ok(node)
    }

    /// Writes the settings, of which a running process reads those of plugins again.
    pub(crate) fn set_provider(&self, provider: ProviderBehavior) -> anyhow::Result<()> {
        let file = self.parts.folder.join("linepress.toml");
        let new = file.with_extension("new");
        fs::write(&new, settings::of(&self.parts, provider))?;
        fs::rename(new, file).context("the settings of a node cannot be written")
    }

    /// Returns a command of the program with the settings of this node and no others.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(&self.parts.program);
        for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("LINEPRESS_")) {
            command.env_remove(name);
        }
        command
            .current_dir(&self.parts.folder)
            .stdin(Stdio::null())
            .kill_on_drop(true);
        command
    }

    /// Runs a command of the program and returns its standard output.
    pub(crate) async fn read(&self, arguments: &[&str]) -> anyhow::Result<String> {
        let output = self.command().args(arguments).output().await?;
        let (said, error) = (output.stdout, String::from_utf8_lossy(&output.stderr));
        ensure!(
            output.status.success(),
            "`linepress {}` failed: {error}",
            arguments.join(" ")
        );
        Ok(String::from_utf8(said)?.trim().to_owned())
    }

    /// Starts the process, now and whenever it ends.
    pub(crate) fn start(&self) {
        self.wanted.send_replace(true);
    }

    /// Ends the process without a chance to clean up.
    pub(crate) async fn kill(&self) {
        self.wanted.send_replace(false);
        self.signal(Signal::KILL);
        self.ended().await;
    }

    /// Asks the process to end.
    pub(crate) async fn stop(&self) {
        self.wanted.send_replace(false);
        self.signal(Signal::TERM);
        if time::timeout(END_TIMEOUT, self.ended()).await.is_err() {
            self.offended(format!(
                "node {} did not end within {END_TIMEOUT:?} of SIGTERM",
                self.parts.number
            ));
            self.kill().await;
        }
    }

    /// Stops the execution of the process, if there is one.
    pub(crate) fn freeze(&self) {
        self.signal(Signal::STOP);
    }

    /// Continues the execution of the process.
    pub(crate) fn thaw(&self) {
        self.signal(Signal::CONT);
    }

    /// Waits until the node reports that it is ready.
    pub(crate) async fn ready(&self, timeout: Duration) -> anyhow::Result<()> {
        let began = Instant::now();
        loop {
            let request = hyper::Request::get("/readyz").body(http_body_util::Full::default())?;
            let answer = match api::send(self.parts.address, request, Duration::from_secs(5)).await {
                Ok(reply) if reply.status == StatusCode::OK => return Ok(()),
                Ok(reply) => reply.summary(),
                Err(error) => format!("{error:#}"),
            };
            if began.elapsed() > timeout {
                let (number, folder) = (self.parts.number, self.parts.folder.display());
                bail!("node {number} is not ready after {timeout:?}: {answer}. Its logs are in {folder}");
            }
            time::sleep(Duration::from_millis(100)).await;
        }
    }

    /// Fails if the process runs without the clock of its machine.
    pub(crate) fn check_clock(&self) -> anyhow::Result<()> {
        let process = *self.process.borrow();
        let checked = process
            .context("its process has ended")
            .and_then(|process| self.parts.clock.check_is_used_by(process));
        checked.with_context(|| format!("node {} cannot have clock faults", self.parts.number))
    }

    pub(crate) fn history(&self) -> History {
        self.locked().clone()
    }

    /// Returns the paths of the logs, one for each start.
    pub(crate) fn logs(&self) -> Vec<PathBuf> {
        let starts = self.locked().starts;
        (1..=starts).map(|start| self.log_of(start)).collect()
    }

    fn log_of(&self, start: usize) -> PathBuf {
        self.parts.folder.join(format!("server-{start}.log"))
    }

    fn locked(&self) -> std::sync::MutexGuard<'_, History> {
        self.history.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn offended(&self, offense: String) {
        self.locked().offenses.push(offense);
    }

    fn signal(&self, signal: Signal) {
        if let Some(process) = *self.process.borrow() {
            // A process that has just ended needs no signal.
            let _ = kill_process(process, signal);
        }
    }

    async fn ended(&self) {
        // This fails only if the node no longer exists.
        let _ = self.process.subscribe().wait_for(Option::is_none).await;
    }

    fn spawn(&self) -> anyhow::Result<Child> {
        let start = {
            let mut history = self.locked();
            history.starts += 1;
            history.starts
        };
        let log = File::create(self.log_of(start))?;
        let mut command = self.command();
        self.parts.clock.apply_to(&mut command);
        command.arg("serve").stdout(log.try_clone()?).stderr(log);
        command.spawn().context("the program cannot be started")
    }

    /// Records the end of a process that was neither killed nor asked to end.
    fn ended_by_itself(&self, status: std::io::Result<ExitStatus>) {
        let log = self.log_of(self.locked().starts);
        let has_served = fs::read_to_string(&log).is_ok_and(|text| text.contains(SERVING));
        if has_served {
            let (number, log) = (self.parts.number, log.display());
            self.offended(format!("node {number} ended by itself ({status:?}): {log}"));
        } else {
            self.locked().failed_starts += 1;
        }
    }
}

/// Starts the process whenever it is wanted and does not run.
async fn supervise(node: Arc<Node>) {
    let mut wanted = node.wanted.subscribe();
    while wanted.wait_for(|wanted| *wanted).await.is_ok() {
        match node.spawn() {
            Ok(mut child) => {
                node.process.send_replace(pid(&child));
                let status = child.wait().await;
                node.process.send_replace(None);
                if !*wanted.borrow() {
                    continue;
                }
                node.ended_by_itself(status);
            }
            Err(error) => node.offended(format!("node {}: {error:#}", node.parts.number)),
        }
        time::sleep(RESTART_PAUSE).await;
    }
}

fn pid(child: &Child) -> Option<Pid> {
    let id = i32::try_from(child.id()?).ok()?;
    Pid::from_raw(id)
}
