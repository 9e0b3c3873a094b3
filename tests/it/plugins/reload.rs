//! Plugins that are added, changed and removed while a server runs.
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use linepress_core::operations::OperationStatus;
use linepress_core::worker::Workers;
use linepress_platform::app::live_plugins;
use linepress_platform::config::ProviderSettings;
use linepress_plugin_host::{CallError, Pace, Plugins};
use serde_json::json;
use tokio::task::JoinHandle;

use super::folder::{Folder, draw};
use crate::test_app::{Log, TestApp, book_of, from_environment, wait_until};

pub(crate) const PACE: Pace = Pace {
    quiet: Duration::from_millis(100),
    poll: Duration::from_millis(200),
    retry: Duration::from_millis(400),
};

/// Watches the folders as a server does, until it is dropped.
struct Live {
    plugins: Plugins,
    watching: JoinHandle<()>,
}

impl Live {
    async fn new(folder: &Folder) -> Self {
        Self::at(PACE, folder).await
    }

    async fn at(pace: Pace, folder: &Folder) -> Self {
        let plugins = folder.load().await;
        let mut watch = plugins.watch(None, pace).await.unwrap();
        let watched = plugins.clone();
        let watching = tokio::spawn(async move {
            loop {
                let changes = watch.next().await;
                watched.apply(&changes).await;
            }
        });
        Self { plugins, watching }
    }

    fn serves(&self, name: &str) -> bool {
        self.plugins.image_provider(&format!("testbed.{name}")).is_some()
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        self.watching.abort();
    }
}

async fn until(what: &str, is_so: impl Fn() -> bool) {
    wait_until(what, async || is_so()).await;
}

fn within(folder: &Folder, name: &str) -> PathBuf {
    folder.settings.directory.join(name)
}

#[tokio::test]
async fn an_added_folder_is_loaded_and_a_removed_one_is_unloaded() {
    let folder = Folder::with(&["plain"]);
    let log = Log::default();
    let _captured = log.capture();
    let live = Live::new(&folder).await;
    folder.copy("slow", "slow");
    until("it is loaded", || live.serves("slow")).await;
    std::fs::remove_dir_all(within(&folder, "slow")).unwrap();
    until("it ends", || !live.serves("slow")).await;
    draw(&live.plugins, "plain", 1).await.unwrap();
    until("all is logged", || log.holds("plugin removed")).await;
    let about_it = |line: &&String| line.contains("plugin=\"testbed.slow\"") && line.contains("version=0.1.0");
    assert_eq!(log.lines().iter().filter(about_it).count(), 2, "{:?}", log.lines());
}

#[tokio::test]
async fn a_linked_folder_is_watched_as_well() {
    let folder = Folder::with(&["plain"]);
    let elsewhere = folder.directory.path().join("elsewhere");
    std::fs::rename(within(&folder, "plain"), &elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, within(&folder, "plain")).unwrap();
    let log = Log::default();
    let _captured = log.capture();
    let live = Live::new(&folder).await;
    folder.rewrite("plain", "0.1.0", "0.2.0");
    until("it is replaced", || log.holds("plugin replaced")).await;
    assert!(live.serves("plain"));
}

#[tokio::test]
async fn a_folder_that_is_still_being_copied_is_not_loaded() {
    const PIECES: usize = 20;
    let pace = Pace {
        quiet: Duration::from_millis(300),
        ..PACE
    };
    for _ in 0..10 {
        let folder = Folder::with(&["plain"]);
        let log = Log::default();
        let _captured = log.capture();
        let live = Live::at(pace, &folder).await;
        let whole = folder.copy("slow", ".slow");
        let wasm = std::fs::read(whole.join("plugin.wasm")).unwrap();
        let copy = within(&folder, "slow");
        let mut last_change = Instant::now();
        std::fs::create_dir(&copy).unwrap();
        std::fs::copy(whole.join("plugin.toml"), copy.join("plugin.toml")).unwrap();
        // The copying takes longer than a folder has to be unchanged, in pieces with shorter pauses.
        let mut longest_pause = Duration::ZERO;
        for piece in 1..=PIECES {
            tokio::time::sleep(pace.quiet / 10).await;
            let change = Instant::now();
            std::fs::write(copy.join("plugin.wasm"), &wasm[..wasm.len() * piece / PIECES]).unwrap();
            longest_pause = longest_pause.max(last_change.elapsed());
            last_change = change;
        }
        // On a machine that was busy for longer, the folder may rightly have been loaded in the middle.
        if longest_pause < pace.quiet {
            until("it is loaded", || live.serves("slow")).await;
            assert!(!log.holds("refused"), "{:?}", log.lines());
            return;
        }
    }
    panic!("the machine was always too busy to copy a folder without a long pause");
}

