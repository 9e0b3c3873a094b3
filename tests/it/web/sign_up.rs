//! `/sign-up`: creating an account, if the operator allows it.
use linepress_accounts::accounts::{self, Plan};

use crate::test_app::{PASSWORD, TestApp, all_accounts};

const ADA: &str = "ada@example.com";

async fn open() -> TestApp {
    TestApp::builder().config(|config| config.sign_up = true).start().await
}

#[tokio::test]
async fn without_the_operators_permission_no_account_can_be_created() {
    let app = TestApp::start().await;
    let mut browser = app.browser();
    browser
        .get("/sign-up")
        .await
        .expect(403, "You cannot sign up on this server");
    let fields = [("email", ADA), ("password", PASSWORD)];
    browser
        .post("/sign-up", &fields)
        .await
        .expect(403, "You cannot sign up on this server");
    assert!(accounts::find(&app.server, ADA).await.unwrap().is_none());
    assert!(!browser.get("/sign-in").await.text.contains("/sign-up"));
}

#[tokio::test]
async fn a_user_creates_an_account_and_is_signed_in() {
    let app = open().await;
    let mut browser = app.browser();
    browser.get("/sign-in").await.expect(200, "href=\"/sign-up\"");
    browser.get("/sign-up").await.expect(200, "At least 10 characters");
    let fields = [("email", " Ada@Example.com"), ("password", PASSWORD)];
    browser.post("/sign-up", &fields).await.expect_redirect("/");
    browser.get("/account").await.expect(200, ADA).expect(200, "Free plan");
    let account = accounts::find(&app.server, ADA).await.unwrap().unwrap();
    assert_eq!((account.plan, account.credits), (Plan::Free, 0));
    app.browser().sign_in(ADA, PASSWORD).await.expect_redirect("/");
}

#[tokio::test]
async fn the_settings_determine_plan_and_credits_of_a_new_account() {
    let app = TestApp::builder()
        .config(|config| {
            config.sign_up = true;
            config.sign_up_plan = Plan::Business;
            config.sign_up_credits = 7;
        })
        .start()
        .await;
    let fields = [("email", ADA), ("password", PASSWORD)];
    app.browser().post("/sign-up", &fields).await.expect_redirect("/");
    let account = accounts::find(&app.server, ADA).await.unwrap().unwrap();
    assert_eq!((account.plan, account.credits), (Plan::Business, 7));
    app.check_ledger().await;
}

#[tokio::test]
async fn invalid_input_is_reported_and_no_account_is_created() {
    let app = open().await;
    for (email, password, problem) in [
        (ADA, "short", "must be 10 to 200 characters"),
        (ADA, "ada@example.com", "must be more than your e-mail address"),
        (ADA, "password1234", "easy to guess"),
        ("ada", PASSWORD, "must be an address"),
        ("\u{212a}ate@example.com", PASSWORD, "letters that look like others"),
        ("ada\u{200b}@example.com", PASSWORD, "invisible characters"),
    ] {
        let fields = [("email", email), ("password", password)];
        let page = app.browser().post("/sign-up", &fields).await;
        page.expect(422, problem);
        assert!(!page.text.contains(password) || password == ADA, "{}", page.text);
        assert_eq!(page.value_of("email"), email);
    }
    assert!(all_accounts(&app.server).await.is_empty());
    app.browser()
        .post("/sign-up", &[("email", ADA)])
        .await
        .expect(400, "password");
    let twice = [("email", ADA), ("password", PASSWORD), ("password", PASSWORD)];
    app.browser().post("/sign-up", &twice).await.expect(400, "duplicate");
}

#[tokio::test]
async fn an_address_that_is_in_use_cannot_be_taken_over() {
    let app = open().await;
    let mut ada = app.person(ADA, Plan::Free, 0).await;
    let fields = [("email", "ADA@example.com"), ("password", "another horse battery")];
    let mut eve = app.browser();
    let page = eve.post("/sign-up", &fields).await;
    page.expect(422, "exists already");
    // The owner learns what to do, and a stranger reads the same on the empty form.
    let advice = "the operator of this server can give you a link to set one";
    page.expect(422, advice);
    eve.get("/sign-up").await.expect(200, advice);
    assert!(!eve.is_signed_in().await);
    assert!(ada.is_signed_in().await);
    app.browser()
        .sign_in(ADA, "another horse battery")
        .await
        .expect(422, "is wrong");
    app.browser().sign_in(ADA, PASSWORD).await.expect_redirect("/");
}

#[tokio::test]
async fn the_new_accounts_of_one_address_are_limited() {
    let app = open().await;
    for number in 0..10 {
        let email = format!("a{number}@example.com");
        let fields = [("email", email.as_str()), ("password", PASSWORD)];
        app.browser().post("/sign-up", &fields).await.expect_redirect("/");
    }
    let fields = [("email", ADA), ("password", PASSWORD)];
    let refused = app.browser().post("/sign-up", &fields).await;
    refused.expect(429, "Too many sign-ups from this address");
    let seconds: u64 = refused.headers["retry-after"].to_str().unwrap().parse().unwrap();
    assert!(seconds > 0);
    assert_eq!(all_accounts(&app.server).await.len(), 10);
}
