//! Properties that hold whatever clients and workers do, checked with random sequences of actions.
mod books;
mod covers;
mod cursors;
mod ledger;
mod steps;

use proptest::strategy::Strategy;
use proptest::test_runner::{Config, RngSeed, TestRunner};

/// Checks a property with values of a strategy, which are the same in every run unless `PROPTEST_RNG_SEED` or
/// `PROPTEST_CASES` is set. Failing input is reduced and printed, but not written to a file.
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

/// Returns an item of the list for any number, or `None` if the list is empty.
fn pick<T>(list: &[T], number: usize) -> Option<&T> {
    list.get(number.checked_rem(list.len())?)
}
