//! The protocol that carries the tool calls, in both eras.
use std::time::Duration;

use axum::body::to_bytes;
use axum::http::StatusCode;
use linepress_platform::config::Config;
use linepress_platform::scopes::{Scope, Scopes};
use serde_json::{Map, Value, json};

use crate::test_app::{Agent, Era, Log, TestApp, last_message};

#[tokio::test]
async fn a_client_of_the_older_era_shakes_hands_and_keeps_no_session() {
    let app = TestApp::start().await;
    app.account(1).await;
    let agent = app.agent("ada@example.com").await.in_era(Era::Sessions);
    let hello =
        json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}});
    let message = agent.message("initialize", hello.as_object().cloned().unwrap());
    let reply = agent.send(&message, &[]).await;
    assert!(!reply.headers.contains_key("mcp-session-id"));
    let result = last_message(&reply)["result"].clone();
    assert_eq!(result["protocolVersion"], "2025-11-25");
    assert_eq!(result["serverInfo"]["name"], "linepress");
    assert!(result["instructions"].as_str().unwrap().contains("plan_book"));
    assert_eq!(agent.request("ping", json!({})).await, json!({}));
    assert!(agent.request("tools/list", json!({})).await["tools"].is_array());
}

#[tokio::test]
async fn a_client_of_the_newer_era_discovers_and_calls() {
    let app = TestApp::start().await;
    app.account(1).await;
    let agent = app.agent("ada@example.com").await;
    let found = agent.request("server/discover", json!({})).await;
    assert_eq!(found["resultType"], "complete");
    assert!(found["supportedVersions"].to_string().contains("2026-07-28"), "{found}");
    assert!(found["instructions"].as_str().unwrap().contains("plan_book"), "{found}");
    assert_eq!(agent.call("get_account", json!({})).await.0["resultType"], "complete");
}

/// Returns the server's description of itself.
async fn server_info(agent: &Agent) -> Value {
    let hello =
        json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}});
    agent.request("initialize", hello).await["serverInfo"].clone()
}

#[tokio::test]
async fn the_server_has_a_name_and_icons_that_can_be_fetched() {
    let app = TestApp::start().await;
    app.account(1).await;
    let agent = app.agent("ada@example.com").await.in_era(Era::Sessions);
    let server = server_info(&agent).await;
    assert_eq!(server["title"], "Linepress");
    assert_eq!(server["websiteUrl"], "http://linepress.test");
    let mut types = Vec::new();
    for icon in server["icons"].as_array().unwrap() {
        let fetched = app.browser().open(icon["src"].as_str().unwrap()).await;
        assert_eq!(fetched.status(), StatusCode::OK, "{icon}");
        assert_eq!(fetched.headers()["content-type"], icon["mimeType"].as_str().unwrap());
        let body = to_bytes(fetched.into_body(), usize::MAX).await.unwrap();
        types.push(icon["mimeType"].as_str().unwrap());
        if icon["mimeType"] == "image/png" {
            let picture = image::load_from_memory(&body).unwrap();
            let size = format!("{}x{}", picture.width(), picture.height());
            assert_eq!(icon["sizes"], json!([size]));
        }
    }
    assert_eq!(types, ["image/svg+xml", "image/png"]);
}

#[tokio::test]
async fn the_name_and_the_icon_are_those_that_the_operator_chose() {
    const LOGO: &str = r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><path d="M0 0h8v8z"/></svg>"#;
    let folder = tempfile::tempdir().unwrap();
    let logo = folder.path().join("logo.svg");
    std::fs::write(&logo, LOGO).unwrap();
    let own = |config: &mut Config| {
        config.appearance.name = "Ink & Co".into();
        config.appearance.logo = logo.clone();
    };
    let app = TestApp::builder().config(own).start().await;
    app.account(1).await;
    let agent = app.agent("ada@example.com").await.in_era(Era::Sessions);
    let server = server_info(&agent).await;
    assert_eq!(
        (&server["name"], &server["title"]),
        (&json!("linepress"), &json!("Ink & Co"))
    );
    let [icon] = &server["icons"].as_array().unwrap()[..] else {
        panic!("{server}");
    };
    let fetched = app.browser().open(icon["src"].as_str().unwrap()).await;
    let body = to_bytes(fetched.into_body(), usize::MAX).await.unwrap();
    assert_eq!(body, LOGO);
    let resource = app.anonymous().get("/.well-known/oauth-protected-resource/mcp").await;
    assert_eq!(resource.expect(200)["resource_name"], "Ink & Co");
}

