//! Signing in with an OpenID Connect provider.
mod attacks;

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use linepress_accounts::accounts::{self, Plan};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::test_app::{CLIENT_ID, CLIENT_SECRET, ISSUER, IdentityProvider, PASSWORD, Page, TestApp, all_accounts};
use crate::testing;

const ADA: &str = "ada@example.com";

#[tokio::test]
async fn a_user_signs_in_with_the_provider() {
    let provider = IdentityProvider::open().await;
    let app = provider.builder(false).start().await;
    testing::create_account(&app.server, ADA, Plan::Business, 0)
        .await
        .unwrap();
    let mut ada = app.browser();
    ada.get("/sign-in?return_to=/account/keys").await.expect(
        200,
        "href=\"/sign-in/provider?return_to=%2Faccount%2Fkeys\">Continue with Work",
    );
    let journey = provider.depart(&mut ada, "/account/keys").await;
    let sent = |name: &str| journey.parameters[name].clone();
    assert_eq!(
        [
            sent("response_type"),
            sent("client_id"),
            sent("scope"),
            sent("code_challenge_method"),
            sent("realm")
        ],
        ["code", CLIENT_ID, "openid email", "S256", "work"]
    );
    assert_eq!(sent("redirect_uri"), "http://linepress.test/sign-in/provider/callback");
    provider.set_claims(&journey.claims("7", "Ada@Example.com"));
    ada.get(&journey.way_back()).await.expect_redirect("/account/keys");
    ada.get("/account").await.expect(200, ADA);
    assert_eq!(ada.cookies.keys().collect::<Vec<_>>(), ["linepress"]);

    let request = provider.web.requests().pop().unwrap();
    let (head, body) = request.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("POST /token "), "{head}");
    let form: std::collections::HashMap<_, _> = url::form_urlencoded::parse(body.as_bytes()).into_owned().collect();
    assert_eq!(
        (form["grant_type"].as_str(), form["code"].as_str()),
        ("authorization_code", "c0de")
    );
    assert_eq!(form["redirect_uri"], sent("redirect_uri"));
    let challenge = URL_SAFE_NO_PAD.encode(Sha256::digest(&form["code_verifier"]));
    assert_eq!(challenge, sent("code_challenge"));
    let basic = head.lines().find_map(|line| {
        line.to_lowercase()
            .starts_with("authorization: basic ")
            .then(|| &line[21..])
    });
    let basic = String::from_utf8(STANDARD.decode(basic.unwrap()).unwrap()).unwrap();
    let encode = |text: &str| url::form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>();
    assert_eq!(basic, format!("{}:{}", encode(CLIENT_ID), encode(CLIENT_SECRET)));
    assert!(!body.contains(&encode(CLIENT_SECRET)), "{body}");
}

#[tokio::test]
async fn a_known_user_keeps_the_account_after_a_change_of_address() {
    let provider = IdentityProvider::open().await;
    let app = provider.builder(false).start().await;
    for email in [ADA, "bob@example.com"] {
        testing::create_account(&app.server, email, Plan::Free, 0)
            .await
            .unwrap();
    }
    provider
        .sign_in(&mut app.browser(), "7", ADA)
        .await
        .expect_redirect("/account");
    // The user's new address is that of another account here.
    let mut ada = app.browser();
    provider
        .sign_in(&mut ada, "7", "bob@example.com")
        .await
        .expect_redirect("/account");
    ada.get("/account").await.expect(200, ADA);
    // The address need not even be verified.
    let journey = provider.depart(&mut ada, "").await;
    let mut claims = journey.claims("7", "other@example.com");
    claims["email_verified"] = json!(false);
    provider.set_claims(&claims);
    ada.get(&journey.way_back()).await.expect_redirect("/");
}

#[tokio::test]
async fn a_new_user_gets_an_account_if_the_operator_allows_it() {
    let provider = IdentityProvider::open().await;
    let app = provider.builder(false).start().await;
    let mut eve = app.browser();
    provider
        .sign_in(&mut eve, "8", "eve@example.com")
        .await
        .expect(403, "There is no account for you here");
    assert!(all_accounts(&app.server).await.is_empty());

    let builder = provider.builder(true).config(|config| config.sign_up_credits = 3);
    let app = builder.start().await;
    let mut eve = app.browser();
    provider
        .sign_in(&mut eve, "8", "eve@example.com")
        .await
        .expect_redirect("/account");
    eve.get("/account").await.expect(200, "eve@example.com");
    provider
        .sign_in(&mut app.browser(), "8", "eve@example.com")
        .await
        .expect_redirect("/account");
    let all = all_accounts(&app.server).await;
    assert_eq!(
        all.iter()
            .map(|listed| (listed.plan, listed.credits))
            .collect::<Vec<_>>(),
        [(Plan::Free, 3)]
    );
    // The user may set a first password soon after signing in, but not with an older session.
    let mut old = eve.clone();
    app.server.clock.advance(Duration::from_secs(601));
    let path = "/account/password";
    let refused = old.submit(path, path, &[("password", PASSWORD)]).await;
    refused.expect(422, "within 10 minutes of signing in");
    provider
        .sign_in(&mut eve, "8", "eve@example.com")
        .await
        .expect_redirect("/account");
    eve.get("/account/password").await.expect(200, "Set a password");
    eve.submit(path, path, &[("password", PASSWORD)])
        .await
        .expect_redirect("/account/password?changed=yes");
    app.browser()
        .sign_in("eve@example.com", PASSWORD)
        .await
        .expect_redirect("/");
    app.check_ledger().await;
}

