//! The place that the files of a plugin come from.
use std::path::{Path, PathBuf};

use linepress_model::text_enum;
use linepress_platform::config::Config;
use linepress_registry::Store;
use serde::Serialize;

text_enum! {
    /// The kind of place that the files of a plugin come from.
    pub enum PluginSourceKind {
        /// The program contains them.
        Program = "program",
        /// They were installed by name from a registry.
        Registry = "registry",
        /// An operator put them into the folder of plugins.
        Folder = "folder",
    }
}

/// The place that the files of a plugin come from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct PluginSource {
    pub kind: PluginSourceKind,
    /// The place of the registry; null for a plugin that was not installed by name.
    #[schema(required, example = "https://plugins.example.com/")]
    pub registry: Option<String>,
    /// The name of the publisher; null for a plugin that was not installed by name.
    #[schema(required, example = "Acme")]
    pub publisher: Option<String>,
    /// The version that was installed; null for a plugin that was not installed by name.
    #[schema(required, example = "1.2.0")]
    pub version: Option<String>,
    /// True if the files have changed since they were installed by name.
    pub is_changed: bool,
    /// The versions that are stored, in the order in which they were installed; empty for a plugin that was not
    /// installed by name.
    #[schema(example = json!(["1.1.0", "1.2.0"]))]
    pub stored: Vec<String>,
}

impl PluginSource {
    /// The source of the plugin with this id in a folder whose files have this digest.
    pub(super) fn new(config: &Config, folder: &Path, id: Option<&str>, digest: Option<&str>) -> Self {
        let bundled = config.bundled_plugins.as_deref();
        if bundled.is_some_and(|bundled| absolute(folder).starts_with(absolute(bundled))) {
            return Self::without_registry(PluginSourceKind::Program);
        }
        let id = id.filter(|id| absolute(folder) == absolute(&config.plugins_dir.join(id)));
        let store = Store::new(&config.plugins_dir);
        let stored = id.and_then(|id| store.records(id).ok()).unwrap_or_default();
        let stored = stored.iter().map(|record| record.version.to_string()).collect();
        let record = id.and_then(|id| store.active_record(id).ok()?);
        match record {
            None => Self {
                stored,
                ..Self::without_registry(PluginSourceKind::Folder)
            },
            Some(record) => Self {
                stored,
                kind: PluginSourceKind::Registry,
                is_changed: digest != Some(&*record.digest),
                registry: Some(record.index),
                publisher: Some(record.publisher),
                version: Some(record.version.to_string()),
            },
        }
    }

    fn without_registry(kind: PluginSourceKind) -> Self {
        Self {
            kind,
            registry: None,
            publisher: None,
            version: None,
            is_changed: false,
            stored: Vec::new(),
        }
    }

    /// The source in words.
    pub fn in_words(&self) -> String {
        let changed = if self.is_changed { ", and changed since" } else { "" };
        match (&self.registry, &self.publisher) {
            (Some(registry), Some(publisher)) => format!("{registry}, by {publisher}{changed}"),
            _ if self.kind == PluginSourceKind::Program => "the program".into(),
            _ => "a folder".into(),
        }
    }
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}
