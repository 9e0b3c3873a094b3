//! The reviewer that the settings name, and the words that no prompt may contain.
mod failures;
mod words;

use linepress_core::operations::{FailureCode, Operation, OperationStatus};
use linepress_platform::config::OnReviewFailure;
use serde_json::{Value, json};

use crate::test_app::{Actor, Builder, Log, TestApp};
use crate::testing;

const CRITIC: &str = "testbed.critic";

/// A server with this reviewer, its settings, and what happens when it fails.
fn reviewed_by(reviewer: &str, settings: Value, on_failure: OnReviewFailure) -> Builder {
    TestApp::builder().config(|config| {
        config.reviewer = reviewer.into();
        config.reviewer_on_failure = on_failure;
        config.plugins.insert(reviewer.into(), settings);
    })
}

async fn start() -> TestApp {
    reviewed_by(CRITIC, json!({}), OnReviewFailure::Refuse).start().await
}

/// Orders a page and works until nothing is due. Returns its operation, and the number of attempts.
async fn drawn(app: &TestApp, ada: &Actor, title: &str) -> (Operation, usize) {
    let accepted = app.new_page(ada, title).await;
    let attempts = app.draw_everything().await;
    (ada.operation(&accepted).await, attempts)
}

/// The code and the message of the operation's only drawing.
fn error(operation: &Operation) -> (FailureCode, String) {
    assert_eq!(operation.status, OperationStatus::Failed);
    let error = operation.items[0].error.as_ref().unwrap();
    (error.code, error.message.to_string())
}

/// The provider that was called for the newest drawing.
async fn provider(app: &TestApp) -> Option<String> {
    sqlx::query_scalar("SELECT provider FROM drawings ORDER BY created_at DESC LIMIT 1")
        .fetch_one(&app.server.database.read)
        .await
        .unwrap()
}

#[tokio::test]
async fn a_refused_prompt_reaches_no_provider_and_is_refunded() {
    let app = start().await;
    let ada = app.account(3).await;
    let (operation, attempts) = drawn(&app, &ada, "A forbidden fox").await;
    assert_eq!(error(&operation), (FailureCode::ReviewRefused, "Not here.".into()));
    assert_eq!(operation.items[0].note, None);
    assert_eq!((attempts, provider(&app).await), (1, None));
    assert_eq!(ada.credits().await, 3);
    let page = ada.page(operation.items[0].id.as_str()).await;
    assert_eq!(page.error.unwrap().code, FailureCode::ReviewRefused);
    // Without a sentence of the reviewer, the server's own is shown.
    let (operation, _) = drawn(&app, &ada, "A silent fox").await;
    let (code, message) = error(&operation);
    assert_eq!(code, FailureCode::ReviewRefused);
    assert!(message.contains("reviewer declined"), "{message}");
    app.check_ledger().await;
}

#[tokio::test]
async fn the_prompt_of_a_page_is_reviewed_with_the_texts_of_its_characters() {
    let app = start().await;
    let ada = app.account(3).await;
    let character = app.ready_character(&ada, "Pip").await;
    let rename = json!({"character": {"name": "forbidden"}});
    ada.patch(&format!("/characters/{character}"), &rename)
        .await
        .expect(200);
    let page = json!({"page": {"title": "A walk", "character_ids": [character]}});
    let accepted = app.accepted(&ada, "/pages", &page).await;
    app.draw_everything().await;
    let operation = ada.operation(&accepted).await;
    assert_eq!(error(&operation), (FailureCode::ReviewRefused, "Not here.".into()));
}

