//! `/account/keys`: what limits a key, and its rotation. `account` covers a key without limits.
use std::time::Duration;

use crate::testing;
use linepress_accounts::accounts::{NewApiKey, Plan};
use linepress_platform::scopes::Scopes;

use crate::test_app::{Browser, TestApp, book_of, wait_until};

const ADA: &str = "ada@example.com";
const PATH: &str = "/account/keys";

/// The secret that a page shows.
fn secret(text: &str) -> String {
    let (_, rest) = text.split_once("class=\"secret\">").unwrap();
    rest.split('<').next().unwrap().to_owned()
}

/// The address of the first key's page.
async fn page_of(ada: &mut Browser, what: &str) -> String {
    let listed = ada.get(PATH).await.text;
    let (_, rest) = listed.split_once("href=\"/account/keys/key_").unwrap();
    let id = rest.split(['"', '/']).next().unwrap();
    format!("/account/keys/key_{id}/{what}")
}

/// The fields of a key that may read, and spend 3 credits a day from one network until a day.
const LIMITED: [(&str, &str); 8] = [
    ("has_limits", "yes"),
    ("name", "The shop"),
    ("books_read", "yes"),
    ("credits_spend", "yes"),
    ("credit_cap", "3"),
    ("credit_period", "day"),
    ("expires_on", "2026-11-30"),
    ("networks", "127.0.0.0/8,\r\n2001:db8::/32"),
];

#[tokio::test]
async fn a_key_with_limits_is_made_and_shown_with_them() {
    let app = TestApp::start().await;
    let mut ada = app.person(ADA, Plan::Business, 9).await;
    let made = ada.submit(PATH, PATH, &LIMITED).await;
    let key = app.with_key(&secret(&made.expect(200, "not shown again").text));
    let listed = ada.get(PATH).await;
    for text in [
        "The shop",
        &format!("<code>{}…</code>", &key.key().unwrap()[..9]),
        "May see your books",
        "for your credits",
        "0 of at most 3 credits spent today",
        "<code>127.0.0.0/8</code>, <code>2001:db8::/32</code>",
        "1 December 2026, 00:00 UTC",
        "never used",
    ] {
        listed.expect(200, text);
    }
    assert!(!listed.text.contains("May change and delete them"), "{}", listed.text);
    assert!(!listed.text.contains(key.key().unwrap()));
    key.get("/me").await.expect(200);
    key.generate("/books", "k1", &book_of(1))
        .await
        .expect_error(403, "insufficient_scope");
    wait_until("its use is shown", async || {
        let mut reader = app.browser();
        reader.cookies = ada.cookies.clone();
        reader.get(PATH).await.text.contains("last used <time")
    })
    .await;
    app.server.clock.advance(Duration::from_secs(10 * 24 * 3600));
    let mut ada = app.person("ben@example.com", Plan::Business, 0).await;
    ada.get(PATH).await.expect(200, "There is no key yet");
    key.get("/me").await.expect_error(401, "unauthorized");
}

#[tokio::test]
async fn an_expired_key_is_listed_with_the_revoked_ones() {
    let app = TestApp::start().await;
    app.person(ADA, Plan::Business, 9).await;
    let account = app.account_of(ADA).await;
    let terms = NewApiKey {
        expires_at: Some(app.server.clock.now().plus(Duration::from_secs(60))),
        ..NewApiKey::named("Short")
    };
    testing::create_key_with(&app.server, &account, &terms).await.unwrap();
    app.server.clock.advance(Duration::from_secs(60));
    let mut ada = app.browser();
    ada.sign_in(ADA, crate::test_app::PASSWORD).await.expect_redirect("/");
    let listed = ada.get(PATH).await;
    listed
        .expect(200, "There is no key yet")
        .expect(200, "Short expired <time");
}

#[tokio::test]
async fn wrong_limits_are_explained_and_what_was_typed_remains() {
    let app = TestApp::start().await;
    let mut ada = app.person(ADA, Plan::Business, 9).await;
    let complete = [("has_limits", "yes"), ("name", "The shop"), ("books_read", "yes")];
    for (field, typed, message) in [
        ("credit_cap", "many", "The most it may spend must be a whole number"),
        ("expires_on", "2026-11-20", "The last day must be in the future"),
        ("expires_on", "soon", "The last day must be a day such as"),
        (
            "networks",
            "10.0.0.0/8 office",
            "Each network must be a network such as",
        ),
    ] {
        let fields: Vec<_> = complete.into_iter().chain([(field, typed)]).collect();
        let refused = ada.submit(PATH, PATH, &fields).await;
        refused.expect(422, message).expect(422, "<details open>");
        refused.expect(422, typed).expect(422, "value=\"The shop\"");
        assert!(!refused.text.contains("name=\"books_write\" value=\"yes\" checked"));
    }
    let none = ada.submit(PATH, PATH, &complete[..2]).await;
    none.expect(422, "What the key may do: must name at least one scope");
    ada.get(PATH).await.expect(200, "There is no key yet");
}

