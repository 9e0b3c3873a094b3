//! `/sign-in`, and the sessions that it starts.
use std::time::Duration;

use crate::testing;
use linepress_accounts::accounts::{self, Plan};

use crate::test_app::{PASSWORD, TestApp};

const ADA: &str = "ada@example.com";
const DAY: Duration = Duration::from_secs(24 * 3600);

#[tokio::test]
async fn a_user_signs_in_and_is_redirected_to_the_requested_page() {
    let app = TestApp::start().await;
    testing::create_account_with_password(&app.server, ADA, Plan::Free, 0, PASSWORD)
        .await
        .unwrap();
    let mut browser = app.browser();
    let away = browser.get("/account?after=a%20b&x=1").await;
    away.expect_redirect("/sign-in?return_to=%2Faccount%3Fafter%3Da%2520b%26x%3D1");
    let page = browser
        .get("/sign-in?return_to=%2Faccount%3Fafter%3Da%2520b%26x%3D1")
        .await;
    page.expect(200, "<form method=\"post\" action=\"/sign-in\"");
    assert_eq!(page.value_of("return_to"), "/account?after=a%20b&#38;x=1");
    assert_eq!(page.header("cache-control"), "private, no-store");
    let policy = page.header("content-security-policy");
    assert!(
        policy.contains("frame-ancestors 'none'") && !policy.contains("unsafe"),
        "{policy}"
    );
    let fields = [
        ("email", " Ada@Example.com "),
        ("password", PASSWORD),
        ("return_to", "/account?x=1"),
    ];
    browser.post("/sign-in", &fields).await.expect_redirect("/account?x=1");
    browser.get("/account").await.expect(200, ADA);
    // A signed-in user need not sign in again.
    browser
        .get("/sign-in?return_to=/account")
        .await
        .expect_redirect("/account");
    browser.get("/sign-in").await.expect_redirect("/");
}

#[tokio::test]
async fn a_session_is_a_cookie_that_no_script_and_no_other_site_can_use() {
    let app = TestApp::start().await;
    testing::create_account_with_password(&app.server, ADA, Plan::Free, 0, PASSWORD)
        .await
        .unwrap();
    let plain = app.browser().sign_in(ADA, PASSWORD).await;
    let cookie = plain.header("set-cookie").to_owned();
    let (name, rest) = cookie.split_once('=').unwrap();
    let (value, attributes) = rest.split_once("; ").unwrap();
    assert_eq!((name, value.len()), ("linepress", 43));
    assert_eq!(attributes, "HttpOnly; SameSite=Lax; Path=/; Max-Age=15552000");

    let app = TestApp::builder()
        .config(|config| config.public_url = "https://linepress.test".into())
        .start()
        .await;
    testing::create_account_with_password(&app.server, ADA, Plan::Free, 0, PASSWORD)
        .await
        .unwrap();
    let mut browser = app.browser();
    let secure = browser.sign_in(ADA, PASSWORD).await;
    let cookie = secure.header("set-cookie");
    assert!(cookie.starts_with("__Host-linepress="), "{cookie}");
    assert!(
        cookie.ends_with("; HttpOnly; SameSite=Lax; Secure; Path=/; Max-Age=15552000"),
        "{cookie}"
    );
    assert!(!cookie.contains("Domain"), "{cookie}");
    assert!(browser.is_signed_in().await);
    // A cookie without the prefix may have been set by a neighboring host, or over plain HTTP.
    let token = browser.cookies["__Host-linepress"].clone();
    browser.cookies = [("linepress".to_owned(), token)].into();
    assert!(!browser.is_signed_in().await);
}

#[tokio::test]
async fn a_cookie_from_before_the_sign_in_is_invalid() {
    let app = TestApp::start().await;
    let mut ada = app.person(ADA, Plan::Free, 0).await;
    testing::create_account_with_password(&app.server, "eve@example.com", Plan::Free, 0, PASSWORD)
        .await
        .unwrap();
    // Planted by an attacker who knows it.
    let planted = "A".repeat(43);
    let mut browser = app.browser();
    browser.cookies.insert("linepress".into(), planted.clone());
    browser.sign_in(ADA, PASSWORD).await.expect_redirect("/");
    assert_ne!(browser.cookies["linepress"], planted);
    let mut eve = app.browser();
    eve.cookies.insert("linepress".into(), planted);
    assert!(!eve.is_signed_in().await);
    // Signing in ends a session that another user began in this browser.
    let before = ada.clone();
    ada.sign_in("eve@example.com", PASSWORD).await.expect_redirect("/");
    ada.get("/account").await.expect(200, "eve@example.com");
    assert!(!before.clone().is_signed_in().await);
}

