//! `/requests`.
use std::time::Duration;

use linepress_accounts::accounts::{NewApiKey, Plan};
use linepress_accounts::requests::{self, RequestFilter};
use linepress_operator::request_log::RequestLog;
use linepress_platform::database::PageRequest;
use linepress_platform::scopes::{Scope, Scopes};
use serde_json::{Value, json};

use crate::test_app::{Actor, TestApp};
use crate::{maintenance, testing};

/// Writes the requests so far, and returns those of the account that a list contains.
async fn logged(app: &TestApp, actor: &Actor, query: &str) -> Vec<Value> {
    testing::write_request_log(&app.server).await.unwrap();
    let list = actor.get(&format!("/requests{query}")).await.expect(200);
    list["requests"].as_array().unwrap().clone()
}

#[tokio::test]
async fn requests_over_rest_are_logged_without_ids_and_bodies() {
    let app = TestApp::start().await;
    let ada = app.account(3).await;
    let ben = app.account_named("ben@example.com", Plan::Business, 3).await;
    let page = app.ready_page(&ada, "A fox").await;
    app.server.clock.advance(Duration::from_secs(1));
    let missing = ada.get("/pages/page_01KAFMYG00000000000000000A").await;
    missing.expect_error(404, "not_found");
    app.server.clock.advance(Duration::from_secs(1));
    ada.get(&format!("/pages/{page}")).await.expect(200);
    app.server.clock.advance(Duration::from_secs(1));
    ada.get("/nothing/here").await.expect_error(404, "not_found");
    app.with_key("lp_nonsense")
        .get("/me")
        .await
        .expect_error(401, "unauthorized");

    let all = logged(&app, &ada, "").await;
    let of = |entry: &Value| json!([entry["method"], entry["route"], entry["status"], entry["code"]]);
    assert_eq!(of(&all[0]), json!(["GET", null, 404, "not_found"]));
    assert_eq!(of(&all[1]), json!(["GET", "/api/v1/pages/{id}", 200, null]));
    assert_eq!(of(&all[2]), json!(["GET", "/api/v1/pages/{id}", 404, "not_found"]));
    assert_eq!(all[2]["request_id"], missing.header("x-request-id"));
    let key = &ada.get("/keys").await.expect(200)["keys"][0]["id"];
    for entry in &all {
        assert_eq!((&entry["key_id"], &entry["grant_id"]), (key, &Value::Null));
        assert_eq!((&entry["interface"], &entry["tool"]), (&json!("rest"), &Value::Null));
        assert!(entry["duration_ms"].as_i64().is_some());
    }
    let order = all.iter().find(|entry| entry["method"] == "POST").unwrap();
    assert_eq!(of(order), json!(["POST", "/api/v1/pages", 202, null]));

    let failed = logged(&app, &ada, "?status=4xx&code=not_found&limit=1").await;
    assert_eq!(of(&failed[0]), of(&all[0]));
    assert!(logged(&app, &ada, "?status=5xx").await.is_empty());
    assert!(logged(&app, &ada, "?code=rate_limited").await.is_empty());
    for query in ["?status=404", "?code=Not%20found", "?code="] {
        ada.get(&format!("/requests{query}"))
            .await
            .expect_error(400, "invalid_request");
    }
    let first = ada.get("/requests?limit=2").await.expect(200);
    let after = first["meta"]["next_cursor"].as_str().unwrap();
    let second = ada.get(&format!("/requests?limit=2&after={after}")).await.expect(200);
    assert!(second["requests"][0]["id"].as_str() < first["requests"][1]["id"].as_str());
    // Each account sees its own requests only.
    assert_eq!(logged(&app, &ben, "").await.len(), 0);
    assert_eq!(logged(&app, &ben, "").await.len(), 1);
}

