//! Forged forms of other sites, and cookies and keys used in each other's place.
use axum::body::Body;
use axum::http::Request;
use linepress_accounts::accounts::{self, Plan};

use crate::test_app::{Browser, PASSWORD, TestApp};

const ADA: &str = "ada@example.com";

/// Forms that change the account of the signed-in user.
const FORMS: [(&str, &[(&str, &str)]); 3] = [
    ("/account/keys", &[("name", "stolen")]),
    (
        "/account/password",
        &[("current", PASSWORD), ("password", "another horse battery")],
    ),
    ("/sign-out", &[]),
];

async fn check_unchanged(app: &TestApp, ada: &mut Browser) {
    let account = accounts::find(&app.server, ADA).await.unwrap().unwrap();
    assert!(accounts::list_keys(&app.server, &account).await.unwrap().is_empty());
    assert!(ada.is_signed_in().await);
    app.browser().sign_in(ADA, PASSWORD).await.expect_redirect("/");
}

#[tokio::test]
async fn a_form_without_the_token_of_its_session_changes_nothing() {
    let app = TestApp::start().await;
    let mut ada = app.person(ADA, Plan::Business, 0).await;
    let mut other = app.browser();
    other.sign_in(ADA, PASSWORD).await.expect_redirect("/");
    // The token of another session of the same account is as invalid as that of any other session.
    let others = other.csrf_token("/account").await;
    let own = ada.csrf_token("/account").await;
    assert_ne!(own, others);
    let longer = format!("{own}A");
    for (path, fields) in FORMS {
        for token in [None, Some(""), Some(others.as_str()), Some(&own[..42]), Some(&longer)] {
            let mut fields = fields.to_vec();
            fields.extend(token.map(|token| ("csrf_token", token)));
            ada.post(path, &fields).await.expect(403, "nothing was changed");
        }
        let twice: Vec<_> = [fields, &[("csrf_token", ""), ("csrf_token", &own)]].concat();
        assert_eq!(ada.post(path, &twice).await.status, 400, "{path}");
    }
    check_unchanged(&app, &mut ada).await;
}

#[tokio::test]
async fn a_form_that_the_browser_reports_as_cross_site_changes_nothing() {
    let app = TestApp::start().await;
    let mut ada = app.person(ADA, Plan::Business, 0).await;
    let token = ada.csrf_token("/account").await;
    for headers in [
        vec![("sec-fetch-site", "cross-site")],
        vec![("sec-fetch-site", "same-site")],
        vec![("origin", "https://evil.example")],
        vec![("origin", "null")],
        vec![
            ("origin", "http://linepress.test.evil.example"),
            ("host", "linepress.test"),
        ],
    ] {
        let mut lured = ada.clone();
        lured.headers = headers
            .into_iter()
            .map(|(name, value)| (name, value.to_owned()))
            .collect();
        for (path, fields) in FORMS {
            let mut fields = fields.to_vec();
            fields.push(("csrf_token", &token));
            lured.post(path, &fields).await.expect(403, "nothing was changed");
        }
        // Nor can another site sign a browser in to the attacker's account.
        let mut victim = app.browser();
        victim.headers = lured.headers.clone();
        victim.sign_in(ADA, PASSWORD).await.expect(403, "nothing was changed");
        assert!(victim.cookies.is_empty());
    }
    check_unchanged(&app, &mut ada).await;
    // The server's own address counts, whatever host a proxy sends.
    ada.headers = vec![
        ("origin", "http://linepress.test".into()),
        ("host", "10.0.0.1:8080".into()),
    ];
    ada.submit("/account/keys", "/account/keys", &[("name", "mine")])
        .await
        .expect(200, "not shown again");
}

#[tokio::test]
async fn a_form_must_have_a_browsers_content_type_and_a_limited_size() {
    let app = TestApp::start().await;
    let mut browser = app.browser();
    let large = "x".repeat(20_000);
    browser.sign_in(ADA, &large).await.expect(413, "too large");
    let mut ada = app.person(ADA, Plan::Business, 0).await;
    let filler = "x".repeat(70_000);
    for path in ["/sign-out", "/account/keys", "/library/characters"] {
        ada.submit("/account", path, &[("name", &filler)])
            .await
            .expect(413, "too large");
    }
    for (kind, body) in [
        ("application/json", r#"{"email": "ada@example.com", "password": "x"}"#),
        ("text/plain", "email=a&password=b"),
        ("multipart/form-data; boundary=x", "--x--"),
    ] {
        let request = Request::post("/sign-in")
            .header("content-type", kind)
            .header("accept", "text/html");
        let response = tower::ServiceExt::oneshot(app.router(), request.body(Body::from(body)).unwrap())
            .await
            .unwrap();
        assert_eq!(response.status(), 415, "{kind}");
    }
}

#[tokio::test]
async fn a_cookie_is_valid_for_neither_rest_nor_mcp() {
    let app = TestApp::start().await;
    let mut ada = app.person(ADA, Plan::Business, 5).await;
    let token = ada.cookies["linepress"].clone();
    for path in ["/api/v1/me", "/api/v1/books"] {
        let refused = ada.get(path).await;
        assert_eq!(refused.status, 401, "{path}");
        assert!(refused.text.contains("unauthorized"), "{}", refused.text);
    }
    // The value of the cookie is not valid as an API key either.
    app.with_key(&token).get("/me").await.expect_error(401, "unauthorized");
    ada.headers = vec![("authorization", format!("Bearer {token}"))];
    assert_eq!(ada.get("/api/v1/me").await.status, 401);
    // An API key is not valid as a cookie.
    let key = app.account_named("bob@example.com", Plan::Business, 1).await;
    let mut browser = app.browser();
    browser.cookies.insert("linepress".into(), key.key().unwrap().into());
    assert!(!browser.is_signed_in().await);
    browser.cookies.clear();
    browser.headers = vec![("authorization", format!("Bearer {}", key.key().unwrap()))];
    assert!(!browser.is_signed_in().await);
}
