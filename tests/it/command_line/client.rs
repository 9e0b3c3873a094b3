//! `linepress client`: what a customer types, against a server that listens on a port.
use std::path::Path;
use std::process::{Output, Stdio};
use std::time::Duration;

use linepress_http::listener::{self, ConnectionLimits};
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::net::TcpListener;
use tokio::process::Command;

use super::error_of;
use crate::test_app::{Actor, TestApp, binary};

/// A server on a port, and the folder of a customer.
struct Shop {
    app: TestApp,
    ada: Actor,
    address: String,
    folder: TempDir,
}

impl Shop {
    async fn open() -> Self {
        let app = TestApp::start().await;
        let ada = app.account(10).await;
        let socket = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", socket.local_addr().unwrap());
        let limits = ConnectionLimits::default();
        tokio::spawn(listener::serve(socket, app.router(), limits, std::future::pending()));
        Self {
            app,
            ada,
            address,
            folder: TempDir::new().unwrap(),
        }
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(binary());
        command
            .arg("client")
            .args(arguments)
            .env_clear()
            // The command reads no settings and opens no database.
            .env("LINEPRESS_DATABASE_URL", "postgres://127.0.0.1:9/none")
            .env("LINEPRESS_URL", &self.address)
            .env("LINEPRESS_KEY", self.ada.key().unwrap())
            .current_dir(self.folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        command
    }

    /// Runs a command while the server draws.
    async fn types(&self, arguments: &[&str]) -> Output {
        let draws = async {
            loop {
                self.app.draw_what_is_due().await;
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        tokio::select! {
            output = self.command(arguments).output() => output.unwrap(),
            () = draws => unreachable!("the server draws until the command has ended"),
        }
    }

    fn files(&self) -> usize {
        std::fs::read_dir(self.folder.path()).unwrap().count()
    }
}

/// The arguments that order a book of two pages and save its PDF.
const ORDER: [&str; 8] = [
    "book",
    "--theme",
    "A woodland day",
    "--pages",
    "2",
    "--yes",
    "--pdf",
    "book.pdf",
];

fn is_pdf(file: &Path) -> bool {
    std::fs::read(file).unwrap().starts_with(b"%PDF-")
}

#[tokio::test]
async fn a_book_is_planned_ordered_drawn_and_saved() {
    let shop = Shop::open().await;
    let output = shop.types(&ORDER).await;
    assert!(output.status.success(), "{}", error_of(&output));
    let printed = String::from_utf8(output.stdout.clone()).unwrap();
    let lines: Vec<&str> = printed.lines().collect();
    assert!(lines[0].starts_with("op_") && lines[0].contains(" book_"), "{printed}");
    assert_eq!(lines[1..], ["book.pdf"]);
    assert!(error_of(&output).contains("Price: 2 credits"), "{}", error_of(&output));
    assert!(is_pdf(&shop.folder.path().join("book.pdf")));
    assert_eq!(shop.files(), 1);
    assert_eq!(shop.ada.credits().await, 8);
}

#[tokio::test]
async fn nothing_is_ordered_without_consent_or_a_place_for_the_file() {
    let shop = Shop::open().await;
    let theme = ["book", "--theme", "A woodland day", "--pages", "2"];
    for (arguments, problem) in [
        (&[][..], "Repeat the command with --yes"),
        (
            &["--yes", "--pdf", "missing/book.pdf"],
            "missing/book.pdf cannot be written",
        ),
        (&["--yes", "--pdf", "."], "book"),
        (&["--yes", "--key", "lp_wrong"], "unauthorized"),
        (
            &["--yes", "--url", "ftp://books.example.com"],
            "not the address of a server",
        ),
        (
            &["--yes", "--audience", "cat"],
            "possible values: toddler, child, teen, adult",
        ),
        (&["--yes", "--edition", "kdp"], "--pdf <FILE>"),
    ] {
        let output = shop.types(&[&theme[..], arguments].concat()).await;
        assert!(!output.status.success(), "{arguments:?}");
        if problem != "book" {
            assert!(
                error_of(&output).contains(problem),
                "{arguments:?}: {}",
                error_of(&output)
            );
        }
        assert!(output.stdout.is_empty(), "{arguments:?}");
    }
    assert_eq!(shop.ada.credits().await, 10);
    assert_eq!(shop.files(), 0);
}

#[tokio::test]
async fn an_interrupted_command_leaves_the_order_and_says_how_to_go_on() {
    let shop = Shop::open().await;
    let mut child = shop.command(&ORDER).spawn().unwrap();
    let mut ids = String::new();
    let mut printed = BufReader::new(child.stdout.take().unwrap());
    printed.read_line(&mut ids).await.unwrap();
    // The command begins to wait for signals after it has printed the ids.
    tokio::time::sleep(Duration::from_secs(1)).await;
    let process = child.id().unwrap().to_string();
    let sent = std::process::Command::new("kill").args(["-INT", &process]).status();
    assert!(sent.unwrap().success());
    let output = child.wait_with_output().await.unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", error_of(&output));
    let id = ids.split_whitespace().next().unwrap();
    let advice = format!("linepress client wait {id} --pdf book.pdf");
    assert!(error_of(&output).contains(&advice), "{}", error_of(&output));
    assert_eq!(shop.files(), 0);

    let output = shop.types(&["wait", id, "--pdf", "book.pdf"]).await;
    assert!(output.status.success(), "{}", error_of(&output));
    assert!(is_pdf(&shop.folder.path().join("book.pdf")));
    assert_eq!(shop.ada.credits().await, 8);
}
