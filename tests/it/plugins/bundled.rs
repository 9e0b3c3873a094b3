//! Plugins that the program contains, next to those of the operator.
use linepress_plugin_host::{CallError, Installed, Plugins};
use serde_json::json;

use super::folder::{Folder, draw};

/// Moves these folders of the plugin directory to the bundled plugins.
fn bundle(folder: &mut Folder, names: &[&str]) {
    let bundled = folder.directory.path().join("bundled");
    std::fs::create_dir(&bundled).unwrap();
    for name in names {
        std::fs::rename(folder.settings.directory.join(name), bundled.join(name)).unwrap();
    }
    folder.settings.bundled = Some(bundled);
}

/// The folder from which a plugin is served, without its parents.
async fn source_of(plugins: &Plugins, id: &str) -> Option<String> {
    let installed = plugins.installed();
    let served = installed
        .into_iter()
        .find(|one| one.serving.is_some() && one.id.as_deref() == Some(id))?;
    let parent = served.folder.parent()?.file_name()?;
    Some(parent.to_string_lossy().into_owned())
}

#[tokio::test]
async fn a_folder_of_the_operator_replaces_a_bundled_plugin() {
    let mut folder = Folder::with(&["plain", "echo"]);
    bundle(&mut folder, &["plain", "echo"]);
    let plugins = folder.load().await;
    assert_eq!(plugins.refusals(), []);
    assert_eq!(source_of(&plugins, "testbed.plain").await.as_deref(), Some("bundled"));
    assert_eq!(plugins.planners().len(), 1);

    // While the server runs: the operator's folder takes over, and its end brings the bundled plugin back.
    let own = folder.copy("plain", "plain");
    plugins.reload().await.unwrap();
    assert_eq!(plugins.refusals(), []);
    assert_eq!(source_of(&plugins, "testbed.plain").await.as_deref(), Some("plugins"));
    assert_eq!(plugins.installed().len(), 2, "the replaced plugin is not listed");
    std::fs::remove_dir_all(&own).unwrap();
    plugins.reload().await.unwrap();
    assert_eq!(source_of(&plugins, "testbed.plain").await.as_deref(), Some("bundled"));
    draw(&plugins, "plain", 1).await.unwrap();

    // At the start.
    folder.copy("plain", "plain");
    let plugins = folder.load().await;
    assert_eq!(plugins.refusals(), []);
    assert_eq!(source_of(&plugins, "testbed.plain").await.as_deref(), Some("plugins"));
}

#[tokio::test]
async fn a_bundled_plugin_stays_while_the_operators_folder_is_refused() {
    let mut folder = Folder::with(&["plain"]);
    bundle(&mut folder, &["plain"]);
    let plugins = folder.load().await;
    let own = folder.copy("plain", "plain");
    std::fs::write(own.join("plugin.wasm"), b"\0asm").unwrap();
    for plugins in [plugins, folder.load().await] {
        plugins.reload().await.unwrap();
        let [refusal] = &plugins.refusals()[..] else {
            panic!("one refusal expected: {:?}", plugins.refusals())
        };
        assert_eq!(refusal.folder, own);
        assert_eq!(source_of(&plugins, "testbed.plain").await.as_deref(), Some("bundled"));
    }
}

#[tokio::test]
async fn a_bundled_plugin_gets_new_settings_while_the_operators_folder_is_refused() {
    let mut folder = Folder::with(&["slow"]).configure("slow", json!({"milliseconds": 0}));
    bundle(&mut folder, &["slow"]);
    let plugins = folder.load().await;
    let own = folder.copy("slow", "slow");
    std::fs::write(own.join("plugin.wasm"), b"\0asm").unwrap();
    plugins.reload().await.unwrap();
    draw(&plugins, "slow", 1).await.unwrap();
    plugins
        .configure(|settings| drop(settings.config.insert("testbed.slow".into(), json!({"hurry": true}))))
        .await;
    let error = draw(&plugins, "slow", 1).await.unwrap_err();
    assert!(matches!(error, CallError::Trapped(_)), "{error}");
}

#[tokio::test]
async fn a_bundled_plugin_without_approval_is_listed_and_not_a_problem() {
    let mut folder = Folder::with(&["courier", "plain"]);
    bundle(&mut folder, &["courier", "plain"]);
    let plugins = folder.load().await;
    assert_eq!(plugins.refusals(), []);
    let installed = plugins.installed();
    let [Installed { serving, refusal, .. }, _] = &installed[..] else {
        panic!("{installed:?}")
    };
    assert_eq!(*serving, None);
    let reason = refusal.as_deref().unwrap();
    assert!(
        reason.ends_with("to approve this: linepress plugin allow testbed.courier"),
        "{reason}"
    );
}
