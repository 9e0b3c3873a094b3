//! Fuzz targets: the code that reads what strangers send, for arbitrary bytes. A target panics when an input breaks one
//! of its rules. `cargo xtask fuzz` feeds them with libFuzzer; the tests of this crate feed them with the seeds.

mod targets;

use std::path::{Path, PathBuf};

pub use targets::TARGETS;

/// Code under test, and the rules that hold for all inputs.
#[derive(Debug)]
pub struct Target {
    pub name: &'static str,
    /// Handles one input. Panics when it breaks a rule.
    pub run: fn(&[u8]) -> Input,
}

/// The use that a target had for an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input {
    Used,
    /// The bytes do not have the form of an input of this target, so that variations of them are not worth a try.
    Unusable,
}

impl Target {
    /// The folder of the inputs from which the fuzzer starts.
    pub fn seeds(&self) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds").join(self.name)
    }
}
