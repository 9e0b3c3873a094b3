//! The settings that the active version of a plugin gets.
use std::collections::BTreeSet;

use linepress_platform::config::Config;
use linepress_plugin_host::own_settings;
use linepress_terminal::{one_line, print_line};
use serde_json::Value;

/// The names of the settings in the settings file that the active version gets: not those that remain for another
/// stored version.
pub(super) fn passed(config: &Config, id: &str) -> BTreeSet<String> {
    let Some(given) = config.plugins.get(id) else {
        return BTreeSet::new();
    };
    match own_settings(&config.plugins_dir.join(id), given) {
        Value::Object(own) => own.into_iter().map(|(name, _)| name).collect(),
        _ => BTreeSet::new(),
    }
}

/// Prints the settings that the active version gets because no other version that knows them is stored any more.
/// `before` are those that it got before the removal.
pub(super) fn report_added(config: &Config, id: &str, before: &BTreeSet<String>) {
    let now = passed(config, id);
    let added: Vec<String> = now.difference(before).map(|name| one_line(name)).collect();
    if added.is_empty() {
        return;
    }
    let options: Vec<String> = added.iter().map(|name| format!("--unset {name}")).collect();
    print_line!(
        "no stored version of {id} knows these settings any more: {}. The active version gets them when it is loaded again, \
         and its config.json does not allow them. `linepress plugin set {id} {}` removes them",
        added.join(", "),
        options.join(" ")
    );
}
