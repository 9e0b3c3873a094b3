//! `/admin/settings`: the settings in force.
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
