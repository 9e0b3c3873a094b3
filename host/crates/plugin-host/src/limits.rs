//! Limits of one call: memory, time, size of the result and number of requests.
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use serde::Deserialize;
use wasmtime::ResourceLimiter;

/// Upper bound of `limits.memory-mib`. The pool reserves this much address space for each memory.
pub(crate) const MEMORY_CAP_MIB: u32 = 512;
/// Upper bound of `limits.deadline-s` for a plugin without network access.
const DEADLINE_CAP_S: u32 = 600;
/// Upper bound of `limits.deadline-s` for a plugin with network access. An operator's own image server may be slow.
const NETWORK_DEADLINE_CAP_S: u32 = 1800;
/// Upper bound of `limits.response-mib`.
const RESPONSE_CAP_MIB: u32 = 128;
/// Upper bound of `limits.requests`: enough to poll once a second during the longest call.
const REQUESTS_CAP: u32 = 1800;

/// Maximum number of bytes that the host copies for a description. For a drawing, the response limit is added to it.
///
/// The lists in a guest's result may overlap in its memory, so without a limit a small guest could return a result of
/// any size.
const MAX_COPIED_BYTES: usize = 1 << 20;
/// Maximum number of bytes that the host copies for a plan or for leaves. A plan of 100 pages has about 100 KiB, and so
/// do 1,000 leaves.
const MAX_COPIED_TEXT_BYTES: usize = 4 << 20;

/// The `[limits]` table of a manifest, which applies to each call of the plugin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Limits {
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
    /// Returns an error that names the first limit that is zero or exceeds the host's maximum. `network` is true for a
    /// plugin with network access.
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

    pub fn memory_mib(&self) -> u32 {
        self.memory_mib
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        (self.memory_mib as usize) << 20
    }

    pub fn response_bytes(&self) -> u64 {
        u64::from(self.response_mib) << 20
    }

    /// Maximum number of HTTP requests per call.
    pub fn requests(&self) -> u32 {
        self.requests
    }

    /// Maximum number of bytes that the host copies for a drawing.
    pub(crate) fn max_copied_drawing_bytes(&self) -> usize {
        ((self.response_mib as usize) << 20) + MAX_COPIED_BYTES
    }

    /// Maximum number of bytes that the host copies for a plan, for leaves or for unknown words.
    pub(crate) fn max_copied_text_bytes() -> usize {
        MAX_COPIED_TEXT_BYTES
    }

    /// Maximum number of bytes that the host copies for a description.
    pub(crate) fn max_copied_description_bytes() -> usize {
        MAX_COPIED_BYTES
    }

    pub fn deadline(&self) -> Duration {
        Duration::from_secs(self.deadline_s.into())
    }

    /// All limits for the operator, one line each.
    pub fn lines(&self) -> Vec<String> {
        let Self {
            memory_mib,
            deadline_s,
            response_mib,
            requests,
        } = self;
        vec![
            format!("{memory_mib} MiB of memory"),
            format!("{deadline_s} s for a call"),
            format!("{response_mib} MiB for a drawing"),
            format!("{requests} HTTP requests in a call"),
        ]
    }
}

/// A budget for all memories and tables of a store. (`wasmtime::StoreLimits` limits each memory and each table
/// separately, and a component may have many.)
pub(crate) struct MemoryBudget {
    limit: usize,
    used: usize,
    /// Bytes of the last growth that was allowed. They are released if the growth fails afterwards.
    last_growth: usize,
    denied: Arc<AtomicBool>,
    /// The most bytes that were in use at a time.
    peak: Arc<AtomicUsize>,
}

impl MemoryBudget {
    /// Creates a budget of `limit` bytes. It sets `denied` when a growth exceeds the budget, and raises `peak` to the
    /// bytes in use. Both can be read after the store is dropped.
    pub(crate) fn new(limit: usize, denied: Arc<AtomicBool>, peak: Arc<AtomicUsize>) -> Self {
        Self {
            peak,
            limit,
            used: 0,
            last_growth: 0,
            denied,
        }
    }

    fn grow(&mut self, bytes: usize) -> bool {
        let fits = self.used.checked_add(bytes).is_some_and(|total| total <= self.limit);
        if fits {
            self.used += bytes;
            self.last_growth = bytes;
            self.peak.fetch_max(self.used, Ordering::Relaxed);
        } else {
            self.last_growth = 0;
            self.denied.store(true, Ordering::Relaxed);
        }
        fits
    }

    fn release_last_growth(&mut self) {
        self.used -= std::mem::take(&mut self.last_growth);
    }
}

impl ResourceLimiter for MemoryBudget {
    fn memory_growing(&mut self, current: usize, desired: usize, _maximum: Option<usize>) -> wasmtime::Result<bool> {
        Ok(self.grow(desired.saturating_sub(current)))
    }

    fn memory_grow_failed(&mut self, _error: wasmtime::Error) -> wasmtime::Result<()> {
        self.release_last_growth();
        Ok(())
    }

    fn table_growing(&mut self, current: usize, desired: usize, _maximum: Option<usize>) -> wasmtime::Result<bool> {
        Ok(self.grow(desired.saturating_sub(current).saturating_mul(size_of::<usize>())))
    }

    fn table_grow_failed(&mut self, _error: wasmtime::Error) -> wasmtime::Result<()> {
        self.release_last_growth();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn budget(limit: usize) -> (MemoryBudget, Arc<AtomicBool>) {
        let denied = Arc::new(AtomicBool::new(false));
        (MemoryBudget::new(limit, denied.clone(), Arc::default()), denied)
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
        assert_eq!(budget.peak.load(Ordering::Relaxed), 800 + 25 * size_of::<usize>());
    }

    #[test]
    fn a_failed_growth_is_released_once() {
        let (mut budget, _) = budget(1000);
        assert!(budget.memory_growing(0, 1000, None).unwrap());
        budget.memory_grow_failed(wasmtime::Error::msg("no room")).unwrap();
        budget.memory_grow_failed(wasmtime::Error::msg("no room")).unwrap();
        assert!(budget.memory_growing(0, 1000, None).unwrap());
        assert!(!budget.memory_growing(1000, usize::MAX, None).unwrap());
        budget.memory_grow_failed(wasmtime::Error::msg("denied")).unwrap();
        assert!(
            !budget.memory_growing(1000, 1001, None).unwrap(),
            "a denied growth releases nothing"
        );
    }

    #[test]
    fn a_limit_above_the_maximum_is_named() {
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
