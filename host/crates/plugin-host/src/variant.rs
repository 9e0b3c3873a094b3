//! A layout that looks unlike another one and has its leaves: the same component, under another name and with templates of its
//! own.
use linepress_model::PrintFormat;
use serde::Deserialize;

use crate::description::{check_label, is_word};
use crate::layout::LayoutDescription;
use crate::log_text::excerpt;
use crate::manifest::is_id;

/// `[variant]` in a layout's `plugin.toml`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Variant {
    /// What the component calls itself.
    pub of: String,
    /// What people are to call the layout.
    pub name: String,
    /// What stands before the id of each of the component's formats, so that both may be loaded: `ocean_`.
    pub formats: String,
}

impl Variant {
    pub(crate) fn check(&self) -> Result<(), String> {
        if !is_id(&self.of) {
            let of = excerpt(self.of.clone(), 100);
            return Err(format!(
                "its variant.of {of:?} must be the id of the layout that its component is of"
            ));
        }
        if !is_word(&self.formats, '_') || !self.formats.ends_with('_') {
            let formats = excerpt(self.formats.clone(), 100);
            return Err(format!(
                "its variant.formats {formats:?} must be lowercase letters, digits and underscores, with an underscore at the \
                 end, such as ocean_"
            ));
        }
        check_label("its variant.name", &self.name)
    }

    /// What the component says of itself, as the variant is to be known. An error where it is another's component.
    pub(crate) fn describe(&self, id: &str, description: LayoutDescription) -> Result<LayoutDescription, String> {
        let Self { of, name, formats } = self;
        if description.id != *of {
            let found = excerpt(description.id, 100);
            return Err(format!(
                "plugin.toml says it is a variant of {of}, but its component calls itself {found:?}"
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

    /// The component's own id of a format.
    pub(crate) fn own_format<'a>(&self, format_id: &'a str) -> &'a str {
        format_id.strip_prefix(&self.formats).unwrap_or(format_id)
    }
}
