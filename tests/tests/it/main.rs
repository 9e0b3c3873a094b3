//! The tests that see only the public face, in one binary.
#![expect(
    clippy::unwrap_used,
    reason = "a test that panics is a test that fails"
)]

mod print;
mod tools;
