//! `/admin/audit-log`.
use std::time::Duration;

use linepress_accounts::accounts;
use linepress_accounts::accounts::Plan;
use linepress_operator::administration::{self, accounts as administered};

use super::{operator, page_of};
use crate::test_app::{OPERATOR, TestApp};

const ADA: &str = "ada@example.com";

#[tokio::test]
async fn the_log_shows_each_change_with_the_operator_and_the_address() {
    let app = TestApp::start().await;
    let mut browser = operator(&app).await;
    app.person(ADA, Plan::Business, 9).await;
    let path = page_of(&app, ADA).await;
    let mut expected = Vec::new();
    for (form, fields, what, details) in [
        ("plan", vec![("plan", "free")], "Plan changed", "from business to free"),
        (
            "credits",
            vec![("amount", "50"), ("reason", "A <gift>")],
            "Credits added",
            "50, balance 59: A &#60;gift&#62;",
        ),
        (
            "withdrawal",
            vec![("amount", "9"), ("reason", "A mistake")],
            "Credits taken back",
            "9, balance 50: A mistake",
        ),
        (
            "limits",
            vec![("limits.pages", "70"), ("limits.books", "7")],
            "Limits changed",
            "books 7, pages 70",
        ),
        (
            "role",
            vec![("role", "operator")],
            "Role changed",
            "from customer to operator",
        ),
        ("password-link", vec![], "Password link made", ""),
        (
            "suspend",
            vec![("reason", "Unpaid")],
            "Account suspended",
            "0 drawings canceled: Unpaid",
        ),
        ("resume", vec![], "Account resumed", ""),
        (
            "close",
            vec![("certain", "yes")],
            "Account closed",
            "0 drawings canceled",
        ),
    ] {
        app.server.clock.advance(Duration::from_secs(1));
        let page = browser.get(&path).await;
        let sent = browser.send_form(&page, &format!("{path}/{form}"), &fields).await;
        assert!(
            sent.status.is_success() || sent.status.is_redirection(),
            "{}",
            sent.text
        );
        expected.push((what, details));
    }
    let log = browser.get("/admin/audit-log").await;
    log.expect(200, &format!("{OPERATOR} from 127.0.0.1"));
    let entries: Vec<&str> = log.text.split("<li>").skip(1).collect();
    for ((what, details), entry) in expected.into_iter().rev().zip(&entries) {
        assert!(
            entry.contains(what) && entry.contains(details),
            "{what}, {details}: {entry}"
        );
        assert!(entry.contains(&format!("<a href=\"{path}\">")), "{entry}");
    }
    // The role of the first operator came from the command line.
    assert!(entries.last().unwrap().contains("command line"), "{entries:?}");
    browser
        .get(&path)
        .await
        .expect(200, "Account closed")
        .expect(200, "All changes of this account");
}

#[tokio::test]
async fn the_log_is_filtered_by_account_and_has_pages() {
    let app = TestApp::start().await;
    let mut browser = operator(&app).await;
    app.person(ADA, Plan::Business, 0).await;
    let account = accounts::find(&app.server, ADA).await.unwrap().unwrap();
    for _ in 0..55 {
        app.server.clock.advance(Duration::from_secs(1));
        let command_line = administration::Actor::command_line();
        administered::offer_password_link(&app.server, &command_line, &account.id)
            .await
            .unwrap();
    }
    let path = format!("/admin/audit-log?target={}", account.id);
    let first = browser.get(&path).await;
    let (_, rest) = first.text.split_once("<a class=\"button\" href=\"").unwrap();
    let next = rest.split('"').next().unwrap().replace("&#38;", "&");
    assert!(next.starts_with(&format!("{path}&after=")), "{next}");
    let second = browser.get(&next).await;
    let count = |text: &str| text.matches("Password link made").count();
    assert_eq!((count(&first.text), count(&second.text)), (50, 5));
    assert!(!second.text.contains("Role changed"), "{}", second.text);
    browser
        .get("/admin/audit-log?target=nothing")
        .await
        .expect(200, "There is no entry.");
    browser
        .get("/admin/audit-log?after=nonsense")
        .await
        .expect_redirect("/admin/audit-log");
}
