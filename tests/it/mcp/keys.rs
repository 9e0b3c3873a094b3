//! API keys as bearer tokens of agents, where the operator allows it. `authorization` covers servers that do not.
use std::time::Duration;

use crate::testing;
use linepress_accounts::accounts::NewApiKey;
use linepress_platform::ids::KeyId;
use linepress_platform::scopes::Scope;
use serde_json::json;

use crate::test_app::{Agent, TestApp};

async fn start() -> TestApp {
    TestApp::builder()
        .config(|config| config.mcp_api_keys = true)
        .start()
        .await
}

async fn agent(app: &TestApp, terms: NewApiKey) -> (KeyId, Agent) {
    let account = app.account_of("ada@example.com").await;
    let (key, secret) = testing::create_key_with(&app.server, &account, &terms).await.unwrap();
    (key.id, app.agent_of(Some(secret.expose())))
}

fn order(key: &str) -> serde_json::Value {
    json!({"title": "A fox", "idempotency_key": key, "confirm_credits": 1})
}

#[tokio::test]
async fn a_key_calls_the_tools_that_its_scopes_allow_within_its_limit() {
    let app = start().await;
    app.account(9).await;
    let limited = NewApiKey {
        credit_cap: Some(1),
        ..NewApiKey::named("agent")
    };
    let (_, agent) = agent(&app, limited).await;
    let account = agent.call("get_account", json!({})).await;
    let grant = &account.expect()["grant"];
    assert_eq!((&grant["credit_cap"], &grant["credits_left"]), (&json!(1), &json!(1)));
    agent.call("create_page", order("k1")).await.expect();
    agent
        .call("create_page", order("k2"))
        .await
        .expect_error("credit_cap_reached");
    let account = agent.call("get_account", json!({})).await;
    assert_eq!(account.expect()["grant"]["credits_left"], 0);
}

#[tokio::test]
async fn a_key_that_may_only_read_is_offered_the_tools_that_read() {
    let app = start().await;
    app.account(9).await;
    let reading = NewApiKey {
        scopes: Some(vec![Scope::BooksRead]),
        ..NewApiKey::named("agent")
    };
    let (_, agent) = agent(&app, reading).await;
    let offered = agent.request("tools/list", json!({})).await;
    let tools = offered["tools"].as_array().unwrap();
    assert!(tools.iter().all(|tool| tool["annotations"]["readOnlyHint"] == true));
    let params = json!({"name": "create_page", "arguments": order("k1")});
    let message = agent.message("tools/call", params.as_object().cloned().unwrap());
    let reply = agent.send(&message, &[]).await;
    let error = reply.expect_error(403, "insufficient_scope");
    assert!(
        error["message"].as_str().unwrap().contains("books:write credits:spend"),
        "{error}"
    );
    assert!(
        !reply.headers.contains_key("www-authenticate"),
        "no consent adds scopes to a key"
    );
}

#[tokio::test]
async fn a_key_is_refused_outside_of_its_networks_and_after_its_end() {
    let app = start().await;
    app.account(9).await;
    let elsewhere = NewApiKey {
        allowed_networks: Some(vec!["203.0.113.0/24".into()]),
        ..NewApiKey::named("agent")
    };
    let (_, outside) = agent(&app, elsewhere).await;
    let list = |agent: &Agent| agent.message("tools/list", serde_json::Map::new());
    let reply = outside.send(&list(&outside), &[]).await;
    reply.expect_error(403, "insufficient_scope");
    let short = NewApiKey {
        expires_at: Some(app.server.clock.now().plus(Duration::from_secs(60))),
        ..NewApiKey::named("agent")
    };
    let (_, expired) = agent(&app, short).await;
    expired.call("get_account", json!({})).await.expect();
    app.server.clock.advance(Duration::from_secs(60));
    let reply = expired.send(&list(&expired), &[]).await;
    reply.expect_error(401, "unauthorized");
    assert!(reply.header("www-authenticate").contains("invalid_token"));
}

#[tokio::test]
async fn a_link_to_a_file_ends_with_the_key_that_it_was_made_with() {
    let app = start().await;
    let ada = app.account(9).await;
    let page = app.ready_page(&ada, "A fox").await;
    let (id, agent) = agent(&app, NewApiKey::named("agent")).await;
    let link = agent.call("get_page_image", json!({"page_id": page})).await;
    let url = link.expect()["url"].as_str().unwrap().to_owned();
    assert_eq!(app.anonymous().get(&url).await.status, 200);
    testing::revoke_key(&app.server, &id).await.unwrap();
    assert_eq!(app.anonymous().get(&url).await.status, 404);
}
