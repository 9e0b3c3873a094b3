//! Authorization of tool calls.
use std::time::Duration;

use crate::testing;
use axum::http::StatusCode;
use linepress_accounts::accounts::{self, Plan};
use linepress_platform::scopes::{Scope, Scopes};
use serde_json::{Map, Value, json};

use super::tools::TOOLS;
use crate::test_app::{Agent, Reply, TestApp};

const METADATA: &str = "resource_metadata=\"http://linepress.test/.well-known/oauth-protected-resource/mcp\"";

async fn try_tool(agent: &Agent, tool: &str, more: &[(&str, &str)]) -> Reply {
    let params = json!({"name": tool, "arguments": {}}).as_object().cloned().unwrap();
    agent.send(&agent.message("tools/call", params), more).await
}

#[tokio::test]
async fn a_client_without_a_token_learns_where_to_get_one() {
    let app = TestApp::start().await;
    let ada = app.account(1).await;
    let granted = app.grant("ada@example.com", Scopes::ALL, None).await;
    let revoked = app.grant("ada@example.com", Scopes::ALL, None).await;
    testing::revoke_grant(&app.server, &revoked.grant_id).await.unwrap();
    for (token, more) in [
        (None, None),
        (Some("nonsense"), None),
        // An API key is valid for REST only, a refresh token for neither interface, and a cookie for neither.
        (ada.key(), None),
        (Some(granted.refresh_token.as_str()), None),
        (Some(revoked.access_token.as_str()), None),
        (None, Some(("cookie", "linepress=anything"))),
    ] {
        let agent = app.agent_of(token);
        for method in ["tools/list", "tools/call", "server/discover"] {
            let params = json!({"name": "get_account"}).as_object().cloned().unwrap();
            let reply = agent.send(&agent.message(method, params), more.as_slice()).await;
            reply.expect_error(401, "unauthorized");
            let challenge = reply.header("www-authenticate");
            assert!(challenge.contains(METADATA), "{challenge}");
            assert!(
                challenge.contains("scope=\"books:read books:write credits:spend\""),
                "{challenge}"
            );
            assert_eq!(
                challenge.contains("error=\"invalid_token\""),
                token.is_some(),
                "{challenge}"
            );
        }
    }
}

#[tokio::test]
async fn a_token_is_valid_for_mcp_only_and_for_an_hour() {
    let app = TestApp::start().await;
    app.account(1).await;
    let (agent, granted) = app.agent_with("ada@example.com", Scopes::ALL, None).await;
    agent.call("get_account", json!({})).await.expect();
    let rest = app.with_key(&granted.access_token);
    rest.get("/me").await.expect_error(401, "unauthorized");
    app.server.clock.advance(Duration::from_secs(3600));
    try_tool(&agent, "get_account", &[])
        .await
        .expect_error(401, "unauthorized");
}

#[tokio::test]
async fn a_tool_beyond_the_grant_names_the_scopes_that_it_needs() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let (agent, _) = app
        .agent_with("ada@example.com", Scopes::of(&[Scope::BooksRead]), None)
        .await;
    let listed = app
        .agent("ada@example.com")
        .await
        .request("tools/list", json!({}))
        .await;
    assert_eq!(listed["tools"].as_array().unwrap().len(), TOOLS.len());
    let mut readable = Vec::new();
    for tool in listed["tools"].as_array().unwrap() {
        let name = tool["name"].as_str().unwrap();
        let reads = tool["annotations"]["readOnlyHint"] == true;
        let reply = try_tool(&agent, name, &[]).await;
        if reads {
            assert_eq!(reply.status, StatusCode::OK, "{name}");
            readable.push(name);
            continue;
        }
        let error = reply.expect_error(403, "insufficient_scope");
        assert!(
            error["message"].as_str().unwrap().contains("not granted: books:write"),
            "{error}"
        );
        let costs = tool["inputSchema"]["properties"]["confirm_credits"].is_object();
        let needed = if costs {
            "books:read books:write credits:spend"
        } else {
            "books:read books:write"
        };
        let challenge = reply.header("www-authenticate");
        assert!(
            challenge.contains(&format!("scope=\"{needed}\"")),
            "{name}: {challenge}"
        );
        assert!(
            challenge.contains("error=\"insufficient_scope\""),
            "{name}: {challenge}"
        );
        assert!(challenge.contains(METADATA), "{name}: {challenge}");
    }
    assert_eq!(ada.credits().await, 9);
    // The agent is offered exactly the tools that it can call.
    let offered = agent.request("tools/list", json!({})).await;
    let offered = offered["tools"].as_array().unwrap().iter();
    assert_eq!(
        offered.map(|tool| tool["name"].as_str().unwrap()).collect::<Vec<_>>(),
        readable
    );
}

