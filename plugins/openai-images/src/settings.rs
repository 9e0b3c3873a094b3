//! The operator's settings, which `config.json` documents.

use linepress_plugin_sdk::image::Pixels;
use linepress_plugin_sdk::size::{self, Bounds};
use serde::Deserialize;
use serde_json::{Map, Value};

/// The sizes that models up to gpt-image-1.5 support.
const FIXED_SIZES: [(u32, u32); 3] = [(1024, 1024), (1024, 1536), (1536, 1024)];

/// The sizes that gpt-image-2 and its successors support.
const ANY_SIZE: Bounds = Bounds {
    step: 16,
    min_side: 512,
    max_side: 3840,
    min_pixels: 655_360,
    max_pixels: 8_294_400,
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Settings {
    pub(crate) model: String,
    #[serde(default = "base_url")]
    pub(crate) base_url: String,
    #[serde(default)]
    sizes: Sizes,
    #[serde(default)]
    pub(crate) edits: Edits,
    pub(crate) quality: Option<String>,
    #[serde(default)]
    pub(crate) parameters: Map<String, Value>,
    #[serde(default)]
    pub(crate) omit: Vec<String>,
    #[serde(default = "timeout_s")]
    pub(crate) timeout_s: u32,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Sizes {
    #[default]
    Auto,
    Any,
    Fixed,
}

/// The way in which pictures of characters are sent.
#[derive(Clone, Copy, Default, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Edits {
    #[default]
    Multipart,
    Json,
    None,
}

fn base_url() -> String {
    "https://api.openai.com/v1".into()
}

fn timeout_s() -> u32 {
    280
}

impl Settings {
    /// Returns the size to request, such as `1024x1536`, for a request with or without references.
    pub(crate) fn size(&self, wanted: &Pixels, with_references: bool) -> String {
        let older = ["gpt-image-1", "chatgpt-image"];
        // According to OpenAI's documentation, edits as JSON support only the fixed sizes, with every model.
        let is_json_edit = with_references && self.edits == Edits::Json;
        let is_fixed = match self.sizes {
            Sizes::Auto => is_json_edit || older.iter().any(|name| self.model.starts_with(name)),
            Sizes::Any => false,
            Sizes::Fixed => true,
        };
        let size = if is_fixed {
            size::closest(wanted, &FIXED_SIZES)
        } else {
            ANY_SIZE.fit(wanted)
        };
        format!("{}x{}", size.width, size.height)
    }
}
