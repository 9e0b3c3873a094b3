//! The stop of a server that is sending a mail.
use std::net::TcpListener;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::recovery::{Server, Site};
use crate::test_app::block_until;

/// The time that the units of the packages allow for everything but `shutdown_grace_seconds`, which is one here.
const MAX_STOP_DURATION: Duration = Duration::from_secs(1 + 26);

#[tokio::test(flavor = "multi_thread")]
async fn a_server_whose_mail_server_is_silent_ends_when_it_is_asked_to() {
    let site = Site::new(0).await;
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut program = site.command(site.database());
    program
        .env("LINEPRESS_MAIL__HOST", "127.0.0.1")
        .env("LINEPRESS_MAIL__PORT", silent.local_addr().unwrap().port().to_string())
        .env("LINEPRESS_MAIL__TLS", "none")
        .env("LINEPRESS_MAIL__FROM", "books@example.com");
    let mut server = Server::spawn(&mut program);
    let page = server.base.replace("/api/v1", "/forgot-password");
    ureq::post(page).send_form([("email", "ada@example.com")]).unwrap();
    let _connection = silent.accept().unwrap();
    let id = server.process.id().to_string();
    let began = Instant::now();
    assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
    block_until("the server ends", || server.process.try_wait().unwrap().is_some());
    assert!(began.elapsed() < MAX_STOP_DURATION, "{:?}", began.elapsed());
}
