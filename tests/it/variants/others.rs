//! Variants of covers and characters.
use std::collections::BTreeSet;

use futures::future::{join, join_all};
use linepress_core::artwork::Status;
use linepress_core::operations::{Operation, OperationStatus};
use serde_json::{Value, json};

use super::drawn::{Drawn, idle};
use super::{attempts, draw_at_once, id, picture};
use crate::test_app::TestApp;
use crate::testing;

#[tokio::test]
async fn each_variant_costs_a_credit_and_the_first_is_shown_until_another_is_chosen() {
    let app = TestApp::start().await;
    let ada = app.account(12).await;
    for drawn in Drawn::each(&app, &ada).await {
        let (before, credits) = (drawn.picture(&ada).await, ada.credits().await);
        let key = app.new_key();
        let reply = ada.generate(&drawn.regeneration(), &key, &drawn.wish(3)).await;
        assert_eq!(reply.header("x-service-credits-consumed"), "3");
        let accepted = reply.accepted();
        let operation = json!(accepted.operation_id());
        assert_eq!(accepted.operation.progress.total, 3);

        assert!(testing::work_once(&app.server).await.unwrap());
        let first = drawn.picture(&ada).await;
        assert_ne!(first, before);
        assert_eq!(drawn.state(&ada).await, (json!("generating"), operation, json!(2)));
        let early = attempts(&ada, &drawn.path).await;
        ada.post_nothing(&format!("{}/attempts/{}/choose", drawn.path, id(&early[0])))
            .await
            .expect_error(409, "generation_active");

        app.draw_everything().await;
        assert_eq!(drawn.state(&ada).await, idle(2));
        assert_eq!(drawn.picture(&ada).await, first);
        assert_eq!(ada.status(&accepted).await, OperationStatus::Succeeded);
        let listed = drawn.checked(&ada).await;
        let mut seen = BTreeSet::new();
        for attempt in &listed {
            seen.insert(picture(&ada, &format!("{}/attempts/{}/image", drawn.path, id(attempt))).await);
        }
        assert_eq!((listed.len(), seen.len()), (4, 4), "the variants differ");

        let other = listed.iter().find(|attempt| attempt["chosen"] == false).unwrap();
        ada.post_nothing(&format!("{}/attempts/{}/choose", drawn.path, id(other)))
            .await
            .expect(200);
        assert_ne!(drawn.picture(&ada).await, first);
        drawn.checked(&ada).await;
        let replay = ada.generate(&drawn.regeneration(), &key, &drawn.wish(3)).await;
        assert_eq!(replay.header("x-service-credits-consumed"), "0");
        ada.generate(&drawn.regeneration(), &key, &drawn.wish(2))
            .await
            .expect_error(409, "idempotency_conflict");
        assert_eq!(ada.credits().await, credits - 3);
    }
    app.check_books().await;
}

/// The seed with which the character is drawn on pages, and those of its attempts, the chosen one first.
async fn seeds(app: &TestApp, character: &str) -> (i64, Vec<i64>) {
    let pool = &app.server.database.read;
    let own: sqlx::Result<i64> = sqlx::query_scalar("SELECT seed FROM characters WHERE id = $1")
        .bind(character)
        .fetch_one(pool)
        .await;
    let attempts: sqlx::Result<Vec<i64>> =
        sqlx::query_scalar("SELECT seed FROM attempts WHERE target_id = $1 ORDER BY COALESCE(replaced_at, 0), id")
            .bind(character)
            .fetch_all(pool)
            .await;
    (own.unwrap(), attempts.unwrap())
}

#[tokio::test]
async fn a_character_keeps_the_seed_of_the_variant_that_it_shows() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let wish = json!({"character": {"name": "Pip", "description": "A hedgehog", "variants": 3}});
    let accepted = app.accepted(&ada, "/characters", &wish).await;
    let pip = accepted.character_id();
    assert_eq!((accepted.operation.credits.charged, ada.credits().await), (3, 6));
    assert_eq!(ada.count("characters").await, 1);
    app.draw_everything().await;
    assert_eq!(ada.character(&pip).await.status, Status::Ready);
    let (own, all) = seeds(&app, &pip).await;
    assert_eq!((own, all.len()), (all[0], 3));
    assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), 3);

    let again = json!({"character": {"description": "A tall hedgehog", "variants": 2}});
    app.accepted(&ada, &format!("/characters/{pip}/regenerate"), &again)
        .await;
    app.draw_everything().await;
    assert_eq!(ada.character(&pip).await.description, "A tall hedgehog");
    let (redrawn, all) = seeds(&app, &pip).await;
    assert_eq!((redrawn, all.len()), (all[0], 5));
    assert_ne!(redrawn, own);

    let path = format!("/characters/{pip}");
    let listed = attempts(&ada, &path).await;
    let mut others = listed.iter().filter(|attempt| attempt["chosen"] == false);
    let sibling = others
        .find(|attempt| attempt["prompt"] == "A tall hedgehog")
        .expect("the other variant has the new description");
    ada.post_nothing(&format!("{path}/attempts/{}/choose", id(sibling)))
        .await
        .expect(200);
    let (chosen, all) = seeds(&app, &pip).await;
    assert_eq!(chosen, all[0]);
    assert_ne!(chosen, redrawn);
    app.check_books().await;
}

