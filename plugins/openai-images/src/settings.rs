//! What the operator sets: config.json says the same with more words.

use linepress_plugin_sdk::image::Pixels;
use linepress_plugin_sdk::size::{self, Bounds};
use serde::Deserialize;
use serde_json::{Map, Value};

/// All that models up to gpt-image-1.5 draw.
const FIXED_SIZES: [(u32, u32); 3] = [(1024, 1024), (1024, 1536), (1536, 1024)];

/// The limits of gpt-image-2 and its successors.
const ANY_SIZE: Bounds = Bounds {
    step: 16,
    shortest_side: 512,
    longest_side: 3840,
    fewest_pixels: 655_360,
    most_pixels: 8_294_400,
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

/// How pictures of characters are sent.
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
    /// The size to ask for, `with_references` or without.
    pub(crate) fn size(&self, wanted: &Pixels, with_references: bool) -> String {
        let older = ["gpt-image-1", "chatgpt-image"];
        // OpenAI's document has the fixed sizes alone for edits as JSON, whatever the model is.
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
