//! The request that the tests of this folder change as they need it.

use linepress_plugin_sdk::v1::image::{Aspect, Audience, Coloring, DrawRequest, Pixels, Purpose, USUAL_LOOK};

/// Returns a request for a small page for children, without characters.
pub(crate) fn page(prompt: &str) -> DrawRequest {
    DrawRequest {
        purpose: Purpose::Page,
        prompt: prompt.to_string(),
        title: String::new(),
        aspect: Aspect::Portrait,
        size: Pixels {
            width: 576,
            height: 768,
        },
        audience: Audience::Child,
        coloring: Coloring::LineArt,
        look: USUAL_LOOK,
        characters: Vec::new(),
        source: None,
        change: None,
        seed: 1,
        book_seed: None,
        extra: Vec::new(),
    }
}