/// The credits of the variants that failed, where the first one costs `first`.
fn lost(operation: &Operation, first: i64) -> i64 {
    let prices = std::iter::once(first).chain(std::iter::repeat(1));
    let items = operation.items.iter().zip(prices);
    items
        .filter(|(item, _)| item.error.is_some())
        .map(|(_, price)| price)
        .sum()
}

#[tokio::test]
async fn a_variant_that_fails_is_refunded_on_its_own() {
    let app = TestApp::builder()
        .image_provider("testbed.flaky", json!({"fail": "refused", "seeds": "odd"}))
        .config(|config| config.limits.free_covers_per_day = 100)
        .start()
        .await;
    let ada = app.account(100).await;
    let page = app.imported_page(&ada, "A fox").await;
    let mut statuses = BTreeSet::new();
    for round in 0..8 {
        let wish = json!({"character": {"name": "Pip", "variants": 4}});
        let character = app.accepted(&ada, "/characters", &wish).await;
        app.draw_everything().await;
        let book = json!({"book": {"title": "B", "pages": [{"page_id": page}]}});
        let book = app.accepted(&ada, "/books", &book).await.book_id();
        app.draw_everything().await;
        let cover = Drawn::cover(&book);
        let had_cover = ada.book(&book).await.cover.image.is_some();
        let first = i64::from(had_cover);
        let redrawn = cover.order(&app, &ada, 4).await;
        assert_eq!(redrawn.operation.credits.charged, 3 + first, "round {round}");
        app.draw_everything().await;

        for (order, first) in [(&character, 1), (&redrawn, first)] {
            let operation = ada.operation(order).await;
            let progress = &operation.progress;
            assert_eq!(progress.completed + progress.failed, 4, "round {round}");
            assert_eq!(operation.credits.refunded, lost(&operation, first), "round {round}");
            statuses.insert(operation.status.as_str());
        }
        let operation = ada.operation(&character).await;
        let pip = Drawn::character(&character.character_id());
        let (status, active, _) = pip.state(&ada).await;
        let is_drawn = operation.progress.completed > 0;
        assert_eq!((status == json!("ready"), active), (is_drawn, Value::Null));
        let stored = pip.checked(&ada).await.len();
        assert_eq!(i64::try_from(stored).unwrap(), operation.progress.completed);
        let operation = ada.operation(&redrawn).await;
        let stored = cover.checked(&ada).await.len();
        assert_eq!(i64::try_from(stored).unwrap(), operation.progress.completed + first);
        let (status, active, _) = cover.state(&ada).await;
        assert_eq!((status == json!("ready"), active), (stored > 0, Value::Null));
    }
    assert!(
        statuses.contains(OperationStatus::PartiallySucceeded.as_str()),
        "{statuses:?}"
    );
    app.check_books().await;
}

#[tokio::test]
async fn canceling_refunds_the_variants_that_have_not_begun() {
    let app = TestApp::start().await;
    let ada = app.account(12).await;
    for drawn in Drawn::each(&app, &ada).await {
        let credits = ada.credits().await;
        let accepted = drawn.order(&app, &ada, 4).await;
        assert!(testing::work_once(&app.server).await.unwrap());
        let held = testing::claim(&app.server).await.unwrap().unwrap();
        ada.post_nothing(&format!("/operations/{}/cancel", accepted.operation.id))
            .await
            .expect(200);
        assert_eq!(drawn.state(&ada).await.0, json!("generating"));
        testing::attempt(&app.server, &held).await;
        assert_eq!(drawn.state(&ada).await, idle(2));
        let operation = ada.operation(&accepted).await;
        assert_eq!(operation.status, OperationStatus::PartiallySucceeded);
        assert_eq!((operation.credits.charged, operation.credits.refunded), (4, 2));
        assert_eq!(drawn.checked(&ada).await.len(), 3);
        assert_eq!(ada.credits().await, credits - 2);
    }
    app.check_books().await;
}

