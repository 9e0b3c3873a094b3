//! `/admin/providers` and `/admin/spending`.
use std::time::Duration;

use serde_json::{Value, json};

use crate::test_app::{Actor, TestApp};

/// Returns the providers in their order.
async fn providers(operator: &Actor) -> Vec<Value> {
    let list = operator.get("/admin/providers").await.expect(200);
    list["managed_providers"].as_array().unwrap().clone()
}

/// Starts a server whose first provider fails as a prompt asks it to, and whose second one always draws.
async fn with_two_providers() -> TestApp {
    TestApp::builder()
        .image_provider("testbed.flaky", json!({"fail": "asked", "seeds": "all"}))
        .next_image_provider("testbed.plain", json!({}))
        .start()
        .await
}

#[tokio::test]
async fn the_drawings_of_a_provider_that_is_switched_off_go_to_the_next_or_wait() {
    let app = with_two_providers().await;
    let operator = app.operator().await;
    let ada = app.account(9).await;
    let drawn_by = async |title: &str| {
        let id = app.new_page(&ada, title).await.operation_id();
        app.draw_what_is_due().await;
        let shown = operator.get(&format!("/admin/operations/{id}")).await.expect(200);
        (id, shown["drawings"][0].clone())
    };
    assert_eq!(drawn_by("A fox").await.1["provider"], "testbed.flaky");
    let off = async |id: &str| {
        let reason = json!({"reason": "Too slow"});
        let path = format!("/admin/providers/{id}/switch_off");
        operator.post(&path, &reason).await.expect(200)["managed_provider"].clone()
    };
    let flaky = off("testbed.flaky").await;
    assert_eq!((&flaky["position"], &flaky["problem"]), (&json!(1), &Value::Null));
    assert_eq!(flaky["switched_off"]["reason"], "Too slow");
    // Another reason does not replace the first.
    app.server.clock.advance(Duration::from_secs(1));
    assert_eq!(off("testbed.flaky").await, flaky);
    assert_eq!(drawn_by("An owl").await.1["provider"], "testbed.plain");
    off("testbed.plain").await;
    let (id, waits) = drawn_by("A hare").await;
    assert_eq!(
        (&waits["status"], &waits["waiting"]["reason"]),
        (&json!("queued"), &json!("providers_switched_off"))
    );
    let on = operator
        .post_nothing("/admin/providers/testbed.plain/switch_on")
        .await
        .expect(200);
    assert_eq!(on["managed_provider"]["switched_off"], Value::Null);
    app.draw_what_is_due().await;
    let shown = operator.get(&format!("/admin/operations/{id}")).await.expect(200);
    assert_eq!(shown["drawings"][0]["provider"], "testbed.plain");
    let log = operator.get("/admin/audit_log?target=testbed.plain").await.expect(200);
    assert_eq!(log["audit_log"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn a_paused_provider_is_called_again_once_an_operator_ends_its_pause() {
    let app = TestApp::builder()
        .image_provider("testbed.flaky", json!({"fail": "asked", "seeds": "all"}))
        .start()
        .await;
    let operator = app.operator().await;
    let ada = app.account(9).await;
    let page = json!({"page": {"title": "A fox", "prompt": "rate-limited"}});
    let limited = app.accepted(&ada, "/pages", &page).await.operation_id();
    app.draw_what_is_due().await;
    let paused = providers(&operator).await.remove(0);
    assert_eq!(
        (&paused["id"], &paused["failures"]),
        (&json!("testbed.flaky"), &json!(1))
    );
    assert!(paused["paused_until"].is_string(), "{paused}");
    let order = app.new_page(&ada, "An owl").await;
    app.draw_what_is_due().await;
    assert_eq!(ada.status(&order).await.as_str(), "queued");
    let cancel = format!("/admin/operations/{limited}/cancel");
    operator.post_nothing(&cancel).await.expect(200);
    let ended = operator
        .post_nothing("/admin/providers/testbed.flaky/end_pause")
        .await
        .expect(200);
    let ended = &ended["managed_provider"];
    assert_eq!((&ended["paused_until"], &ended["failures"]), (&Value::Null, &json!(0)));
    app.draw_what_is_due().await;
    assert_eq!(ada.status(&order).await.as_str(), "succeeded");
}

#[tokio::test]
async fn spending_is_reported_by_day_with_the_credits_that_were_paid() {
    let app = TestApp::start().await;
    let operator = app.operator().await;
    let ada = app.account(9).await;
    app.ready_page(&ada, "A fox").await;
    app.server.clock.advance(Duration::from_secs(24 * 3600));
    app.ready_page(&ada, "An owl").await;
    app.ready_page(&ada, "A hare").await;
    let days = async |query: &str| {
        let reply = operator.get(&format!("/admin/spending{query}")).await.expect(200);
        reply["spending"].as_array().unwrap().clone()
    };
    let all = days("").await;
    let figures: Vec<_> = all
        .iter()
        .map(|day| (&day["drawings"], &day["credits"], &day["attempts"]))
        .collect();
    let (one, two) = (json!(1), json!(2));
    assert_eq!(figures, [(&two, &two, &two), (&one, &one, &one)]);
    assert!(all[0]["day"].as_str() > all[1]["day"].as_str());
    assert_eq!(all[0]["day"].as_str().unwrap().len(), 10);
    assert_eq!(days("?days=1").await, all[..1]);
    for bad in ["0", "367", "x", "-1"] {
        operator
            .get(&format!("/admin/spending?days={bad}"))
            .await
            .expect_error(400, "invalid_request");
    }
}

#[tokio::test]
async fn the_reviews_and_their_cost_are_reported_next_to_the_drawings() {
    let app = TestApp::builder()
        .config(|config| config.reviewer = "testbed.critic".into())
        .start()
        .await;
    let operator = app.operator().await;
    let ada = app.account(9).await;
    app.ready_page(&ada, "A fox").await;
    let reply = operator.get("/admin/spending").await.expect(200);
    let figures: Vec<_> = reply["spending"]
        .as_array()
        .unwrap()
        .iter()
        .map(|day| {
            json!([
                day["provider"],
                day["drawings"],
                day["reviews"],
                day["cost_microdollars"]
            ])
        })
        .collect();
    assert_eq!(
        figures,
        [
            json!(["testbed.critic", 0, 2, 4_000]),
            json!(["testbed.plain", 1, 0, 0])
        ]
    );
}

#[tokio::test]
async fn a_provider_that_the_settings_do_not_name_is_not_found() {
    let app = TestApp::start().await;
    let operator = app.operator().await;
    for id in ["acme.flux", "%00", "testbed.plain%20"] {
        for change in ["switch_on", "end_pause"] {
            operator
                .post_nothing(&format!("/admin/providers/{id}/{change}"))
                .await
                .expect_error(404, "not_found");
        }
    }
    let loaded = providers(&operator).await;
    assert_eq!(loaded.len(), 1);
    assert!(
        loaded[0]["version"].is_string() && loaded[0]["switched_off"].is_null(),
        "{loaded:?}"
    );
}
