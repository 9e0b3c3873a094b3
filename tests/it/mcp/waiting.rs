//! Waiting for an operation.
use crate::testing;
use linepress_platform::scopes::Scopes;
use serde_json::json;

use crate::test_app::{TestApp, messages, wait_until};

#[tokio::test]
async fn a_waiting_client_receives_progress() {
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
async fn a_client_that_waits_too_long_receives_the_current_state() {
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
    let again = format!("wait_for_operation {} again", operation.as_str().unwrap());
    assert!(waited.text().contains(&again), "{}", waited.text());
}

#[tokio::test]
async fn a_waiting_client_gets_a_response_before_its_request_times_out() {
    let app = TestApp::builder()
        .config(|config| config.request_timeout_seconds = 1)
        .start()
        .await;
    app.account(9).await;
    let agent = app.agent("ada@example.com").await;
    let page = json!({"title": "A fox", "idempotency_key": "k", "confirm_credits": 1});
    let ordered = agent.call("create_page", page).await;
    let arguments = json!({"operation_id": ordered.expect()["operation"]["id"]});
    let waited = agent.call("wait_for_operation", arguments).await;
    assert_eq!(waited.expect()["operation"]["status"], "queued");
}

#[tokio::test]
async fn a_waiting_client_learns_of_an_outage() {
    let app = TestApp::start().await;
    app.account(9).await;
    let agent = app.agent("ada@example.com").await;
    let page = json!({"title": "A fox", "idempotency_key": "k", "confirm_credits": 1});
    let ordered = agent.call("create_page", page).await;
    let arguments = json!({"operation_id": ordered.expect()["operation"]["id"], "seconds": 1});
    let waited = agent.call("wait_for_operation", arguments.clone()).await;
    assert!(waited.expect()["note"].is_null());
    app.server.clock.advance(std::time::Duration::from_secs(5 * 60));
    let waited = agent.call("wait_for_operation", arguments).await;
    let note = waited.expect()["note"].as_str().unwrap();
    assert!(
        note.contains("Nothing was drawn since 2026-11-21T12:00:00.000Z"),
        "{note}"
    );
    let next = waited.expect()["next"].as_str().unwrap();
    assert!(
        next.contains("in some minutes") && next.contains("delete_book"),
        "{next}"
    );
    assert!(
        waited.text().contains(note) && waited.text().ends_with(next),
        "{}",
        waited.text()
    );
}

#[tokio::test]
async fn a_client_beyond_the_accounts_limit_of_waiting_calls_gets_a_response_at_once() {
    let app = TestApp::start().await;
    app.account(9).await;
    let agent = app.agent("ada@example.com").await;
    let page = json!({"title": "A fox", "idempotency_key": "k", "confirm_credits": 1});
    let ordered = agent.call("create_page", page).await;
    let arguments = json!({"operation_id": ordered.expect()["operation"]["id"]});
    let mut waiting = tokio::task::JoinSet::new();
    for _ in 0..6 {
        let (agent, arguments) = (agent.clone(), arguments.clone());
        waiting.spawn(async move { agent.call("wait_for_operation", arguments).await });
    }
    // Waits until all of them have their places.
    while app.server.followers.try_acquire(&account(&app).await).is_ok() {
        tokio::task::yield_now().await;
    }
    let seventh = agent.call("wait_for_operation", arguments).await;
    assert_eq!(seventh.expect()["operation"]["status"], "queued");
    // Otherwise the agent would ask again at once.
    let next = seventh.expect()["next"].as_str().unwrap();
    assert!(next.contains("in 30 seconds or more"), "{next}");
    assert_eq!(waiting.len(), 6);
    app.draw_what_is_due().await;
    for waited in waiting.join_all().await {
        assert_eq!(waited.expect()["operation"]["status"], "succeeded");
    }
}

async fn account(app: &TestApp) -> linepress_platform::ids::AccountId {
    let account = linepress_accounts::accounts::find(&app.server, "ada@example.com").await;
    account.unwrap().unwrap().id
}

#[tokio::test]
async fn a_revoked_client_stops_waiting() {
    let app = TestApp::start().await;
    app.account(9).await;
    let (agent, granted) = app.agent_with("ada@example.com", Scopes::ALL, None).await;
    let page = json!({"title": "A fox", "idempotency_key": "k", "confirm_credits": 1});
    let ordered = agent.call("create_page", page).await;
    let arguments = json!({"operation_id": ordered.expect()["operation"]["id"]});
    let account = account(&app).await;
    let is_free = || app.server.followers.try_acquire(&account).is_ok();
    // All places of the account but one, which the call takes.
    let _others = [(); 5].map(|()| app.server.followers.try_acquire(&account).unwrap());
    assert!(is_free());
    let revoke = async {
        wait_until("the call waits", async || !is_free()).await;
        assert!(testing::revoke_grant(&app.server, &granted.grant_id).await.unwrap());
    };
    let (waited, ()) = tokio::join!(agent.call("wait_for_operation", arguments), revoke);
    waited.expect_error("unauthorized");
}
