//! Delivery from the outbox.
use std::time::Duration;

use crate::testing;
use linepress_accounts::accounts::{self, Plan};
use linepress_accounts::outbox;

use super::{A_WHILE, ADA, deliver, start};
use crate::maintenance;
use crate::test_app::{Log, MailBehavior, PASSWORD, TestApp, wait_until};

/// The time after which a mail is given up by default.
const GIVE_UP_AFTER: Duration = Duration::from_secs(72 * 3600);

async fn waiting(app: &TestApp) -> i64 {
    outbox::waiting(&app.server).await.unwrap()
}

/// Creates Ada's account and has a link mailed to her.
async fn forget_password(app: &TestApp) {
    app.person(ADA, Plan::Free, 0).await;
    ask(app).await;
}

async fn ask(app: &TestApp) {
    app.browser()
        .post("/forgot-password", &[("email", ADA)])
        .await
        .expect(200, "is on its way");
}

/// Renames a table, so that every statement about it fails.
async fn rename(app: &TestApp, from: &str, to: &str) {
    let mut tx = app.server.database.begin().await.unwrap();
    let statement = format!("ALTER TABLE {from} RENAME TO {to}");
    sqlx::query(sqlx::AssertSqlSafe(statement))
        .execute(&mut *tx)
        .await
        .unwrap();
    tx.commit().await.unwrap();
}

#[tokio::test]
async fn without_settings_no_mail_is_written_and_no_page_offers_one() {
    let app = TestApp::builder().config(|config| config.sign_up = true).start().await;
    let mut ada = app.browser();
    ada.post("/sign-up", &[("email", ADA), ("password", PASSWORD)])
        .await
        .expect_redirect("/");
    let account = ada.get("/account").await;
    assert!(!account.text.contains("Confirm your address") && !account.text.contains("/account/notices"));
    let mut visitor = app.browser();
    assert!(!visitor.get("/sign-in").await.text.contains("/forgot-password"));
    visitor.get("/forgot-password").await.expect(404, "nothing here");
    visitor
        .post("/forgot-password", &[("email", ADA)])
        .await
        .expect(404, "nothing here");
    assert_eq!(waiting(&app).await, 0);
    assert_eq!(deliver(&app).await, 0);
}

#[tokio::test]
async fn a_mail_has_the_sender_and_the_headers_of_an_automatic_mail() {
    let (app, mail) = start(|builder| builder).await;
    forget_password(&app).await;
    assert_eq!(deliver(&app).await, 1);
    let mail = mail.take_one();
    assert_eq!((mail.from.as_str(), mail.to.as_str()), ("books@example.com", ADA));
    assert_eq!(mail.header("From"), "Linepress <books@example.com>");
    assert_eq!(mail.header("To"), ADA);
    assert_eq!(mail.header("Date"), "Sat, 21 Nov 2026 12:00:00 +0000");
    assert_eq!(mail.header("Auto-Submitted"), "auto-generated");
    assert_eq!(mail.header("List-Unsubscribe"), "");
    assert!(mail.header("Message-ID").starts_with("<mail_"), "{}", mail.head);
}

#[tokio::test]
async fn the_name_and_the_color_of_the_server_appear_in_its_mails() {
    let (app, mail) = start(|builder| {
        builder.config(|config| {
            config.appearance = toml::from_str("name = \"Otter & Sons\"\ncolor = \"#1c4fb4\"").unwrap();
        })
    })
    .await;
    forget_password(&app).await;
    deliver(&app).await;
    let mail = mail.take_one();
    assert_eq!(mail.header("Subject"), "A new password for Otter & Sons");
    assert!(
        mail.html.contains("Otter &amp; Sons") && mail.html.contains("background:#1c4fb4"),
        "{}",
        mail.html
    );
    assert!(!mail.html.contains("<img"), "nothing is loaded");
}

#[tokio::test]
async fn a_mail_waits_until_the_mail_server_takes_it() {
    let (app, mail) = start(|builder| builder).await;
    forget_password(&app).await;
    for behavior in [
        MailBehavior::Busy,
        MailBehavior::RejectSender,
        MailBehavior::DenyRelaying,
    ] {
        mail.behave(behavior);
        assert_eq!(deliver(&app).await, 1, "{behavior:?}");
        assert_eq!(deliver(&app).await, 0, "the next attempt is not due");
        app.server.clock.advance(A_WHILE);
    }
    assert!(mail.take().is_empty());
    assert_eq!(waiting(&app).await, 1);
    mail.behave(MailBehavior::Take);
    assert_eq!(deliver(&app).await, 1);
    mail.take_one();
    app.server.clock.advance(A_WHILE);
    assert_eq!((deliver(&app).await, waiting(&app).await), (0, 0));
}

