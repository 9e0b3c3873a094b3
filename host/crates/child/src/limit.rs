//! Limits of the child's memory and processor time.
use std::io;

use rlimit::Resource;

/// The resources that a child may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Address space, in bytes.
    pub memory_bytes: u64,
    /// Processor time of all threads together, in seconds.
    pub processor_s: u64,
}

/// Sets the limits of this process: memory, processor time, and no writing to files.
pub fn limit(limits: Limits) -> io::Result<()> {
    for (resource, soft, hard) in [
        (Resource::AS, limits.memory_bytes, limits.memory_bytes),
        // The soft limit sends SIGXCPU, which names the cause; the hard limit sends SIGKILL, which does not.
        (Resource::CPU, limits.processor_s, limits.processor_s.saturating_add(1)),
        (Resource::FSIZE, 0, 0),
        (Resource::CORE, 0, 0),
    ] {
        let max = resource.get()?.1;
        resource.set(soft.min(max), hard.min(max))?;
    }
    Ok(())
}
