//! Attacks on signing in with a provider: by other sites, other users, and the provider itself.
use std::time::Duration;

use linepress_accounts::accounts::Plan;
use linepress_platform::scopes::Scopes;
use serde_json::json;

use super::ADA;
use crate::test_app::{CLIENT_ID, ISSUER, IdentityProvider, PASSWORD, Tripwire, all_accounts};
use crate::testing;

#[tokio::test]
async fn images_on_other_sites_cannot_exhaust_the_limit_of_sign_ins() {
    let provider = IdentityProvider::open().await;
    let app = provider.builder(true).start().await;
    app.person(ADA, Plan::Business, 5).await;
    let mut visitor = app.browser();
    visitor.headers.push(("sec-fetch-mode", "no-cors".into()));
    for _ in 0..5 {
        visitor
            .get("/sign-in/provider")
            .await
            .expect(403, "directly in a browser window");
    }
    visitor.headers.clear();
    let mut refused = 0;
    for _ in 0..70 {
        refused += usize::from(visitor.get("/sign-in/provider").await.status == 429);
    }
    assert_eq!(refused, 10);
    // Password attempts have a separate limit.
    app.browser().sign_in(ADA, PASSWORD).await.expect_redirect("/");
}

#[tokio::test]
async fn an_unverified_address_does_not_sign_in() {
    let provider = IdentityProvider::open().await;
    let app = provider.builder(true).start().await;
    let mut ada = app.person(ADA, Plan::Business, 5).await;
    for (claim, value) in [
        ("email_verified", json!(false)),
        ("email_verified", json!(null)),
        ("email_verified", json!("false")),
        ("email", json!(null)),
        ("email", json!("nonsense")),
    ] {
        let mut eve = app.browser();
        let journey = provider.depart(&mut eve, "").await;
        let mut claims = journey.claims("8", ADA);
        claims[claim] = value;
        provider.set_claims(&claims);
        eve.get(&journey.way_back()).await.expect(403, "not verified");
        assert!(!eve.is_signed_in().await);
    }
    assert!(ada.is_signed_in().await);
    assert_eq!(all_accounts(&app.server).await.len(), 1);
}

#[tokio::test]
async fn a_token_for_another_server_or_browser_does_not_sign_in() {
    let provider = IdentityProvider::open().await;
    let app = provider.builder(true).start().await;
    let expired = json!(1_795_262_400 - 61);
    for (claim, value) in [
        ("iss", json!("https://evil.pictures.test")),
        ("aud", json!("another client")),
        ("aud", json!([CLIENT_ID, "another client"])),
        ("azp", json!("another client")),
        ("exp", expired),
        ("nonce", json!("another")),
        ("nonce", json!(null)),
        ("sub", json!("")),
    ] {
        let mut browser = app.browser();
        let journey = provider.depart(&mut browser, "").await;
        let mut claims = journey.claims("8", ADA);
        claims[claim] = value;
        provider.set_claims(&claims);
        browser
            .get(&journey.way_back())
            .await
            .expect(502, "does not work at the moment");
        assert!(!browser.is_signed_in().await, "{claim}");
    }
    // The ID token of another journey at the same provider has another nonce.
    let (mut mine, mut others) = (app.browser(), app.browser());
    let (journey, other) = (
        provider.depart(&mut mine, "").await,
        provider.depart(&mut others, "").await,
    );
    provider.set_claims(&other.claims("8", ADA));
    mine.get(&journey.way_back()).await.expect(502, "does not work");
    assert!(all_accounts(&app.server).await.is_empty());
}

#[tokio::test]
async fn a_callback_link_of_another_user_does_not_sign_in() {
    let provider = IdentityProvider::open().await;
    let app = provider.builder(true).start().await;
    let (mut eve, mut victim) = (app.browser(), app.browser());
    let journey = provider.depart(&mut eve, "").await;
    provider.set_claims(&journey.claims("666", "eve@example.com"));
    // Eve makes the victim's browser finish her journey, without and with a journey of the victim's own.
    victim
        .get(&journey.way_back())
        .await
        .expect(400, "begun in another browser");
    provider.depart(&mut victim, "").await;
    victim
        .get(&journey.way_back())
        .await
        .expect(400, "begun in another browser");
    assert!(!victim.is_signed_in().await);
    // Only Eve's browser can finish it.
    eve.get(&journey.way_back()).await.expect_redirect("/");
}

#[tokio::test]
async fn a_callback_works_once_and_for_a_limited_time() {
    let provider = IdentityProvider::open().await;
    let app = provider.builder(true).start().await;
    let mut ada = app.browser();
    let journey = provider.depart(&mut ada, "").await;
    let before = ada.cookies.clone();
    provider.set_claims(&journey.claims("7", ADA));
    ada.get(&journey.way_back()).await.expect_redirect("/");
    let asked = provider.web.requests().len();
    ada.cookies = before;
    ada.get(&journey.way_back()).await.expect(400, "ended already");
    let late = provider.depart(&mut ada, "").await;
    app.server.clock.advance(Duration::from_secs(600));
    ada.get(&late.way_back()).await.expect(400, "older than ten minutes");
    assert_eq!(testing::forget_journeys(&app.server).await.unwrap(), 1);
    for way in [
        "",
        "?code=c0de",
        "?state=x&code=c0de",
        "?state=a&state=b",
        "?code=%00&state=%00",
    ] {
        ada.get(&format!("/sign-in/provider/callback{way}"))
            .await
            .expect(400, "begin once more");
    }
    // None of these attempts reached the provider.
    assert_eq!(provider.web.requests().len(), asked);
}