#[tokio::test]
async fn the_response_does_not_reveal_whether_an_address_has_an_account() {
    let app = TestApp::start().await;
    testing::create_account_with_password(&app.server, ADA, Plan::Free, 0, PASSWORD)
        .await
        .unwrap();
    // Created by the operator, without a password.
    testing::create_account(&app.server, "bob@example.com", Plan::Business, 0)
        .await
        .unwrap();
    let wrong = app.browser().sign_in(ADA, "wrong horse battery").await;
    wrong.expect(422, "The e-mail address or the password is wrong");
    assert!(wrong.headers.get("set-cookie").is_none());
    for email in [
        "eve@example.com",
        "bob@example.com",
        "no address",
        "",
        "a\u{0}b@example.com",
    ] {
        let unknown = app.browser().sign_in(email, PASSWORD).await;
        assert_eq!(unknown.status, wrong.status, "{email}");
        let same = |text: &str, email: &str| {
            text.replace(&format!("value=\"{email}\" "), "value=\"\" ")
                .replace(" autofocus", "")
        };
        if !email.contains('\u{0}') {
            assert_eq!(same(&unknown.text, email), same(&wrong.text, ADA), "{email}");
        }
        assert!(unknown.headers.get("set-cookie").is_none());
    }
}

#[tokio::test]
async fn the_redirect_after_sign_in_stays_on_this_server() {
    let app = TestApp::start().await;
    testing::create_account_with_password(&app.server, ADA, Plan::Free, 0, PASSWORD)
        .await
        .unwrap();
    for evil in [
        "https://evil.example/",
        "//evil.example/",
        "/\\evil.example/",
        "\\\\evil.example",
        "/\t/evil.example",
        "javascript:alert(1)",
        "/%09/evil.example\r\nX: y",
        "account",
    ] {
        let fields = [("email", ADA), ("password", PASSWORD), ("return_to", evil)];
        let mut browser = app.browser();
        browser.post("/sign-in", &fields).await.expect_redirect("/");
        let path = format!(
            "/sign-in?return_to={}",
            url::form_urlencoded::byte_serialize(evil.as_bytes()).collect::<String>()
        );
        browser.get(&path).await.expect_redirect("/");
        assert_eq!(app.browser().get(&path).await.value_of("return_to"), "", "{evil}");
    }
}

#[tokio::test]
async fn attempts_are_limited_for_each_account_and_for_each_address() {
    let app = TestApp::start().await;
    testing::create_account_with_password(&app.server, ADA, Plan::Free, 0, PASSWORD)
        .await
        .unwrap();
    let mut guesser = app.browser();
    for (number, email) in ["ada@example.com", "nobody@example.com"].into_iter().enumerate() {
        guesser.address = Some(format!("198.51.100.{number}").parse().unwrap());
        for _ in 0..10 {
            guesser
                .sign_in(email, "wrong horse battery")
                .await
                .expect(422, "The e-mail address or the password is wrong");
        }
        guesser
            .sign_in(email, PASSWORD)
            .await
            .expect(429, "Too many sign-ins to this account");
    }
    // The owner uses another address and can still sign in.
    let mut owner = app.browser();
    owner.address = Some("198.51.100.77".parse().unwrap());
    owner.sign_in(ADA, PASSWORD).await.expect_redirect("/");
    guesser.address = Some("198.51.100.0".parse().unwrap());
    let refused = guesser.sign_in(ADA, PASSWORD).await;
    refused.expect(429, "Too many");
    let seconds: u64 = refused.headers["retry-after"].to_str().unwrap().parse().unwrap();
    assert!((1..=60).contains(&seconds), "{seconds}");
    app.server.clock.advance(Duration::from_secs(60));
    guesser.sign_in(ADA, PASSWORD).await.expect_redirect("/");
    // The right password restores all attempts. A higher limit counts the attempts from all addresses.
    for number in 0..100 {
        guesser.address = Some(format!("192.0.2.{}", number / 10).parse().unwrap());
        guesser
            .sign_in(ADA, "wrong horse battery")
            .await
            .expect(422, "is wrong");
    }
    owner
        .sign_in(ADA, PASSWORD)
        .await
        .expect(429, "Too many sign-ins to this account. ");
    app.server.clock.advance(Duration::from_secs(6));
    owner.sign_in(ADA, PASSWORD).await.expect_redirect("/");

    let mut other = app.browser();
    other.address = Some("203.0.113.5".parse().unwrap());
    for number in 0..30 {
        other
            .sign_in(&format!("a{number}@example.com"), "wrong horse battery")
            .await
            .expect(422, "is wrong");
    }
    other
        .sign_in(ADA, PASSWORD)
        .await
        .expect(429, "Too many sign-ins from this address");
    // A client's own claim about its address is ignored.
    other.headers.push(("x-forwarded-for", "198.51.100.99".into()));
    other
        .sign_in(ADA, PASSWORD)
        .await
        .expect(429, "Too many sign-ins from this address");
}

