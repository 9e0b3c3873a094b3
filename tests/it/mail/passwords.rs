//! Forgotten passwords.
use std::time::Duration;

use linepress_accounts::accounts::Plan;

use super::{ADA, deliver, start};
use crate::test_app::{Browser, Html, PASSWORD};

const NEW_PASSWORD: &str = "another horse battery";

async fn ask(browser: &mut Browser, email: &str) -> Html {
    browser.post("/forgot-password", &[("email", email)]).await
}

#[tokio::test]
async fn a_person_who_forgot_the_password_sets_another_with_a_link_from_a_mail() {
    let (app, mail) = start(|builder| builder).await;
    let mut before = app.person(ADA, Plan::Free, 0).await;
    let mut ada = app.browser();
    ada.get("/sign-in").await.expect(200, "href=\"/forgot-password\"");
    ada.get("/forgot-password")
        .await
        .expect(200, "action=\"/forgot-password\"");
    ask(&mut ada, " Ada@Example.com ").await.expect(200, "is on its way");
    deliver(&app).await;
    let mail = mail.take_one();
    assert_eq!(mail.header("Subject"), "A new password for Linepress");
    let link = mail.path("/reset/");
    assert_eq!(
        mail.text,
        format!(
            "Someone, probably you, asked for a new password for the account ada@example.com at Linepress.\n\n\
             Choose a new password:\nhttp://linepress.test{link}\n\n\
             The link works once, and for a day.\n\n\
             If you did not ask for it, you need not do anything: your password stays as it is.\n\n\
             -- \nLinepress\nhttp://linepress.test\n"
        )
    );
    assert!(
        mail.html.contains(&format!("href=\"http://linepress.test{link}\"")),
        "{}",
        mail.html
    );
    ada.get(&link).await.expect(200, ADA);
    ada.post(&link, &[("password", NEW_PASSWORD)])
        .await
        .expect_redirect("/");
    assert!(ada.is_signed_in().await);
    assert!(!before.is_signed_in().await);
    app.browser().sign_in(ADA, PASSWORD).await.expect(422, "is wrong");
    app.browser().sign_in(ADA, NEW_PASSWORD).await.expect_redirect("/");
    app.browser()
        .get(&link)
        .await
        .expect(404, "Ask for a new one on the sign-in page");
}

#[tokio::test]
async fn the_link_lives_for_a_day_from_the_moment_it_is_sent() {
    let (app, mail) = start(|builder| builder).await;
    app.person(ADA, Plan::Free, 0).await;
    ask(&mut app.browser(), ADA).await.expect(200, "is on its way");
    // No worker ran for two days.
    app.server.clock.advance(Duration::from_secs(48 * 3600));
    deliver(&app).await;
    let link = mail.take_one().path("/reset/");
    app.server.clock.advance(Duration::from_secs(23 * 3600));
    app.browser().get(&link).await.expect(200, ADA);
    app.server.clock.advance(Duration::from_secs(2 * 3600));
    app.browser().get(&link).await.expect(404, "does not work");
}

#[tokio::test]
async fn the_answer_is_the_same_for_an_address_without_an_account() {
    let (app, mail) = start(|builder| builder).await;
    app.person(ADA, Plan::Free, 0).await;
    let known = ask(&mut app.browser(), ADA).await;
    let unknown = ask(&mut app.browser(), "bob@example.com").await;
    assert_eq!(known.status, unknown.status);
    assert_eq!(known.text.replace(ADA, "bob@example.com"), unknown.text);
    assert_eq!(deliver(&app).await, 2);
    assert_eq!(mail.take_one().to, ADA);
}

#[tokio::test]
async fn requests_are_limited_per_address_and_per_client() {
    let (app, mail) = start(|builder| builder).await;
    app.person(ADA, Plan::Free, 0).await;
    for email in [ADA, "bob@example.com"] {
        for _ in 0..3 {
            let mut browser = app.browser();
            ask(&mut browser, email).await.expect(200, "is on its way");
        }
        let refused = ask(&mut app.browser(), email).await;
        assert_eq!(refused.status.as_u16(), 429, "{}", refused.text);
        assert!(refused.headers.contains_key("retry-after"));
    }
    deliver(&app).await;
    assert_eq!(mail.take().len(), 3);
    let mut statuses = Vec::new();
    for number in 0..30 {
        statuses.push(
            ask(&mut app.browser(), &format!("{number}@example.com"))
                .await
                .status
                .as_u16(),
        );
    }
    assert!(statuses.contains(&429), "{statuses:?}");
}

#[tokio::test]
async fn a_malformed_address_is_explained() {
    let (app, _mail) = start(|builder| builder).await;
    ask(&mut app.browser(), "ada").await.expect(422, "ada@example.com");
}
