//! Folders that an operator may put into the plugin directory, and the server's reaction.
use std::path::PathBuf;

use linepress_plugin_host::{CallError, LoadError, Plugins};
use serde_json::json;

use super::folder::{Folder, draw};
use crate::test_app::Log;

#[tokio::test]
async fn every_plugin_describes_itself() {
    let plugins = Folder::with(&["plain", "flaky", "echo", "critic"]).load().await;
    assert_eq!(plugins.refusals(), []);
    let providers = plugins.image_providers();
    let ids: Vec<_> = providers
        .iter()
        .map(|provider| provider.description().id.as_str())
        .collect();
    assert_eq!(ids, ["testbed.flaky", "testbed.plain"]);
    assert_eq!(plugins.planners().len(), 1);
    assert_eq!(plugins.layouts().len(), 0);
    assert_eq!(plugins.reviewers().len(), 1);
    assert_eq!(plugins.reviewer("testbed.critic").unwrap().description().name, "Critic");
    let plain = plugins.image_provider("testbed.plain").unwrap();
    assert_eq!(plain.description().aspects.len(), 3);
    assert_eq!(plain.digest().len(), 64);
    assert!(
        plugins.image_provider("testbed.echo").is_none(),
        "a planner is not a provider"
    );
    assert!(
        plugins.reviewer("testbed.plain").is_none(),
        "a provider is not a reviewer"
    );
}

#[tokio::test]
async fn an_unknown_import_is_refused_by_name() {
    let folder = Folder::with(&["stray", "plain"]);
    assert!(
        folder
            .refusal()
            .await
            .starts_with("it imports acme:vault/keys@1.0.0, which this host does not offer")
    );
    assert!(folder.load().await.image_provider("testbed.plain").is_some());
}

#[tokio::test]
async fn a_component_of_another_world_is_refused() {
    let folder = Folder::with(&["plain"]);
    folder.rewrite("plain", "image/image-provider", "planner/book-planner");
    assert_eq!(
        folder.refusal().await,
        "its manifest names the world linepress:planner/book-planner@0.1, so it must export \
         linepress:planner/planner@0.1; it exports linepress:image/provider@0.1.0"
    );
}

#[tokio::test]
async fn a_replaced_component_is_refused_with_both_digests() {
    let folder = Folder::with(&["plain"]);
    let good = folder
        .load()
        .await
        .image_provider("testbed.plain")
        .unwrap()
        .digest()
        .to_owned();
    std::fs::write(folder.settings.directory.join("plain/plugin.wasm"), b"\0asm").unwrap();
    let refusal = folder.refusal().await;
    assert!(refusal.contains(&good), "{refusal}");
    assert!(
        refusal.contains("cd5d4935a48c0672cb06407bb443bc0087aff947c6b864bac886982c73b3027f"),
        "{refusal}"
    );
}

#[tokio::test]
async fn a_file_that_is_not_a_component_is_refused() {
    let folder = Folder::with(&["plain"]);
    let good = folder
        .load()
        .await
        .image_provider("testbed.plain")
        .unwrap()
        .digest()
        .to_owned();
    std::fs::write(folder.settings.directory.join("plain/plugin.wasm"), b"\0asm").unwrap();
    folder.rewrite(
        "plain",
        &good,
        "cd5d4935a48c0672cb06407bb443bc0087aff947c6b864bac886982c73b3027f",
    );
    assert!(folder.refusal().await.starts_with("its component is broken"));
}

#[tokio::test]
async fn two_folders_cannot_hold_one_plugin() {
    let folder = Folder::with(&["plain"]);
    let copy = folder.copy("plain", "plain-again");
    let plugins = folder.load().await;
    assert_eq!(plugins.refusals()[0].folder, copy);
    assert!(plugins.refusals()[0].reason.contains("testbed.plain"));
    assert_eq!(plugins.image_providers().len(), 1);
}

#[tokio::test]
async fn a_plugin_keeps_the_name_its_manifest_gives_it() {
    let folder = Folder::with(&["plain"]);
    folder.rewrite("plain", "testbed.plain", "acme.plain");
    assert_eq!(
        folder.refusal().await,
        "its id is acme.plain in plugin.toml, but \"testbed.plain\" in its own description"
    );
}

#[tokio::test]
async fn a_request_for_network_access_waits_for_approval() {
    let folder = Folder::with(&["plain"]);
    let request = "[[http]]\norigin = \"https://api.acme.com:443\"\nmethods = [\"POST\"]\n\n[limits]";
    folder.rewrite("plain", "[limits]", request);
    assert_eq!(
        folder.refusal().await,
        "it asks to reach https://api.acme.com:443 (POST); to approve this: linepress plugin allow testbed.plain"
    );
}

#[tokio::test]
async fn a_plugin_that_does_not_fit_its_own_memory_is_refused() {
    let folder = Folder::with(&["plain"]);
    folder.rewrite("plain", "memory-mib = 64", "memory-mib = 1");
    assert_eq!(
        folder.refusal().await,
        "it cannot describe itself: out of memory: the plugin's limit is 1 MiB"
    );
}

#[tokio::test]
async fn settings_other_than_a_table_are_refused() {
    let folder = Folder::with(&["plain"]).configure("plain", json!("fast"));
    assert_eq!(
        folder.refusal().await,
        "its settings must be a table of names and values"
    );
}

