//! Versions of plugins that are rolled back because their first calls fail.
use std::path::PathBuf;

use linepress_operator::monitoring::Monitor;
use linepress_operator::plugin_rollback;
use linepress_platform::app::live_plugins;
use linepress_plugin_host::Preview;
use linepress_registry::{Active, Record, Store};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::task::JoinHandle;

use super::reload::{PACE, draw_a_book, drawn_once};
use crate::test_app::{Actor, Log, TestApp, book_of, from_environment, wait_until};

const ID: &str = "testbed.slow";

/// A server whose only image provider is installed by name, until it is dropped.
struct Server {
    app: TestApp,
    operator: Actor,
    log: Log,
    tasks: Vec<JoinHandle<()>>,
    _folder: TempDir,
}

impl Server {
    async fn start(rolls_back: bool) -> Self {
        let folder = TempDir::new().unwrap();
        let file = folder.path().join("linepress.toml");
        let text = format!(
            "image_providers = [\"{ID}\"]\n[plugins]\nrollback_on_failure = {rolls_back}\n[plugins.\"{ID}\"]\nmilliseconds = 1200\n"
        );
        std::fs::write(&file, text).unwrap();
        let app = TestApp::builder()
            .image_provider(ID, json!({"milliseconds": 1200}))
            .config(|config| {
                config.workers = 2;
                config.rollback_on_failure = rolls_back;
                config.file = Some(file.clone());
            })
            .start()
            .await;
        let tasks = vec![
            tokio::spawn(live_plugins::follow(app.server.clone(), Some(file), PACE)),
            tokio::spawn(plugin_rollback::follow(app.server.clone())),
        ];
        // Each task runs until it waits for the first time, so both have begun.
        tokio::task::yield_now().await;
        let operator = app.operator().await;
        Self {
            app,
            operator,
            log: Log::default(),
            tasks,
            _folder: folder,
        }
    }

    fn store(&self) -> Store {
        Store::new(&self.app.server.config.plugins_dir)
    }

    /// Installs a version with a changed manifest, and makes it the active one.
    fn install(&self, version: &str, change: impl FnOnce(String) -> String) {
        let plugins = &self.app.server.config.plugins_dir;
        let link = plugins.join(ID);
        if !matches!(self.store().active(ID), Ok(Active::Version(_))) {
            std::fs::remove_file(&link).unwrap();
        }
        let folder = self.unpacked(version, change);
        let preview = Preview::read(&folder, &self.app.server.config.plugins).unwrap();
        let record = Record {
            version: preview.version.clone(),
            digest: preview.digest,
            publisher: "Acme".into(),
            key: format!("ed25519:{}=", "A".repeat(43)).parse().unwrap(),
            index: "https://plugins.example.com".into(),
            manifest: None,
            installed_at: self.app.server.clock.now().to_string(),
            before: self.store().active_version(ID).unwrap(),
        };
        let locked = self.store().lock().unwrap();
        locked.place(ID, &folder, &record).unwrap();
        locked.activate(ID, &record.version).unwrap();
    }

    fn unpacked(&self, version: &str, change: impl FnOnce(String) -> String) -> PathBuf {
        let from = from_environment("LINEPRESS_TEST_TESTBED").join(ID);
        let folder = self.app.server.config.plugins_dir.join(format!(".{version}"));
        std::fs::create_dir(&folder).unwrap();
        let manifest = std::fs::read_to_string(from.join("plugin.toml")).unwrap();
        let manifest = change(manifest.replace("0.1.0", version));
        std::fs::write(folder.join("plugin.toml"), manifest).unwrap();
        std::fs::copy(from.join("plugin.wasm"), folder.join("plugin.wasm")).unwrap();
        folder
    }

    fn active(&self) -> String {
        match self.store().active(ID).unwrap() {
            Active::Version(version) => version.to_string(),
            other => panic!("{other:?}"),
        }
    }

    async fn until_logged(&self, words: &str) {
        wait_until(words, async || self.log.holds(words)).await;
    }

    async fn recorded(&self) -> Vec<Value> {
        let log = self
            .operator
            .get(&format!("/admin/audit_log?target={ID}"))
            .await
            .expect(200);
        log["audit_log"].as_array().unwrap().clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.tasks.iter().for_each(JoinHandle::abort);
    }
}

/// A version that works.
fn unchanged(manifest: String) -> String {
    manifest
}

/// A version with a deadline within which it can describe itself and not draw.
fn broken(manifest: String) -> String {
    let (usual, short) = ("deadline-s = 60", "deadline-s = 1");
    assert!(manifest.contains(usual), "{manifest}");
    manifest.replace(usual, short)
}

