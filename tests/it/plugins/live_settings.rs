//! Settings about plugins that change while a server runs.
use std::collections::BTreeMap;
use std::path::PathBuf;

use linepress_platform::app::live_plugins;
use linepress_plugin_host::{ChangingPlugin, Preview, stored_plugin};
use serde_json::json;
use tempfile::TempDir;
use tokio::task::JoinHandle;

use super::reload::{PACE, draw_a_book, drawn_once, exchange};
use crate::test_app::{Log, TestApp, wait_until};

/// A server that follows its settings file, until it is dropped.
struct Server {
    app: TestApp,
    file: PathBuf,
    log: Log,
    following: JoinHandle<()>,
    _folder: TempDir,
}

const START: &str = "image_providers = [\"testbed.slow\"]\n[plugins.\"testbed.slow\"]\nmilliseconds = 150\n";

impl Server {
    async fn start() -> Self {
        let folder = TempDir::new().unwrap();
        let file = folder.path().join("linepress.toml");
        std::fs::write(&file, START).unwrap();
        let app = TestApp::builder()
            .image_provider("testbed.slow", json!({"milliseconds": 150}))
            .installed("testbed.plain")
            .installed("testbed.moody")
            .config(|config| {
                config.workers = 2;
                config.file = Some(file.clone());
            })
            .start()
            .await;
        let following = tokio::spawn(live_plugins::follow(app.server.clone(), Some(file.clone()), PACE));
        // The task runs until it waits for the first time, so it has seen the file in its first state.
        tokio::task::yield_now().await;
        Self {
            app,
            file,
            log: Log::default(),
            following,
            _folder: folder,
        }
    }

    fn write(&self, text: &str) {
        std::fs::write(&self.file, text).unwrap();
    }

    async fn until_logged(&self, words: &str) {
        wait_until(words, async || self.log.holds(words)).await;
    }

    fn providers(&self) -> Vec<String> {
        self.app.server.live().image_providers.clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.following.abort();
    }
}

#[tokio::test]
async fn a_provider_that_the_file_names_for_the_first_time_draws_the_rest_of_a_book() {
    let server = Server::start().await;
    let _captured = server.log.capture();
    let named = async || {
        server.write(&START.replace("[\"testbed.slow\"]", "[\"testbed.plain\"]"));
        server.until_logged("plugins chosen").await;
    };
    draw_a_book(&server.app, named).await;
    assert_eq!(server.providers(), ["testbed.plain"]);
    let drawn = drawn_once(&server.app, &server.log).await;
    let by = |id: &str| drawn.iter().filter(|(_, provider)| provider == id).count();
    // The drawings in progress ended with the provider they began with, and each was drawn once.
    assert!(by("testbed.slow") >= 4 && by("testbed.plain") >= 1, "{drawn:?}");
}

#[tokio::test]
async fn a_broken_settings_file_leaves_the_previous_settings_in_use() {
    let server = Server::start().await;
    let _captured = server.log.capture();
    server.write("image_providers = [\"testbed.plain\"]\nworkers = \"many\"\n");
    server.until_logged("the previous settings remain in use").await;
    let problem = "line 2: `workers`: must be a whole number";
    assert!(server.log.holds(problem), "{:?}", server.log.lines());
    assert_eq!(server.providers(), ["testbed.slow"]);
    server.write("image_providers = [\"testbed.plain\"]\nplanner = \"testbed.moody\"\n");
    server.until_logged("plugins chosen").await;
    let live = server.app.server.live();
    assert_eq!(
        (live.planner.as_str(), server.providers()),
        ("testbed.moody", vec!["testbed.plain".to_owned()])
    );
}

#[tokio::test]
async fn a_setting_that_a_plugin_does_not_allow_leaves_the_previous_settings_in_use() {
    let server = Server::start().await;
    let schema = json!({
        "type": "object",
        "additionalProperties": false,
        "properties": {"milliseconds": {"type": "integer", "minimum": 0, "maximum": 1000}},
    });
    server.app.describe_settings("testbed.slow", &schema).await;
    let _captured = server.log.capture();
    let wrong = START
        .replace("150", "9000")
        .replace("[\"testbed.slow\"]", "[\"testbed.plain\"]");
    server.write(&wrong);
    server.until_logged("a setting that a plugin does not allow").await;
    let problem = "`milliseconds` must be at most 1000 in [plugins.";
    assert!(server.log.holds(problem), "{:?}", server.log.lines());
    assert_eq!(server.providers(), ["testbed.slow"]);
    // It is also shown to operators.
    let operator = server.app.operator().await;
    let shown = operator.get("/admin/settings").await.expect(200)["settings_in_force"].clone();
    assert!(shown["problem"].as_str().unwrap().contains("`milliseconds`"), "{shown}");
    server.write(&wrong.replace("9000", "900"));
    server.until_logged("plugins chosen").await;
    assert_eq!(server.providers(), ["testbed.plain"]);
}

#[tokio::test]
async fn a_version_and_its_approval_take_effect_together_and_once() {
    let server = Server::start().await;
    let _captured = server.log.capture();
    let plugins = &server.app.server.config.plugins_dir;
    let (link, stored) = (
        plugins.join("testbed.slow"),
        plugins.join(stored_plugin("testbed.slow")),
    );
    std::fs::create_dir_all(&stored).unwrap();
    let changing = ChangingPlugin::begin(&stored).unwrap();
    exchange(&link, "0.2.0");
    let manifest = link.join("plugin.toml");
    let asks = "[[http]]\norigin = \"https://api.acme.com\"\nmethods = [\"POST\"]\n";
    std::fs::write(&manifest, std::fs::read_to_string(&manifest).unwrap() + "\n" + asks).unwrap();
    // Time enough for several looks at a version that is not approved.
    tokio::time::sleep(PACE.poll * 5).await;
    let digest = Preview::read(&link, &BTreeMap::new()).unwrap().digest;
    let grant = "origins = [\"https://api.acme.com:443\"]";
    let approved = format!("{START}[grants.\"testbed.slow\"]\ndigest = \"{digest}\"\n{grant}\n");
    server.write(&approved);
    drop(changing);
    server.until_logged("plugin replaced").await;
    // Another change, whose line would come after a second one about this change.
    server.write(&approved.replace("[\"testbed.slow\"]", "[\"testbed.plain\"]"));
    server.until_logged("plugins chosen").await;
    assert_eq!(server.log.count("plugin replaced"), 1, "{:?}", server.log.lines());
    assert!(!server.log.holds("plugin refused"), "{:?}", server.log.lines());
}

#[tokio::test]
async fn a_plugin_that_is_being_changed_holds_back_neither_the_settings_nor_other_plugins() {
    let server = Server::start().await;
    let _captured = server.log.capture();
    let plugins = &server.app.server.config.plugins_dir;
    let stored = plugins.join(stored_plugin("testbed.slow"));
    std::fs::create_dir_all(&stored).unwrap();
    let changing = ChangingPlugin::begin(&stored).unwrap();
    exchange(&plugins.join("testbed.slow"), "0.2.0");
    exchange(&plugins.join("testbed.moody"), "0.3.0");
    server.until_logged("version=0.3.0").await;
    server.write(&START.replace("[\"testbed.slow\"]", "[\"testbed.plain\"]"));
    server.until_logged("plugins chosen").await;
    assert!(!server.log.holds("version=0.2.0"), "{:?}", server.log.lines());
    drop(changing);
    server.until_logged("version=0.2.0").await;
}
