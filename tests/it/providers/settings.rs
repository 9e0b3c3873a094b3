//! Settings: the schema in a plugin's folder agrees with the plugin.
use std::collections::BTreeSet;

use futures::future::join_all;
use linepress_plugin_host::CallError;
use serde_json::{Value, json};

use super::apis::{ALL, Api};
use super::plugin_under_test::PluginUnderTest;
use crate::test_app::from_environment;

impl Api {
    /// Returns the content of a file in the plugin's folder.
    fn file(&self, name: &str) -> String {
        let folder = from_environment("LINEPRESS_TEST_NETWORK_PLUGINS").join(format!("linepress.{}", self.plugin));
        std::fs::read_to_string(folder.join(name)).unwrap()
    }

    /// Returns the settings in the schema.
    fn properties(&self) -> serde_json::Map<String, Value> {
        let schema: Value = serde_json::from_str(&self.file("config.json")).unwrap();
        assert_eq!(schema["additionalProperties"], false);
        schema["properties"].as_object().unwrap().clone()
    }
}

async fn names_a_wrong_setting(api: &'static Api) {
    for (setting, value) in [("timeout_s", json!("soon")), ("colour", json!(true))] {
        let plugin = PluginUnderTest::with(api, &json!({setting: value})).await;
        let error = plugin.call().await.unwrap_err();
        let CallError::Unavailable(reason) = &error else {
            panic!("{error:?}")
        };
        assert!(reason.contains(&format!("`{setting}`")), "{}: {reason}", api.plugin);
        assert_eq!(plugin.lines(), Vec::<String>::new());
        if let Some((_, known)) = reason.split_once("expected one of ") {
            let known: BTreeSet<&str> = known.split(", ").map(|name| name.trim_matches('`')).collect();
            let properties = api.properties();
            assert_eq!(known, properties.keys().map(String::as_str).collect(), "{}", api.plugin);
        } else {
            assert_eq!(setting, "timeout_s", "{reason}");
        }
    }
}

#[tokio::test]
async fn every_plugin_names_a_wrong_setting_and_accepts_those_of_its_schema() {
    join_all(ALL.map(names_a_wrong_setting)).await;
}

async fn takes_its_defaults(api: &'static Api) {
    let properties = api.properties();
    let own = (api.settings)();
    let is_usual = |name: &str| own.get(name).is_none();
    let defaults = properties.iter().filter(|(name, _)| is_usual(name));
    let defaults: Value = defaults
        .filter_map(|(name, about)| Some((name.clone(), about.get("default")?.clone())))
        .collect();
    let plugin = PluginUnderTest::with(api, &defaults).await;
    plugin.answers((api.success)());
    plugin.call().await.unwrap();
    let with_defaults = plugin.received();

    let plugin = PluginUnderTest::for_api(api).await;
    plugin.answers((api.success)());
    plugin.call().await.unwrap();
    let without = plugin.received();
    assert_eq!(with_defaults[0].json(), without[0].json(), "{}", api.plugin);
}

#[tokio::test]
async fn the_defaults_in_the_schema_of_every_plugin_are_its_real_defaults() {
    join_all(ALL.map(takes_its_defaults)).await;
}

#[test]
fn every_plugin_ends_before_its_deadline() {
    for api in ALL {
        let manifest = api.file("plugin.toml");
        let deadline = manifest.lines().find_map(|line| line.strip_prefix("deadline-s = "));
        let deadline: u64 = deadline.unwrap().parse().unwrap();
        let longest = api.properties()["timeout_s"]["maximum"].as_u64().unwrap();
        assert!(longest < deadline, "{}", api.plugin);
    }
}