#[tokio::test]
async fn a_call_finishes_with_the_version_it_began_with() {
    let log = Log::default();
    let _captured = log.capture();
    for milliseconds in [400, 2_000, 10_000, 50_000] {
        let folder = Folder::with(&["slow"]).configure("slow", json!({"milliseconds": milliseconds}));
        let plugins = folder.load().await;
        let busy = plugins.clone();
        let drawing = tokio::spawn(async move { draw(&busy, "slow", 1).await });
        tokio::task::yield_now().await;
        folder.rewrite("slow", "0.1.0", "0.2.0");
        // The new version panics because of these settings.
        plugins
            .configure(|settings| drop(settings.config.insert("testbed.slow".into(), json!({"hurry": true}))))
            .await;
        plugins.reload().await.unwrap();
        // A busy machine may take longer to load the new version than the call takes.
        let is_in_time = !drawing.is_finished();
        let error = draw(&plugins, "slow", 1).await.unwrap_err();
        assert!(matches!(error, CallError::Trapped(_)), "{error}");
        drawing.await.unwrap().unwrap();
        if is_in_time {
            break;
        }
        assert!(
            milliseconds < 50_000,
            "the call always ended before the new version was loaded"
        );
    }
    let replaced = "plugin replaced: it was version 0.1.0";
    let line = log.lines().into_iter().rfind(|line| line.contains(replaced)).unwrap();
    for part in ["plugin=\"testbed.slow\"", "version=0.2.0", "digest="] {
        assert!(line.contains(part), "{part} is missing: {line}");
    }
}

#[tokio::test]
async fn a_broken_new_version_is_reported_and_the_old_one_stays_loaded() {
    let folder = Folder::with(&["plain"]);
    let plugins = folder.load().await;
    let drawn = draw(&plugins, "plain", 1).await.unwrap();
    let wasm = within(&folder, "plain").join("plugin.wasm");
    let good = std::fs::read(&wasm).unwrap();
    let log = Log::default();
    let _captured = log.capture();
    std::fs::write(&wasm, b"\0asm").unwrap();
    plugins.reload().await.unwrap();
    assert_eq!(draw(&plugins, "plain", 1).await.unwrap(), drawn);
    assert_eq!(plugins.refusals().len(), 1);
    let line = log.lines().pop().unwrap();
    for part in [
        "ERROR",
        "the previous version stays loaded",
        "version=0.1.0",
        "the SHA-256 of plugin.wasm is",
    ] {
        assert!(line.contains(part), "{part} is missing: {line}");
    }
    // Another check of the unchanged folder logs nothing.
    plugins.reload().await.unwrap();
    assert_eq!(log.lines().len(), 1);
    std::fs::remove_file(within(&folder, "plain").join("plugin.toml")).unwrap();
    plugins.reload().await.unwrap();
    assert_eq!(draw(&plugins, "plain", 1).await.unwrap(), drawn);

    std::fs::remove_dir_all(within(&folder, "plain")).unwrap();
    folder.copy("plain", "plain");
    std::fs::write(&wasm, good).unwrap();
    plugins.reload().await.unwrap();
    assert_eq!(plugins.refusals(), []);
    assert!(log.lines().pop().unwrap().contains("plugin replaced"));
}

#[tokio::test]
async fn a_plugin_that_moves_to_another_folder_stays_loaded() {
    let folder = Folder::with(&["plain"]);
    let plugins = folder.load().await;
    let second = folder.copy("plain", "second");
    plugins.reload().await.unwrap();
    let [refusal] = &plugins.refusals()[..] else {
        panic!("{:?}", plugins.refusals())
    };
    assert_eq!(refusal.folder, second);
    std::fs::remove_dir_all(within(&folder, "plain")).unwrap();
    plugins.reload().await.unwrap();
    assert_eq!(plugins.refusals(), []);
    std::fs::rename(second, within(&folder, "first")).unwrap();
    plugins.reload().await.unwrap();
    draw(&plugins, "plain", 1).await.unwrap();
    let installed = plugins.installed();
    assert_eq!(installed.len(), 1);
    assert_eq!(installed[0].folder, within(&folder, "first"));
    assert_eq!(installed[0].serving.as_ref().unwrap().version, "0.1.0");
}

