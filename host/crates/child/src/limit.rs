use std::io;

use rlimit::Resource;

/// What a child may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Address space, in bytes.
    pub memory_bytes: u64,
    /// Processor time of all threads together, in seconds.
    pub processor_s: u64,
}

/// Sets the limits of this process: memory, processor time, and no file that could be written.
pub fn limit(limits: Limits) -> io::Result<()> {
    for (resource, soft, hard) in [
        (Resource::AS, limits.memory_bytes, limits.memory_bytes),
        // The signal of the soft limit says that it was this limit; that of the hard one is the one of every killer.
        (Resource::CPU, limits.processor_s, limits.processor_s.saturating_add(1)),
        (Resource::FSIZE, 0, 0),
        (Resource::CORE, 0, 0),
    ] {
        let most = resource.get()?.1;
        resource.set(soft.min(most), hard.min(most))?;
    }
    Ok(())
}
