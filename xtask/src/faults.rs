//! `cargo xtask faults`: runs several nodes under load and faults, and checks afterwards that nothing was lost or
//! charged twice. The program that does this is tests/faults; this command builds it, and starts it with the servers
//! and the small disks that it needs.

use std::collections::hash_map::RandomState;
use std::fs;
use std::hash::{BuildHasher as _, Hasher as _};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, ExitStatus};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use clap::Args;
use rustix::process::{Pid, Signal, kill_process};

use crate::mounts::Mounts;
use crate::postgres::Postgres;
use crate::project::{self, Project};
use crate::s3::{self, S3};
use crate::tools::Tools;
use crate::{interrupt, plugins, server};

/// The time between two looks at the program that runs the nodes.
const POLL_PAUSE: Duration = Duration::from_millis(100);

/// Much longer than that program needs to end its nodes.
const STOP_TIMEOUT: Duration = Duration::from_secs(30);

/// The size of the disk with the incoming files of a node. It is in memory when it is full.
const DISK_BYTES: u64 = 64 << 20;

#[derive(Args)]
pub(crate) struct Faults {
    /// The seed of the schedule. A seed repeats its schedule for the same minutes and nodes. Default: a random one.
    #[arg(long)]
    seed: Option<u64>,
    /// The minutes during which faults occur.
    #[arg(long, default_value_t = 5.0)]
    minutes: f64,
    /// The number of nodes.
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u8).range(1..=8))]
    nodes: u8,
}

/// The servers that the nodes share, and the way to give each node a small disk.
pub(crate) struct Servers {
    postgres: Postgres,
    objects: S3,
    mounts: anyhow::Result<Mounts>,
}

impl Servers {
    pub(crate) fn start(project: &Project, tools: &Tools) -> anyhow::Result<Self> {
        Ok(Self {
            postgres: Postgres::start_surviving_kills(tools)?,
            objects: S3::start(project)?,
            mounts: Mounts::find(),
        })
    }

    /// Returns a line about the kind of fault that this machine does not permit.
    pub(crate) fn skip(&self) -> Option<String> {
        let refusal = self.mounts.as_ref().err()?;
        Some(format!("the nodes with a full disk: {refusal:#}"))
    }

    /// Returns true if the program runs below `sudo`.
    fn uses_sudo(&self) -> bool {
        matches!(self.mounts, Ok(Mounts::Sudo))
    }

    /// Returns a command that runs the program with a small disk at each of the folders, if that is possible.
    fn command(&self, program: &Path, disks: &[PathBuf]) -> Command {
        match &self.mounts {
            Ok(mounts) => {
                let mut command = mounts.command(DISK_BYTES, disks, program);
                command.arg("--small-disks");
                command
            }
            Err(_) => Command::new(program),
        }
    }
}

impl Faults {
    /// A run that `cargo xtask test` includes. Its schedule contains every kind of fault, as a test of the program
    /// checks.
    pub(crate) const SHORT: Self = Self {
        seed: Some(1),
        minutes: 1.5,
        nodes: 2,
    };

    pub(crate) fn run(&self, project: &Project) -> anyhow::Result<ExitCode> {
        plugins::assemble_offline(project)?;
        plugins::assemble_testbed(project)?;
        interrupt::catch()?;
        let servers = Servers::start(project, &Tools::find_or_install())?;
        if let Some(skip) = servers.skip() {
            println!("skipped: {skip}");
        }
        self.check(project, &servers)?;
        Ok(ExitCode::SUCCESS)
    }

