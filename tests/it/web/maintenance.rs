//! The web pages while the server is read-only.
use super::library::strangers::{FIELDS, LISTS, forms};
use crate::maintenance::{MESSAGE, begin, end, stored};
use crate::test_app::{Html, PASSWORD, TestApp};

fn expect_refusal(page: &Html) {
    page.expect(503, MESSAGE);
    page.expect(503, "under maintenance");
    assert_eq!(page.header("retry-after"), "60");
}

#[tokio::test]
async fn pages_show_a_notice_and_forms_change_nothing() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let own = app.ready_resources(&ada).await;
    let mut browser = app.browser_of("ada@example.com").await;
    assert!(!browser.get("/library").await.text.contains("under maintenance"));
    begin(&app).await;
    let before = stored(&app.server).await;
    for path in LISTS.into_iter().chain(["/account", "/account/keys", "/account/apps"]) {
        browser.get(path).await.expect(200, MESSAGE);
    }
    let image = format!("/library/pages/{}/image", own.page);
    assert_eq!(browser.open(&image).await.status(), 200);
    let token = browser.csrf_token("/library").await;
    let mut fields = FIELDS.to_vec();
    fields.push(("csrf_token", &token));
    let others = [
        "/library/books/plan",
        "/library/drafts/draft_01KAFMYG00000000000000000A/autosave",
        "/library/pages",
        "/library/pages/import",
        "/library/characters",
        "/account/password",
        "/account/keys",
        "/account/keys/key_01KAFMYG00000000000000000A/revoke",
        "/account/keys/key_01KAFMYG00000000000000000A/rotate",
        "/account/apps/grant_01KAFMYG00000000000000000A/revoke",
        "/account/apps/grant_01KAFMYG00000000000000000A/limit",
        "/sign-out",
        "/no/such/form",
    ];
    for path in forms(&own).iter().map(String::as_str).chain(others) {
        let reply = browser.post(path, &fields).await;
        if path == "/no/such/form" {
            reply.expect(404, "There is nothing here");
        } else {
            expect_refusal(&reply);
        }
    }
    assert_eq!(stored(&app.server).await, before);
    assert!(browser.is_signed_in().await);

    end(&app).await;
    assert!(!browser.get("/library").await.text.contains("under maintenance"));
    browser.post("/sign-out", &[("csrf_token", &token)]).await;
    assert!(!browser.is_signed_in().await);
}

#[tokio::test]
async fn no_session_and_no_account_begins() {
    let app = TestApp::builder().config(|config| config.sign_up = true).start().await;
    app.account(9).await;
    drop(app.browser_of("ada@example.com").await);
    begin(&app).await;
    let before = stored(&app.server).await;
    let mut browser = app.browser();
    browser.get("/sign-in").await.expect(200, MESSAGE);
    expect_refusal(&browser.sign_in("ada@example.com", PASSWORD).await);
    expect_refusal(
        &browser
            .post("/sign-up", &[("email", "bob@example.com"), ("password", PASSWORD)])
            .await,
    );
    for link in ["/sign-in/provider", "/sign-in/provider/callback?state=x&code=y"] {
        expect_refusal(&browser.get(link).await);
    }
    assert_eq!(stored(&app.server).await, before);
    end(&app).await;
    browser.sign_in("ada@example.com", PASSWORD).await.expect_redirect("/");
}
