//! Settings that only another stored version of a plugin knows. Versions that were installed by name are in folders
//! next to each other, and a link leads to the active one.
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use crate::manifest::Manifest;
use crate::settings_schema::{MAX_SCHEMA_BYTES, SCHEMA_FILE};
use crate::stored_versions::stored_versions;

/// The settings for the version in this folder: all but those that its `config.json` excludes and that of another
/// stored version names. These remain in the settings file for that version, so that a rollback needs no change of the
/// settings. A setting that no stored version names is probably a mistake, and remains.
pub fn own_settings(folder: &Path, settings: &Value) -> Value {
    let mut own = settings.clone();
    let Some(given) = own.as_object_mut() else {
        return own;
    };
    let excluded = excluded(folder, given);
    if !excluded.is_empty() {
        let others = other_versions(folder);
        let elsewhere: BTreeSet<String> = others.iter().flat_map(|other| named_settings(other)).collect();
        given.retain(|name, _| !(excluded.contains(name) && elsewhere.contains(name)));
    }
    own
}

/// The names of the settings that the schema in this folder excludes.
fn excluded(folder: &Path, settings: &Map<String, Value>) -> BTreeSet<String> {
    let schema = schema(folder);
    if schema["additionalProperties"] != false || !schema["patternProperties"].is_null() {
        return BTreeSet::new();
    }
    let names = settings.keys();
    let excluded = names.filter(|name| schema["properties"].get(name.as_str()).is_none());
    excluded.cloned().collect()
}

/// The names of the settings in the schema of this folder.
fn named_settings(folder: &Path) -> Vec<String> {
    let schema = schema(folder);
    let properties = schema["properties"].as_object();
    properties.map_or_else(Vec::new, |properties| properties.keys().cloned().collect())
}

/// The schema in this folder. `Null` if there is none that can be read.
fn schema(folder: &Path) -> Value {
    let bytes = linepress_files::read_inside(folder, Path::new(SCHEMA_FILE), MAX_SCHEMA_BYTES);
    let schema = bytes.ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
    schema.unwrap_or_default()
}

/// The folders of the other stored versions of the plugin, if this folder is the link of a plugin that was installed by
/// name.
fn other_versions(folder: &Path) -> Vec<PathBuf> {
    if !folder.is_symlink() {
        return Vec::new();
    }
    let Ok(active) = folder.canonicalize() else {
        return Vec::new();
    };
    let id = |folder: &Path| Manifest::read(folder).ok().map(|manifest| manifest.id);
    let Some(own) = id(&active) else { return Vec::new() };
    let stored = active
        .parent()
        .filter(|versions| versions.ends_with(stored_versions(&own)));
    let stored = stored.and_then(|versions| std::fs::read_dir(versions).ok());
    let folders = stored.into_iter().flatten().flatten().map(|entry| entry.path());
    folders
        .filter(|other| *other != active && id(other).as_ref() == Some(&own))
        .collect()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use serde_json::json;

    use super::*;

    /// Writes the folder of a version.
    fn version(folder: &Path, id: &str, schema: &Value) {
        let manifest = format!(
            "manifest = 1\nid = \"{id}\"\nversion = \"1.0.0\"\nworld = \"linepress:image/image-provider@0.1\"\n\
             wasm = {{ path = \"plugin.wasm\", sha256 = \"00\" }}\n"
        );
        std::fs::create_dir(folder).unwrap();
        std::fs::write(folder.join("plugin.toml"), manifest).unwrap();
        std::fs::write(folder.join(SCHEMA_FILE), schema.to_string()).unwrap();
    }

    #[test]
    fn a_version_gets_no_setting_that_only_another_one_knows() {
        let folder = tempfile::tempdir().unwrap();
        let versions = folder.path().join(stored_versions("acme.flux"));
        std::fs::create_dir_all(&versions).unwrap();
        let path = |name: &str| versions.join(name);
        let closed = |names: &[&str]| {
            let properties: Map<String, Value> = names.iter().map(|name| ((*name).to_owned(), json!({}))).collect();
            json!({"properties": properties, "additionalProperties": false})
        };
        version(&path("1.0.0"), "acme.flux", &closed(&["model"]));
        version(&path("1.1.0"), "acme.flux", &closed(&["model", "style"]));
        version(&path("0.9.0"), "acme.flux", &json!({"properties": {"model": {}}}));
        version(&path("other"), "acme.other", &closed(&["tone"]));
        let given = json!({"model": "fast", "style": "soft", "tone": "dark", "typo": 1});
        for (active, expected) in [
            // `tone` is one of another plugin.
            ("1.0.0", json!({"model": "fast", "tone": "dark", "typo": 1})),
            ("1.1.0", given.clone()),
            // Its schema excludes nothing.
            ("0.9.0", given.clone()),
        ] {
            let link = path("link");
            symlink(path(active), &link).unwrap();
            assert_eq!(own_settings(&link, &given), expected, "{active}");
            std::fs::remove_file(link).unwrap();
        }
        assert_eq!(own_settings(&path("1.0.0"), &given), given, "it is no link");
        let elsewhere = folder.path().join("elsewhere");
        std::fs::rename(&versions, &elsewhere).unwrap();
        symlink(elsewhere.join("1.0.0"), folder.path().join("link")).unwrap();
        let own = own_settings(&folder.path().join("link"), &given);
        assert_eq!(own, given, "it was not installed by name");
        assert_eq!(own_settings(&path("nowhere"), &json!("text")), json!("text"));
    }
}
