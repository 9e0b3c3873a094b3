//! Layout variants. A variant uses the component of another layout, and so arranges books in the same leaves, but has
//! its own name and templates.
use linepress_model::PrintFormat;
use serde::Deserialize;

use crate::contract::LayoutDescription;
use crate::description::{check_label, is_id, is_word};
use crate::log_text::excerpt;

/// The `[variant]` table of a layout's `plugin.toml`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Variant {
    /// The id in the component's own description.
    pub of: String,
    /// The display name of the variant.
    pub name: String,
    /// Prefix for the ids of the component's formats, such as `ocean_`, so that both layouts can be loaded at a time.
    pub formats: String,
}

impl Variant {
    pub(crate) fn check(&self) -> Result<(), String> {
        if !is_id(&self.of) {
            let of = excerpt(self.of.clone(), 100);
            return Err(format!(
                "its variant.of {of:?} must be the id of the layout whose component it uses"
            ));
        }
        if !is_word(&self.formats, '_') || !self.formats.ends_with('_') {
            let formats = excerpt(self.formats.clone(), 100);
            return Err(format!(
                "its variant.formats {formats:?} must be lowercase letters, digits and underscores and end with an \
                 underscore, such as ocean_"
            ));
        }
        check_label("its variant.name", &self.name)
    }

    /// Converts the component's description to that of the variant. Returns an error if the component has another id
    /// than `of`.
    pub(crate) fn describe(&self, id: &str, description: LayoutDescription) -> Result<LayoutDescription, String> {
        let Self { of, name, formats } = self;
        if description.id != *of {
            let found = excerpt(description.id, 100);
            return Err(format!(
                "it is a variant of {of} in plugin.toml, but its component has the id {found:?}"
            ));
        }
        let named = |format: PrintFormat| PrintFormat {
            id: format!("{formats}{}", format.id),
            name: format!("{}, {name}", format.name),
            ..format
        };
        Ok(LayoutDescription {
            id: id.to_owned(),
            name: name.clone(),
            version: description.version,
            formats: description.formats.into_iter().map(named).collect(),
        })
    }

    /// Removes the prefix from a format's id.
    pub(crate) fn component_format_id<'a>(&self, format_id: &'a str) -> &'a str {
        format_id.strip_prefix(&self.formats).unwrap_or(format_id)
    }
}