#[tokio::test]
async fn only_the_scopes_that_are_missing_are_said_to_be_missing() {
    let app = TestApp::start().await;
    app.account(9).await;
    let scopes = Scopes::of(&[Scope::BooksRead, Scope::BooksWrite]);
    let (agent, _) = app.agent_with("ada@example.com", scopes, None).await;
    let reply = try_tool(&agent, "create_page", &[]).await;
    let error = reply.expect_error(403, "insufficient_scope");
    let message = error["message"].as_str().unwrap();
    assert!(message.contains("not granted: credits:spend."), "{message}");
}

#[tokio::test]
async fn every_tool_refuses_an_account_without_a_business_plan() {
    let app = TestApp::start().await;
    app.account(9).await;
    let agent = app.agent("ada@example.com").await;
    let account = accounts::find(&app.server, "ada@example.com").await.unwrap().unwrap();
    testing::set_plan(&app.server, &account, Plan::Free).await.unwrap();
    for (tool, _) in TOOLS {
        agent.call(tool, json!({})).await.expect_error("plan_required");
    }
}

#[tokio::test]
async fn no_resource_of_another_account_is_found() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let ben = app.account_named("ben@example.com", Plan::Business, 9).await;
    let own = app.ready_resources(&ada).await;
    let agent = app.agent("ben@example.com").await;
    let order = |mut arguments: Value| {
        arguments["idempotency_key"] = app.new_key().into();
        arguments["confirm_credits"] = 1.into();
        arguments
    };
    let book = json!({"book_id": own.book});
    let page = json!({"page_id": own.page});
    let character = json!({"character_id": own.character});
    let operation = json!({"operation_id": own.operation});
    let both = json!({"book_id": own.book, "page_id": own.page});
    for (tool, arguments) in [
        ("get_book", book.clone()),
        ("update_book", json!({"book_id": own.book, "title": "Mine"})),
        ("delete_book", book.clone()),
        ("regenerate_book_cover", order(book.clone())),
        ("restyle_book", order(book.clone())),
        (
            "replace_book_cover_image",
            json!({"book_id": own.book, "image_url": "https://pictures.test/a.png"}),
        ),
        ("get_book_pdf", book.clone()),
        ("check_book_print", book.clone()),
        ("generate_book_page", order(json!({"book_id": own.book, "title": "A"}))),
        ("attach_book_page", both.clone()),
        ("detach_book_page", both),
        (
            "reorder_book_pages",
            json!({"book_id": own.book, "page_ids": [own.book_page]}),
        ),
        ("wait_for_operation", operation.clone()),
        ("get_operation", operation.clone()),
        ("cancel_operation", operation),
        ("get_character", character.clone()),
        (
            "update_character",
            json!({"character_id": own.character, "name": "Mine"}),
        ),
        ("archive_character", character.clone()),
        ("restore_character", character.clone()),
        ("regenerate_character", order(character.clone())),
        ("get_page", page.clone()),
        ("update_page", json!({"page_id": own.page, "title": "Mine"})),
        ("delete_page", page.clone()),
        ("regenerate_page", order(page.clone())),
        (
            "refine_page",
            order(json!({"page_id": own.page, "instruction": "A hat"})),
        ),
        (
            "replace_page_image",
            json!({"page_id": own.page, "image_url": "https://pictures.test/a.png"}),
        ),
        ("get_page_image", page.clone()),
        ("list_attempts", page),
        (
            "choose_attempt",
            json!({"page_id": own.page, "attempt_id": own.attempts.page}),
        ),
        (
            "get_attempt_image",
            json!({"book_id": own.book, "attempt_id": own.attempts.cover}),
        ),
        ("restore_deleted", json!({"id": own.deleted})),
        ("get_character_image", character),
        ("get_book_cover_image", book),
    ] {
        agent.call(tool, arguments).await.expect_error("not_found");
    }
    assert_eq!((ada.credits().await, ben.credits().await), (6, 9));
    assert_eq!(ada.count("pages").await, 2);
    let mine = Map::from_iter([
        ("name".to_owned(), Value::from("list_books")),
        ("arguments".to_owned(), json!({})),
    ]);
    let listed = agent.request("tools/call", Value::Object(mine)).await;
    assert_eq!(listed["structuredContent"]["books"], json!([]));
}
