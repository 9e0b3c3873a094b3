//! Verification of the address at sign-up.
use std::time::Duration;

use crate::testing;
use linepress_accounts::accounts::{self, Plan};

use super::{ADA, deliver, start};
use crate::test_app::{Browser, MailServer, PASSWORD, TestApp};

async fn open() -> (TestApp, MailServer) {
    start(|builder| {
        builder.config(|config| {
            config.sign_up = true;
            config.sign_up_plan = Plan::Business;
            config.sign_up_credits = 7;
        })
    })
    .await
}

async fn sign_up(app: &TestApp, email: &str) -> Browser {
    let mut browser = app.browser();
    browser
        .post("/sign-up", &[("email", email), ("password", PASSWORD)])
        .await
        .expect_redirect("/account");
    browser
}

#[tokio::test]
async fn an_account_gets_its_plan_and_credits_when_its_address_is_verified() {
    let (app, mail) = open().await;
    let mut ada = sign_up(&app, ADA).await;
    assert_eq!(app.standing(ADA).await, (Plan::Free, 0));
    ada.get("/account").await.expect(200, "Confirm your address");
    deliver(&app).await;
    let mail = mail.take_one();
    assert_eq!(mail.header("Subject"), "Confirm your address for Linepress");
    let link = mail.path("/verify/");
    assert_eq!(
        mail.text,
        format!(
            "Someone, probably you, made an account at Linepress with the address ada@example.com. Confirm that it is yours.\n\n\
             Confirm the address:\nhttp://linepress.test{link}\n\n\
             The link works for a day, and asks you to sign in if you are not signed in.\n\n\
             If you did not make this account, you need not do anything.\n\n\
             -- \nLinepress\nhttp://linepress.test\n"
        )
    );
    ada.get(&link).await.expect(200, "Confirm it");
    assert_eq!(
        app.standing(ADA).await,
        (Plan::Free, 0),
        "opening the link changes nothing"
    );
    for _ in 0..2 {
        ada.submit(&link, &link, &[])
            .await
            .expect_redirect("/account?verified=yes");
    }
    assert_eq!(app.standing(ADA).await, (Plan::Business, 7));
    let verified = ada.get("/account?verified=yes").await;
    verified.expect(200, "Your address is confirmed");
    assert!(!verified.text.contains("Confirm your address"));
    assert_eq!(
        accounts::unverified_since(&app.server, &app.account_of(ADA).await)
            .await
            .unwrap(),
        None
    );
    app.check_ledger().await;
}

#[tokio::test]
async fn a_link_verifies_only_for_the_person_who_chose_the_password() {
    let (app, mail) = open().await;
    // Eve signs up with the address of Ada, who opens the mail.
    let mut eve = sign_up(&app, ADA).await;
    deliver(&app).await;
    let link = mail.take_one().path("/verify/");
    let mut ada = app.browser();
    let sent_to = ada.get(&link).await;
    assert!(sent_to.header("location").starts_with("/sign-in?return_to="));
    let mut bob = sign_up(&app, "bob@example.com").await;
    bob.submit(&link, &link, &[]).await.expect(404, "another account");
    eve.submit("/account", "/verify/0", &[])
        .await
        .expect(404, "does not work");
    assert_eq!(app.standing(ADA).await, (Plan::Free, 0));
}

#[tokio::test]
async fn a_link_expires_after_a_day_and_another_can_be_sent() {
    let (app, mail) = open().await;
    let mut ada = sign_up(&app, ADA).await;
    deliver(&app).await;
    let old = mail.take_one().path("/verify/");
    app.server.clock.advance(Duration::from_secs(25 * 3600));
    ada.submit(&old, &old, &[]).await.expect(404, "does not work");
    ada.submit("/account", "/account/verification", &[])
        .await
        .expect_redirect("/account?sent=yes");
    ada.get("/account?sent=yes")
        .await
        .expect(200, "Another one is on its way");
    deliver(&app).await;
    let new = mail.take_one().path("/verify/");
    ada.submit(&new, &new, &[])
        .await
        .expect_redirect("/account?verified=yes");
    assert_eq!(app.standing(ADA).await, (Plan::Business, 7));
    ada.submit("/account", "/account/verification", &[])
        .await
        .expect_redirect("/account?sent=yes");
    assert_eq!(deliver(&app).await, 0, "the address is verified");
}

#[tokio::test]
async fn further_links_are_limited() {
    let (app, _mail) = open().await;
    let mut ada = sign_up(&app, ADA).await;
    for _ in 0..3 {
        ada.submit("/account", "/account/verification", &[])
            .await
            .expect_redirect("/account?sent=yes");
    }
    ada.submit("/account", "/account/verification", &[])
        .await
        .expect(429, "Too many requests");
}

#[tokio::test]
async fn a_link_to_set_a_password_verifies_the_address_as_well() {
    let (app, mail) = open().await;
    sign_up(&app, ADA).await;
    deliver(&app).await;
    mail.take_one();
    let mut ada = app.browser();
    ada.post("/forgot-password", &[("email", ADA)])
        .await
        .expect(200, "is on its way");
    deliver(&app).await;
    let link = mail.take_one().path("/reset/");
    ada.post(&link, &[("password", "another horse battery")])
        .await
        .expect_redirect("/");
    assert_eq!(app.standing(ADA).await, (Plan::Business, 7));
    app.check_ledger().await;
}

#[tokio::test]
async fn verification_preserves_the_plan_that_an_operator_gave() {
    let (app, mail) = start(|builder| builder.config(|config| config.sign_up = true)).await;
    let mut ada = sign_up(&app, ADA).await;
    testing::set_plan(&app.server, &app.account_of(ADA).await, Plan::Business)
        .await
        .unwrap();
    deliver(&app).await;
    let link = mail.take_one().path("/verify/");
    ada.submit(&link, &link, &[])
        .await
        .expect_redirect("/account?verified=yes");
    assert_eq!(app.standing(ADA).await, (Plan::Business, 0));
}

#[tokio::test]
async fn the_database_contains_no_link() {
    let (app, mail) = open().await;
    sign_up(&app, ADA).await;
    deliver(&app).await;
    let token = mail.take_one().path("/verify/").replace("/verify/", "");
    let statement = "SELECT COUNT(*) FROM address_verifications WHERE token_hash = $1";
    let found: i64 = sqlx::query_scalar(statement)
        .bind(&token)
        .fetch_one(&app.server.database.read)
        .await
        .unwrap();
    assert_eq!(found, 0, "only a hash is stored");
}
