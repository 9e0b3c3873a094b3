//! The next provider draws while the first cannot.
use std::time::Duration;

use linepress_core::operations::{FailureCode, OperationStatus};
use serde_json::json;

use super::{check, providers};
use crate::test_app::{Log, TestApp, book_of};

#[tokio::test]
async fn while_a_provider_limits_its_rate_the_next_one_draws() {
    let app = TestApp::builder()
        .image_provider(
            "testbed.flaky",
            json!({"fail": "rate-limited", "seeds": "all", "prompt": "A storm"}),
        )
        .next_image_provider("testbed.plain", json!({}))
        .start()
        .await;
    let ada = app.account(3).await;
    for title in ["A fox", "A storm", "An owl"] {
        app.new_page(&ada, title).await;
        app.draw_what_is_due().await;
        app.server.clock.advance(Duration::from_secs(1));
    }
    check(&providers(&app).await, &["flaky", "plain", "plain"]);
    // The provider asked for a pause of seven seconds.
    app.server.clock.advance(Duration::from_secs(8));
    let ben = app
        .account_named("ben@example.com", linepress_accounts::accounts::Plan::Business, 1)
        .await;
    app.new_page(&ben, "A hare").await;
    app.draw_what_is_due().await;
    check(&providers(&app).await, &["flaky", "plain", "plain", "flaky"]);
    app.check_ledger().await;
}

#[tokio::test]
async fn while_a_provider_is_down_the_next_one_draws_the_book_and_charges_once() {
    let app = TestApp::builder()
        .image_provider("testbed.flaky", json!({"fail": "unavailable", "seeds": "all"}))
        .next_image_provider("testbed.plain", json!({}))
        .start()
        .await;
    let ada = app.account(12).await;
    let accepted = ada.generate("/books", "k1", &book_of(12)).await.accepted();
    app.draw_everything().await;
    assert_eq!(ada.status(&accepted).await, OperationStatus::Succeeded);
    check(&providers(&app).await, &["plain"; 13]);
    assert_eq!(ada.credits().await, 0);
    app.check_ledger().await;
}

#[tokio::test]
async fn a_refused_drawing_is_not_tried_with_another_provider() {
    for (fail, code) in [("refused", FailureCode::Refused), ("invalid", FailureCode::Invalid)] {
        let app = TestApp::builder()
            .image_provider("testbed.flaky", json!({"fail": fail, "seeds": "all"}))
            .next_image_provider("testbed.plain", json!({}))
            .start()
            .await;
        let ada = app.account(1).await;
        let accepted = app.new_page(&ada, "A fox").await;
        assert_eq!(app.draw_everything().await, 1);
        let operation = ada.operation(&accepted).await;
        assert_eq!(operation.items[0].error.as_ref().unwrap().code, code);
        check(&providers(&app).await, &["flaky"]);
        assert_eq!(ada.credits().await, 1);
    }
}

#[tokio::test]
async fn a_provider_that_is_not_loaded_is_skipped() {
    let app = TestApp::builder()
        .config(|config| config.image_providers = vec!["acme.absent".into(), "testbed.plain".into()])
        .start()
        .await;
    let ada = app.account(1).await;
    let accepted = app.new_page(&ada, "A fox").await;
    app.draw_what_is_due().await;
    assert_eq!(ada.status(&accepted).await, OperationStatus::Succeeded);
    check(&providers(&app).await, &["plain"]);
}

#[tokio::test]
async fn a_drawing_goes_to_the_first_that_draws_its_aspect_and_takes_its_references() {
    let settings = json!({"prompt": "no prompt holds this", "aspects": ["square"], "references": 0});
    let app = TestApp::builder()
        .image_provider("testbed.flaky", settings)
        .next_image_provider("testbed.plain", json!({}))
        .start()
        .await;
    let ada = app.account(4).await;
    // The drawing of a character itself is square and has no reference yet.
    let character = app.ready_character(&ada, "Pip").await;
    for page in [
        json!({"title": "A fox", "aspect": "square"}),
        json!({"title": "A fox", "aspect": "portrait"}),
        json!({"title": "A fox", "aspect": "square", "character_ids": [character]}),
    ] {
        app.server.clock.advance(Duration::from_secs(1));
        app.accepted(&ada, "/pages", &json!({"page": page})).await;
        app.draw_what_is_due().await;
    }
    check(&providers(&app).await, &["flaky", "flaky", "plain", "plain"]);
}

