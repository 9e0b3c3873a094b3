//! The settings of a plugin in the settings file that one of its stored versions knows.
use std::collections::BTreeSet;

use linepress_platform::config::Config;
use linepress_plugin_host::named_settings;
use linepress_registry::Store;
use linepress_terminal::{one_line, print_line};
use serde_json::Value;

/// The given settings of a plugin that the `config.json` of a stored version names.
pub(super) fn known(config: &Config, store: &Store, id: &str) -> BTreeSet<String> {
    let Some(given) = config.plugins.get(id).and_then(Value::as_object) else {
        return BTreeSet::new();
    };
    let records = store.records(id).unwrap_or_default();
    let named = records
        .iter()
        .flat_map(|record| named_settings(&store.version_folder(id, &record.version)));
    named.filter(|name| given.contains_key(name)).collect()
}

/// Prints the settings that only removed versions knew. `before` are those that were known before the removal.
pub(super) fn report_unknown(config: &Config, store: &Store, id: &str, before: &BTreeSet<String>) {
    let now = known(config, store, id);
    let unknown: Vec<String> = before.difference(&now).map(|name| one_line(name)).collect();
    if unknown.is_empty() {
        return;
    }
    let options: Vec<String> = unknown.iter().map(|name| format!("--unset {name}")).collect();
    print_line!(
        "no stored version of {id} knows these settings any more: {}. They remain in the settings file, and the active version \
         gets them when it is loaded again. `linepress plugin set {id} {}` removes them",
        unknown.join(", "),
        options.join(" ")
    );
}