    /// Runs the nodes, whose plugins must be assembled. Fails if an invariant is violated.
    pub(crate) fn check(&self, project: &Project, servers: &Servers) -> anyhow::Result<()> {
        println!("Running {} nodes under faults", self.nodes);
        let length = Duration::try_from_secs_f64(self.minutes * 60.0).context("--minutes must be 0 or more")?;
        let seed = self
            .seed
            .unwrap_or_else(|| RandomState::new().build_hasher().finish() % 1_000_000);
        let program = project.build_server_with(false, &["--bin", "linepress-faults"])?;
        let data = project.target.join("faults");
        let mut disks = Vec::new();
        for number in 0..self.nodes {
            let folder = data.join(format!("node-{number}"));
            server::empty_data(&folder)?;
            let disk = folder.join("incoming");
            fs::create_dir(&disk).with_context(|| format!("{} cannot be created", disk.display()))?;
            disks.push(disk);
        }
        let s3 = servers.objects.url.trim_start_matches("http://");
        let mut command = servers.command(&program.with_file_name("linepress-faults"), &disks);
        command
            .args(["--seed", &seed.to_string()])
            .args(["--seconds", &length.as_secs().to_string()])
            .args(["--nodes", &self.nodes.to_string()])
            .args(["--database", &servers.postgres.url, "--s3", s3])
            .arg("--program")
            .arg(program)
            .arg("--plugins")
            .arg(project.plugins_folder())
            .arg("--plugins")
            .arg(project.testbed_folder())
            .arg("--pg-ctl")
            .arg(&servers.postgres.pg_ctl)
            .arg("--pg-data")
            .arg(servers.postgres.data())
            .arg("--data")
            .arg(&data)
            .envs(s3::CREDENTIALS);
        let mut harness = command.spawn().context("linepress-faults cannot be started")?;
        let status = wait(&mut harness, servers.uses_sudo())?;
        let (minutes, nodes) = (self.minutes, self.nodes);
        ensure!(
            status.success(),
            "the run under faults failed ({status}). `cargo xtask faults --seed {seed} --minutes {minutes} --nodes {nodes}` \
             repeats its schedule; the logs of the nodes are in {}",
            data.display()
        );
        Ok(())
    }
}

/// Waits until the program that runs the nodes has ended. When this program is interrupted, stops the other one.
fn wait(harness: &mut Child, uses_sudo: bool) -> anyhow::Result<ExitStatus> {
    loop {
        if let Err(interrupted) = interrupt::check() {
            if let Err(error) = stop(harness, uses_sudo) {
                eprintln!("error: the nodes may still run: {error:#}");
            }
            return Err(interrupted);
        }
        if let Some(status) = harness.try_wait()? {
            interrupt::check()?;
            return Ok(status);
        }
        thread::sleep(POLL_PAUSE);
    }
}

/// Asks the program to end, so that it ends its nodes. Kills it if it does not end.
fn stop(harness: &mut Child, uses_sudo: bool) -> anyhow::Result<()> {
    let end = Instant::now() + STOP_TIMEOUT;
    while harness.try_wait()?.is_none() {
        if Instant::now() > end {
            signal(harness, Signal::KILL, uses_sudo)?;
            harness.wait()?;
            break;
        }
        // If this fails, the next attempt may not. After Ctrl-C in a terminal the program is ending anyway.
        let _ = signal(harness, Signal::TERM, uses_sudo);
        thread::sleep(POLL_PAUSE);
    }
    Ok(())
}

/// Sends a signal to the program, or to the `sudo` that runs it, to which only root may send signals, and which
/// passes on each one but KILL.
fn signal(harness: &Child, signal: Signal, uses_sudo: bool) -> anyhow::Result<()> {
    if !uses_sudo {
        return Ok(kill_process(Pid::from_child(harness), signal)?);
    }
    let (number, process) = (signal.as_raw().to_string(), harness.id().to_string());
    let mut kill = Command::new("sudo");
    kill.args(["-n", "kill", "-s", &number, &process]);
    // sudo does not pass on a signal that comes from its own process group.
    project::read(kill.process_group(0))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt as _;

    use super::*;

    #[test]
    fn a_stopped_program_is_asked_to_end() {
        let mut program = Command::new("sleep").arg("60").spawn().unwrap();
        stop(&mut program, false).unwrap();
        let status = program.try_wait().unwrap().unwrap();
        assert_eq!(status.signal(), Some(Signal::TERM.as_raw()));
    }
}
