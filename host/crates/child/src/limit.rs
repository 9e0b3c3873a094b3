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
    for (resource, value) in [
        (Resource::AS, limits.memory_bytes),
        (Resource::CPU, limits.processor_s),
        (Resource::FSIZE, 0),
        (Resource::CORE, 0),
    ] {
        let hard = resource.get()?.1;
        let value = value.min(hard);
        resource.set(value, value)?;
    }
    Ok(())
}
