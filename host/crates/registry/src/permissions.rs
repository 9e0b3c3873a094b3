//! The permissions, limits and settings that differ between two versions of a plugin.
use std::collections::{BTreeMap, BTreeSet};

use linepress_plugin_host::Preview;
use serde_json::Value;

/// The differences between two versions, one line each: `+` is new, `-` is gone.
pub fn changes(old: &Preview, new: &Preview) -> Vec<String> {
    let mut lines = Vec::new();
    if old.world != new.world {
        lines.push(format!("- is a {}", old.world));
        lines.push(format!("+ is a {}", new.world));
    }
    let asked = |preview: &Preview| -> BTreeSet<String> { preview.requests.lines().into_iter().collect() };
    difference(&mut lines, "asks ", &asked(old), &asked(new));
    difference(&mut lines, "may use ", &limits(old), &limits(new));
    difference(&mut lines, "has the setting ", &settings(old), &settings(new));
    lines
}

fn difference(lines: &mut Vec<String>, verb: &str, old: &BTreeSet<String>, new: &BTreeSet<String>) {
    lines.extend(old.difference(new).map(|line| format!("- {verb}{line}")));
    lines.extend(new.difference(old).map(|line| format!("+ {verb}{line}")));
}

fn limits(preview: &Preview) -> BTreeSet<String> {
    let limits = &preview.limits;
    BTreeSet::from([
        format!("{} MiB of memory", limits.memory_mib()),
        format!("{} s for a call", limits.deadline().as_secs()),
        format!("{} MiB for a drawing", limits.response_bytes() >> 20),
    ])
}

/// The settings that `config.json` describes, each with its default.
fn settings(preview: &Preview) -> BTreeSet<String> {
    let schema = preview.schema.as_deref().unwrap_or("{}");
    let schema: Value = serde_json::from_str(schema).unwrap_or_default();
    let properties: BTreeMap<String, Value> = serde_json::from_value(schema["properties"].clone()).unwrap_or_default();
    let line = |(name, property): (&String, &Value)| match property.get("default") {
        Some(default) => format!("{name}, default {default}"),
        None => name.clone(),
    };
    properties.iter().map(line).collect()
}