#[tokio::test]
async fn a_name_of_a_megabyte_is_neither_logged_nor_repeated() {
    let app = TestApp::start().await;
    app.account(1).await;
    let agent = app.agent("ada@example.com").await;
    let long = "x".repeat(1 << 20);
    let complete = |prompt: &str, argument: &str| json!({"ref": {"type": "ref/prompt", "name": prompt}, "argument": {"name": argument, "value": ""}});
    let log = Log::default();
    let captured = log.capture();
    for (method, params, code) in [
        (long.as_str(), json!({}), -32601),
        ("tools/call", json!({"name": long}), -32602),
        ("prompts/get", json!({"name": long}), -32602),
        ("completion/complete", complete(&long, "theme"), -32602),
        ("completion/complete", complete("make_book", &long), -32602),
    ] {
        let message = json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params});
        let reply = agent.send_as("/mcp", None, &message.to_string()).await;
        let name = &method[..method.len().min(20)];
        assert_eq!(reply.json()["error"]["code"], code, "{name}");
        assert!(reply.body.len() < 1_000, "{name}: {} bytes", reply.body.len());
    }
    drop(captured);
    assert!(log.lines().iter().all(|line| line.len() < 2_000));
}

#[tokio::test]
async fn pages_of_other_sites_and_other_names_of_the_server_are_refused() {
    let app = TestApp::start().await;
    app.account(1).await;
    let agent = app.agent("ada@example.com").await;
    let message = agent.message("tools/list", Map::new());
    for (origin, status) in [
        ("http://linepress.test", 200),
        ("http://linepress.test:80", 200),
        ("http://evil.test", 403),
        ("https://linepress.test", 403),
        ("http://linepress.test:8080", 403),
        ("http://localhost:6274", 403),
        ("null", 403),
    ] {
        let reply = agent.send(&message, &[("origin", origin)]).await;
        assert_eq!(reply.status.as_u16(), status, "{origin}");
    }
}

#[tokio::test]
async fn an_invalid_message_is_refused() {
    let app = TestApp::start().await;
    app.account(1).await;
    let agent = app.agent("ada@example.com").await;
    let unknown = agent.message("tools/call", Map::from_iter([("name".to_owned(), "steal_book".into())]));
    let reply = last_message(&agent.send(&unknown, &[]).await);
    assert_eq!(reply["error"]["code"], -32602, "{reply}");
    assert!(reply["error"]["message"].as_str().unwrap().contains("tools/list"));
    let many = json!({"name": "get_account", "arguments": {"a": vec![json!({}); 20_000]}});
    let many = agent.message("tools/call", many.as_object().cloned().unwrap());
    agent.send(&many, &[]).await.expect_error(413, "payload_too_large");
    let large = json!({"name": "get_account", "arguments": {"a": "x".repeat(5 << 20)}});
    let large = agent.message("tools/call", large.as_object().cloned().unwrap());
    agent.send(&large, &[]).await.expect_error(413, "payload_too_large");
    for method in ["GET", "DELETE"] {
        let reply = agent.plain(method).await;
        assert_eq!(reply.status, StatusCode::METHOD_NOT_ALLOWED, "{method}");
    }
}

