//! What stays true whatever clients and workers do, tried with random sequences of what they can do.
mod books;
mod covers;
mod cursors;
mod ledger;
mod steps;

use proptest::strategy::Strategy;
use proptest::test_runner::{Config, RngSeed, TestRunner};

/// Tries a property with values of a strategy, the same in every run unless `PROPTEST_RNG_SEED` or `PROPTEST_CASES` say
/// otherwise. What fails is made smaller and shown, and written nowhere.
fn check<S: Strategy>(cases: u32, strategy: &S, property: impl AsyncFn(S::Value)) {
    let given = |name: &str| std::env::var_os(name).is_some();
    let mut config = Config {
        failure_persistence: None,
        ..Config::default()
    };
    if !given("PROPTEST_CASES") {
        config.cases = cases;
    }
    if !given("PROPTEST_RNG_SEED") {
        config.rng_seed = RngSeed::Fixed(1);
    }
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let outcome = TestRunner::new(config).run(strategy, |value| {
        runtime.block_on(property(value));
        Ok(())
    });
    if let Err(failure) = outcome {
        panic!("{failure}");
    }
}

/// One of the list, whatever the number; nothing when there is none.
fn pick<T>(list: &[T], number: usize) -> Option<&T> {
    list.get(number.checked_rem(list.len())?)
}
