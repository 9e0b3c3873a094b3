//! The processor time and memory of the process, under the names that client libraries of Prometheus use.
use std::sync::atomic::AtomicU64;

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::{Registry, Unit};

/// The processor time and memory of the process.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Usage {
    cpu_seconds: f64,
    resident_bytes: u64,
}

pub(crate) fn registry() -> Registry {
    let mut registry = Registry::with_prefix("process");
    let Some(usage) = read() else {
        return registry;
    };
    let cpu: Counter<f64, AtomicU64> = Counter::default();
    cpu.inc_by(usage.cpu_seconds);
    let help = "Processor time of the server, without the processes that typeset and compile";
    registry.register_with_unit("cpu", help, Unit::Seconds, cpu);
    let memory: Gauge<u64, AtomicU64> = Gauge::default();
    memory.set(usage.resident_bytes);
    let help = "Memory of the server, without the processes that typeset and compile";
    registry.register_with_unit("resident_memory", help, Unit::Bytes, memory);
    registry
}

#[cfg(target_os = "linux")]
fn read() -> Option<Usage> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    let statm = std::fs::read_to_string("/proc/self/statm").ok()?;
    let ticks = rustix::param::clock_ticks_per_second();
    let page = rustix::param::page_size();
    parse(&stat, &statm, ticks, page as u64)
}

#[cfg(not(target_os = "linux"))]
fn read() -> Option<Usage> {
    None
}

/// Reads the contents of `/proc/self/stat` and `/proc/self/statm` (proc_pid_stat(5)).
#[cfg(any(target_os = "linux", test))]
fn parse(stat: &str, statm: &str, ticks_per_second: u64, page_bytes: u64) -> Option<Usage> {
    // The second field is the name of the program in parentheses, which may itself contain spaces and parentheses.
    let (_, fields) = stat.rsplit_once(')')?;
    // The third field is the first here, so `utime` (14) and `stime` (15) are the twelfth and the thirteenth.
    let mut times = fields.split_whitespace().skip(11);
    let user_ticks: u64 = times.next()?.parse().ok()?;
    let system_ticks: u64 = times.next()?.parse().ok()?;
    let pages: u64 = statm.split_whitespace().nth(1)?.parse().ok()?;
    Some(Usage {
        cpu_seconds: (user_ticks + system_ticks) as f64 / ticks_per_second as f64,
        resident_bytes: pages * page_bytes,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_name_with_parentheses_does_not_shift_the_fields() {
        let stat = "42 (a ) b) S 1 42 42 0 -1 4194560 900 0 0 0 150 50 7 8 20 0 4 0 100 1000 200";
        let usage = parse(stat, "2000 300 100 10 0 500 0\n", 100, 4096);
        let expected = Usage {
            cpu_seconds: 2.0,
            resident_bytes: 300 * 4096,
        };
        assert_eq!(usage, Some(expected));
        assert_eq!(parse("42 (a) S 1", "1 2", 100, 4096), None);
    }
}