#[tokio::test]
async fn a_key_that_is_limited_sees_only_its_own_requests() {
    let app = TestApp::start().await;
    let ada = app.account(3).await;
    let account = app.account_of("ada@example.com").await;
    let mut limited = Vec::new();
    for terms in [
        NewApiKey {
            scopes: Some(vec![Scope::BooksRead]),
            ..NewApiKey::named("Reads")
        },
        NewApiKey {
            credit_cap: Some(1),
            ..NewApiKey::named("Spends little")
        },
    ] {
        let (key, secret) = testing::create_key_with(&app.server, &account, &terms).await.unwrap();
        limited.push((key.id.to_string(), app.with_key(secret.expose())));
    }
    let missing = "/pages/page_01KAFMYG00000000000000000A";
    for actor in [&ada, &limited[0].1, &limited[1].1] {
        actor.get("/me").await.expect(200);
        actor.get(missing).await.expect_error(404, "not_found");
    }
    for (id, actor) in &limited {
        for (query, number) in [("", 2), ("?code=not_found", 1), ("?status=4xx", 1)] {
            let own = logged(&app, actor, query).await;
            let own: Vec<&Value> = own
                .iter()
                .filter(|entry| entry["route"] != "/api/v1/requests")
                .collect();
            assert_eq!(own.len(), number, "{query}");
            assert!(own.iter().all(|entry| entry["key_id"] == **id), "{own:?}");
        }
        let first = actor.get("/requests?limit=1").await.expect(200);
        let after = first["meta"]["next_cursor"].as_str().unwrap();
        let second = actor.get(&format!("/requests?limit=1&after={after}")).await.expect(200);
        assert_eq!(second["requests"][0]["key_id"], **id);
    }
    // An unlimited key and the owner see those of all keys.
    let keys = |all: &[Value]| {
        let mut keys: Vec<String> = all.iter().map(|entry| entry["key_id"].to_string()).collect();
        keys.sort_unstable();
        keys.dedup();
        keys.len()
    };
    assert_eq!(keys(&logged(&app, &ada, "?code=not_found").await), 3);
    app.browser_of("ada@example.com").await;
    let owner = app.owner("ada@example.com").await;
    let scope = app.server.cursors.scope(owner.account_id(), "req_");
    let request = PageRequest::parse(Some("100"), None, scope).unwrap();
    let all = requests::list(&app.server, &owner, RequestFilter::default(), &request)
        .await
        .unwrap();
    let all: Vec<Value> = all.items.iter().map(|entry| json!(entry)).collect();
    assert_eq!(keys(&all), 3);
}

#[tokio::test]
async fn calls_of_tools_are_logged_with_their_error_codes_and_pages_are_not() {
    let app = TestApp::start().await;
    let ada = app.account(3).await;
    let (agent, _) = app
        .agent_with("ada@example.com", Scopes::of(&[Scope::BooksRead]), None)
        .await;
    agent.call("list_pages", json!({})).await.expect();
    app.server.clock.advance(Duration::from_secs(1));
    let unknown = json!({"page_id": "page_01KAFMYG00000000000000000A"});
    agent.call("get_page", unknown).await.expect_error("not_found");
    let mut browser = app.person("ben@example.com", Plan::Business, 0).await;
    browser.get("/library").await;
    let all = logged(&app, &ada, "").await;
    let of = |entry: &Value| json!([entry["interface"], entry["tool"], entry["status"], entry["code"]]);
    assert_eq!(of(&all[0]), json!(["mcp", "get_page", 200, "not_found"]));
    assert_eq!(of(&all[1]), json!(["mcp", "list_pages", 200, null]));
    assert_eq!((&all[0]["route"], &all[0]["key_id"]), (&json!("/mcp"), &Value::Null));
    assert!(all[0]["grant_id"].as_str().unwrap().starts_with("grant_"));
    let ben = app.account_of("ben@example.com").await;
    let (_, secret) = testing::create_key(&app.server, &ben, "test").await.unwrap();
    let ben = app.with_key(secret.expose());
    assert!(logged(&app, &ben, "").await.is_empty());
}

#[tokio::test]
async fn nothing_is_logged_in_maintenance_and_old_requests_are_deleted() {
    let app = TestApp::start().await;
    let ada = app.account(3).await;
    ada.get("/me").await.expect(200);
    assert_eq!(testing::write_request_log(&app.server).await.unwrap(), 1);
    maintenance::begin(&app).await;
    ada.get("/me").await.expect(200);
    assert_eq!(testing::write_request_log(&app.server).await.unwrap(), 0);
    maintenance::end(&app).await;
    assert_eq!(testing::write_request_log(&app.server).await.unwrap(), 0);

    for _ in 0..3 {
        app.server.clock.advance(Duration::from_secs(1));
        ada.get("/books").await.expect(200);
    }
    testing::write_request_log(&app.server).await.unwrap();
    let account = app.account_of("ada@example.com").await.id;
    assert_eq!(testing::trim_request_log(&app.server, &account, 2).await.unwrap(), 2);
    app.server.clock.advance(requests::LOG_RETENTION);
    assert_eq!(requests::forget_old(&app.server).await.unwrap(), 2);
}

#[tokio::test]
async fn old_requests_are_deleted_however_many_there_are() {
    let app = TestApp::start().await;
    let ada = app.account(3).await;
    ada.get("/me").await.expect(200);
    let request = app.server.ended_requests.take().requests.remove(0);
    for written in [500, 500, 3] {
        for _ in 0..written {
            let added = || request.clone();
            app.server.ended_requests.add(&request.account_id, added);
        }
        assert_eq!(testing::write_request_log(&app.server).await.unwrap(), written);
    }
    app.server.clock.advance(requests::LOG_RETENTION);
    assert_eq!(requests::forget_old(&app.server).await.unwrap(), 1003);
}

#[tokio::test]
async fn a_node_that_stops_writes_the_last_requests() {
    let app = TestApp::start().await;
    let ada = app.account(3).await;
    let log = RequestLog::start(&app.server);
    for _ in 0..3 {
        ada.get("/me").await.expect(200);
    }
    log.stop().await;
    let all = ada.get("/requests").await.expect(200);
    assert_eq!(all["requests"].as_array().unwrap().len(), 3);
}
