//! The listener for metrics of the program `linepress serve`.
use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

use super::{Exposition, ask};
use crate::test_app::{binary, empty_database, install_plugins};

/// A running server, which is killed when this is dropped.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

fn serve(folder: &TempDir, database: &str, metrics_listen: &str) -> Command {
    let mut command = Command::new(binary());
    command
        .arg("serve")
        .current_dir(folder.path())
        .env("LINEPRESS_DATA_DIR", folder.path())
        .env("LINEPRESS_DATABASE_URL", database)
        .env("LINEPRESS_LISTEN", "127.0.0.1:0")
        .env("LINEPRESS_METRICS_LISTEN", metrics_listen);
    command
}

#[tokio::test]
async fn the_server_logs_the_address_of_its_metrics() {
    let folder = TempDir::new().unwrap();
    install_plugins(folder.path());
    let database = empty_database(folder.path()).await;
    let mut command = serve(&folder, &database, "127.0.0.1:0");
    let mut server = Server(command.stderr(Stdio::piped()).spawn().unwrap());
    let mut lines = BufReader::new(server.0.stderr.take().unwrap()).lines();
    let line = tokio::task::spawn_blocking(move || {
        let is_address = |line: &String| line.contains("the server offers metrics at /metrics");
        let line = lines.find_map(|line| line.ok().filter(is_address));
        // The pipe must remain open, because the server continues to log.
        (line, lines)
    });
    let (line, _lines) = line.await.unwrap();
    let line = line.unwrap();
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
    let output = serve(&folder, &database, &address).output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success());
    assert!(error.contains("metrics_listen") && error.contains("in use"), "{error}");
}
