//! Small PDFs, each with one fault, and what the check says of them.
#![expect(clippy::unwrap_used, reason = "a test that panics is a test that fails")]

/// A book without a fault.
mod book;

mod covers;
mod faults;
mod hostile;
mod placements;
mod sound;
