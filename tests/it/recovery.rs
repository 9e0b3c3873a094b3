//! The server as a process: killed in the middle of a book, it loses nothing and charges nothing twice.
use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::test_app::{ObjectStore, binary, empty_database, install_plugins, make_tables};

/// Much longer than the drawings of these tests take.
const MAX_DRAWING_TIME: Duration = Duration::from_secs(600);

pub(crate) struct Server {
    pub process: Child,
    pub base: String,
}

impl Server {
    /// Starts the program as a server and waits until it is ready.
    pub(crate) fn spawn(program: &mut Command) -> Self {
        Self::spawn_with(program, &[])
    }

    /// Starts the program with these arguments of `serve`.
    pub(crate) fn spawn_with(program: &mut Command, arguments: &[&str]) -> Self {
        let port = std::net::TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap()
            .port();
        let mut process = program
            .arg("serve")
            .args(arguments)
            .env("LINEPRESS_LISTEN", format!("127.0.0.1:{port}"))
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut log = BufReader::new(process.stderr.take().unwrap());
        let mut line = String::new();
        while log.read_line(&mut line).unwrap() > 0 && !line.contains("serving") {
            line.clear();
        }
        assert!(line.contains("serving"), "the server did not start");
        // An unread pipe would fill up and block the server.
        std::thread::spawn(move || std::io::copy(&mut log, &mut std::io::sink()));
        Self {
            process,
            base: format!("http://127.0.0.1:{port}/api/v1"),
        }
    }

    pub(crate) fn get(&self, key: &str, path: &str) -> Value {
        let url = if path.starts_with("/api") {
            self.base.replace("/api/v1", path)
        } else {
            format!("{}{path}", self.base)
        };
        let mut reply = ureq::get(&url)
            .header("authorization", &format!("Bearer {key}"))
            .call()
            .unwrap();
        reply.body_mut().read_json().unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // SIGKILL gives the server no chance to clean up.
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}

fn command(data: &Path, plugins: &Path, database: &str, objects: &ObjectStore) -> Command {
    let mut command = Command::new(binary());
    command
        .current_dir(data)
        // A server must not write to the system's temporary folder.
        .env("TMPDIR", data.join("no-such-folder"))
        .env("LINEPRESS_DATA_DIR", data)
        .env("LINEPRESS_PLUGINS_DIR", plugins)
        .env("LINEPRESS_DATABASE_URL", database)
        .env("LINEPRESS_IMAGE_PROVIDERS", "testbed.slow")
        .env("LINEPRESS_LEASE_SECONDS", "2")
        .env("LINEPRESS_SHUTDOWN_GRACE_SECONDS", "1")
        .env("LINEPRESS_WORKERS", "2")
        .envs(objects.variables());
    command
}

/// A data folder with an account of 30 credits and its key, for a provider with a configurable delay.
pub(crate) struct Site {
    folder: TempDir,
    plugins: PathBuf,
    database: String,
    objects: ObjectStore,
    pub key: String,
}

impl Site {
    pub(crate) async fn new(milliseconds: u64) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let plugins = install_plugins(folder.path());
        let database = empty_database(folder.path()).await;
        let objects = ObjectStore::of_this_run();
        let settings = format!("[plugins.\"testbed.slow\"]\nmilliseconds = {milliseconds}\n");
        std::fs::write(folder.path().join("linepress.toml"), settings).unwrap();
        let run = |line: &str| {
            let mut command = command(folder.path(), &plugins, &database, &objects);
            let output = command.args(line.split(' ')).output().unwrap();
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            String::from_utf8(output.stdout).unwrap().trim().to_owned()
        };
        make_tables(&database).await;
        run("account create --email ada@example.com --credits 30");
        let key = run("key create --email ada@example.com --name test");
        Self {
            folder,
            plugins,
            database,
            objects,
            key,
        }
    }