#[tokio::test]
async fn a_mail_is_given_up_after_the_hours_of_the_settings() {
    let (app, mail) = start(|builder| builder.config(|config| config.mail.give_up_hours = 2)).await;
    mail.behave(MailBehavior::Busy);
    forget_password(&app).await;
    let mut attempts = 0;
    for _ in 0..20 {
        attempts += deliver(&app).await;
        app.server.clock.advance(A_WHILE);
    }
    assert_eq!(waiting(&app).await, 0);
    assert!((5..20).contains(&attempts), "{attempts}");
    assert!(mail.take().is_empty());
}

#[tokio::test]
async fn a_mail_that_cannot_be_composed_is_put_off() {
    let (app, mail) = start(|builder| builder).await;
    forget_password(&app).await;
    let log = Log::default();
    let captured = log.capture();
    rename(&app, "single_use_links", "elsewhere").await;
    assert_eq!((deliver(&app).await, waiting(&app).await), (1, 1));
    rename(&app, "elsewhere", "single_use_links").await;
    drop(captured);
    let lines = log.lines();
    let mut lines = lines.iter().filter(|line| line.contains("mail could not be composed"));
    let line = lines.next().unwrap();
    assert!(
        line.contains("id=mail_") && line.contains("kind=\"password_reset\""),
        "{line}"
    );
    assert_eq!(deliver(&app).await, 0, "the next attempt is not due");
    app.server.clock.advance(A_WHILE);
    assert_eq!((deliver(&app).await, waiting(&app).await), (1, 0));
    mail.take_one();
}

#[tokio::test]
async fn a_mail_that_waited_too_long_is_not_sent() {
    let (app, mail) = start(|builder| builder).await;
    forget_password(&app).await;
    // As long as the mails of a backup that is restored.
    app.server.clock.advance(GIVE_UP_AFTER);
    assert_eq!((deliver(&app).await, waiting(&app).await), (1, 0));
    assert!(mail.take().is_empty());
    ask(&app).await;
    assert_eq!(deliver(&app).await, 1);
    mail.take_one();
}

#[tokio::test]
async fn old_mails_are_deleted_while_the_server_sends_none() {
    let (app, _mail) = start(|builder| builder).await;
    forget_password(&app).await;
    let without_mail = app.another_node_with(|config| config.mail.host = String::new()).await;
    assert_eq!(testing::give_up_mails(&without_mail).await.unwrap(), 0);
    assert_eq!(waiting(&app).await, 1);
    app.server.clock.advance(GIVE_UP_AFTER);
    assert!(testing::run_housekeeping_once(&without_mail).await);
    assert_eq!(waiting(&app).await, 0);
}

#[tokio::test]
async fn a_recipient_whom_the_mail_server_rejects_is_not_tried_again() {
    let (app, mail) = start(|builder| builder).await;
    mail.behave(MailBehavior::RejectRecipient);
    forget_password(&app).await;
    assert_eq!((deliver(&app).await, waiting(&app).await), (1, 0));
}

#[tokio::test]
async fn a_mail_whose_process_died_is_sent_when_the_lease_has_expired() {
    let (app, mail) = start(|builder| builder).await;
    forget_password(&app).await;
    // The process dies between the claim and the sending.
    testing::claim_mail(&app.server).await.unwrap().expect("a mail is due");
    assert_eq!(deliver(&app).await, 0, "the other attempt may be sending it");
    app.server.clock.advance(A_WHILE);
    assert_eq!(deliver(&app).await, 1);
    mail.take_one();
    assert_eq!(waiting(&app).await, 0);
}

#[tokio::test]
async fn a_mail_whose_acceptance_was_not_reported_is_repeated_under_the_same_id() {
    let (app, mail) = start(|builder| builder).await;
    forget_password(&app).await;
    mail.behave(MailBehavior::TakeAndDisconnect);
    assert_eq!(deliver(&app).await, 1);
    let first = mail.take_one();
    mail.behave(MailBehavior::Take);
    app.server.clock.advance(A_WHILE);
    assert_eq!(deliver(&app).await, 1);
    let second = mail.take_one();
    assert_eq!(first.header("Message-ID"), second.header("Message-ID"));
    // The recipient may use either.
    for mail in [first, second] {
        app.browser().get(&mail.path("/reset/")).await.expect(200, ADA);
    }
}

