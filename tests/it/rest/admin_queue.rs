//! `/admin/queue`.
use std::time::Duration;

use serde_json::{Value, json};

use crate::test_app::TestApp;

#[tokio::test]
async fn a_paused_queue_accepts_orders_and_draws_them_after_the_pause() {
    let app = TestApp::start().await;
    let operator = app.operator().await;
    let ada = app.account(9).await;
    let reason = json!({"reason": "The provider is being replaced"});
    let paused = operator.post("/admin/queue/pause", &reason).await.expect(200);
    assert_eq!(paused["queue"]["pause"]["reason"], "The provider is being replaced");
    let order = app.new_page(&ada, "A fox").await;
    app.server.clock.advance(Duration::from_secs(90));
    app.draw_what_is_due().await;
    assert_eq!(ada.status(&order).await.as_str(), "queued");
    let state = operator.get("/admin/queue").await.expect(200)["queue"].clone();
    assert_eq!(
        [&state["queued"], &state["running"], &state["oldest_age_seconds"]],
        [&json!(1), &json!(0), &json!(90)]
    );
    // A second pause keeps the reason and the time of the first.
    let other = json!({"reason": "Another reason"});
    let again = operator.post("/admin/queue/pause", &other).await.expect(200);
    assert_eq!(again["queue"]["pause"], paused["queue"]["pause"]);
    for _ in 0..2 {
        let resumed = operator.post_nothing("/admin/queue/resume").await.expect(200);
        assert_eq!(resumed["queue"]["pause"], Value::Null);
    }
    app.draw_what_is_due().await;
    assert_eq!(ada.status(&order).await.as_str(), "succeeded");
    let log = operator.get("/admin/audit_log?target=queue").await.expect(200);
    let actions: Vec<&str> = log["audit_log"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| entry["action"].as_str().unwrap())
        .collect();
    let mut sorted = actions.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, ["queue.pause", "queue.resume"]);
    operator
        .post("/admin/queue/pause", &json!({"reason": ""}))
        .await
        .expect_fields(&["reason"]);
}