#[tokio::test]
async fn hidden_folders_and_files_outside_a_folder_are_ignored() {
    let folder = Folder::with(&["plain"]);
    std::fs::create_dir(folder.settings.directory.join(".git")).unwrap();
    std::fs::write(folder.settings.directory.join("README.md"), "").unwrap();
    assert_eq!(folder.load().await.refusals(), []);
}

#[tokio::test]
async fn an_empty_folder_is_refused_and_a_missing_directory_is_an_error() {
    let mut folder = Folder::with(&[]);
    std::fs::create_dir(folder.settings.directory.join("empty")).unwrap();
    assert!(folder.refusal().await.contains("plugin.toml cannot be read"));
    folder.settings.directory = folder.directory.path().join("nowhere");
    let error = Plugins::load(folder.settings).await.err().unwrap();
    assert!(matches!(error, LoadError::Folder { .. }), "{error}");
}

#[tokio::test]
async fn a_directory_with_too_many_folders_is_refused() {
    let folder = Folder::with(&[]);
    for number in 0..=256 {
        std::fs::create_dir(folder.settings.directory.join(format!("photo{number}"))).unwrap();
    }
    let error = Plugins::load(folder.settings.clone()).await.err().unwrap().to_string();
    assert!(
        error.contains("more than 256 folders: check that it is the right folder"),
        "{error}"
    );
}

#[tokio::test]
async fn a_setting_that_only_another_stored_version_knows_is_not_given_to_the_plugin() {
    let folder = Folder::with(&[]).configure("slow", json!({"milliseconds": 0, "haste": true}));
    let directory = &folder.settings.directory;
    let versions = ".registry/plugins/testbed.slow/versions";
    std::fs::create_dir_all(directory.join(versions)).unwrap();
    for (version, properties) in [
        ("1", json!({"milliseconds": {}})),
        ("2", json!({"milliseconds": {}, "haste": {}})),
    ] {
        let stored = folder.copy("slow", &format!("{versions}/{version}"));
        let schema = json!({"properties": properties, "additionalProperties": false});
        std::fs::write(stored.join("config.json"), schema.to_string()).unwrap();
    }
    std::os::unix::fs::symlink(format!("{versions}/1"), directory.join("testbed.slow")).unwrap();
    draw(&folder.load().await, "slow", 1).await.unwrap();
    // A setting that no version knows is a mistake, which the plugin reports.
    std::fs::remove_dir_all(directory.join(versions).join("2")).unwrap();
    let refused = draw(&folder.load().await, "slow", 1).await.unwrap_err();
    assert!(matches!(refused, CallError::Trapped(_)), "{refused}");
}

#[tokio::test]
async fn only_the_first_start_compiles() {
    let (folder, file) = compiled().await;
    let before = std::fs::metadata(&file).unwrap().modified().unwrap();
    folder.load().await;
    assert_eq!(std::fs::metadata(&file).unwrap().modified().unwrap(), before);
    assert_eq!(cached(&folder), [file]);
}

#[tokio::test]
async fn servers_that_share_a_cache_compile_a_component_once() {
    let mut folder = Folder::with(&["plain"]);
    folder.settings.cache_directory = folder.directory.path().join("compiled");
    let log = Log::default();
    let _captured = log.capture();
    let (server, command) = tokio::join!(folder.load(), folder.load());
    assert_eq!(log.count("plugin compiled"), 1, "{:?}", log.lines());
    for plugins in [server, command] {
        draw(&plugins, "plain", 1).await.unwrap();
    }
    let [file] = &cached(&folder)[..] else {
        panic!("one plugin, one file: {:?}", cached(&folder))
    };
    // A component that cannot be compiled is tried once, too.
    std::fs::remove_file(file).unwrap();
    folder.settings.compile_limits.memory_mib = 16;
    let (server, command) = tokio::join!(folder.load(), folder.load());
    let reasons = [server, command].map(|plugins| plugins.refusals()[0].reason.clone());
    let remembered = reasons.iter().filter(|reason| reason.contains("to try again, delete"));
    assert_eq!(remembered.count(), 1, "{reasons:?}");
}

#[tokio::test]
async fn a_damaged_cache_is_compiled_again() {
    let (folder, file) = compiled().await;
    let good = std::fs::read(&file).unwrap();
    let mut flipped = good.clone();
    flipped[good.len() / 2] ^= 1;
    for damage in [flipped, good[..good.len() / 2].to_vec(), good[..7].to_vec(), Vec::new()] {
        std::fs::write(&file, damage).unwrap();
        let plugins = folder.load().await;
        draw(&plugins, "plain", 1).await.unwrap();
        assert!(std::fs::read(&file).unwrap() == good, "the cache was not repaired");
    }
}

#[cfg(unix)]
#[tokio::test]
async fn the_cache_is_private_to_its_owner() {
    use std::os::unix::fs::PermissionsExt;
    let (folder, _) = compiled().await;
    let mode = std::fs::metadata(&folder.settings.cache_directory)
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o700);
}

/// Creates a folder with one plugin that was just compiled into a separate cache; returns the cache too.
async fn compiled() -> (Folder, PathBuf) {
    let mut folder = Folder::with(&["plain"]);
    folder.settings.cache_directory = folder.directory.path().join("compiled");
    folder.load().await;
    let [file] = <[PathBuf; 1]>::try_from(cached(&folder)).expect("one plugin, one file");
    (folder, file)
}

fn cached(folder: &Folder) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(&folder.settings.cache_directory).unwrap();
    entries.map(|entry| entry.unwrap().path()).collect()
}
