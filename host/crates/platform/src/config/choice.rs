//! Changes of the choice of plugins, and of the settings of a plugin, in the settings file.
use std::collections::BTreeMap;

use serde_json::Value as Json;
use toml_edit::{Array, InlineTable, Value};

use super::approvals::{list, put, table};
use super::{Config, EditError, Edited, LockedFile};

/// A setting that names a plugin, with its new value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PluginChoice {
    /// The image providers, in order of preference.
    ImageProviders(Vec<String>),
    Planner(String),
    Layout(String),
    /// Empty for no reviewer.
    Reviewer(String),
}

impl PluginChoice {
    /// The name of the setting.
    pub fn setting(&self) -> &'static str {
        match self {
            Self::ImageProviders(_) => "image_providers",
            Self::Planner(_) => "planner",
            Self::Layout(_) => "layout",
            Self::Reviewer(_) => "reviewer",
        }
    }

    /// The ids that the setting names in these settings.
    pub fn present(&self, config: &Config) -> Vec<String> {
        match self {
            Self::ImageProviders(_) => config.image_providers.clone(),
            Self::Planner(_) => vec![config.planner.clone()],
            Self::Layout(_) => vec![config.layout.clone()],
            Self::Reviewer(_) if config.reviewer.is_empty() => Vec::new(),
            Self::Reviewer(_) => vec![config.reviewer.clone()],
        }
    }

    /// The ids that the setting names.
    pub fn ids(&self) -> &[String] {
        match self {
            Self::ImageProviders(ids) => ids,
            Self::Reviewer(id) if id.is_empty() => &[],
            Self::Planner(id) | Self::Layout(id) | Self::Reviewer(id) => std::slice::from_ref(id),
        }
    }
}

/// The settings of a plugin to set; `None` removes one, so that the plugin's default applies.
pub type SettingChanges = BTreeMap<String, Option<Json>>;

impl LockedFile {
    /// Writes the setting that names plugins.
    pub fn choose_plugins(self, choice: &PluginChoice) -> Result<Edited, EditError> {
        self.edit(|document| {
            let root = document.as_table_mut();
            match choice {
                PluginChoice::ImageProviders(ids) => put(root, choice.setting(), list(ids)),
                PluginChoice::Planner(id) | PluginChoice::Layout(id) | PluginChoice::Reviewer(id) => {
                    put(root, choice.setting(), id.as_str());
                }
            }
        })
    }

    /// Writes settings of a plugin. Others remain.
    pub fn configure_plugin(self, id: &str, changes: &SettingChanges) -> Result<Edited, EditError> {
        self.edit(|document| {
            let settings = table(table(document.as_table_mut(), "plugins"), id);
            settings.set_implicit(false);
            for (name, value) in changes {
                match value.as_ref().and_then(toml_value) {
                    Some(value) => put(settings, name, value),
                    None => drop(settings.remove(name)),
                }
            }
        })
    }
}

/// A JSON value as TOML, which has no null: fields without a value are left out.
fn toml_value(json: &Json) -> Option<Value> {
    Some(match json {
        Json::Null => return None,
        Json::Bool(truth) => (*truth).into(),
        Json::Number(number) => match number.as_i64() {
            Some(whole) => whole.into(),
            None => number.as_f64()?.into(),
        },
        Json::String(text) => text.as_str().into(),
        Json::Array(items) => Value::Array(items.iter().filter_map(toml_value).collect::<Array>()),
        Json::Object(fields) => {
            let fields = fields
                .iter()
                .filter_map(|(name, field)| Some((name, toml_value(field)?)));
            Value::InlineTable(fields.collect::<InlineTable>())
        }
    })
}

/// The settings of a plugin after these changes.
pub fn changed_settings(present: Option<&Json>, changes: &SettingChanges) -> Json {
    let mut settings = present.and_then(Json::as_object).cloned().unwrap_or_default();
    for (name, value) in changes {
        match value {
            Some(value) => drop(settings.insert(name.clone(), value.clone())),
            None => drop(settings.remove(name)),
        }
    }
    Json::Object(settings)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn edited(text: &str, change: impl FnOnce(LockedFile) -> Result<Edited, EditError>) -> String {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("linepress.toml");
        std::fs::write(&file, text).expect("a file");
        let config = Config {
            file: Some(file.clone()),
            ..Config::default()
        };
        drop(change(config.lock_file().expect("a lock")).expect("a change"));
        std::fs::read_to_string(&file).expect("a file")
    }

    #[test]
    fn an_order_is_written_before_the_tables() {
        let text = "image_providers = [\"a\"] # ours\n\n[limits]\npages = 5\n";
        let choice = PluginChoice::ImageProviders(vec!["acme.flux".into(), "a".into()]);
        let written = edited(text, |file| file.choose_plugins(&choice));
        assert_eq!(written, text.replace("[\"a\"]", "[\"acme.flux\", \"a\"]"));
        let written = edited("[limits]\npages = 5\n", |file| {
            file.choose_plugins(&PluginChoice::Planner("acme.planner".into()))
        });
        assert!(written.starts_with("planner = \"acme.planner\"\n"), "{written}");
    }

    #[test]
    fn settings_are_set_and_removed_and_others_remain() {
        let text = "[plugins.\"acme.flux\"]\nmodel = \"a\" # short\nseed = 5\n";
        let changes = SettingChanges::from([
            ("model".into(), Some(json!("b"))),
            ("seed".into(), None),
            (
                "more".into(),
                Some(json!({"steps": 5, "ratio": 0.5, "names": ["c", true], "none": null})),
            ),
        ]);
        let written = edited(text, |file| file.configure_plugin("acme.flux", &changes));
        let read: toml::Value = toml::from_str(&written).expect("valid TOML");
        let settings = &read["plugins"]["acme.flux"];
        assert!(written.contains("model = \"b\" # short"), "{written}");
        assert_eq!(settings.get("seed"), None);
        assert_eq!(settings["more"]["ratio"].as_float(), Some(0.5));
        assert_eq!(settings["more"]["names"][1].as_bool(), Some(true));
        assert_eq!(settings["more"].get("none"), None);
    }

    #[test]
    fn changes_apply_to_the_present_settings() {
        let present = json!({"model": "a", "seed": 5});
        let changes = SettingChanges::from([("model".into(), Some(json!("b"))), ("seed".into(), None)]);
        assert_eq!(changed_settings(Some(&present), &changes), json!({"model": "b"}));
    }
}
