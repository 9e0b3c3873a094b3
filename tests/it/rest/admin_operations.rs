//! `/admin/operations`.
use std::time::Duration;

use crate::testing;
use linepress_accounts::accounts::Plan;
use serde_json::{Value, json};

use crate::test_app::{Actor, TestApp, book_of};

/// Returns the ids in a list of operations.
async fn listed(operator: &Actor, query: &str) -> Vec<String> {
    let list = operator.get(&format!("/admin/operations?{query}")).await.expect(200);
    let operations = list["managed_operations"].as_array().unwrap();
    let id = |operation: &Value| operation["id"].as_str().unwrap().to_owned();
    operations.iter().map(id).collect()
}

/// Returns the first drawing of an operation and why it waits.
async fn first_drawing(operator: &Actor, operation: &str) -> Value {
    let shown = operator
        .get(&format!("/admin/operations/{operation}"))
        .await
        .expect(200);
    shown["drawings"][0].clone()
}

#[tokio::test]
async fn the_operations_of_all_accounts_are_listed_newest_first_and_filtered() {
    let app = TestApp::start().await;
    let operator = app.operator().await;
    let ada = app.account(9).await;
    let ben = app.account_named("ben@example.com", Plan::Business, 9).await;
    let mut ids = Vec::new();
    for (client, is_drawn) in [(&ada, true), (&ben, true), (&ada, false)] {
        app.server.clock.advance(Duration::from_secs(1));
        ids.push(app.new_page(client, "A fox").await.operation_id());
        if is_drawn {
            app.draw_what_is_due().await;
        }
    }
    ids.reverse();
    assert_eq!(listed(&operator, "").await, ids);
    assert_eq!(listed(&operator, "open=true").await, ids[..1]);
    let ada_id = ada.account_id().await;
    assert_eq!(
        listed(&operator, &format!("account_id={ada_id}")).await,
        [&*ids[0], &*ids[2]]
    );
    assert_eq!(
        listed(&operator, &format!("account_id={ada_id}&open=true")).await,
        ids[..1]
    );
    assert_eq!(listed(&operator, "account_id=%00").await, [""; 0]);
    operator
        .get("/admin/operations?open=maybe")
        .await
        .expect_error(400, "invalid_request");
    let shown = operator.get(&format!("/admin/operations/{}", ids[1])).await.expect(200);
    let operation = &shown["managed_operation"];
    assert_eq!(
        [&operation["account_email"], &operation["status"], &operation["type"]],
        ["ben@example.com", "succeeded", "page.create"]
    );
    assert_eq!(operation["credits"], json!({"charged": 1, "refunded": 0}));
    let drawing = &shown["drawings"][0];
    assert_eq!([&drawing["title"], &drawing["status"]], ["A fox", "succeeded"]);
    assert_eq!((&drawing["waiting"], &drawing["error"]), (&Value::Null, &Value::Null));
    assert_eq!(drawing["attempts"], 1);
    assert!(drawing["provider"].is_string());
    operator
        .get("/admin/operations/op_01KAFMYG00000000000000000E")
        .await
        .expect_error(404, "not_found");
}

#[tokio::test]
async fn an_operation_shows_why_its_drawing_waits() {
    let app = TestApp::start().await;
    let operator = app.operator().await;
    let ada = app.account(9).await;
    let id = app.new_page(&ada, "A fox").await.operation_id();
    let waiting = async || first_drawing(&operator, &id).await["waiting"].clone();
    let next = waiting().await;
    assert_eq!(next["reason"], "turn");
    let provider = next["provider"].as_str().unwrap().to_owned();
    operator
        .post("/admin/queue/pause", &json!({"reason": "Maintenance"}))
        .await
        .expect(200);
    assert_eq!(
        waiting().await,
        json!({"reason": "queue_paused", "until": null, "provider": null})
    );
    operator.post_nothing("/admin/queue/resume").await.expect(200);
    // A worker claims the drawing and dies.
    let claimed = testing::claim(&app.server).await.unwrap().unwrap();
    assert_eq!(waiting().await, Value::Null);
    app.server.clock.advance(app.server.config.lease());
    let lost = waiting().await;
    assert_eq!(
        (&lost["reason"], &lost["provider"]),
        (&json!("worker_lost"), &json!(provider))
    );
    drop(claimed);
    app.draw_what_is_due().await;
    let drawn = first_drawing(&operator, &id).await;
    assert_eq!((&drawn["status"], &drawn["attempts"]), (&json!("succeeded"), &json!(2)));
}

#[tokio::test]
async fn a_drawing_that_waits_for_its_next_attempt_is_tried_at_once() {
    let app = TestApp::builder()
        .image_provider("testbed.flaky", json!({"fail": "asked", "seeds": "all"}))
        .start()
        .await;
    let operator = app.operator().await;
    let ada = app.account(9).await;
    let page = json!({"page": {"title": "A fox", "prompt": "unavailable"}});
    let id = app.accepted(&ada, "/pages", &page).await.operation_id();
    app.draw_what_is_due().await;
    let drawing = first_drawing(&operator, &id).await;
    assert_eq!(drawing["waiting"]["reason"], "next_attempt", "{drawing}");
    let until = drawing["waiting"]["until"].as_str().unwrap().to_owned();
    let path = format!("/admin/operations/{id}/retry");
    assert_eq!(operator.post_nothing(&path).await.expect(200)["due_drawings"], 1);
    app.draw_what_is_due().await;
    let drawing = first_drawing(&operator, &id).await;
    assert_ne!(drawing["waiting"]["until"], until, "{drawing}");
    operator
        .post_nothing("/admin/operations/op_01KAFMYG00000000000000000E/retry")
        .await
        .expect_error(404, "not_found");
}

#[tokio::test]
async fn canceling_an_operation_refunds_what_is_queued_and_completes_what_is_being_drawn() {
    let app = TestApp::start().await;
    let operator = app.operator().await;
    let ada = app.account(9).await;
    let order = app.accepted(&ada, "/books", &book_of(3)).await;
    let claimed = testing::claim(&app.server).await.unwrap().unwrap();
    let path = format!("/admin/operations/{}/cancel", order.operation_id());
    // A worker holds one of the three pages and the cover.
    assert_eq!(operator.post_nothing(&path).await.expect(200)["canceled_drawings"], 3);
    testing::attempt(&app.server, &claimed).await;
    let operation = ada.operation(&order).await;
    assert_eq!((operation.progress.completed, operation.progress.failed), (1, 3));
    assert_eq!(operation.status.as_str(), "partially_succeeded");
    assert_eq!(
        ada.credits().await,
        9 - operation.credits.charged + operation.credits.refunded
    );
    // There is nothing left to cancel.
    assert_eq!(operator.post_nothing(&path).await.expect(200)["canceled_drawings"], 0);
    app.check_books().await;
}
