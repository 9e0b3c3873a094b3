//! Waiting for an operation.
use serde_json::json;

use crate::test_app::{TestApp, messages};

#[tokio::test]
async fn who_waits_is_told_how_far_it_is() {
    let app = TestApp::start().await;
    app.account(9).await;
    let agent = app.agent("ada@example.com").await;
    let book = json!({"title": "Woods", "pages": [{"title": "A fox"}, {"title": "An owl"}], "idempotency_key": "k", "confirm_credits": 2});
    let ordered = agent.call("create_book", book).await;
    let operation = ordered.expect()["operation"]["id"].clone();
    let params = json!({
        "name": "wait_for_operation",
        "arguments": {"operation_id": operation},
        "_meta": {"progressToken": "t1"},
    });
    let message = agent.message("tools/call", params.as_object().cloned().unwrap());
    let (reply, ()) = tokio::join!(agent.send(&message, &[]), app.draw_what_is_due());
    let messages = messages(&reply);
    let progress: Vec<i64> = messages
        .iter()
        .filter(|message| message["method"] == "notifications/progress")
        .map(|message| {
            assert_eq!(message["params"]["progressToken"], "t1");
            assert_eq!(message["params"]["total"].as_f64(), Some(3.0));
            message["params"]["progress"].as_f64().unwrap() as i64
        })
        .collect();
    assert!(progress.is_sorted() && progress.last() == Some(&3), "{progress:?}");
    let result = &messages.last().unwrap()["result"];
    assert_eq!(
        result["structuredContent"]["operation"]["status"], "succeeded",
        "{result}"
    );
}

#[tokio::test]
async fn who_waits_too_long_is_told_where_it_stands() {
    let app = TestApp::start().await;
    app.account(9).await;
    let agent = app.agent("ada@example.com").await;
    let page = json!({"title": "A fox", "idempotency_key": "k", "confirm_credits": 1});
    let ordered = agent.call("create_page", page).await;
    let operation = &ordered.expect()["operation"]["id"];
    let waited = agent
        .call("wait_for_operation", json!({"operation_id": operation, "seconds": 1}))
        .await;
    assert_eq!(waited.expect()["operation"]["status"], "queued");
    assert!(waited.text().contains("wait_for_operation again"), "{}", waited.text());
}
