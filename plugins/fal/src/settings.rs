//! The operator's settings, which `config.json` documents.

use serde::Deserialize;
use serde_json::{Map, Value};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Settings {
    pub(crate) model: String,
    pub(crate) edit_model: Option<String>,
    #[serde(default = "base_url")]
    pub(crate) base_url: String,
    #[serde(default)]
    pub(crate) size_as: SizeAs,
    #[serde(default)]
    pub(crate) references_as: ReferencesAs,
    #[serde(default = "max_references")]
    max_references: u32,
    #[serde(default)]
    pub(crate) parameters: Map<String, Value>,
    #[serde(default)]
    pub(crate) omit: Vec<String>,
    #[serde(default = "timeout_s")]
    pub(crate) timeout_s: u32,
}

/// The parameter with which the model takes the size of a picture.
#[derive(Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum SizeAs {
    #[default]
    ImageSize,
    AspectRatio,
}

/// The parameter with which the edit model takes its reference pictures.
#[derive(Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ReferencesAs {
    #[default]
    ImageUrls,
    ImageUrl,
}

fn base_url() -> String {
    "https://queue.fal.run".into()
}

fn max_references() -> u32 {
    4
}

fn timeout_s() -> u32 {
    280
}

impl Settings {
    /// Maximum number of references. Zero without an edit model.
    pub(crate) fn max_references(&self) -> u32 {
        match (&self.edit_model, &self.references_as) {
            (None, _) => 0,
            (Some(_), ReferencesAs::ImageUrl) => 1,
            (Some(_), ReferencesAs::ImageUrls) => self.max_references,
        }
    }
}