#[tokio::test]
async fn behind_a_trusted_proxy_the_clients_address_counts() {
    let app = TestApp::builder()
        .config(|config| config.trusted_proxies = vec!["10.0.0.0/8".parse().unwrap()])
        .start()
        .await;
    testing::create_account_with_password(&app.server, ADA, Plan::Free, 0, PASSWORD)
        .await
        .unwrap();
    let mut guesser = app.browser();
    guesser.address = Some("10.0.0.1".parse().unwrap());
    for number in 0..30 {
        // The guesser made up the first address; the proxy added the last one.
        guesser.headers = vec![("x-forwarded-for", format!("192.0.2.{number}, 2001:db8::{number:x}"))];
        guesser
            .sign_in(&format!("a{number}@example.com"), "wrong horse battery")
            .await
            .expect(422, "is wrong");
    }
    guesser
        .sign_in(ADA, PASSWORD)
        .await
        .expect(429, "Too many sign-ins from this address");
    guesser.headers = vec![("x-forwarded-for", "2001:db8:0:1::1".into())];
    guesser.sign_in(ADA, PASSWORD).await.expect_redirect("/");
}

#[tokio::test]
async fn a_session_lasts_while_it_is_used_up_to_a_limit() {
    let app = TestApp::start().await;
    let mut ada = app.person(ADA, Plan::Free, 0).await;
    let mut idle = ada.clone();
    idle.cookies.clear();
    idle.sign_in(ADA, PASSWORD).await.expect_redirect("/");
    app.server.clock.advance(DAY * 29);
    assert!(ada.is_signed_in().await);
    app.server.clock.advance(DAY * 2);
    assert!(ada.is_signed_in().await);
    assert!(!idle.is_signed_in().await);
    for _ in 0..6 {
        app.server.clock.advance(DAY * 24);
        assert!(ada.is_signed_in().await);
    }
    // 175 days so far.
    app.server.clock.advance(DAY * 6);
    assert!(!ada.is_signed_in().await);
    assert_eq!(testing::forget_sessions(&app.server).await.unwrap(), 2);
}

#[tokio::test]
async fn signing_out_ends_only_this_session() {
    let app = TestApp::start().await;
    let mut ada = app.person(ADA, Plan::Free, 0).await;
    let mut elsewhere = app.browser();
    elsewhere.sign_in(ADA, PASSWORD).await.expect_redirect("/");
    let mut stolen = ada.clone();
    let out = ada.submit("/account", "/sign-out", &[]).await;
    out.expect_redirect("/sign-in");
    assert!(ada.cookies.is_empty(), "{:?}", ada.cookies);
    assert!(!stolen.is_signed_in().await);
    assert!(elsewhere.is_signed_in().await);
    assert_eq!(elsewhere.get("/sign-out").await.status, 405);
}

#[tokio::test]
async fn a_closed_account_cannot_sign_in_until_it_is_reopened() {
    let app = TestApp::start().await;
    let mut ada = app.person(ADA, Plan::Business, 0).await;
    let account = accounts::find(&app.server, ADA).await.unwrap().unwrap();
    let link = testing::offer_password_reset(&app.server, &account).await.unwrap();
    testing::close(&app.server, &account).await.unwrap();
    assert!(!ada.is_signed_in().await);
    app.browser()
        .sign_in(ADA, PASSWORD)
        .await
        .expect(422, "The e-mail address or the password is wrong");
    app.browser()
        .get(&format!("/reset/{}", link.expose()))
        .await
        .expect(404, "does not work");
    let refused = testing::offer_password_reset(&app.server, &account).await.unwrap_err();
    assert!(refused.to_string().contains("is closed"), "{refused}");
    assert!(testing::set_password(&app.server, &account, PASSWORD).await.is_err());
    testing::set_plan(&app.server, &account, Plan::Free).await.unwrap();
    assert!(!ada.is_signed_in().await);
    testing::set_password(&app.server, &account, PASSWORD).await.unwrap();
    app.browser().sign_in(ADA, PASSWORD).await.expect_redirect("/");
}