    pub(crate) fn data(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn start(&self) -> Server {
        self.start_on(&self.database)
    }

    /// Starts the server on the same database at another address.
    pub(crate) fn start_on(&self, database: &str) -> Server {
        Server::spawn(&mut self.command(database))
    }

    /// Returns the command for a database at another address.
    pub(crate) fn command(&self, database: &str) -> Command {
        command(self.folder.path(), &self.plugins, database, &self.objects)
    }

    pub(crate) fn database(&self) -> &str {
        &self.database
    }

    pub(crate) fn generate(&self, server: &Server, path: &str, body: &Value) -> Value {
        let mut reply = ureq::post(format!("{}{path}", server.base))
            .header("authorization", &format!("Bearer {}", self.key))
            .header("idempotency-key", "k1")
            .send_json(body)
            .unwrap();
        reply.body_mut().read_json().unwrap()
    }
}

#[tokio::test]
async fn a_server_killed_in_the_middle_of_a_book_finishes_it_and_charges_once() {
    let site = Site::new(200).await;
    let key = &site.key;
    let mut server = site.start();
    let pages: Vec<_> = (0..12)
        .map(|number| json!({"title": format!("Page {number}")}))
        .collect();
    let accepted = site.generate(&server, "/books", &json!({"book": {"title": "B", "pages": pages}}));
    let path = format!("/operations/{}", accepted["operation"]["id"].as_str().unwrap());

    let began = Instant::now();
    let mut kills = 0;
    let mut killed_at = 0;
    let operation = loop {
        let operation = server.get(key, &path)["operation"].clone();
        let completed = operation["progress"]["completed"].as_i64().unwrap();
        if !operation["finished_at"].is_null() {
            break operation;
        }
        if kills < 2 && completed >= killed_at + 3 {
            kills += 1;
            killed_at = completed;
            drop(server);
            server = site.start();
        }
        assert!(began.elapsed() < MAX_DRAWING_TIME, "it is not drawn yet: {operation}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    };
    assert_eq!(kills, 2);
    assert_eq!(operation["status"], "succeeded");
    assert_eq!(
        operation["progress"],
        json!({"completed": 13, "failed": 0, "total": 13})
    );
    assert_eq!(operation["credits"], json!({"charged": 12, "refunded": 0}));
    assert_eq!(
        server.get(key, "/me")["account"]["credits"],
        json!({"available": 18, "spent": 12, "refunded": 0})
    );
    let book = server.get(key, &format!("/books/{}", accepted["book"]["id"].as_str().unwrap()))["book"].clone();
    assert_eq!(book["status"], "ready");
    for page in book["pages"].as_array().unwrap() {
        // No page of the book was drawn twice.
        assert_eq!(page["image"]["revision"], 1);
    }
}

#[tokio::test]
async fn a_drawing_that_takes_longer_than_its_lease_is_drawn_once() {
    let site = Site::new(5000).await;
    let server = site.start();
    let accepted = site.generate(&server, "/pages", &json!({"page": {"title": "A fox"}}));
    let path = format!("/operations/{}", accepted["operation"]["id"].as_str().unwrap());
    let began = Instant::now();
    let operation = loop {
        let operation = server.get(&site.key, &path)["operation"].clone();
        if !operation["finished_at"].is_null() {
            break operation;
        }
        assert!(began.elapsed() < MAX_DRAWING_TIME, "it is not drawn yet: {operation}");
        tokio::time::sleep(Duration::from_millis(100)).await;
    };
    assert_eq!(operation["status"], "succeeded");
    // Each claim writes to a separate folder: another worker with the same drawing would have left a second one.
    let keys = site.objects.keys(site.data());
    let folders = keys.iter().filter(|key| key.starts_with("drawings/"));
    let claims: BTreeSet<_> = folders.map(|key| key.rsplit_once('/').unwrap().0).collect();
    assert_eq!(claims.len(), 1, "{claims:?}");
}
