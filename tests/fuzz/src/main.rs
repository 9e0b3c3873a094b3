//! One target under libFuzzer, named by the variable `LINEPRESS_FUZZ_TARGET`: `cargo xtask fuzz`.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::{Corpus, fuzz_target};
use linepress_fuzz::{Input, Target};

static TARGET: LazyLock<&Target> = LazyLock::new(|| {
    let name = std::env::var("LINEPRESS_FUZZ_TARGET").unwrap_or_default();
    let target = linepress_fuzz::TARGETS.iter().find(|target| target.name == name);
    target.unwrap_or_else(|| panic!("LINEPRESS_FUZZ_TARGET names no target: run `cargo xtask fuzz`"))
});

fuzz_target!(init: LazyLock::force(&TARGET), |input: &[u8]| -> Corpus {
    match (TARGET.run)(input) {
        Input::Used => Corpus::Keep,
        Input::Unusable => Corpus::Reject,
    }
});
