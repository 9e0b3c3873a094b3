//! A server in a process of its own.
use std::net::{Ipv4Addr, SocketAddr};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};

use crate::client::Client;

/// Compiling the plugins for the first time takes longer than any start after it.
const PATIENCE: Duration = Duration::from_secs(120);

/// A server that has responded; it is killed when this is dropped.
pub(crate) struct Process {
    child: Child,
    pub address: SocketAddr,
    /// Until it responded.
    pub took: Duration,
}

impl Process {
    pub(crate) async fn start(mut command: Command) -> anyhow::Result<Self> {
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
            address,
            took: Duration::ZERO,
        };
        // Who listens early keeps the client waiting, so that it need ask only once.
        while began.elapsed() < PATIENCE {
            if let Some(status) = process.child.try_wait()? {
                bail!("the server ended before it responded ({status})");
            }
            if let Ok(mut client) = Client::connect(address, "/readyz", "").await {
                client.ask().await?;
                process.took = began.elapsed();
                return Ok(process);
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        bail!("the server did not respond within {PATIENCE:?}")
    }

    pub(crate) fn resident_mebibytes(&self) -> anyhow::Result<f64> {
        resident_mebibytes(self.child.id())
    }
}

/// Linux tells of every process what it holds in memory,
pub(crate) fn resident_mebibytes(process: u32) -> anyhow::Result<f64> {
    mebibytes(process, "VmRSS:")
}

/// and what it held at most.
pub(crate) fn peak_mebibytes(process: u32) -> anyhow::Result<f64> {
    mebibytes(process, "VmHWM:")
}

fn mebibytes(process: u32, name: &str) -> anyhow::Result<f64> {
    let path = format!("/proc/{process}/status");
    let status = std::fs::read_to_string(&path)
        .with_context(|| format!("{path} cannot be read: memory is measured on Linux only"))?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix(name))
        .with_context(|| format!("no {name}"))?;
    let kibibytes: f64 = line.trim().trim_end_matches(" kB").parse()?;
    Ok(kibibytes / 1024.0)
}

/// How long this process has been at work so far, on all processors: in steps of ten milliseconds.
pub(crate) fn cpu_milliseconds() -> anyhow::Result<f64> {
    /// Linux counts in hundredths of a second for everybody who asks, whatever its own clock does.
    const MILLISECONDS_A_TICK: f64 = 10.0;
    let stat = std::fs::read_to_string("/proc/self/stat")
        .context("/proc/self/stat cannot be read: CPU time is measured on Linux only")?;
    // The name in parentheses may hold anything; the time in the program and in the kernel are 12 and 13 fields on.
    let (_, fields) = stat.rsplit_once(')').context("no name")?;
    let mut times = fields.split_whitespace().skip(11).map(str::parse::<f64>);
    let mut next = || times.next().context("no times")?.context("no number");
    Ok((next()? + next()?) * MILLISECONDS_A_TICK)
}

/// The processes that typeset books for this one.
pub(crate) fn typesetting() -> anyhow::Result<Vec<u32>> {
    let own = std::process::id();
    let mut children = Vec::new();
    for entry in std::fs::read_dir("/proc")? {
        let Ok(process) = entry?.file_name().to_string_lossy().parse::<u32>() else {
            continue;
        };
        let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
        let line = std::fs::read_to_string(format!("/proc/{process}/cmdline")).unwrap_or_default();
        let parent = stat
            .rsplit_once(") ")
            .and_then(|(_, rest)| rest.split(' ').nth(1)?.parse().ok());
        if parent == Some(own) && line.split('\0').nth(1) == Some("render") {
            children.push(process);
        }
    }
    Ok(children)
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
