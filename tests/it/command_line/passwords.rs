//! `linepress account create --password-stdin`, `set-password` and `reset-link`, and the link that a first start
//! prints.
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Output, Stdio};

use linepress_accounts::sign_in;
use linepress_accounts::sign_in::second_factor::PasswordSignIn;

use super::{Operator, error_of};
use crate::test_app::{TestApp, all_accounts};

impl Operator {
    /// Runs the command with this text on standard input.
    fn types_with(&self, line: &str, input: &str) -> Output {
        let mut command = self.command(line);
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut running = command.spawn().unwrap();
        running.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        running.wait_with_output().unwrap()
    }
}

#[tokio::test]
async fn an_operator_sets_passwords_and_creates_links() {
    let operator = Operator::new().await;
    let made = operator.types_with(
        "account create --email ada@example.com --password-stdin",
        "correct horse battery\n",
    );
    assert!(made.status.success(), "{}", error_of(&made));
    let weak = operator.types_with("account create --email bob@example.com --password-stdin", "short\n");
    assert!(
        !weak.status.success() && error_of(&weak).contains("must be 10 to 200 characters"),
        "{weak:?}"
    );
    assert!(
        operator
            .is_refused("account show --email bob@example.com")
            .contains("no account")
    );
    let link = operator.reads("account reset-link --email ada@example.com");
    let token = link.trim().rsplit_once("/reset/").unwrap().1.to_owned();
    assert_eq!(token.len(), 43, "{link}");

    let app = TestApp::start().await;
    let server = app
        .another_node_with(|config| config.database_url.clone_from(&operator.database))
        .await;
    let works = async |password: &str| {
        let signed_in = sign_in::with_password(&server, "ada@example.com", password, "::1")
            .await
            .unwrap();
        match signed_in? {
            PasswordSignIn::Complete(session) => Some(session.token.expose().to_owned()),
            PasswordSignIn::AwaitsCode(_) => None,
        }
    };
    let session = works("correct horse battery").await.unwrap();
    assert!(sign_in::find_session(&server, &session).await.unwrap().is_some());
    assert!(sign_in::account_of_password_reset(&server, &token).await.is_ok());

    let set = operator.types_with(
        "account set-password --email ada@example.com",
        "another horse battery\r\n",
    );
    assert!(set.status.success(), "{}", error_of(&set));
    assert!(works("correct horse battery").await.is_none());
    assert!(works("another horse battery").await.is_some());
    assert!(sign_in::find_session(&server, &session).await.unwrap().is_none());
    assert!(
        sign_in::account_of_password_reset(&server, &token)
            .await
            .unwrap()
            .is_none()
    );
    for empty in ["", "\n"] {
        let refused = operator.types_with("account set-password --email ada@example.com", empty);
        assert!(
            error_of(&refused).contains("must be 10 to 200 characters"),
            "{refused:?}"
        );
    }
    operator.reads("account close --email ada@example.com");
    let closed = operator.is_refused("account reset-link --email ada@example.com");
    assert!(
        closed.contains("is closed; give it a plan to open it again"),
        "{closed}"
    );
}

#[tokio::test]
async fn a_first_start_prints_a_link_and_a_start_with_an_account_does_not() {
    let operator = Operator::before_the_first_start().await;
    let start = || {
        let mut command = operator.command("serve");
        command
            .env("LINEPRESS_LISTEN", "127.0.0.1:0")
            .env("LINEPRESS_PUBLIC_URL", "https://books.example");
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().unwrap()
    };
    let mut first = start();
    let mut lines = BufReader::new(first.stdout.take().unwrap()).lines();
    assert!(lines.next().unwrap().unwrap().starts_with("There is no account yet."));
    let link = lines.next().unwrap().unwrap();
    first.kill().unwrap();
    let logged = String::from_utf8(first.wait_with_output().unwrap().stderr).unwrap();
    let token = link.strip_prefix("https://books.example/first-account/").unwrap();
    let app = TestApp::start().await;
    let server = app
        .another_node_with(|config| config.database_url.clone_from(&operator.database))
        .await;
    assert!(sign_in::offer_first_account(&server).await.unwrap().is_some());
    assert!(all_accounts(&server).await.is_empty());
    assert_eq!(token.len(), 43);
    // Logs are stored, and other people may read them.
    assert!(logged.contains("there is no account yet"), "{logged}");
    assert!(
        !logged.contains(token) && !logged.contains("/first-account/"),
        "{logged}"
    );

    operator.reads("account create --email ada@example.com");
    let mut second = start();
    let mut log = BufReader::new(second.stderr.take().unwrap()).lines();
    assert!(log.any(|line| line.unwrap().contains("serving")));
    second.kill().unwrap();
    let printed = second.wait_with_output().unwrap().stdout;
    assert_eq!(String::from_utf8(printed).unwrap(), "");
}
