//! Ctrl-C: child processes are stopped and temporary files removed before this program ends.

use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Context as _;

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// From here on Ctrl-C no longer ends this program at once: loops that wait call [`check`], and destructors clean up.
pub(crate) fn catch() -> anyhow::Result<()> {
    ctrlc::set_handler(|| INTERRUPTED.store(true, Ordering::Relaxed)).context("Ctrl-C cannot be caught")
}

/// An error once the user has pressed Ctrl-C.
pub(crate) fn check() -> anyhow::Result<()> {
    anyhow::ensure!(!INTERRUPTED.load(Ordering::Relaxed), "interrupted");
    Ok(())
}
