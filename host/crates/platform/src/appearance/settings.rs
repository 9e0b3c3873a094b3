//! The table `[appearance]`.
use std::path::PathBuf;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::accent::Accent;

/// The name of the server's pages if the operator sets none.
pub const PRODUCT_NAME: &str = "Linepress";

/// The table `[appearance]`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct AppearanceSettings {
    /// The name of the server in its pages and their titles.
    pub name: String,
    /// The path of an SVG or PNG file; the pages show the crayons of Linepress when it is empty.
    pub logo: PathBuf,
    /// The accent color; `None` for the yellow of Linepress.
    #[serde(deserialize_with = "optional_accent", serialize_with = "chosen_color")]
    pub color: Option<Accent>,
}

impl Default for AppearanceSettings {
    fn default() -> Self {
        Self {
            name: PRODUCT_NAME.into(),
            logo: PathBuf::new(),
            color: None,
        }
    }
}

/// Writes the color that was chosen, which is that of the light theme.
fn chosen_color<S: Serializer>(color: &Option<Accent>, serializer: S) -> Result<S::Ok, S::Error> {
    match color {
        Some(accent) => serializer.collect_str(&accent.light.background),
        None => serializer.serialize_none(),
    }
}

fn optional_accent<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Accent>, D::Error> {
    let text = String::deserialize(deserializer)?;
    if text.is_empty() {
        return Ok(None);
    }
    Accent::parse(&text).map(Some).map_err(serde::de::Error::custom)
}

impl AppearanceSettings {
    /// The maximum length of the name: a longer one does not fit next to the logo on a phone.
    pub const MAX_NAME_CHARS: usize = 30;

    /// Checks and trims the name; an error is the name of the invalid setting and the problem. The logo is checked when
    /// it is read, and the color when it is parsed.
    pub(crate) fn check(&mut self) -> Result<(), (&'static str, String)> {
        self.name = self.name.trim().to_owned();
        let length = self.name.chars().count();
        if !(1..=Self::MAX_NAME_CHARS).contains(&length) || self.name.contains(char::is_control) {
            let problem = format!("must be 1 to {} characters in one line", Self::MAX_NAME_CHARS);
            return Err(("appearance.name", problem));
        }
        Ok(())
    }
}
