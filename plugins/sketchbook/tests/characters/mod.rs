//! The character that the tests of this folder change as they need it.

use linepress_plugin_sdk::v1::image::Character;

pub(crate) fn character(name: &str, description: &str) -> Character {
    Character {
        name: name.into(),
        description: description.into(),
        style: String::new(),
        seed: 7,
        reference: None,
    }
}
