//! `/admin/plugins/{id}/calls`: the last calls of a plugin.
use std::time::Duration;

use linepress_operator::administration::plugin_calls::LOG_RETENTION;
use linepress_operator::plugin_call_log::PluginCallLog;
use serde_json::{Value, json};

use crate::maintenance;
use crate::test_app::{Actor, TestApp, book_of};
use crate::testing;

const CALLS: &str = "/admin/plugins/testbed.flaky/calls";

async fn calls(operator: &Actor) -> Vec<Value> {
    let reply = operator.get(CALLS).await.expect(200);
    reply["plugin_calls"].as_array().unwrap().clone()
}

async fn start() -> TestApp {
    let settings = json!({"fail": "asked", "seeds": "all", "model": "lines-2", "cost": "0.04"});
    TestApp::builder()
        .image_provider("testbed.flaky", settings)
        .start()
        .await
}

#[tokio::test]
async fn calls_are_listed_with_what_they_asked_returned_and_used() {
    let app = start().await;
    let (operator, ada) = (app.operator().await, app.account(3).await);
    for (key, prompt) in [("k1", "A fox"), ("k2", "A trap for a fox")] {
        let page = json!({"page": {"title": "Fox", "prompt": prompt}});
        ada.generate("/pages", key, &page).await.accepted();
        app.draw_everything().await;
    }
    testing::write_plugin_calls(&app.server).await.unwrap();
    let listed = calls(&operator).await;
    assert!(listed.len() >= 2, "{listed:?}");
    let good = listed.iter().find(|call| call["outcome"] == "completed").unwrap();
    assert_eq!(
        (&good["function"], &good["version"], &good["error"]),
        (&json!("draw"), &json!("0.1.0"), &Value::Null)
    );
    let request = &good["request"];
    assert_eq!(
        (&request["prompt"], &request["purpose"]),
        (&json!("A fox"), &json!("Page"))
    );
    let result = &good["result"];
    assert_eq!(
        (&result["model"], &result["cost_microdollars"]),
        (&json!("lines-2"), &json!(40_000))
    );
    assert_eq!(result["picture"]["sha256"].as_str().unwrap().len(), 64);
    let (used, limit) = (
        good["memory_bytes"].as_i64().unwrap(),
        good["memory_limit_bytes"].as_i64().unwrap(),
    );
    assert!(0 < used && used < limit, "{used} of {limit}");
    assert_eq!(
        (&good["deadline_ms"], &good["http_requests"]),
        (&json!(10_000), &json!([]))
    );
    let bad = listed.iter().find(|call| call["outcome"] == "trapped").unwrap();
    assert!(bad["error"].as_str().unwrap().contains("trapped"), "{bad}");
    assert_eq!(bad["result"], Value::Null);
}

#[tokio::test]
async fn only_the_last_calls_are_stored_and_for_a_while() {
    let app = start().await;
    let (operator, ada) = (app.operator().await, app.account(300).await);
    for round in 0..2 {
        let key = format!("k{round}");
        ada.generate("/books", &key, &book_of(55)).await.accepted();
        app.draw_everything().await;
        app.server.clock.advance(Duration::from_secs(1));
        testing::write_plugin_calls(&app.server).await.unwrap();
    }
    assert_eq!(calls(&operator).await.len(), 100);
    maintenance::begin(&app).await;
    ada.get("/me").await.expect(200);
    assert_eq!(testing::write_plugin_calls(&app.server).await.unwrap(), 0);
    maintenance::end(&app).await;
    app.server.clock.advance(LOG_RETENTION);
    assert_eq!(testing::forget_plugin_calls(&app.server).await.unwrap(), 100);
    assert_eq!(calls(&operator).await, Vec::<Value>::new());
    operator
        .get("/admin/plugins/acme.absent/calls")
        .await
        .expect_error(404, "not_found");
    operator
        .get("/admin/plugins/%00/calls")
        .await
        .expect_error(404, "not_found");
}

#[tokio::test]
async fn a_node_that_stops_writes_the_last_calls() {
    let app = start().await;
    let (operator, ada) = (app.operator().await, app.account(3).await);
    let log = PluginCallLog::start(&app.server);
    ada.generate("/pages", "k1", &json!({"page": {"title": "Fox", "prompt": "A fox"}}))
        .await
        .accepted();
    app.draw_everything().await;
    log.stop().await;
    assert!(!calls(&operator).await.is_empty());
}
