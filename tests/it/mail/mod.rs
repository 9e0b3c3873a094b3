//! Mail: what is mailed when, and that each mail arrives once.
mod delivery;
mod invitations;
mod notices;
mod passwords;
mod stop;
mod tls;
mod verification;

use std::time::Duration;

use crate::testing;

use crate::test_app::{Builder, MailServer, TestApp};

const ADA: &str = "ada@example.com";

/// Longer than the lease of an attempt and than the delay after the first failed one.
const A_WHILE: Duration = Duration::from_secs(600);

/// Starts a server that sends its mails to a mail server of its own.
async fn start(change: impl FnOnce(Builder) -> Builder) -> (TestApp, MailServer) {
    let mail = MailServer::start().await;
    let builder = TestApp::builder().config(|config| mail.configure(config));
    (change(builder).start().await, mail)
}

/// Makes an attempt at each mail that is due; returns their number.
async fn deliver(app: &TestApp) -> usize {
    let mut attempts = 0;
    while testing::deliver_mail(&app.server).await.unwrap() {
        attempts += 1;
    }
    attempts
}
