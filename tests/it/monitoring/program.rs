//! The program `linepress serve`, and its listener for metrics.
use std::io::{BufRead as _, BufReader, Lines};
use std::net::SocketAddr;
use std::process::{Child, ChildStderr, Command, Stdio};

use tempfile::TempDir;

use super::{Exposition, ask};
use crate::test_app::{binary, empty_database, install_plugins};

/// A running server with the lines of its log. It is killed when this is dropped.
pub(super) struct RunningServer {
    process: Child,
    /// `None` while a thread reads. The pipe remains open, because the server continues to log.
    lines: Option<Lines<BufReader<ChildStderr>>>,
}

impl RunningServer {
    pub(super) fn start(mut command: Command) -> Self {
        let mut process = command.stderr(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(process.stderr.take().unwrap()).lines();
        Self {
            process,
            lines: Some(lines),
        }
    }

    /// Waits until the server has logged a line that contains `text`, and returns it.
    pub(super) async fn wait_for_line(&mut self, text: &'static str) -> String {
        let mut lines = self.lines.take().unwrap();
        let read = tokio::task::spawn_blocking(move || {
            let line = lines.find_map(|line| line.ok().filter(|line| line.contains(text)));
            (line, lines)
        });
        let (line, lines) = read.await.unwrap();
        self.lines = Some(lines);
        line.unwrap_or_else(|| panic!("the server ended without a line that contains {text:?}"))
    }
}

impl Drop for RunningServer {
    fn drop(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}

/// Returns the command of a server with its data in the folder.
pub(super) fn serve(folder: &TempDir, database: &str) -> Command {
    let mut command = Command::new(binary());
    command
        .arg("serve")
        .current_dir(folder.path())
        .env("LINEPRESS_DATA_DIR", folder.path())
        .env("LINEPRESS_DATABASE_URL", database)
        .env("LINEPRESS_LISTEN", "127.0.0.1:0");
    command
}

fn serve_metrics(folder: &TempDir, database: &str, listen: &str) -> Command {
    let mut command = serve(folder, database);
    command.env("LINEPRESS_METRICS_LISTEN", listen);
    command
}

#[tokio::test]
async fn the_server_logs_the_address_of_its_metrics() {
    let folder = TempDir::new().unwrap();
    install_plugins(folder.path());
    let database = empty_database(folder.path()).await;
    let mut server = RunningServer::start(serve_metrics(&folder, &database, "127.0.0.1:0"));
    let line = server.wait_for_line("the server offers metrics at /metrics").await;
    let (_, address) = line.split_once("listen=").unwrap();
    let address: SocketAddr = address.split_whitespace().next().unwrap().parse().unwrap();
    let (head, body) = ask(address, "/metrics").await;
    assert!(head.starts_with("HTTP/1.1 200 "), "{head}");
    assert_eq!(Exposition::parse(&body).sum("linepress_database_up", &[]), 1.0);
}

#[tokio::test]
async fn an_address_in_use_stops_the_start() {
    let folder = TempDir::new().unwrap();
    let database = empty_database(folder.path()).await;
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let output = serve_metrics(&folder, &database, &address).output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success());
    assert!(error.contains("metrics_listen") && error.contains("in use"), "{error}");
}
