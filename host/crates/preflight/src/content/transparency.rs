//! Transparency in graphics states and pictures.
use lopdf::{Dictionary, Document, Object};

use crate::pdf::{get, number};

/// The kinds of transparency that a graphics state turns on, worded to follow "the page has".
pub(crate) fn reasons_in_state(document: &Document, state: &Dictionary) -> impl Iterator<Item = &'static str> {
    let is_opaque = |key| {
        get(document, state, key)
            .and_then(number)
            .is_none_or(|share| share >= 1.0)
    };
    let is_none = |object: &Object| object.as_name().is_ok_and(|name| name == b"None");
    let is_normal = |object: &Object| match object {
        Object::Name(mode) => is_plain(mode),
        // A viewer uses the first mode that it knows.
        Object::Array(modes) => modes.iter().all(|mode| mode.as_name().is_ok_and(is_plain)),
        _ => true,
    };
    let found = [
        (!is_opaque("ca") || !is_opaque("CA"), "a color that is not opaque"),
        (!get(document, state, "SMask").is_none_or(is_none), "a soft mask"),
        (!get(document, state, "BM").is_none_or(is_normal), "a blend mode"),
    ];
    found
        .into_iter()
        .filter(|(is_found, _)| *is_found)
        .map(|(_, reason)| reason)
}

fn is_plain(mode: &[u8]) -> bool {
    matches!(mode, b"Normal" | b"Compatible")
}

/// Returns true when a picture has a soft mask, which mixes it with the content below. A bilevel mask only cuts it out.
pub(crate) fn has_soft_mask(document: &Document, picture: &Dictionary) -> bool {
    let has_mask = get(document, picture, "SMask").is_some_and(|mask| mask.as_stream().is_ok());
    let mask_within = get(document, picture, "SMaskInData").and_then(number);
    has_mask || mask_within.is_some_and(|kind| kind > 0.0)
}
