//! What stays true whatever clients and workers do, tried with random sequences of what they can do.
mod books;
mod cursors;
mod ledger;
mod steps;

use std::collections::BTreeSet;
use std::time::Duration;

use linepress::storage;
use proptest::strategy::Strategy;
use proptest::test_runner::{Config, RngSeed, TestRunner};

use crate::house::House;

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

/// Fails unless, once everything is swept that is due, the stored objects are those that rows refer to, and every row
/// of an artwork is somebody's.
async fn check_objects(house: &House) {
    house.app.clock.advance(Duration::from_secs(2 * 24 * 3600));
    storage::sweep(&house.app).await.unwrap();
    let read = &house.app.database.read;
    let artworks: i64 = sqlx::query_scalar("SELECT COUNT(*) FROM artworks")
        .fetch_one(read)
        .await
        .unwrap();
    let keys: Vec<(String, String)> = sqlx::query_as(
        "SELECT image_key, master_key FROM artworks WHERE id IN (SELECT artwork_id FROM pages \
         UNION SELECT artwork_id FROM characters UNION SELECT cover_artwork_id FROM books)",
    )
    .fetch_all(read)
    .await
    .unwrap();
    assert_eq!(i64::try_from(keys.len()).unwrap(), artworks, "an artwork is nobody's");
    let referred: BTreeSet<String> = keys.into_iter().flat_map(|(image, master)| [image, master]).collect();
    assert_eq!(house.objects(), referred);
    // Once more finds nothing to do.
    assert_eq!(storage::sweep(&house.app).await.unwrap(), 0);
}
