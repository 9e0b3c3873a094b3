//! `/admin/settings`: the settings in force.
use std::path::Path;

use linepress_platform::config::Config;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::test_app::{Actor, TestApp};

async fn setting(operator: &Actor, name: &str) -> Value {
    let reply = operator.get("/admin/settings").await.expect(200);
    let settings = reply["settings_in_force"]["settings"].as_array().unwrap();
    let found = settings.iter().find(|setting| setting["name"] == name);
    found.unwrap_or_else(|| panic!("{name} is missing")).clone()
}

#[tokio::test]
async fn every_setting_has_its_value_and_source() {
    let app = TestApp::start().await;
    let operator = app.operator().await;
    let reply = operator.get("/admin/settings").await.expect(200);
    let settings = reply["settings_in_force"]["settings"].as_array().unwrap();
    // Those of the tables count one by one.
    assert!(settings.len() > 50, "{} settings", settings.len());
    assert_eq!(
        setting(&operator, "public_url").await,
        json!({"name": "public_url", "value": "http://linepress.test", "source": "default", "needs_restart": false})
    );
    assert_eq!(setting(&operator, "limits.pages").await["value"], "10000");
    let url = setting(&operator, "database_url").await["value"]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(!url.contains('@') && !url.is_empty(), "{url}");
}

#[tokio::test]
async fn a_setting_that_was_changed_since_the_start_needs_a_restart() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("linepress.toml");
    std::fs::write(&file, "log = \"warn\"\n").unwrap();
    let loaded = Config::load(Some(&file)).unwrap();
    let app = TestApp::builder()
        .config(|config| {
            config.log = loaded.log.clone();
            config.file = loaded.file.clone();
            config.given = loaded.given.clone();
        })
        .start()
        .await;
    let operator = app.operator().await;
    assert_eq!(
        setting(&operator, "log").await,
        json!({"name": "log", "value": "warn", "source": "file", "needs_restart": false})
    );
    let changed = "log = \"debug\"\n[plugins.\"acme.flux\"]\nmodel = \"a\"\n";
    std::fs::write(&file, changed).unwrap();
    assert_eq!(
        setting(&operator, "log").await,
        json!({"name": "log", "value": "warn", "source": "file", "needs_restart": true})
    );
    // The settings of plugins take effect at once.
    assert_eq!(
        setting(&operator, "plugins.\"acme.flux\".model").await,
        json!({"name": "plugins.\"acme.flux\".model", "value": "(set)", "source": "file", "needs_restart": false})
    );
}

/// Starts a server with the settings of a file.
async fn with_file(file: &Path, text: &str) -> TestApp {
    std::fs::write(file, text).unwrap();
    let loaded = Config::load(Some(file)).unwrap();
    TestApp::builder()
        .config(|config| {
            config.traces = loaded.traces.clone();
            config.file = loaded.file.clone();
            config.given = loaded.given.clone();
        })
        .start()
        .await
}

#[tokio::test]
async fn an_invalid_settings_file_is_reported() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("linepress.toml");
    let app = with_file(&file, "").await;
    let operator = app.operator().await;
    let problem = async || operator.get("/admin/settings").await.expect(200)["settings_in_force"]["problem"].clone();
    assert_eq!(problem().await, Value::Null);
    std::fs::write(&file, "workers = \"many\"\n").unwrap();
    let reported = problem().await.as_str().unwrap().to_owned();
    assert!(reported.contains("line 1: `workers`"), "{reported}");
    assert_eq!(setting(&operator, "log").await["needs_restart"], false);
}

#[tokio::test]
async fn hidden_and_new_settings_need_a_restart() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("linepress.toml");
    let before = "[traces]\nurl = \"https://otel.example/one\"\n";
    let app = with_file(&file, before).await;
    let operator = app.operator().await;
    assert_eq!(setting(&operator, "traces.url").await["needs_restart"], false);
    let after = "[traces]\nurl = \"https://otel.example/two\"\n[sign_in.oidc]\nissuer = \"https://id.example\"\nclient_id = \"books\"\n\
                 client_secret = \"topsecret\"\n";
    std::fs::write(&file, after).unwrap();
    assert_eq!(
        setting(&operator, "traces.url").await,
        json!({"name": "traces.url", "value": "https://otel.example", "source": "file", "needs_restart": true})
    );
    let new = "sign_in.oidc.client_id";
    assert_eq!(
        setting(&operator, new).await,
        json!({"name": new, "value": "", "source": "file", "needs_restart": true})
    );
}