#[tokio::test]
async fn references_are_left_out_rather_than_waiting_for_a_provider_that_takes_them() {
    let app = TestApp::builder()
        .image_provider(
            "testbed.flaky",
            json!({"fail": "unavailable", "seeds": "all", "prompt": "A fox"}),
        )
        .next_image_provider("linepress.sketchbook", json!({}))
        .start()
        .await;
    let ada = app.account(2).await;
    let character = app.ready_character(&ada, "Pip").await;
    let page = json!({"page": {"title": "A fox", "character_ids": [character]}});
    app.server.clock.advance(Duration::from_secs(1));
    let accepted = app.accepted(&ada, "/pages", &page).await;
    app.draw_everything().await;
    assert_eq!(ada.status(&accepted).await, OperationStatus::Succeeded);
    let drawn = providers(&app).await;
    assert_eq!(drawn[1].as_deref(), Some("linepress.sketchbook"));
}

#[tokio::test]
async fn a_drawing_without_a_suitable_provider_fails_at_once_and_is_logged() {
    let settings = json!({"prompt": "no prompt holds this", "aspects": ["square"]});
    let app = TestApp::builder()
        .image_provider("testbed.flaky", settings)
        .start()
        .await;
    let ada = app.account(1).await;
    let accepted = app.new_page(&ada, "A fox").await;
    let log = Log::default();
    let captured = log.capture();
    assert_eq!(app.draw_everything().await, 1);
    drop(captured);
    assert_eq!(ada.status(&accepted).await, OperationStatus::Failed);
    assert_eq!(ada.credits().await, 1);
    let told = |line: &String| line.contains("ERROR") && line.contains("aspect=\"portrait\" source_picture=false");
    assert!(log.lines().iter().any(told), "{:?}", log.lines());
}

#[tokio::test]
async fn a_drawing_for_an_absent_provider_waits_without_delaying_others() {
    let settings = json!({"prompt": "no prompt holds this", "aspects": ["square"]});
    let app = TestApp::builder()
        .image_provider("testbed.flaky", settings)
        .config(|config| config.image_providers.push("testbed.plain".into()))
        .start()
        .await;
    let without = app
        .another_node_with(|config| config.image_providers = vec!["testbed.flaky".into(), "acme.absent".into()])
        .await;
    let ada = app.account(2).await;
    let waits = app.new_page(&ada, "A fox").await;
    let square = json!({"page": {"title": "An owl", "aspect": "square"}});
    let drawn = app.accepted(&ada, "/pages", &square).await;
    while crate::testing::work_once(&without).await.unwrap() {}
    assert_eq!(ada.status(&drawn).await, OperationStatus::Succeeded);
    assert_eq!(ada.status(&waits).await, OperationStatus::Running);
    app.server.clock.advance(Duration::from_secs(61));
    app.draw_what_is_due().await;
    assert_eq!(ada.status(&waits).await, OperationStatus::Succeeded);
    assert_eq!(ada.credits().await, 0);
}

#[tokio::test]
async fn after_two_failures_the_next_provider_draws() {
    for fail in ["other", "trap", "empty"] {
        let app = TestApp::builder()
            .image_provider("testbed.flaky", json!({"fail": fail, "seeds": "all"}))
            .next_image_provider("testbed.plain", json!({}))
            .start()
            .await;
        let ada = app.account(1).await;
        let accepted = app.new_page(&ada, "A fox").await;
        assert_eq!(app.draw_everything().await, 3, "{fail}");
        assert_eq!(ada.status(&accepted).await, OperationStatus::Succeeded);
        check(&providers(&app).await, &["plain"]);
    }
}

#[tokio::test]
async fn an_empty_answer_is_retried_a_limited_number_of_times() {
    let app = TestApp::builder()
        .image_provider("testbed.flaky", json!({"fail": "empty", "seeds": "all"}))
        .start()
        .await;
    let ada = app.account(1).await;
    let accepted = app.new_page(&ada, "A fox").await;
    assert_eq!(app.draw_everything().await, 3);
    assert_eq!(ada.status(&accepted).await, OperationStatus::Failed);
    assert_eq!(ada.credits().await, 1);
}