#[tokio::test]
async fn an_unreadable_directory_unloads_no_plugin() {
    let folder = Folder::with(&["plain"]);
    let log = Log::default();
    let _captured = log.capture();
    let live = Live::new(&folder).await;
    let away = folder.directory.path().join("away");
    std::fs::rename(&folder.settings.directory, &away).unwrap();
    until("it is told", || log.holds("plugins remain unchanged")).await;
    assert!(live.plugins.reload().await.is_err());
    draw(&live.plugins, "plain", 1).await.unwrap();
    std::fs::rename(&away, &folder.settings.directory).unwrap();
    std::fs::remove_dir_all(within(&folder, "plain")).unwrap();
    until("it is looked after again", || !live.serves("plain")).await;
    let told = log
        .lines()
        .iter()
        .filter(|line| line.contains("plugins remain unchanged"))
        .count();
    assert_eq!(told, 1);
}

#[tokio::test]
async fn a_plugin_is_loaded_while_all_places_for_calls_are_taken() {
    let mut folder = Folder::with(&["slow"]).configure("slow", json!({"milliseconds": 60_000}));
    folder.settings.max_concurrent_calls.image_providers = 1;
    let plugins = folder.load().await;
    let busy = plugins.clone();
    let drawing = tokio::spawn(async move { draw(&busy, "slow", 1).await });
    tokio::task::yield_now().await;
    folder.copy("plain", "plain");
    plugins.reload().await.unwrap();
    assert!(plugins.image_provider("testbed.plain").is_some());
    assert!(!drawing.is_finished());
    drawing.abort();
}

#[tokio::test]
async fn compiled_code_of_replaced_plugins_is_stored_for_a_while() {
    let mut folder = Folder::with(&["plain"]);
    folder.settings.cache_directory = folder.directory.path().join("compiled");
    let plugins = folder.load().await;
    let compiled = || std::fs::read_dir(&folder.settings.cache_directory).unwrap().count();
    folder.copy("slow", "slow");
    plugins.reload().await.unwrap();
    assert_eq!(compiled(), 2);
    std::fs::remove_dir_all(within(&folder, "slow")).unwrap();
    plugins.reload().await.unwrap();
    // The compiled code is reused if the operator returns to the old version soon.
    assert_eq!(compiled(), 2);
}

#[tokio::test]
async fn a_provider_is_replaced_in_the_middle_of_a_book() {
    let app = TestApp::builder()
        .image_provider("testbed.slow", json!({"milliseconds": 150}))
        .config(|config| config.workers = 2)
        .start()
        .await;
    let log = Log::default();
    let _captured = log.capture();
    let following = tokio::spawn(live_plugins::follow(app.server.clone(), None, PACE));
    let exchanged = async || {
        exchange(&app.server.config.plugins_dir.join("testbed.slow"), "0.2.0");
        until("it is replaced", || log.holds("plugin replaced")).await;
    };
    draw_a_book(&app, exchanged).await;
    following.abort();
}

#[tokio::test]
async fn another_provider_takes_over_in_the_middle_of_a_book() {
    let app = TestApp::builder()
        .image_provider("testbed.slow", json!({"milliseconds": 50}))
        .next_image_provider("linepress.sketchbook", json!({}))
        .config(|config| {
            config.workers = 2;
            // It draws nothing more while the clock does not advance, so that enough is left for the other one.
            let settings = ProviderSettings {
                per_minute: Some(240),
                ..ProviderSettings::default()
            };
            config.providers.insert("linepress.sketchbook".into(), settings);
        })
        .start()
        .await;
    let folder = app.server.config.plugins_dir.join("testbed.slow");
    // Folders with such names are ignored.
    let away = folder.with_file_name(".slow");
    let is_there = || app.server.plugins.image_provider("testbed.slow").is_some();
    let log = Log::default();
    let _captured = log.capture();
    let following = tokio::spawn(live_plugins::follow(app.server.clone(), None, PACE));
    std::fs::rename(&folder, &away).unwrap();
    until("it is gone", || !is_there()).await;
    let dropped_in = async || {
        std::fs::rename(&away, &folder).unwrap();
        until("it is there", is_there).await;
    };
    draw_a_book(&app, dropped_in).await;
    following.abort();

    let drawn = drawn_once(&app, &log).await;
    let by = |id: &str| drawn.iter().filter(|(_, provider)| provider == id).count();
    let (before, after) = (by("linepress.sketchbook"), by("testbed.slow"));
    assert!(before >= 4 && after >= 4 && before + after == 13, "{drawn:?}");
}

