//! A server in a separate process.
use std::net::{Ipv4Addr, SocketAddr};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};

use crate::client::Client;

/// Longer than a first start, which compiles the plugins, takes.
const START_TIMEOUT: Duration = Duration::from_secs(120);

/// A server that has responded; the process is killed when this is dropped.
pub(crate) struct Process {
    child: Child,
    pub address: SocketAddr,
    /// The time from the start until the first response.
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
        // A server that already listens holds the request until it is ready, so that polling for a connection is
        // enough.
        while began.elapsed() < START_TIMEOUT {
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
        bail!("the server did not respond within {START_TIMEOUT:?}")
    }

    pub(crate) fn resident_mebibytes(&self) -> anyhow::Result<f64> {
        resident_mebibytes(self.child.id())
    }

    /// The peak of its resident memory so far.
    pub(crate) fn peak_mebibytes(&self) -> anyhow::Result<f64> {
        peak_mebibytes(self.child.id())
    }
}

/// Returns the resident memory of a process in MiB, as Linux reports it.
pub(crate) fn resident_mebibytes(process: u32) -> anyhow::Result<f64> {
    mebibytes(process, "VmRSS:")
}

/// Returns the peak resident memory of a process in MiB, as Linux reports it.
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

/// Returns the CPU time of this process so far in milliseconds, on all processors, in steps of ten.
pub(crate) fn cpu_milliseconds() -> anyhow::Result<f64> {
    /// Linux reports CPU time to programs in hundredths of a second, whatever its internal clock.
    const MILLISECONDS_A_TICK: f64 = 10.0;
    let stat = std::fs::read_to_string("/proc/self/stat")
        .context("/proc/self/stat cannot be read: CPU time is measured on Linux only")?;
    // The name in parentheses may contain anything; user and system time follow it as the 12th and 13th field.
    let (_, fields) = stat.rsplit_once(')').context("no name")?;
    let mut times = fields.split_whitespace().skip(11).map(str::parse::<f64>);
    let mut next = || times.next().context("no times")?.context("no number");
    Ok((next()? + next()?) * MILLISECONDS_A_TICK)
}

/// Returns the ids of the processes that typeset books for this one.
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
        // Both calls fail only if the server has already ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns an address on which no program listens at this moment.
fn free_address() -> anyhow::Result<SocketAddr> {
    let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    Ok(listener.local_addr()?)
}