#[tokio::test]
async fn a_mail_is_sent_once_though_the_mail_server_does_not_end_the_connection() {
    let (app, mail) = start(|builder| builder).await;
    forget_password(&app).await;
    mail.behave(MailBehavior::SilentAtQuit);
    assert_eq!((deliver(&app).await, waiting(&app).await), (1, 0));
    mail.take_one();
}

#[tokio::test]
async fn a_mail_is_sent_once_though_the_database_fails_for_a_moment() {
    let (app, mail) = start(|builder| builder).await;
    forget_password(&app).await;
    mail.behave(MailBehavior::SilentAtQuit);
    let log = Log::default();
    let captured = log.capture();
    let trouble = async {
        let is_taken = async || mail.commands().iter().any(|command| command == "QUIT");
        wait_until("the mail is taken", is_taken).await;
        rename(&app, "mails", "elsewhere").await;
        wait_until("an error is logged", async || {
            log.holds("a sent mail cannot be deleted from the outbox")
        })
        .await;
        rename(&app, "elsewhere", "mails").await;
    };
    let (delivered, ()) = tokio::join!(testing::deliver_mail(&app.server), trouble);
    drop(captured);
    assert!(delivered.unwrap());
    mail.take_one();
    assert_eq!(waiting(&app).await, 0);
}

#[tokio::test]
async fn two_nodes_do_not_send_a_mail_twice() {
    let (app, mail) = start(|builder| builder).await;
    let other = app.another_node().await;
    forget_password(&app).await;
    let (one, two) = tokio::join!(testing::deliver_mail(&app.server), testing::deliver_mail(&other));
    assert!(one.unwrap() || two.unwrap());
    mail.take_one();
}

#[tokio::test]
async fn nothing_is_sent_while_the_server_is_read_only() {
    let (app, mail) = start(|builder| builder).await;
    forget_password(&app).await;
    maintenance::begin_with(&app, "").await;
    assert_eq!(deliver(&app).await, 0);
    maintenance::end(&app).await;
    assert_eq!(deliver(&app).await, 1);
    mail.take_one();
}

#[tokio::test]
async fn a_closed_account_receives_no_mail() {
    let (app, mail) = start(|builder| builder).await;
    forget_password(&app).await;
    let account = accounts::find(&app.server, ADA).await.unwrap().unwrap();
    testing::close(&app.server, &account).await.unwrap();
    assert_eq!((deliver(&app).await, waiting(&app).await), (1, 0));
    assert!(mail.take().is_empty());
}

#[tokio::test]
async fn a_denied_network_is_closed_to_mail() {
    let (app, mail) =
        start(|builder| builder.config(|config| config.denied_networks = vec!["127.0.0.0/8".parse().unwrap()])).await;
    forget_password(&app).await;
    assert_eq!((deliver(&app).await, waiting(&app).await), (1, 1));
    assert!(mail.commands().is_empty());
}

#[tokio::test]
async fn the_server_signs_in_to_the_mail_server_with_the_password_of_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("password");
    std::fs::write(&file, "hunter2\n").unwrap();
    let (app, mail) = start(|builder| {
        builder.config(|config| {
            config.mail.username = "books".into();
            config.mail.password_file = file;
        })
    })
    .await;
    forget_password(&app).await;
    deliver(&app).await;
    mail.take_one();
    let commands = mail.commands();
    assert_eq!(commands[0], "EHLO linepress.test");
    // "\0books\0hunter2"
    assert_eq!(commands[1], "AUTH PLAIN AGJvb2tzAGh1bnRlcjI=");
}

#[tokio::test]
async fn the_metrics_count_attempts_by_kind_and_outcome() {
    let (app, mail) = start(|builder| builder).await;
    mail.behave(MailBehavior::Busy);
    forget_password(&app).await;
    deliver(&app).await;
    mail.behave(MailBehavior::Take);
    app.server.clock.advance(Duration::from_secs(60));
    deliver(&app).await;
    let text = app
        .server
        .metrics
        .text(&linepress_metrics::Readings::default())
        .unwrap();
    for outcome in ["put_off", "sent"] {
        let line = format!("linepress_mail_attempts_total{{kind=\"password_reset\",outcome=\"{outcome}\"}} 1");
        assert!(text.contains(&line), "{line}");
    }
}
