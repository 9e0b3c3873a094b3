//! Response headers for browsers, and the compression of responses.
use std::io::Read as _;

use axum::body::to_bytes;
use linepress_accounts::accounts::Plan;

use crate::test_app::{Browser, TestApp};

#[tokio::test]
async fn every_response_has_a_fixed_type_and_runs_no_foreign_script() {
    let app = TestApp::start().await;
    let mut anyone = app.browser();
    for (path, keeps_opener) in [
        ("/", false),
        ("/healthz", false),
        ("/nowhere", false),
        ("/api/v1/me", false),
        ("/api/v1/openapi.json", false),
        ("/assets/x/style.css", false),
        ("/library", false),
        ("/sign-in", true),
        ("/oauth/authorize", true),
        ("/.well-known/oauth-authorization-server", false),
    ] {
        let response = anyone.get(path).await;
        assert_eq!(response.header("x-content-type-options"), "nosniff", "{path}");
        let policy = response.header("content-security-policy");
        assert!(
            policy.starts_with("default-src 'none'") && policy.contains("frame-ancestors 'none'"),
            "{path}: {policy}"
        );
        assert!(response.header("permissions-policy").contains("camera=()"), "{path}");
        let opener = response.headers.get("cross-origin-opener-policy");
        // The consent page in a separate window must lead back to the app that opened it.
        assert_eq!(opener.is_none(), keeps_opener, "{path}");
    }
}

#[tokio::test]
async fn an_invalid_query_is_refused_with_a_page_that_does_not_repeat_it() {
    let app = TestApp::start().await;
    let ada = app.account_named("ada@example.com", Plan::Business, 9).await;
    let own = app.ready_resources(&ada).await;
    let mut ada = app.browser_of("ada@example.com").await;
    for path in [
        format!("/library/books/{}/pdf?format=smuggled&format=smuggled", own.book),
        "/library?after=smuggled&after=smuggled".to_owned(),
    ] {
        let refused = ada.get(&path).await;
        refused.expect(400, "cannot be read");
        assert!(refused.header("content-type").starts_with("text/html"), "{path}");
        assert!(!refused.text.contains("smuggled"), "{path}: {}", refused.text);
    }
}

/// Returns the kind of compression, and the text.
async fn compressed(browser: &mut Browser, path: &str) -> (String, String) {
    browser.headers = vec![("accept-encoding", "gzip, br".into())];
    let response = browser.open(path).await;
    let encoding = response.headers().get("content-encoding");
    let encoding = encoding.map_or("", |encoding| encoding.to_str().unwrap()).to_owned();
    let bytes = to_bytes(response.into_body(), usize::MAX).await.unwrap();
    let mut text = String::new();
    if encoding == "gzip" {
        flate2::read::GzDecoder::new(&bytes[..])
            .read_to_string(&mut text)
            .unwrap();
    } else {
        text = String::from_utf8_lossy(&bytes).into_owned();
    }
    (encoding, text)
}

#[tokio::test]
async fn text_is_compressed_for_clients_that_accept_it() {
    let app = TestApp::start().await;
    let mut anyone = app.browser();
    let plain = anyone.get("/").await.text;
    let loaded = |name: &str| {
        let mut addresses = plain.split('"').filter(|text| text.starts_with("/assets/"));
        addresses.find(|address| address.ends_with(name)).unwrap()
    };
    for path in ["/", loaded("style.css"), loaded("script.js"), "/api/v1/openapi.json"] {
        let mut other = app.browser();
        let sent = anyone.get(path).await.text;
        assert_eq!(compressed(&mut other, path).await, ("gzip".into(), sent), "{path}");
    }
    for path in [
        "/healthz",
        loaded("nunito.woff2"),
        "/.well-known/oauth-protected-resource",
    ] {
        assert_eq!(compressed(&mut app.browser(), path).await.0, "", "{path}");
    }
}

#[tokio::test]
async fn each_page_encodes_the_token_of_its_forms_differently() {
    let app = TestApp::start().await;
    let mut ada = app.person("ada@example.com", Plan::Business, 0).await;
    let first = ada.csrf_token("/account").await;
    let second = ada.csrf_token("/account").await;
    assert_ne!(first, second);
    for (token, name) in [(&first, "one"), (&second, "two")] {
        let made = ada
            .post("/account/keys", &[("name", name), ("csrf_token", token)])
            .await;
        made.expect(200, "not shown again");
    }
}

#[tokio::test]
async fn search_engines_may_index_only_the_front_page() {
    let app = TestApp::start().await;
    let front = app.browser().get("/").await.text;
    assert!(
        !front.contains("noindex") && front.contains("name=\"description\""),
        "{front}"
    );
    app.browser().get("/sign-in").await.expect(200, "noindex");
}
