//! `/account/requests`.
use linepress_accounts::accounts::Plan;
use serde_json::json;

use crate::test_app::TestApp;
use crate::testing;

const ADA: &str = "ada@example.com";

#[tokio::test]
async fn a_person_sees_the_requests_of_keys_and_apps() {
    let app = TestApp::start().await;
    let mut ada = app.person(ADA, Plan::Business, 9).await;
    ada.get("/account/requests").await.expect(200, "There is no request.");
    let account = app.account_of(ADA).await;
    let (_, secret) = testing::create_key(&app.server, &account, "The <shop>").await.unwrap();
    let client = app.with_key(secret.expose());
    let missing = client.get("/pages/page_01KAFMYG00000000000000000A").await;
    missing.expect_error(404, "not_found");
    app.agent(ADA).await.call("list_pages", json!({})).await.expect();
    testing::write_request_log(&app.server).await.unwrap();
    let page = ada.get("/account/requests").await;
    page.expect(200, "GET /api/v1/pages/{id}").expect(200, "not_found");
    page.expect(200, "API key The &#60;shop&#62;")
        .expect(200, "Tool list_pages");
    page.expect(200, missing.header("x-request-id"));
    let refused = ada.get("/account/requests?status=4xx").await;
    refused.expect(200, "GET /api/v1/pages/{id}");
    assert!(!refused.text.contains("list_pages"), "{}", refused.text);
    ada.get("/account/requests?after=nonsense")
        .await
        .expect_redirect("/account/requests");
    let mut bob = app.person("bob@example.com", Plan::Free, 0).await;
    bob.get("/account/requests").await.expect(200, "There is no request.");
    app.browser()
        .get("/account/requests")
        .await
        .expect_redirect("/sign-in?return_to=%2Faccount%2Frequests");
}