#[tokio::test]
async fn a_local_server_accepts_web_pages_of_the_same_machine() {
    let local = |config: &mut Config| config.public_url = "http://127.0.0.1:8080".into();
    let app = TestApp::builder().config(local).start().await;
    app.account(1).await;
    let agent = app.agent("ada@example.com").await;
    let message = agent.message("tools/list", Map::new());
    for (origin, status) in [
        ("http://localhost:6274", 200),
        ("http://[::1]:6274", 200),
        ("http://evil.test", 403),
        ("https://127.0.0.1.evil.test", 403),
    ] {
        let reply = agent.send_to("127.0.0.1:8080", &message, &[("origin", origin)]).await;
        assert_eq!(reply.status.as_u16(), status, "{origin}");
    }
    // Such a page may read the responses, and no other page may.
    for (origin, is_allowed) in [("http://localhost:6274", true), ("http://evil.test", false)] {
        let reply = agent.ask_whether(origin).await;
        assert_eq!(
            reply.headers.contains_key("access-control-allow-origin"),
            is_allowed,
            "{origin}"
        );
    }
    let rebound = agent.send_to("evil.test", &message, &[]).await;
    assert_eq!(rebound.status.as_u16(), 403);
}

#[tokio::test]
async fn a_client_that_takes_any_response_gets_one_with_and_without_a_slash() {
    let app = TestApp::start().await;
    app.account(1).await;
    let agent = app.agent("ada@example.com").await;
    let agent = agent.in_era(Era::Sessions);
    let message = agent.message("tools/list", Map::new());
    for accept in [None, Some("*/*"), Some("text/html, */*;q=0.8")] {
        for path in ["/mcp", "/mcp/"] {
            let reply = agent.send_as(path, accept, &message.to_string()).await;
            assert!(last_message(&reply)["result"]["tools"].is_array(), "{path} {accept:?}");
        }
    }
    let reply = agent.send_as("/mcp", Some("text/html"), &message.to_string()).await;
    assert_eq!(reply.status, StatusCode::NOT_ACCEPTABLE);
}

#[tokio::test]
async fn unreadable_input_is_refused_whatever_the_grant() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    for scopes in [Scopes::ALL, Scopes::of(&[Scope::BooksRead])] {
        let (agent, _) = app.agent_with("ada@example.com", scopes, None).await;
        let order =
            r#""name": "create_page", "arguments": {"title": "A", "idempotency_key": "k", "confirm_credits": 1}"#;
        let call = format!(r#"{{"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {{{order}}}}}"#);
        for (message, status, code) in [
            (r#"{"jsonrpc": "2.0", "id": 7"#.to_owned(), 400, -32700),
            (format!("{call} {call}"), 400, -32700),
            (format!("\u{feff}{call}"), 400, -32700),
            (format!("[{call}]"), 400, -32600),
            (call.replace(r#""method": "tools/call""#, r#""method": ["tools/call"]"#), 400, -32600),
            (call.replace(r#""create_page""#, r#"["create_page"]"#), 200, -32602),
            (
                r#"{"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "get_account", "arguments": []}}"#
                    .to_owned(),
                200,
                -32602,
            ),
        ] {
            let reply = agent.send_as("/mcp", Some("*/*"), &message).await;
            assert_eq!(reply.status.as_u16(), status, "{message}");
            assert_eq!(reply.json()["error"]["code"], code, "{message}");
            assert_eq!(reply.json()["id"], if status == 200 { json!(7) } else { reply.json()["id"].clone() });
        }
    }
    assert_eq!(ada.count("pages").await, 0);
    assert_eq!(ada.credits().await, 9);
}

#[tokio::test]
async fn retry_after_is_never_too_short_for_an_agent() {
    // One place becomes free every 8.57 seconds.
    let app = TestApp::builder()
        .config(|config| config.limits.plans_per_minute = 7)
        .start()
        .await;
    app.account(0).await;
    let agent = app.agent("ada@example.com").await;
    let wish = json!({"theme": "Woods", "page_count": 1});
    for _ in 0..7 {
        agent.call("plan_book", wish.clone()).await.expect();
    }
    let refused = agent.call("plan_book", wish.clone()).await;
    let seconds = refused.expect_error("rate_limited")["retry_after_seconds"]
        .as_u64()
        .unwrap();
    app.server.clock.advance(Duration::from_secs(seconds));
    agent.call("plan_book", wish).await.expect();
}
