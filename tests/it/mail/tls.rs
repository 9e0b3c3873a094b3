//! Mail over TLS: after STARTTLS and from the beginning, with the certificates of the system, as the program does it.
use std::path::PathBuf;
use std::process::Command;

use crate::recovery::{Server, Site};
use crate::test_app::{MailServer, Protection, SelfSigned, wait_until};

/// "\0books\0hunter2"
const SIGN_IN: &str = "AUTH PLAIN AGJvb2tzAGh1bnRlcjI=";

/// A mail server, and an installation that signs in to it with a password.
struct Post {
    site: Site,
    mail: MailServer,
    tls: &'static str,
    /// The certificates that the program trusts.
    trusted: PathBuf,
}

impl Post {
    /// An installation with this word as the setting `tls`, which trusts the certificate only.
    async fn new(tls: &'static str, protection: Protection, trusted: &SelfSigned) -> Self {
        let site = Site::new(0).await;
        std::fs::write(site.data().join("password"), "hunter2\n").unwrap();
        let file = site.data().join("trusted.pem");
        trusted.write(&file);
        Self {
            mail: MailServer::start_with(protection).await,
            trusted: file,
            site,
            tls,
        }
    }

    fn command(&self) -> Command {
        let mut program = self.site.command(self.site.database());
        program
            .env("SSL_CERT_FILE", &self.trusted)
            .env_remove("SSL_CERT_DIR")
            .env("LINEPRESS_MAIL__HOST", self.mail.address.ip().to_string())
            .env("LINEPRESS_MAIL__PORT", self.mail.address.port().to_string())
            .env("LINEPRESS_MAIL__TLS", self.tls)
            .env("LINEPRESS_MAIL__USERNAME", "books")
            .env("LINEPRESS_MAIL__PASSWORD_FILE", self.site.data().join("password"))
            .env("LINEPRESS_MAIL__FROM", "books@example.com");
        program
    }

    /// Sends a mail from a running server; returns the commands that the mail server received.
    async fn deliver(&self) -> Vec<String> {
        let server = Server::spawn(&mut self.command());
        let page = server.base.replace("/api/v1", "/forgot-password");
        ureq::post(page).send_form([("email", "ada@example.com")]).unwrap();
        let is_sent = async || self.mail.commands().iter().any(|command| command == "QUIT");
        wait_until("a mail is sent", is_sent).await;
        let mail = self.mail.take_one();
        assert_eq!(
            (mail.from.as_str(), mail.to.as_str()),
            ("books@example.com", "ada@example.com")
        );
        self.mail.commands()
    }

    /// Returns the line of `linepress doctor` about mail.
    fn diagnosis(&self) -> String {
        let output = self.command().arg("doctor").output().unwrap();
        let report = String::from_utf8(output.stdout).unwrap();
        let line = report.lines().find(|line| line.contains("mail: "));
        line.unwrap_or_else(|| panic!("{report}")).to_owned()
    }

    /// Expects that the mail server is refused for this reason before the program signs in.
    #[track_caller]
    fn is_refused(&self, reason: &str) {
        let line = self.diagnosis();
        assert!(line.contains("cannot be used") && line.contains(reason), "{line}");
        let commands = self.mail.commands();
        assert!(
            !commands.iter().any(|command| command.starts_with("AUTH")),
            "{commands:?}"
        );
    }
}

fn own() -> SelfSigned {
    SelfSigned::new(&["127.0.0.1"])
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mail_is_sent_after_starttls() {
    let certificate = own();
    let post = Post::new("starttls", Protection::StartTls(certificate.clone()), &certificate).await;
    let commands = post.deliver().await;
    assert!(commands[0].starts_with("EHLO "), "{commands:?}");
    assert_eq!(commands[1], "STARTTLS");
    assert_eq!(
        commands[2], commands[0],
        "what the server offered before TLS does not count"
    );
    assert_eq!(commands[3], SIGN_IN);
    assert!(post.diagnosis().contains("accepts this server"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mail_is_sent_over_tls_from_the_beginning() {
    let certificate = own();
    let post = Post::new("implicit", Protection::Implicit(certificate.clone()), &certificate).await;
    let commands = post.deliver().await;
    assert!(commands[0].starts_with("EHLO "), "{commands:?}");
    assert_eq!(commands[1], SIGN_IN);
    assert!(post.diagnosis().contains("accepts this server"));
}

#[tokio::test(flavor = "multi_thread")]
async fn no_password_is_sent_to_a_mail_server_with_a_wrong_certificate() {
    let own = own();
    let of_another_name = SelfSigned::new(&["mail.test"]);
    for (certificate, trusted) in [(&own, &of_another_name), (&of_another_name, &of_another_name)] {
        for (tls, protection) in [
            ("starttls", Protection::StartTls(certificate.clone())),
            ("implicit", Protection::Implicit(certificate.clone())),
        ] {
            let post = Post::new(tls, protection, trusted).await;
            post.is_refused("certificate");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_password_is_sent_to_a_mail_server_without_tls() {
    let post = Post::new("starttls", Protection::None, &own()).await;
    post.is_refused("STARTTLS");
    let post = Post::new("implicit", Protection::None, &own()).await;
    post.is_refused("TLS");
}
