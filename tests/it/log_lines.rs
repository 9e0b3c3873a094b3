//! The log lines of requests and drawings that an operator reads.
use axum::body::Body;
use serde_json::json;

use crate::test_app::{Log, TestApp, Web};

/// Returns the only line of the request with this id.
#[track_caller]
fn line_of(log: &Log, id: &str) -> String {
    let is_its = |line: &String| line.contains(&format!("request_id={id} "));
    let lines: Vec<String> = log.lines().into_iter().filter(is_its).collect();
    assert_eq!(lines.len(), 1, "{id}: {:?}", log.lines());
    lines[0].clone()
}

#[tokio::test]
async fn every_request_logs_one_line_with_the_id_that_its_client_sees() {
    let app = TestApp::start().await;
    let ada = app.account(1).await;
    let account: String = ada.get("/me").await.expect(200)["account"]["id"]
        .as_str()
        .unwrap()
        .into();
    let anonymous = app.anonymous();
    let log = Log::default();
    let captured = log.capture();
    for (actor, method, path, words) in [
        (
            &ada,
            "GET",
            "/me",
            vec![
                "INFO",
                "method=GET",
                "route=\"/api/v1/me\"",
                "status=200",
                "milliseconds=",
                &account,
            ],
        ),
        (
            &ada,
            "GET",
            "/pages/topsecret",
            vec![
                "INFO",
                "route=\"/api/v1/pages/{id}\"",
                "status=404",
                "not_found",
                &account,
            ],
        ),
        (
            &ada,
            "POST",
            "/pages",
            vec!["INFO", "method=POST", "status=415", "unsupported_media_type", &account],
        ),
        (
            &ada,
            "GET",
            "/boks/topsecrettopsecrettopsecrettopsecret",
            vec!["INFO", "unknown_path=\"/api/v1/boks/...\"", "status=404", &account],
        ),
        (&ada, "DELETE", "/me", vec!["INFO", "status=405", &account]),
        (&anonymous, "GET", "/me", vec!["INFO", "status=401", "unauthorized"]),
        (
            &anonymous,
            "GET",
            "/preview/topsecret",
            vec!["INFO", "route=\"/preview/{token}\"", "status=404"],
        ),
        (
            &anonymous,
            "GET",
            "/review/topsecret",
            vec!["INFO", "route=\"/review/{token}\"", "status=404"],
        ),
        (
            &anonymous,
            "GET",
            "/review/topsecret/pages/topsecret/image",
            vec!["INFO", "route=\"/review/{token}/pages/{page_id}/image\"", "status=404"],
        ),
        (
            &anonymous,
            "PUT",
            "/uploads/topsecret",
            vec!["INFO", "route=\"/uploads/{token}\"", "status=404"],
        ),
    ] {
        let reply = actor.send(method, path, &[], Body::empty()).await;
        let line = line_of(&log, reply.header("x-request-id"));
        for word in words {
            assert!(line.contains(word), "{method} {path}: {word}: {line}");
        }
        assert!(!line.contains("topsecret"), "{line}");
    }
    app.server.database.close().await;
    let failed = ada.get("/me").await;
    let line = line_of(&log, failed.header("x-request-id"));
    assert!(line.contains("ERROR") && line.contains("status=500"), "{line}");
    drop(captured);
}

#[tokio::test]
async fn the_line_of_a_tool_call_has_the_cause_that_its_agent_does_not_see() {
    let web = Web::open().await;
    web.redirect("/round", "/round");
    let app = TestApp::builder().fetcher(web.fetcher()).start().await;
    app.account(1).await;
    let agent = app.agent("ada@example.com").await;
    let log = Log::default();
    let captured = log.capture();
    let artwork = json!({"title": "A fox", "image_url": "https://pictures.test/round"});
    let refused = agent.call("import_page", artwork).await;
    drop(captured);
    refused.expect_error("validation_failed");
    let cause = "there are more than 3 redirects";
    assert!(!refused.0.to_string().contains(cause), "{}", refused.0);
    let line = log
        .lines()
        .into_iter()
        .find(|line| line.contains("tool call completed"));
    let line = line.unwrap_or_else(|| panic!("{:?}", log.lines()));
    for word in ["INFO", "import_page", "validation_failed", cause] {
        assert!(line.contains(word), "{word}: {line}");
    }
}

