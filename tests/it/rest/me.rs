//! `GET /me`.
use serde_json::json;

use crate::test_app::TestApp;

#[tokio::test]
async fn the_account_reports_plan_credits_and_capabilities_for_nothing() {
    let app = TestApp::builder().all_plugins().start().await;
    let ada = app.account(5).await;
    app.ready_page(&ada, "A fox").await;
    let reply = ada.get("/me").await;
    reply.expect_free();
    insta::assert_json_snapshot!(reply.expect(200));
}

#[tokio::test]
async fn an_unconfigured_feature_is_not_a_capability() {
    let app = TestApp::builder()
        .config(|config| {
            config.image_providers = vec!["acme.absent".into()];
            config.planner = "acme.absent".into();
        })
        .all_plugins()
        .start()
        .await;
    let account = app.account(5).await.look("/me", "account").await;
    let capabilities = &account["capabilities"];
    assert_eq!(
        (&capabilities["generate"], &capabilities["plan"]),
        (&json!(false), &json!(false))
    );
    assert_eq!(
        (&capabilities["import"], &capabilities["pdf"]),
        (&json!(true), &json!(true))
    );
}
