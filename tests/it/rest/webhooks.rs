//! `/webhooks`.
use serde_json::{Value, json};

use crate::test_app::TestApp;

#[tokio::test]
async fn a_webhook_is_created_shown_changed_and_deleted() {
    let app = TestApp::start().await;
    let ada = app.account(1).await;
    let new = json!({"url": "https://shop.example.com/events", "description": "The shop", "events": ["page.ready"]});
    let made = ada.post("/webhooks", &json!({"webhook": new})).await.expect(201);
    assert!(made["secret"].as_str().unwrap().starts_with("whsec_"));
    let path = format!("/webhooks/{}", made["webhook"]["id"].as_str().unwrap());
    let location = ada.post("/webhooks", &json!({"webhook": new})).await;
    let other = location.expect(201)["webhook"]["id"].as_str().unwrap().to_owned();
    let address = format!("http://linepress.test/api/v1/webhooks/{other}");
    assert_eq!(location.header("location"), address);
    ada.delete(&address).await.expect_no_content();
    let shown = ada.look(&path, "webhook").await;
    assert_eq!(shown, made["webhook"]);
    for (field, value) in new.as_object().unwrap() {
        assert_eq!(&shown[field], value);
    }
    assert_eq!(shown["paused_at"], Value::Null);
    let change = json!({"webhook": {"events": [], "description": "", "paused": true}});
    let changed = ada.patch(&path, &change).await.expect(200)["webhook"].clone();
    assert_eq!((&changed["events"], &changed["description"]), (&json!([]), &json!("")));
    assert_eq!(
        (&changed["url"], &changed["pause_reason"]),
        (&new["url"], &json!("requested"))
    );
    assert_eq!(ada.get("/webhooks").await.expect(200)["webhooks"], json!([changed]));
    ada.delete(&path).await.expect_no_content();
    ada.get(&path).await.expect_error(404, "not_found");
    assert_eq!(ada.get("/webhooks").await.expect(200)["webhooks"], json!([]));
}

#[tokio::test]
async fn an_address_must_be_public_and_secure() {
    let app = TestApp::start().await;
    let ada = app.account(1).await;
    for url in [
        "http://shop.example.com/events",
        "https://é.example.com/events",
        "https://10.0.0.1/events",
        "https://127.0.0.1/events",
        "https://ada:secret@shop.example.com/",
        "https://shop.example.com:8443/",
        "shop.example.com",
        "",
    ] {
        ada.post("/webhooks", &json!({"webhook": {"url": url}}))
            .await
            .expect_fields(&["webhook.url"]);
    }
    let long = json!({"webhook": {"url": "https://shop.example.com/", "description": "x".repeat(101)}});
    ada.post("/webhooks", &long)
        .await
        .expect_fields(&["webhook.description"]);
    let unknown = json!({"webhook": {"url": "https://shop.example.com/", "events": ["page.lost"]}});
    ada.post("/webhooks", &unknown)
        .await
        .expect_error(422, "validation_failed");
    assert_eq!(ada.get("/webhooks").await.expect(200)["webhooks"], json!([]));
}

#[tokio::test]
async fn an_account_has_at_most_ten_webhooks() {
    let app = TestApp::start().await;
    let ada = app.account(1).await;
    let new = json!({"webhook": {"url": "https://shop.example.com/events"}});
    for _ in 0..10 {
        ada.post("/webhooks", &new).await.expect(201);
    }
    let refused = ada
        .post("/webhooks", &new)
        .await
        .expect_error(422, "account_limit_reached");
    assert!(
        refused["message"].as_str().unwrap().contains("for webhooks is 10"),
        "{refused}"
    );
    assert_eq!(
        ada.get("/webhooks").await.expect(200)["webhooks"]
            .as_array()
            .unwrap()
            .len(),
        10
    );
}
