//! Handling of Ctrl-C: child processes are stopped and temporary files are removed before this program ends.

use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Context as _;

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Catches Ctrl-C from now on, so that it no longer ends this program at once. Loops that wait must call [`check`], so
/// that destructors can clean up.
pub(crate) fn catch() -> anyhow::Result<()> {
    ctrlc::set_handler(|| INTERRUPTED.store(true, Ordering::Relaxed)).context("Ctrl-C cannot be caught")
}

/// Returns an error if the user has pressed Ctrl-C.
pub(crate) fn check() -> anyhow::Result<()> {
    anyhow::ensure!(!INTERRUPTED.load(Ordering::Relaxed), "interrupted");
    Ok(())
}
