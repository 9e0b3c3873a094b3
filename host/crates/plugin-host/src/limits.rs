//! What one call may use: memory, time and the size of its result.
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde::Deserialize;
use wasmtime::ResourceLimiter;

/// The most a manifest may ask for. The pool reserves its address space by the memory cap.
pub(crate) const MEMORY_CAP_MIB: u32 = 512;
/// Of a plugin that computes, and of one that may wait: a slow machine of one's own takes long for a picture.
const DEADLINE_CAP_S: u32 = 600;
const NETWORK_DEADLINE_CAP_S: u32 = 1800;
const RESPONSE_CAP_MIB: u32 = 128;
/// One look a second, for as long as the longest call lasts.
const REQUESTS_CAP: u32 = 1800;

/// What a guest hands to the host in one go, a result or an argument, is copied, and lists may overlap: without a limit a
/// small guest could describe a result of any size. A drawing may have its response on top of this.
const COPIED_BYTES: usize = 1 << 20;
/// A plan of a hundred pages has some 100 KiB, a thousand leaves as much.
const COPIED_TEXT_BYTES: usize = 4 << 20;

/// The `[limits]` of a manifest: what each call of the plugin may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(crate) struct Limits {
    memory_mib: u32,
    deadline_s: u32,
    response_mib: u32,
    requests: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            memory_mib: 256,
            deadline_s: 180,
            response_mib: 64,
            requests: 100,
        }
    }
}

impl Limits {
    /// Names the first limit that is zero or above what this host allows for a plugin with or without the network.
    pub(crate) fn check_for(&self, network: bool) -> Result<(), String> {
        let deadline_cap = if network {
            NETWORK_DEADLINE_CAP_S
        } else {
            DEADLINE_CAP_S
        };
        for (name, value, cap) in [
            ("memory-mib", self.memory_mib, MEMORY_CAP_MIB),
            ("deadline-s", self.deadline_s, deadline_cap),
            ("response-mib", self.response_mib, RESPONSE_CAP_MIB),
            ("requests", self.requests, REQUESTS_CAP),
        ] {
            if value == 0 || value > cap {
                return Err(format!("limits.{name} is {value}; this host allows 1 to {cap}"));
            }
        }
        Ok(())
    }

    pub(crate) fn memory_mib(&self) -> u32 {
        self.memory_mib
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        (self.memory_mib as usize) << 20
    }

    pub(crate) fn response_bytes(&self) -> u64 {
        u64::from(self.response_mib) << 20
    }

    /// HTTP requests that a call may make.
    pub(crate) fn requests(&self) -> u32 {
        self.requests
    }

    /// How much the host copies of a drawing.
    pub(crate) fn copied_of_drawing(&self) -> usize {
        ((self.response_mib as usize) << 20) + COPIED_BYTES
    }

    /// How much the host copies of a plan or of the leaves of a book.
    pub(crate) fn copied_of_text() -> usize {
        COPIED_TEXT_BYTES
    }

    /// How much the host copies of a description.
    pub(crate) fn copied_of_description() -> usize {
        COPIED_BYTES
    }

    pub(crate) fn deadline(&self) -> Duration {
        Duration::from_secs(self.deadline_s.into())
    }
}

/// One budget for everything a store allocates for its guest. (`wasmtime::StoreLimits` bounds each
/// memory and each table by itself, and a component may have many.)
pub(crate) struct MemoryBudget {
    limit: usize,
    used: usize,
    /// The last growth that was allowed: taken back when it fails after all.
    latest: usize,
    denied: Arc<AtomicBool>,
}

impl MemoryBudget {
    /// `denied` is set when the guest asks for more; it outlives the store.
    pub(crate) fn new(limit: usize, denied: Arc<AtomicBool>) -> Self {
        Self {
            limit,
            used: 0,
            latest: 0,
            denied,
        }
    }

    fn grow(&mut self, bytes: usize) -> bool {
        let fits = self.used.checked_add(bytes).is_some_and(|total| total <= self.limit);
        if fits {
            self.used += bytes;
            self.latest = bytes;
        } else {
            self.latest = 0;
            self.denied.store(true, Ordering::Relaxed);
        }
        fits
    }

    fn take_back(&mut self) {
        self.used -= std::mem::take(&mut self.latest);
    }
}

impl ResourceLimiter for MemoryBudget {
    fn memory_growing(&mut self, current: usize, desired: usize, _maximum: Option<usize>) -> wasmtime::Result<bool> {
        Ok(self.grow(desired.saturating_sub(current)))
    }

    fn memory_grow_failed(&mut self, _error: wasmtime::Error) -> wasmtime::Result<()> {
        self.take_back();
        Ok(())
    }

    fn table_growing(&mut self, current: usize, desired: usize, _maximum: Option<usize>) -> wasmtime::Result<bool> {
        Ok(self.grow(desired.saturating_sub(current).saturating_mul(size_of::<usize>())))
    }

    fn table_grow_failed(&mut self, _error: wasmtime::Error) -> wasmtime::Result<()> {
        self.take_back();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn budget(limit: usize) -> (MemoryBudget, Arc<AtomicBool>) {
        let denied = Arc::new(AtomicBool::new(false));
        (MemoryBudget::new(limit, denied.clone()), denied)
    }

    #[test]
    fn two_memories_and_a_table_share_one_budget() {
        let (mut budget, denied) = budget(1000);
        assert!(budget.memory_growing(0, 400, None).unwrap());
        assert!(budget.memory_growing(0, 400, None).unwrap());
        assert!(budget.table_growing(0, 25, None).unwrap());
        assert!(!denied.load(Ordering::Relaxed));
        assert!(!budget.memory_growing(400, 401, None).unwrap());
        assert!(denied.load(Ordering::Relaxed));
    }

    #[test]
    fn a_growth_that_fails_is_given_back_once() {
        let (mut budget, _) = budget(1000);
        assert!(budget.memory_growing(0, 1000, None).unwrap());
        budget.memory_grow_failed(wasmtime::Error::msg("no room")).unwrap();
        budget.memory_grow_failed(wasmtime::Error::msg("no room")).unwrap();
        assert!(budget.memory_growing(0, 1000, None).unwrap());
        assert!(!budget.memory_growing(1000, usize::MAX, None).unwrap());
        budget.memory_grow_failed(wasmtime::Error::msg("denied")).unwrap();
        assert!(
            !budget.memory_growing(1000, 1001, None).unwrap(),
            "what was denied gives nothing back"
        );
    }

    #[test]
    fn limits_beyond_the_host_are_named() {
        let limits = Limits {
            memory_mib: 4096,
            ..Limits::default()
        };
        assert_eq!(
            limits.check_for(true).unwrap_err(),
            "limits.memory-mib is 4096; this host allows 1 to 512"
        );
        let limits = Limits {
            deadline_s: 1000,
            ..Limits::default()
        };
        assert_eq!(
            limits.check_for(false).unwrap_err(),
            "limits.deadline-s is 1000; this host allows 1 to 600"
        );
        assert_eq!(limits.check_for(true), Ok(()));
        assert_eq!(Limits::default().check_for(false), Ok(()));
    }
}