#[tokio::test]
async fn a_character_that_is_archived_between_its_variants_is_ready_when_it_is_restored() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let pip = Drawn::character(&app.ready_character(&ada, "Pip").await);
    let accepted = pip.order(&app, &ada, 4).await;
    assert!(testing::work_once(&app.server).await.unwrap());
    let held = testing::claim(&app.server).await.unwrap().unwrap();
    ada.delete(&pip.path).await.expect_no_content();
    assert_eq!(ada.operation(&accepted).await.credits.refunded, 2);
    testing::attempt(&app.server, &held).await;
    // The provider of the held one was not called: its character was archived.
    let operation = ada.operation(&accepted).await;
    assert_eq!((operation.progress.completed, operation.credits.refunded), (1, 3));
    ada.post_nothing(&format!("{}/restore", pip.path)).await.expect(200);
    assert_eq!(pip.state(&ada).await, idle(2));
    assert_eq!(pip.checked(&ada).await.len(), 2);

    // All of them, before any was drawn.
    pip.order(&app, &ada, 3).await;
    ada.delete(&pip.path).await.expect_no_content();
    ada.post_nothing(&format!("{}/restore", pip.path)).await.expect(200);
    assert_eq!(pip.state(&ada).await, idle(2));
    assert_eq!(app.draw_everything().await, 0);
    assert_eq!(ada.credits().await, 7);
    app.check_books().await;
}

#[tokio::test]
async fn a_book_that_is_deleted_between_the_variants_of_its_cover_has_the_drawn_one_when_it_is_restored() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let book = app.ready_book(&ada, &["An owl"]).await;
    let cover = Drawn::cover(&book);
    let accepted = cover.order(&app, &ada, 4).await;
    assert!(testing::work_once(&app.server).await.unwrap());
    let held = testing::claim(&app.server).await.unwrap().unwrap();
    ada.delete(&format!("/books/{book}")).await.expect_no_content();
    testing::attempt(&app.server, &held).await;
    let operation = ada.operation(&accepted).await;
    assert_eq!((operation.progress.completed, operation.credits.refunded), (1, 3));
    ada.post_nothing(&format!("/bin/{book}/restore")).await.expect(200);
    assert_eq!(cover.state(&ada).await, idle(2));
    assert_eq!(cover.checked(&ada).await.len(), 2);
    assert_eq!(ada.credits().await, 7);
    app.check_books().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn variants_that_end_at_the_same_time_leave_one_picture_and_an_idle_target() {
    let app = TestApp::start().await;
    let ada = app.account(60).await;
    let each = Drawn::each(&app, &ada).await;
    for round in 1..=6 {
        for drawn in &each {
            drawn.order(&app, &ada, 4).await;
            assert_eq!(draw_at_once(&app).await, 4);
            assert_eq!(drawn.state(&ada).await, idle(1 + round));
            assert_eq!(drawn.checked(&ada).await.len(), 10.min(1 + 4 * round as usize));
        }
    }
    assert_eq!(ada.credits().await, 10);
    app.check_books().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_character_that_is_archived_while_its_variants_end_loses_nothing() {
    let app = TestApp::start().await;
    let ada = app.account(60).await;
    let pip = Drawn::character(&app.ready_character(&ada, "Pip").await);
    for _ in 0..8 {
        let before = ada.credits().await;
        let accepted = pip.order(&app, &ada, 4).await;
        let mut held = Vec::new();
        for _ in 0..2 {
            held.push(testing::claim(&app.server).await.unwrap().unwrap());
        }
        let draw = join_all(held.iter().map(|claimed| testing::attempt(&app.server, claimed)));
        let (_, archived) = join(draw, ada.delete(&pip.path)).await;
        archived.expect_no_content();
        app.draw_everything().await;
        ada.post_nothing(&format!("{}/restore", pip.path)).await.expect(200);
        let (status, active, _) = pip.state(&ada).await;
        assert_eq!((status, active), (json!("ready"), Value::Null));
        let operation = ada.operation(&accepted).await;
        assert_eq!(ada.credits().await, before - operation.progress.completed);
        assert_eq!(operation.credits.refunded, operation.progress.failed);
        pip.checked(&ada).await;
    }
    app.check_books().await;
}

#[tokio::test]
async fn more_variants_than_the_server_stores_or_than_four_are_refused() {
    let app = TestApp::builder()
        .config(|config| config.attempts.max_per_picture = 2)
        .start()
        .await;
    let ada = app.account(7).await;
    let each = Drawn::each(&app, &ada).await;
    for number in [json!(0), json!(5), json!(3), json!("2")] {
        for drawn in &each {
            let field = drawn.field;
            let body = json!({field: {"variants": number}});
            let error = ada
                .generate(&drawn.regeneration(), "k1", &body)
                .await
                .expect_error(422, "validation_failed");
            assert_eq!(error["details"][0]["field"], format!("{field}.variants"), "{number}");
        }
        let body = json!({"character": {"name": "Pip", "variants": number}});
        let error = ada
            .generate("/characters", "k1", &body)
            .await
            .expect_error(422, "validation_failed");
        assert_eq!(error["details"][0]["field"], "character.variants", "{number}");
    }
    assert_eq!((ada.count("characters").await, ada.credits().await), (1, 5));
    for drawn in &each {
        drawn.order(&app, &ada, 2).await;
        app.draw_everything().await;
        // The earlier picture makes room for both.
        assert_eq!(drawn.checked(&ada).await.len(), 2);
    }
    ada.generate(&each[0].regeneration(), "k2", &each[0].wish(2))
        .await
        .expect_error(402, "insufficient_credits");
    app.check_books().await;
}
