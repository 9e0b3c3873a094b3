//! `GET /operations`.
use serde_json::{Value, json};

use crate::test_app::TestApp;

#[tokio::test]
async fn operations_are_listed_newest_first_for_nothing() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let page = ada.generate("/pages", "k1", &json!({"page": {"title": "A fox"}})).await;
    app.server.clock.advance(std::time::Duration::from_secs(1));
    let pip = ada
        .generate("/characters", "k2", &json!({"character": {"name": "Pip"}}))
        .await;
    let reply = ada.get("/operations").await;
    reply.expect_free();
    let list = reply.expect(200);
    assert_eq!(
        list["operations"],
        json!([pip.expect(202)["operation"], page.expect(202)["operation"]])
    );
    assert_eq!(list["meta"], json!({"next_cursor": null}));
}

#[tokio::test]
async fn operations_can_be_filtered_by_status() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    app.ready_page(&ada, "Drawn").await;
    app.new_page(&ada, "Waiting").await;
    let titles = async |status: &str| {
        let list = ada.get(&format!("/operations?status={status}")).await.expect(200);
        let operations = list["operations"].as_array().unwrap().clone();
        operations
            .iter()
            .map(|operation| operation["items"][0]["title"].clone())
            .collect::<Value>()
    };
    assert_eq!(titles("queued").await, json!(["Waiting"]));
    assert_eq!(titles("succeeded").await, json!(["Drawn"]));
    for none in ["running", "partially_succeeded", "failed"] {
        assert_eq!(titles(none).await, json!([]));
    }
    for bad in ["lost", "", "queued&status=failed"] {
        ada.get(&format!("/operations?status={bad}"))
            .await
            .expect_error(400, "invalid_request");
    }
}