#[tokio::test]
async fn a_declined_sign_in_is_reported_without_the_providers_error_text() {
    let provider = IdentityProvider::open().await;
    let app = provider.builder(true).start().await;
    let mut browser = app.browser();
    let journey = provider.depart(&mut browser, "").await;
    let declined = format!(
        "/sign-in/provider/callback?error=access_denied&error_description=w0rds&state={}",
        journey.state()
    );
    let page = browser.get(&declined).await;
    page.expect(400, "You were not signed in there");
    assert!(!page.text.contains("w0rds"));
    let journey = provider.depart(&mut browser, "").await;
    provider.refuses();
    let page = browser.get(&journey.way_back()).await;
    page.expect(502, "does not work at the moment");
    assert!(!page.text.contains("internal words") && !page.text.contains("invalid_grant"));
    assert!(!browser.is_signed_in().await);
}

#[tokio::test]
async fn a_failing_provider_is_contacted_once_for_concurrent_sign_ins() {
    let provider = IdentityProvider::open().await;
    // The metadata exceeds the size limit.
    let endless = Page::drip("HTTP/1.1 200 OK\r\n\r\n", &" ".repeat(16 * 1024));
    provider.web.page("/.well-known/openid-configuration", endless);
    let app = provider.builder(true).start().await;
    let fail = async || {
        app.browser()
            .get("/sign-in/provider")
            .await
            .expect(502, "does not work at the moment");
    };
    tokio::join!(fail(), fail(), fail(), fail());
    fail().await;
    assert_eq!(provider.web.requests().len(), 1);
    // The provider works again, and soon all users can sign in.
    provider.describe(json!({}));
    fail().await;
    app.server.clock.advance(Duration::from_secs(5));
    provider.depart(&mut app.browser(), "").await;
    assert_eq!(provider.web.requests().len(), 2);
}

#[tokio::test]
async fn claims_missing_in_the_token_are_requested_from_the_provider() {
    let provider = IdentityProvider::open().await;
    provider.describe(json!({"userinfo_endpoint": format!("{ISSUER}/userinfo")}));
    let app = provider.builder(true).start().await;
    let mut browser = app.browser();
    for (subject, status) in [("8", 502), ("7", 303)] {
        let journey = provider.depart(&mut browser, "").await;
        let mut claims = journey.claims("7", ADA);
        claims["email"] = Value::Null;
        provider.set_claims(&claims);
        let told = json!({"sub": subject, "email": ADA, "email_verified": true}).to_string();
        provider.web.file("/userinfo", told.as_bytes());
        assert_eq!(browser.get(&journey.way_back()).await.status, status);
    }
    browser.get("/account").await.expect(200, ADA);
    let request = provider.web.requests().pop().unwrap().to_lowercase();
    assert!(request.contains("authorization: bearer acce55"), "{request}");
}

#[tokio::test]
async fn the_provider_does_not_sign_in_to_a_closed_account() {
    let provider = IdentityProvider::open().await;
    let app = provider.builder(true).start().await;
    let mut ada = app.browser();
    provider.sign_in(&mut ada, "7", ADA).await.expect_redirect("/account");
    let account = accounts::find(&app.server, ADA).await.unwrap().unwrap();
    testing::close(&app.server, &account).await.unwrap();
    assert!(!ada.is_signed_in().await);
    provider.sign_in(&mut ada, "7", ADA).await.expect(403, "is closed");
    assert!(!ada.is_signed_in().await);
    testing::set_plan(&app.server, &account, Plan::Free).await.unwrap();
    provider.sign_in(&mut ada, "7", ADA).await.expect_redirect("/account");
}

#[tokio::test]
async fn without_a_configured_provider_its_pages_do_not_exist() {
    let app = TestApp::start().await;
    for path in ["/sign-in/provider", "/sign-in/provider/callback?state=a&code=b"] {
        app.browser().get(path).await.expect(404, "nothing here");
    }
    assert!(!app.browser().get("/sign-in").await.text.contains("provider"));
}
