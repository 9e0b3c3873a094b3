//! Ctrl-C: children are stopped and things are put away before this program ends.

use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Context as _;

static ASKED: AtomicBool = AtomicBool::new(false);

/// From here on Ctrl-C no longer ends this program at once: whoever waits asks [`check`], and guards clean up.
pub fn catch() -> anyhow::Result<()> {
    ctrlc::set_handler(|| ASKED.store(true, Ordering::Relaxed)).context("Ctrl-C cannot be caught")
}

/// An error once the user has pressed Ctrl-C.
pub fn check() -> anyhow::Result<()> {
    anyhow::ensure!(!ASKED.load(Ordering::Relaxed), "interrupted");
    Ok(())
}