/// Returns the id and the provider of each drawing, after a check that the log says once of each that its provider
/// completed it.
pub(super) async fn drawn_once(app: &TestApp, log: &Log) -> Vec<(String, String)> {
    let drawn: Vec<(String, String)> = sqlx::query_as("SELECT id, provider FROM drawings")
        .fetch_all(&app.server.database.read)
        .await
        .unwrap();
    for (drawing, provider) in &drawn {
        let words = [
            "drawing completed ",
            &format!("drawing={drawing} "),
            &format!("plugin=\"{provider}\""),
        ];
        let says = |line: &&String| words.iter().all(|word| line.contains(word));
        assert_eq!(
            log.lines().iter().filter(says).count(),
            1,
            "{words:?}: {:#?}",
            log.lines()
        );
    }
    drawn
}

/// Has a book of 12 pages drawn, and runs `in_the_middle` when a few pages have been drawn.
pub(super) async fn draw_a_book(app: &TestApp, in_the_middle: impl AsyncFnOnce()) {
    let ada = app.account(12).await;
    let accepted = ada.generate("/books", "k1", &book_of(12)).await.accepted();
    let workers = Workers::start(&app.server);
    let drawn = async |least: i64| {
        wait_until("that much of the book is drawn", async || {
            let operation = ada.operation(&accepted).await;
            assert_ne!(operation.status, OperationStatus::Failed);
            // Drawings that were put back because their provider was busy become due after a delay.
            app.server.clock.advance(Duration::from_millis(100));
            operation.progress.completed >= least
        })
        .await;
    };
    drawn(4).await;
    in_the_middle().await;
    drawn(12).await;
    workers.stop().await;
    let operation = ada.operation(&accepted).await;
    assert_eq!(operation.status, OperationStatus::Succeeded, "{operation:?}");
    assert_eq!(ada.credits().await, 0);
    app.check_ledger().await;
}

/// Replaces a link to a plugin with a copy of another version.
pub(super) fn exchange(link: &Path, version: &str) {
    let id = link.file_name().unwrap();
    let from = from_environment("LINEPRESS_TEST_TESTBED").join(id);
    let copy = link.with_file_name(".copy");
    std::fs::create_dir(&copy).unwrap();
    let manifest = std::fs::read_to_string(from.join("plugin.toml")).unwrap();
    std::fs::write(copy.join("plugin.toml"), manifest.replace("0.1.0", version)).unwrap();
    std::fs::copy(from.join("plugin.wasm"), copy.join("plugin.wasm")).unwrap();
    std::fs::remove_file(link).unwrap();
    std::fs::rename(copy, link).unwrap();
}

#[tokio::test]
async fn a_folder_refused_for_a_temporary_reason_is_loaded_later() {
    let mut folder = Folder::with(&["plain", "folio"]);
    let templates = within(&folder, "folio").join("templates");
    std::fs::create_dir(&templates).unwrap();
    std::fs::write(templates.join("folio.typ"), "#pagebreak()").unwrap();
    let cache = folder.directory.path().join("compiled");
    folder.settings.cache_directory.clone_from(&cache);
    // Simulates a far too busy machine, and then a full disk.
    folder.settings.compile_limits.deadline_s = 0;
    let log = Log::default();
    let _captured = log.capture();
    let live = Live::new(&folder).await;
    assert!(!live.serves("plain"));
    let refusals = live.plugins.refusals();
    assert!(refusals[0].reason.contains("it will be tried again"), "{refusals:?}");
    assert!(!std::fs::read_dir(&cache).unwrap().any(|entry| {
        let path = entry.unwrap().path();
        path.extension().is_some_and(|kind| kind == "failed")
    }));
    drop(live);

    // The folder itself does not change.
    folder.settings.compile_limits = linepress_plugin_host::CompileLimits::default();
    std::fs::write(cache.join("templates"), "in the way").unwrap();
    let live = Live::new(&folder).await;
    assert!(live.serves("plain"));
    let reasons: Vec<String> = live
        .plugins
        .refusals()
        .into_iter()
        .map(|refusal| refusal.reason)
        .collect();
    assert!(
        reasons.len() == 1 && reasons[0].contains("its templates cannot be copied"),
        "{reasons:?}"
    );
    std::fs::remove_file(cache.join("templates")).unwrap();
    until("it is loaded", || live.plugins.refusals().is_empty()).await;
    assert!(live.plugins.layout("testbed.folio").is_some());
    // The reason was logged once, although it was found many times.
    let copies = log
        .lines()
        .iter()
        .filter(|line| line.contains("cannot be copied"))
        .count();
    assert!(copies <= 1, "{:?}", log.lines());
}