#[tokio::test]
async fn a_line_about_a_drawing_names_the_page_or_character_it_is_for() {
    let app = TestApp::builder()
        .image_provider("testbed.flaky", json!({"fail": "trap", "seeds": "all"}))
        .start()
        .await;
    let ada = app.account(2).await;
    let page = app.new_page(&ada, "A fox").await;
    let character = app.new_character(&ada, "Pip").await;
    let log = Log::default();
    let captured = log.capture();
    app.draw_what_is_due().await;
    drop(captured);
    for (kind, id) in [("page", page.page_id()), ("character", character.character_id())] {
        let words = format!("target_type=\"{kind}\" target_id=\"{id}\"");
        assert!(log.holds(&words), "{words}: {:?}", log.lines());
    }
}

#[tokio::test]
async fn a_start_without_a_plugin_of_the_settings_names_the_setting() {
    let app = TestApp::builder()
        .config(|config| config.image_providers = vec!["acme.nowhere".into()])
        .start()
        .await;
    let log = Log::default();
    let captured = log.capture();
    app.server.warn_of_missing_plugins();
    drop(captured);
    let text = log.lines().join("\n");
    assert!(
        text.contains("WARN") && text.contains("image_providers") && text.contains("acme.nowhere"),
        "{text}"
    );
    assert!(!text.contains("setting=\"layout\""), "{text}");
}

#[tokio::test]
async fn a_line_says_where_its_request_comes_from() {
    let app = TestApp::builder()
        .config(|config| config.trusted_proxies = vec!["10.0.0.0/8".parse().unwrap()])
        .start()
        .await;
    let log = Log::default();
    let captured = log.capture();
    let mut guessing = app.browser();
    guessing.address = Some("203.0.113.7".parse().unwrap());
    guessing.sign_in("ada@example.com", "wrong").await;
    let mut proxied = app.browser();
    proxied.address = Some("10.0.0.1".parse().unwrap());
    proxied.headers = vec![("x-forwarded-for", "198.51.100.1".into())];
    proxied.get("/sign-in").await;
    drop(captured);
    let failed = log
        .lines()
        .into_iter()
        .find(|line| line.contains("203.0.113.7"))
        .unwrap();
    for word in ["route=\"/sign-in\"", "method=POST", "status=422", "client=203.0.113.7"] {
        assert!(failed.contains(word), "{word}: {failed}");
    }
    assert!(log.holds("client=198.51.100.1"), "{:?}", log.lines());
}

#[tokio::test]
async fn a_form_from_another_site_is_refused_with_the_reason_in_the_log() {
    let app = TestApp::start().await;
    let log = Log::default();
    let captured = log.capture();
    let mut lured = app.browser();
    lured.headers = vec![("sec-fetch-site", "cross-site".into())];
    lured
        .sign_in("ada@example.com", "wrong")
        .await
        .expect(403, "nothing was changed");
    drop(captured);
    let line = log.lines().into_iter().find(|line| line.contains("form rejected"));
    let line = line.unwrap_or_else(|| panic!("{:?}", log.lines()));
    assert!(line.contains("reason=") && line.contains("public_url"), "{line}");
}

#[tokio::test]
async fn a_proxy_that_the_settings_do_not_mention_is_warned_of_once() {
    let warnings = async |trusted: &[&str]| {
        let trusted = trusted.iter().map(|network| network.parse().unwrap()).collect();
        let app = TestApp::builder()
            .config(|config| config.trusted_proxies = trusted)
            .start()
            .await;
        let log = Log::default();
        let captured = log.capture();
        let mut proxied = app.browser();
        proxied.headers = vec![
            ("x-forwarded-for", "198.51.100.1".into()),
            ("x-forwarded-proto", "https".into()),
        ];
        // Any client may send such headers; only a nearby address can be a proxy of the operator.
        for address in ["203.0.113.7", "10.0.0.1", "10.0.0.1"] {
            proxied.address = Some(address.parse().unwrap());
            proxied.get("/").await;
        }
        drop(captured);
        let lines = log.lines();
        let count = |words: &str| lines.iter().filter(|line| line.contains(words)).count();
        (
            count("`trusted_proxies` does not list"),
            count("`public_url` is not https"),
        )
    };
    assert_eq!(warnings(&[]).await, (1, 1));
    assert_eq!(warnings(&["10.0.0.0/8"]).await, (0, 1));
}