#[tokio::test]
async fn a_broken_update_is_rolled_back_in_the_middle_of_a_book() {
    let server = Server::start(true).await;
    server.install("0.1.0", unchanged);
    // A rollback of long ago, which no longer matters when the server goes back to this version.
    let (locked, noted) = (server.store().lock().unwrap(), "0.1.0".parse().unwrap());
    locked.note_rollback(ID, &noted, "2026-01-01T00:00:00Z").unwrap();
    drop(locked);
    server.app.server.plugins.reload().await.unwrap();
    let _captured = server.log.capture();
    let updated = async || {
        server.install("0.2.0", broken);
        server.until_logged("plugin rolled back").await;
    };
    draw_a_book(&server.app, updated).await;
    assert_eq!(server.active(), "0.1.0");
    let failures = server.store().left_out(ID).unwrap();
    let failures: Vec<String> = failures.keys().map(ToString::to_string).collect();
    assert_eq!(failures, ["0.2.0"]);
    assert!(
        server.log.holds("stopped after 1 s, the plugin's deadline"),
        "{:?}",
        server.log.lines()
    );
    let serving = server.app.server.plugins.image_provider(ID).unwrap();
    assert_eq!(serving.version().version, "0.1.0");
    let shown = server.operator.get(&format!("/admin/plugins/{ID}")).await.expect(200)["managed_plugin"].clone();
    let source = json!({
        "kind": "registry",
        "registry": "https://plugins.example.com",
        "publisher": "Acme",
        "version": "0.1.0",
        "is_changed": false,
        "stored": ["0.1.0", "0.2.0"],
    });
    assert_eq!(shown["source"], source);
    drawn_once(&server.app, &server.log).await;
    let [entry] = &server.recorded().await[..] else {
        panic!("{:?}", server.recorded().await)
    };
    assert_eq!(
        (&entry["action"], &entry["operator_id"]),
        (&json!("plugin.roll_back"), &Value::Null)
    );
    assert_eq!(
        (&entry["details"]["from"], &entry["details"]["to"]),
        (&json!("0.2.0"), &json!("0.1.0"))
    );
    let metrics = Monitor::new(server.app.server.clone()).text().await.unwrap();
    let counted = "linepress_plugin_rollbacks_total{plugin=\"testbed.slow\"} 1";
    assert!(metrics.contains(counted), "{metrics}");
}

#[tokio::test]
async fn a_version_that_is_installed_again_is_rolled_back_again() {
    let server = Server::start(true).await;
    server.install("0.1.0", unchanged);
    server.app.server.plugins.reload().await.unwrap();
    let ada = server.app.account(24).await;
    for order in ["k1", "k2"] {
        let log = Log::default();
        let _captured = log.capture();
        server.install("0.2.0", broken);
        server.app.server.plugins.reload().await.unwrap();
        ada.generate("/books", order, &book_of(12)).await.accepted();
        let workers = linepress_core::worker::Workers::start(&server.app.server);
        wait_until("a rollback", async || log.holds("plugin rolled back")).await;
        workers.stop().await;
        assert_eq!(server.active(), "0.1.0");
    }
}

/// Orders a book, and has it drawn until the log contains these words.
async fn draws_until_logged(server: &Server, words: &str) {
    let ada = server.app.account(12).await;
    ada.generate("/books", "k1", &book_of(12)).await.accepted();
    let workers = linepress_core::worker::Workers::start(&server.app.server);
    server.until_logged(words).await;
    workers.stop().await;
}

#[tokio::test]
async fn a_version_without_an_approved_earlier_one_stays_in_use() {
    let server = Server::start(true).await;
    // It asks for more than was ever granted.
    let asks = "[[http]]\norigin = \"https://api.acme.com\"\nmethods = [\"POST\"]\n";
    server.install("0.1.0", |manifest| format!("{manifest}\n{asks}"));
    server.install("0.2.0", broken);
    server.app.server.plugins.reload().await.unwrap();
    let _captured = server.log.capture();
    draws_until_logged(
        &server,
        "the version before it, 0.1.0, requests more than is approved now",
    )
    .await;
    assert_eq!(server.active(), "0.2.0");
    assert_eq!(server.recorded().await, Vec::<Value>::new());
}

#[tokio::test]
async fn nothing_is_rolled_back_without_the_setting() {
    let server = Server::start(false).await;
    server.install("0.1.0", unchanged);
    server.install("0.2.0", broken);
    server.app.server.plugins.reload().await.unwrap();
    let _captured = server.log.capture();
    draws_until_logged(&server, "with the setting `plugins.rollback_on_failure`").await;
    assert_eq!(server.active(), "0.2.0");
}
