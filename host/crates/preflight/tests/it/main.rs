//! Small PDFs with one fault each, and the report of the check.
#![expect(clippy::unwrap_used, reason = "a test that panics is a test that fails")]

/// A book without faults.
mod book;

mod covers;
mod faults;
mod hostile;
mod placements;
mod sound;
