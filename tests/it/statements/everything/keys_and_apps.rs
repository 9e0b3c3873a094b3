//! API keys, test keys, and connected apps.
use linepress::server;
use linepress_accounts::accounts::{self, Plan};
use linepress_accounts::grants::{self, clients};
use linepress_core::operations::OperationStatus;
use linepress_platform::ids::AccountId;
use linepress_platform::scopes::Scopes;
use serde_json::json;

use crate::oauth::Client;
use crate::test_app::{Actor, Agent, TestApp, Web, book_of, id};
use crate::testing;

/// Makes, uses, rotates and revokes an API key with a limit, also as an agent.
pub(super) async fn use_keys(app: &TestApp, ada: &Actor) {
    let limited = json!({"key": {"name": "shop", "credit_cap": 1, "credit_period": "day"}});
    let made = ada.post("/keys", &limited).await.expect(201);
    let path = format!("/keys/{}", id(&made, "key"));
    let shop = app.with_key(made["secret"].as_str().unwrap());
    shop.generate("/books", &app.new_key(), &book_of(2))
        .await
        .expect_error(402, "credit_cap_reached");
    let accepted = app.accepted(&shop, "/books", &book_of(1)).await;
    let cancel = format!("/operations/{}/cancel", accepted.operation_id());
    shop.post_nothing(&cancel).await.expect(200);
    for list in ["/requests", "/requests?code=not_found"] {
        shop.get(list).await.expect(200);
    }
    let page = app.imported_page(&shop, "A fox").await;
    let node = app.another_node_with(|config| config.mcp_api_keys = true).await;
    let router = server::router(node);
    let agent = Agent::new(router.clone(), shop.key());
    let link = agent.call("get_page_image", json!({"page_id": page})).await;
    let url = link.expect()["url"].as_str().unwrap().to_owned();
    assert_eq!(app.anonymous().at(router).get(&url).await.status, 200);
    ada.get("/keys").await.expect(200);
    ada.get(&path).await.expect(200);
    ada.post_nothing(&format!("{path}/rotate")).await.expect(200);
    ada.delete(&path).await.expect_no_content();
    use_test_key(app, ada).await;
}

/// Draws with a test key on a node without other providers, when its credits are spent.
async fn use_test_key(app: &TestApp, ada: &Actor) {
    let made = ada.post("/keys", &json!({"key": {"name": "CI", "test": true}})).await;
    let test = app.with_key(made.expect(201)["secret"].as_str().unwrap());
    let sandbox = AccountId::from_text(test.account_id().await);
    let sandbox = accounts::find_by_id(&app.server, &sandbox).await.unwrap().unwrap();
    let credits = test.credits().await;
    testing::debit(&app.server, &sandbox, credits, "").await.unwrap();
    let accepted = app.accepted(&test, "/books", &book_of(1)).await;
    let node = app
        .another_node_with(|config| config.image_providers = vec!["acme.none".into()])
        .await;
    while testing::work_once(&node).await.unwrap() {}
    assert_eq!(test.status(&accepted).await, OperationStatus::Succeeded);
}

/// Connects apps, lets one spend credits, and disconnects them.
pub(super) async fn use_apps(app: &TestApp, web: &Web) {
    let server = &app.server;
    let email = "flora@example.com";
    let mut dora = app.person(email, Plan::Business, 5).await;
    let redirect = json!({"redirect_uris": ["https://agent.test/cb"], "token_endpoint_auth_method": "none"});
    let client = Client::register(app, redirect).await;
    client
        .decide(&mut dora, &client.address(&[]), &[("decision", "deny")])
        .await;
    let code = client.code(&mut dora, &[]).await;
    let tokens = client.redeem(app, &code).await.expect(200);
    client.refresh(app, &tokens).await.expect(200);
    let access = tokens["access_token"].as_str().unwrap();
    client.send(app, "/oauth/revoke", &[("token", access)]).await;
    assert_eq!(client.redeem(app, &code).await.status, 400);
    let (agent, granted) = app.agent_with(email, Scopes::ALL, Some(1)).await;
    let page = |title: &str| json!({"title": title, "idempotency_key": title, "confirm_credits": 1});
    agent.call("create_page", page("refused")).await.expect();
    agent
        .call("create_page", page("more"))
        .await
        .expect_error("credit_cap_reached");
    let limit = format!("/account/apps/{}/limit", granted.grant_id);
    dora.submit(&limit, &limit, &[("credit_cap", "2")])
        .await
        .expect_redirect("/account/apps");
    app.draw_everything().await;
    let drawn = agent.call("create_page", page("fox")).await;
    let queued = json!({"operation_id": drawn.expect()["operation"]["id"], "seconds": 1});
    agent.call("wait_for_operation", queued).await.expect();
    app.draw_everything().await;
    for (prompt, argument) in [("review_book", "book"), ("make_book", "character")] {
        let reference = json!({"type": "ref/prompt", "name": prompt});
        let completed = json!({"ref": reference, "argument": {"name": argument, "value": "f"}});
        agent.request("completion/complete", completed).await;
    }
    let image = agent
        .call("get_page_image", json!({"page_id": drawn.expect()["page"]["id"]}))
        .await;
    let image = image.expect()["url"].as_str().unwrap().to_owned();
    assert_eq!(app.anonymous().get(&image).await.status, 200);
    let found = grants::caller_of_token(server, &granted.access_token, &server.config.mcp_url()).await;
    let caller = found.unwrap().unwrap();
    assert!(grants::calling_app(server, &caller).await.unwrap().is_some());
    grants::list_all(server).await.unwrap();
    let owner = app.owner(email).await;
    assert!(!grants::list_for(server, &owner).await.unwrap().is_empty());
    assert!(grants::revoke(server, &owner, &granted.grant_id).await.unwrap());
    let address = "https://pictures.test/client.json";
    let document = json!({"client_id": address, "redirect_uris": ["https://agent.test/cb"]});
    web.file("/client.json", document.to_string().as_bytes());
    let client = Client {
        id: address.into(),
        ..client
    };
    client.code(&mut dora, &[]).await;
    let known = clients::list(server).await.unwrap();
    clients::revoke(server, &known[0].id).await.unwrap();
}
