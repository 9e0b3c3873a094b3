//! The whole flow of an app and a browser, from registration to tokens.
use linepress_accounts::accounts::Plan;
use serde_json::json;

use super::{APPROVE_ALL, Client, EMAIL, REDIRECT, Scene, parameter};
use crate::test_app::{PASSWORD, TestApp};

#[tokio::test]
async fn an_app_registers_is_consented_to_and_gets_tokens_that_open_mcp() {
    let mut scene = Scene::new().await;
    let decided = scene
        .client
        .decide(&mut scene.browser, &scene.client.address(&[]), &APPROVE_ALL)
        .await;
    assert_eq!(decided.status, 303);
    assert!(
        decided
            .header("location")
            .starts_with("https://agent.test/callback?code=")
    );
    assert_eq!(parameter(&decided, "state").unwrap(), "st&te");
    assert_eq!(parameter(&decided, "iss").unwrap(), "http://linepress.test");
    let code = parameter(&decided, "code").unwrap();

    let reply = scene.client.redeem(&scene.app, &code).await;
    let tokens = reply.expect(200);
    assert_eq!(reply.header("cache-control"), "no-store");
    assert_eq!(tokens["token_type"], "Bearer");
    assert_eq!(tokens["expires_in"], 3600);
    assert_eq!(tokens["scope"], "books:read books:write credits:spend");
    let agent = scene.app.agent_of(tokens["access_token"].as_str());
    let account = agent.call("get_account", json!({})).await;
    assert_eq!(account.expect()["account"]["email"], EMAIL);
}

#[tokio::test]
async fn a_user_who_is_not_signed_in_signs_in_and_returns() {
    let scene = Scene::new().await;
    let mut browser = scene.app.browser();
    let address = scene.client.address(&[]);
    let away = browser.get(&address).await;
    let sign_in = away.header("location").to_owned();
    assert!(
        sign_in.starts_with("/sign-in?return_to=%2Foauth%2Fauthorize"),
        "{sign_in}"
    );
    let return_to = browser
        .get(&sign_in)
        .await
        .value_of("return_to")
        .replace("&amp;", "&")
        .replace("&#38;", "&");
    let fields = [("email", EMAIL), ("password", PASSWORD), ("return_to", &return_to)];
    let back = browser.post("/sign-in", &fields).await;
    back.expect_redirect(&address);
    let code = scene.client.code(&mut browser, &[]).await;
    scene.client.redeem(&scene.app, &code).await.expect(200);
}

#[tokio::test]
async fn a_client_sends_its_secret_in_a_header_or_in_the_form() {
    let mut scene = Scene::new().await;
    for method in ["client_secret_basic", "client_secret_post"] {
        let metadata = json!({"redirect_uris": [REDIRECT], "token_endpoint_auth_method": method});
        let client = Client::register(&scene.app, metadata).await;
        let code = client.code(&mut scene.browser, &[]).await;
        let tokens = client.redeem(&scene.app, &code).await.expect(200);
        use base64::Engine as _;
        let basic = format!("{}:{}", client.id, client.secret.as_deref().unwrap());
        let basic = format!("Basic {}", base64::engine::general_purpose::STANDARD.encode(basic));
        let headers = [
            ("content-type", "application/x-www-form-urlencoded"),
            ("authorization", basic.as_str()),
        ];
        let body = format!(
            "grant_type=refresh_token&refresh_token={}",
            tokens["refresh_token"].as_str().unwrap()
        );
        let anonymous = scene.app.anonymous();
        anonymous
            .send("POST", "/oauth/token", &headers, body.clone().into())
            .await
            .expect(200);
        // Credentials in both places are ambiguous.
        let both = format!("{body}&client_secret={}", client.secret.as_deref().unwrap());
        let reply = anonymous.send("POST", "/oauth/token", &headers, both.into()).await;
        super::expect_refusal(&reply, 400, "invalid_request");
    }
}

#[tokio::test]
async fn a_native_app_may_use_any_port_in_its_redirect() {
    let mut scene = Scene::new().await;
    let metadata = json!({
        "redirect_uris": ["http://localhost/callback", "http://127.0.0.1/callback", "http://[::1]/callback"],
        "token_endpoint_auth_method": "none", "application_type": "native",
    });
    let client = Client::register(&scene.app, metadata).await;
    for uri in [
        "http://localhost:33418/callback",
        "http://127.0.0.1:1/callback",
        "http://[::1]:65535/callback",
    ] {
        let client = Client {
            redirect_uri: uri.into(),
            ..client.clone()
        };
        let decided = client
            .decide(&mut scene.browser, &client.address(&[]), &APPROVE_ALL)
            .await;
        assert!(decided.header("location").starts_with(&format!("{uri}?code=")), "{uri}");
        let code = parameter(&decided, "code").unwrap();
        client.redeem(&scene.app, &code).await.expect(200);
    }
}

#[tokio::test]
async fn an_account_without_the_plan_sees_why_nothing_can_be_connected() {
    let app = TestApp::start().await;
    let mut browser = app.person("bob@example.com", Plan::Free, 3).await;
    let client = Client::register(&app, json!({"redirect_uris": [REDIRECT]})).await;
    let page = browser.get(&client.address(&[])).await;
    page.expect(403, "This needs the Business plan");
    // The app waits for an answer.
    page.expect(403, &format!("href=\"{REDIRECT}?error=access_denied"));
    assert!(!page.text.contains("name=\"request\""));
}

#[tokio::test]
async fn tokens_do_not_work_while_the_account_has_no_business_plan() {
    let mut scene = Scene::new().await;
    let tokens = scene.tokens().await;
    let account = linepress_accounts::accounts::find(&scene.app.server, EMAIL)
        .await
        .unwrap()
        .unwrap();
    let agent = scene.app.agent_of(tokens["access_token"].as_str());
    let set = async |plan| {
        let done = crate::testing::set_plan(&scene.app.server, &account, plan).await;
        done.unwrap();
    };
    set(Plan::Free).await;
    let reply = agent.call("list_books", json!({})).await;
    reply.expect_error("plan_required");
    set(Plan::Business).await;
    agent.call("list_books", json!({})).await.expect();
}
