//! A provider that fails repeatedly: all nodes pause it, and one call tests whether it works again.
use std::time::Duration;

use crate::testing;
use linepress_core::operations::OperationStatus;
use linepress_platform::app::App;
use serde_json::json;

use crate::test_app::{Log, TestApp, book_of};

async fn down() -> TestApp {
    TestApp::builder()
        .image_provider("testbed.flaky", json!({"fail": "unavailable", "seeds": "all"}))
        .start()
        .await
}

/// Starts a node whose provider works.
async fn well(app: &TestApp) -> App {
    app.another_node_with(|config| {
        let settings = json!({"prompt": "no prompt holds this"});
        config.plugins.insert("testbed.flaky".into(), settings);
    })
    .await
}

#[tokio::test]
async fn after_five_failures_a_provider_is_paused_and_then_tested_by_one_call() {
    let app = down().await;
    let other = app.another_node().await;
    let ada = app.account(20).await;
    ada.generate("/books", "k1", &book_of(20)).await.expect(202);
    let mut asked = 0;
    while testing::work_once(&app.server).await.unwrap() {
        asked += 1;
    }
    assert_eq!(asked, 5);
    assert!(testing::claim(&other).await.unwrap().is_none());
    app.server.clock.advance(Duration::from_secs(17));
    let probe = testing::claim(&other).await.unwrap().unwrap();
    for node in [&app.server, &other] {
        assert!(testing::claim(node).await.unwrap().is_none());
    }
    testing::attempt(&other, &probe).await;
    app.server.clock.advance(Duration::from_secs(31));
    assert!(
        testing::claim(&app.server).await.unwrap().is_none(),
        "each pause is longer than the previous one"
    );
    app.server.clock.advance(Duration::from_secs(2));
    assert!(testing::claim(&app.server).await.unwrap().is_some());
    // The node of that call never reported its result.
    app.server.clock.advance(Duration::from_secs(61));
    assert!(testing::claim(&other).await.unwrap().is_some());
}

#[tokio::test]
async fn a_provider_that_works_again_is_used_by_every_node() {
    let app = down().await;
    let well = well(&app).await;
    let ada = app.account(8).await;
    let accepted = ada.generate("/books", "k1", &book_of(8)).await.accepted();
    app.draw_what_is_due().await;
    app.server.clock.advance(Duration::from_secs(17));
    let log = Log::default();
    let captured = log.capture();
    assert!(testing::work_once(&well).await.unwrap());
    drop(captured);
    assert!(log.holds("the provider works again"), "{:?}", log.lines());
    let two = [
        testing::claim(&well).await.unwrap().unwrap(),
        testing::claim(&well).await.unwrap().unwrap(),
    ];
    for drawing in &two {
        testing::attempt(&well, drawing).await;
    }
    while testing::work_once(&well).await.unwrap() {}
    assert_eq!(ada.status(&accepted).await, OperationStatus::Succeeded);
    assert_eq!(ada.credits().await, 0);
    app.check_ledger().await;
}

#[tokio::test]
async fn a_single_failure_does_not_pause_a_provider_and_is_retried_at_once() {
    let app = TestApp::builder()
        .image_provider(
            "testbed.flaky",
            json!({"fail": "unavailable", "seeds": "all", "prompt": "storm"}),
        )
        .start()
        .await;
    let ada = app.account(3).await;
    let storm = app.new_page(&ada, "A storm").await;
    app.server.clock.advance(Duration::from_secs(1));
    let fox = app.new_page(&ada, "A fox").await;
    assert!(testing::work_once(&app.server).await.unwrap());
    assert_eq!(ada.status(&storm).await, OperationStatus::Running);
    assert_eq!(ada.status(&fox).await, OperationStatus::Queued);
    // Both are due now; the storm fails once more, unless it waited for the fox.
    assert!(testing::work_once(&app.server).await.unwrap());
    assert!(testing::work_once(&app.server).await.unwrap());
    assert_eq!(ada.status(&fox).await, OperationStatus::Succeeded);
}

#[tokio::test]
async fn a_refusal_shows_that_the_provider_works() {
    let app = TestApp::builder()
        .image_provider("testbed.flaky", json!({"fail": "asked", "seeds": "all"}))
        .config(|config| config.drawing_attempts = 1)
        .start()
        .await;
    let ada = app.account(20).await;
    for title in [
        "other", "trap", "other", "other", "refused", "trap", "other", "other", "other",
    ] {
        app.new_page(&ada, title).await;
        assert!(testing::work_once(&app.server).await.unwrap(), "{title}");
    }
    // The fifth failure since the refusal.
    app.new_page(&ada, "other").await;
    assert!(testing::work_once(&app.server).await.unwrap());
    app.new_page(&ada, "A fox").await;
    assert!(!testing::work_once(&app.server).await.unwrap());
}
