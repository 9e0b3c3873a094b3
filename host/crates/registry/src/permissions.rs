//! The permissions, limits and settings that differ between two versions of a plugin.
use std::collections::{BTreeMap, BTreeSet};

use linepress_plugin_host::Preview;
use serde_json::Value;

/// Maximum length of a name or a default that is shown. A publisher must not be able to scroll a permission off the
/// screen.
const MAX_SHOWN_CHARS: usize = 100;
/// Maximum number of lines about settings.
const MAX_SETTING_LINES: usize = 50;

/// The differences between two versions, one line each: `+` is new, `-` is gone. The permissions are last, next to the
/// question that follows.
pub fn changes(old: &Preview, new: &Preview) -> Vec<String> {
    let mut lines = Vec::new();
    difference(&mut lines, "is a ", &kind(old), &kind(new));
    lines.extend(changed_settings(old, new));
    difference(&mut lines, "may use ", &limits(old), &limits(new));
    difference(&mut lines, "asks ", &asked(old), &asked(new));
    lines
}

fn difference(lines: &mut Vec<String>, verb: &str, old: &BTreeSet<String>, new: &BTreeSet<String>) {
    lines.extend(old.difference(new).map(|line| format!("- {verb}{line}")));
    lines.extend(new.difference(old).map(|line| format!("+ {verb}{line}")));
}

fn kind(preview: &Preview) -> BTreeSet<String> {
    let variant = preview.variant.as_ref();
    let variant = variant.map(|variant| format!("variant of {}, with the name {}", variant.of, cut(&variant.name)));
    variant.into_iter().chain([preview.world.clone()]).collect()
}

fn asked(preview: &Preview) -> BTreeSet<String> {
    preview.requests.lines().into_iter().collect()
}

fn limits(preview: &Preview) -> BTreeSet<String> {
    preview.limits.lines().into_iter().collect()
}

fn changed_settings(old: &Preview, new: &Preview) -> Vec<String> {
    let (old, new) = (settings(old), settings(new));
    let gone = old.difference(&new).map(|setting| ('-', setting));
    let added = new.difference(&old).map(|setting| ('+', setting));
    let changed: Vec<_> = gone.chain(added).collect();
    let line = |(sign, (name, default)): &(char, &(String, Option<String>))| {
        let default = default.as_deref().map(|default| format!(", default {}", cut(default)));
        format!("{sign} has the setting {}{}", cut(name), default.unwrap_or_default())
    };
    let mut lines: Vec<String> = changed.iter().take(MAX_SETTING_LINES).map(line).collect();
    match changed.len().saturating_sub(MAX_SETTING_LINES) {
        0 => {}
        more => lines.push(format!("and {more} more changes of settings")),
    }
    lines
}

/// The settings that `config.json` describes, each with its default.
fn settings(preview: &Preview) -> BTreeSet<(String, Option<String>)> {
    let schema = preview.schema.as_deref().unwrap_or("{}");
    let schema: Value = serde_json::from_str(schema).unwrap_or_default();
    let properties: BTreeMap<String, Value> = serde_json::from_value(schema["properties"].clone()).unwrap_or_default();
    let properties = properties.into_iter();
    properties
        .map(|(name, property)| (name, property.get("default").map(Value::to_string)))
        .collect()
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(MAX_SHOWN_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn preview(limits: &Value, settings: &Value) -> Preview {
        Preview {
            id: "acme.flux".into(),
            version: semver::Version::new(1, 0, 0),
            world: "linepress:image/image-provider@0.1".into(),
            variant: None,
            limits: serde_json::from_value(limits.clone()).unwrap(),
            requests: linepress_plugin_host::Requests::default(),
            digest: "a".repeat(64),
            schema: Some(json!({ "properties": settings }).to_string()),
        }
    }

    fn asking(preview: Preview, origin: &str) -> Preview {
        let mut asking = preview;
        asking.requests.origins.push(linepress_plugin_host::OriginRequest {
            origin: linepress_plugin_host::OriginPattern::parse(origin).unwrap(),
            methods: Vec::new(),
        });
        asking
    }

    #[test]
    fn every_limit_is_compared() {
        let old = preview(&json!({}), &json!({}));
        for (name, line) in [
            ("memory-mib", "+ may use 7 MiB of memory"),
            ("deadline-s", "+ may use 7 s for a call"),
            ("response-mib", "+ may use 7 MiB for a drawing"),
            ("requests", "+ may use 7 HTTP requests in a call"),
        ] {
            let new = preview(&json!({ name: 7 }), &json!({}));
            let changes = changes(&old, &new);
            assert_eq!(changes.len(), 2, "{changes:?}");
            assert_eq!(changes[1], line);
        }
    }

    #[test]
    fn a_service_is_compared_in_words() {
        let (old, mut new) = (preview(&json!({}), &json!({})), preview(&json!({}), &json!({})));
        new.requests
            .permissions
            .insert(linepress_plugin_host::Permission::Cache);
        let line = "asks to keep up to 1 MiB in the server's memory between its calls";
        assert_eq!(changes(&old, &new), [format!("+ {line}")]);
        assert_eq!(changes(&new, &old), [format!("- {line}")]);
    }

    #[test]
    fn settings_cannot_hide_a_permission() {
        let old = preview(&json!({}), &json!({}));
        let settings: serde_json::Map<String, Value> = (0..500)
            .map(|number| {
                (
                    format!("{number}{}", "x".repeat(500)),
                    json!({ "default": "y".repeat(5000) }),
                )
            })
            .collect();
        let new = asking(
            preview(&json!({"requests": 1800}), &settings.into()),
            "https://evil.test",
        );
        let changes = changes(&old, &new);
        assert_eq!(changes.len(), 50 + 1 + 2 + 1, "{changes:?}");
        assert!(changes.iter().all(|line| line.chars().count() < 250), "{changes:?}");
        assert_eq!(changes[50], "and 450 more changes of settings");
        assert_eq!(changes[53], "+ asks to reach https://evil.test:443 ()");
    }

    #[test]
    fn a_default_that_differs_only_after_the_cut_has_changed() {
        let long = |end: &str| json!({"model": {"default": "a".repeat(200) + end}});
        let changes = changes(&preview(&json!({}), &long("b")), &preview(&json!({}), &long("c")));
        assert_eq!(changes.len(), 2, "{changes:?}");
    }

    #[test]
    fn another_layout_of_a_variant_is_shown() {
        let variant = |of: &str| Preview {
            variant: Some(linepress_plugin_host::Variant {
                of: of.into(),
                name: "Ocean".into(),
                formats: "ocean_".into(),
            }),
            ..preview(&json!({}), &json!({}))
        };
        assert_eq!(
            changes(&variant("linepress.classic"), &variant("linepress.photo")),
            [
                "- is a variant of linepress.classic, with the name Ocean",
                "+ is a variant of linepress.photo, with the name Ocean"
            ]
        );
    }
}