#[tokio::test]
async fn a_response_of_another_provider_is_refused() {
    let provider = IdentityProvider::open().await;
    let app = provider.builder(true).start().await;
    let mut browser = app.browser();
    let journey = provider.depart(&mut browser, "").await;
    provider.set_claims(&journey.claims("7", ADA));
    let asked = provider.web.requests().len();
    let mixed_up = format!("{}&iss=https%3A%2F%2Fevil.example", journey.way_back());
    browser.get(&mixed_up).await.expect(502, "does not work");
    assert_eq!(provider.web.requests().len(), asked, "no code was sent");
    let journey = provider.depart(&mut browser, "").await;
    provider.set_claims(&journey.claims("7", ADA));
    let ours = url::form_urlencoded::byte_serialize(ISSUER.as_bytes()).collect::<String>();
    browser
        .get(&format!("{}&iss={ours}", journey.way_back()))
        .await
        .expect_redirect("/");

    // A provider that announces the `iss` parameter must send it.
    let provider = IdentityProvider::open().await;
    provider.describe(json!({"authorization_response_iss_parameter_supported": true}));
    let app = provider.builder(true).start().await;
    let mut browser = app.browser();
    let journey = provider.depart(&mut browser, "").await;
    provider.set_claims(&journey.claims("7", ADA));
    browser.get(&journey.way_back()).await.expect(502, "does not work");
    assert!(!browser.is_signed_in().await);
}

#[tokio::test]
async fn a_provider_whose_metadata_contradicts_the_settings_is_not_used() {
    for (changes, problem) in [
        (json!({"issuer": "https://evil.pictures.test"}), "another issuer"),
        (json!({"issuer": format!("{ISSUER}/")}), "another issuer"),
        (
            json!({"authorization_endpoint": "http://id.pictures.test/authorize"}),
            "without TLS",
        ),
        (json!({"authorization_endpoint": "javascript:alert(1)"}), "a script"),
        (json!({"token_endpoint": null}), "no token endpoint"),
    ] {
        let provider = IdentityProvider::open().await;
        provider.describe(changes);
        let app = provider.builder(true).start().await;
        let mut browser = app.browser();
        browser.get("/sign-in/provider").await.expect(502, "does not work");
        assert!(browser.cookies.is_empty(), "{problem}");
        // The failure is cached only for a short time.
        provider.describe(json!({}));
        app.server.clock.advance(Duration::from_secs(5));
        provider.depart(&mut browser, "").await;
    }
}

#[tokio::test]
async fn the_provider_cannot_direct_requests_to_the_internal_network() {
    let provider = IdentityProvider::open().await;
    let wire = Tripwire::set();
    provider.web.name("inside.pictures.test", wire.addresses());
    provider.describe(json!({"token_endpoint": "https://inside.pictures.test/token"}));
    let app = provider.builder(true).start().await;
    let mut browser = app.browser();
    let journey = provider.depart(&mut browser, "").await;
    browser.get(&journey.way_back()).await.expect(502, "does not work");
    assert_eq!(wire.touched(), 0);
}

#[tokio::test]
async fn an_account_created_by_an_attacker_belongs_to_the_owner_of_the_address_after_sign_in() {
    let provider = IdentityProvider::open().await;
    let app = provider
        .builder(false)
        .config(|config| {
            config.sign_up = true;
            config.sign_up_plan = Plan::Business;
            config.sign_up_credits = 5;
        })
        .start()
        .await;
    // Eve has created an account with Ada's address.
    let mut eve = app.browser();
    eve.post("/sign-up", &[("email", ADA), ("password", PASSWORD)])
        .await
        .expect_redirect("/");
    let made = eve
        .submit("/account/keys", "/account/keys", &[("name", "a key to keep")])
        .await;
    let (_, rest) = made.text.split_once("class=\"secret\">lp_").unwrap();
    let key = app.with_key(&format!("lp_{}", rest.split('<').next().unwrap()));
    key.get("/me").await.expect(200);
    let webhook = json!({"webhook": {"url": "https://eve.test/events"}});
    key.post("/webhooks", &webhook).await.expect(201);
    app.grant(ADA, Scopes::ALL, None).await;

    let mut ada = app.browser();
    provider.sign_in(&mut ada, "7", ADA).await.expect_redirect("/account");
    assert!(!eve.is_signed_in().await);
    app.browser()
        .sign_in(ADA, PASSWORD)
        .await
        .expect(422, "The e-mail address or the password is wrong");
    key.get("/me").await.expect_error(401, "unauthorized");
    ada.get("/account/apps").await.expect(200, "No app is connected");
    let webhooks = ada.get("/account/webhooks").await;
    assert!(!webhooks.text.contains("eve.test"), "{}", webhooks.text);
    ada.get("/account").await.expect(200, "<strong>5</strong> to spend");
    // Keys and grants that the owner creates from now on stay.
    ada.submit("/account/password", "/account/password", &[("password", PASSWORD)])
        .await
        .expect_redirect("/account/password?changed=yes");
    provider
        .sign_in(&mut app.browser(), "7", ADA)
        .await
        .expect_redirect("/account");
    assert!(ada.is_signed_in().await);
    app.browser().sign_in(ADA, PASSWORD).await.expect_redirect("/");
}

#[tokio::test]
async fn sign_ins_with_the_provider_are_limited_for_each_address() {
    let provider = IdentityProvider::open().await;
    let app = provider.builder(true).start().await;
    let mut browser = app.browser();
    for _ in 0..60 {
        provider.depart(&mut browser, "").await;
    }
    browser
        .get("/sign-in/provider")
        .await
        .expect(429, "Too many visits to the sign-in provider");
    browser.address = Some("203.0.113.9".parse().unwrap());
    provider.depart(&mut browser, "").await;
    // The provider's metadata was fetched once.
    assert_eq!(provider.web.requests().len(), 1);
}