#[tokio::test]
async fn a_form_with_every_box_makes_a_key_without_limits() {
    let app = TestApp::start().await;
    let mut ada = app.person(ADA, Plan::Business, 9).await;
    let page = ada.get(PATH).await;
    assert_eq!(page.text.matches(" checked>").count(), Scopes::ALL.iter().count());
    let all = [
        ("has_limits", "yes"),
        ("name", "All"),
        ("books_read", "yes"),
        ("books_write", "yes"),
        ("credits_spend", "yes"),
        ("credit_cap", ""),
        ("credit_period", "month"),
        ("expires_on", ""),
        ("networks", " "),
    ];
    let made = ada.submit(PATH, PATH, &all).await;
    let key = app.with_key(&secret(&made.text));
    key.get("/keys").await.expect(200);
}

#[tokio::test]
async fn a_key_is_rotated_once_and_its_new_secret_is_shown_once() {
    let app = TestApp::start().await;
    let mut ada = app.person(ADA, Plan::Business, 9).await;
    let made = ada.submit(PATH, PATH, &[("name", "The shop")]).await;
    let old = app.with_key(&secret(&made.text));
    let rotate = page_of(&mut ada, "rotate").await;
    let page = ada.get(&rotate).await;
    page.expect(200, "Rotate “The shop”?")
        .expect(200, "<option value=\"24\" selected>in a day");
    let fields = [("overlap_hours", "1")];
    let rotated = ada.send_form(&page, &rotate, &fields).await;
    let new = app.with_key(&secret(&rotated.expect(200, "not shown again").text));
    assert_ne!(old.key(), new.key());
    let again = ada.send_form(&page, &rotate, &fields).await;
    again.expect(409, "This key was already rotated");
    assert!(!again.text.contains("class=\"secret\""));
    let listed = ada.get(PATH).await;
    listed.expect(200, "The secret before the last rotation works until");
    old.get("/me").await.expect(200);
    app.server.clock.advance(Duration::from_secs(3600));
    old.get("/me").await.expect_error(401, "unauthorized");
    new.get("/me").await.expect(200);
    let wrong = ada.submit(&rotate, &rotate, &[("overlap_hours", "721")]).await;
    wrong.expect(422, "The hours must be 0 to 720");
}

#[tokio::test]
async fn only_the_owner_rotates_a_key() {
    let app = TestApp::start().await;
    let mut ada = app.person(ADA, Plan::Business, 9).await;
    let made = ada.submit(PATH, PATH, &[("name", "The shop")]).await;
    let key = app.with_key(&secret(&made.text));
    let rotate = page_of(&mut ada, "rotate").await;
    let mut ben = app.person("ben@example.com", Plan::Business, 9).await;
    ben.get(&rotate).await.expect(404, "nothing here");
    let fields = [("overlap_hours", "0")];
    ben.submit(PATH, &rotate, &fields).await.expect(404, "nothing here");
    ada.post(&rotate, &fields).await.expect(403, "nothing was changed");
    key.get("/me").await.expect(200);
    let revoke = page_of(&mut ada, "revoke").await;
    ada.submit(&revoke, &revoke, &[]).await.expect_redirect(PATH);
    ada.get(&rotate).await.expect(404, "nothing here");
    ada.submit(PATH, &rotate, &fields)
        .await
        .expect(422, "This key was revoked or has expired");
}

#[tokio::test]
async fn a_test_key_is_made_with_its_box_and_shown_as_one() {
    let app = TestApp::builder().installed("linepress.sketchbook").start().await;
    let mut ada = app.person(ADA, Plan::Business, 0).await;
    let made = ada.submit(PATH, PATH, &[("name", "CI"), ("test", "yes")]).await;
    let key = secret(&made.text);
    assert!(key.starts_with("lp_test_"), "{key}");
    made.expect(200, "CI <span class=\"badge\">Test</span>");
    made.expect(200, "0 test credits spent");
    let test = app.with_key(&key);
    let book = app.accepted(&test, "/books", &book_of(1)).await.book_id();
    app.draw_what_is_due().await;
    assert_eq!(test.count("books").await, 1);
    ada.get(&format!("/library/books/{book}")).await.expect(404, "");
    let rotate = page_of(&mut ada, "rotate").await;
    let rotated = ada.submit(&rotate, &rotate, &[("overlap_hours", "0")]).await;
    assert!(secret(&rotated.text).starts_with("lp_test_"));
    let revoke = page_of(&mut ada, "revoke").await;
    ada.submit(&revoke, &revoke, &[]).await.expect_redirect(PATH);
    ada.get(PATH).await.expect(200, "CI (test) revoked");
}