#[tokio::test]
async fn a_refused_picture_is_not_stored_and_is_refunded() {
    let app = start().await;
    let ada = app.account(3).await;
    let (operation, attempts) = drawn(&app, &ada, "An ugly fox").await;
    assert_eq!(error(&operation), (FailureCode::ReviewRefused, "Too ugly.".into()));
    assert_eq!((attempts, provider(&app).await.as_deref()), (1, Some("testbed.plain")));
    assert_eq!(ada.credits().await, 3);
    let image = format!("/pages/{}/image", operation.items[0].id);
    ada.get(&image).await.expect_error(404, "not_found");
    let (operation, _) = drawn(&app, &ada, "A fox").await;
    assert_eq!(operation.status, OperationStatus::Succeeded);
    assert_eq!(ada.credits().await, 2);
    app.check_ledger().await;
}

#[tokio::test]
async fn a_picture_is_drawn_once_more_with_a_hint_and_charged_once() {
    let app = start().await;
    let ada = app.account(3).await;
    for (title, left) in [("A wonky fox", 2), ("A hopeless fox", 1)] {
        let (operation, attempts) = drawn(&app, &ada, title).await;
        assert_eq!((operation.status, attempts), (OperationStatus::Succeeded, 2), "{title}");
        assert_eq!(ada.credits().await, left);
    }
    app.check_ledger().await;
}

#[tokio::test]
async fn the_provider_gets_the_hint_in_its_prompt() {
    let settings = json!({"fail": "refused", "seeds": "all", "prompt": "Correct this: Fewer legs."});
    let app = reviewed_by(CRITIC, json!({}), OnReviewFailure::Pass)
        .image_provider("testbed.flaky", settings)
        .start()
        .await;
    let ada = app.account(3).await;
    let (operation, attempts) = drawn(&app, &ada, "A wonky fox").await;
    assert_eq!(attempts, 2);
    assert_eq!(error(&operation).0, FailureCode::Refused);
}

#[tokio::test]
async fn a_hint_survives_the_death_of_a_worker() {
    let app = start().await;
    let ada = app.account(3).await;
    let accepted = app.new_page(&ada, "A hopeless fox").await;
    assert!(testing::work_once(&app.server).await.unwrap());
    assert_eq!(ada.status(&accepted).await, OperationStatus::Running);
    // Its worker dies before the second picture.
    let lost = testing::claim(&app.server).await.unwrap().unwrap();
    assert_eq!(lost.review_hint.as_deref(), Some("Fewer legs."));
    drop(lost);
    app.expire_leases();
    assert_eq!(app.draw_everything().await, 1);
    assert_eq!(ada.status(&accepted).await, OperationStatus::Succeeded);
    assert_eq!(ada.credits().await, 2);
    app.check_ledger().await;
}

#[tokio::test]
async fn the_log_contains_each_verdict_with_its_model_and_its_cost() {
    let app = start().await;
    let ada = app.account(1).await;
    let log = Log::default();
    let captured = log.capture();
    drawn(&app, &ada, "A fox").await;
    drop(captured);
    for subject in ["prompt", "picture"] {
        let named = format!("subject=\"{subject}\"");
        let is_its = |line: &String| line.contains("review completed") && line.contains(&named);
        let lines: Vec<String> = log.lines().into_iter().filter(is_its).collect();
        assert_eq!(lines.len(), 1, "{:?}", log.lines());
        for part in [CRITIC, "verdict=\"pass\"", "eye-1", "cost_microdollars=2000"] {
            assert!(lines[0].contains(part), "{part}: {}", lines[0]);
        }
    }
}

#[tokio::test]
async fn the_drawings_of_test_keys_are_not_reviewed() {
    let app = reviewed_by(CRITIC, json!({}), OnReviewFailure::Refuse)
        .installed("linepress.sketchbook")
        .start()
        .await;
    let ada = app.account(1).await;
    let made = ada
        .post("/keys", &json!({"key": {"name": "CI", "test": true}}))
        .await
        .expect(201);
    let test = app.with_key(made["secret"].as_str().unwrap());
    let (operation, _) = drawn(&app, &test, "A forbidden fox").await;
    assert_eq!(operation.status, OperationStatus::Succeeded);
}
