//! The check that fonts are embedded in the file.
use lopdf::{Dictionary, Document};

use crate::pdf::{array, as_dictionary, dictionary, display_name, get, name, resolve};

/// Returns the name of a font that is not embedded in the file, or `None` for one that is.
pub(crate) fn missing(document: &Document, font: &Dictionary) -> Option<String> {
    let shapes = match name(document, font, "Subtype") {
        // The glyphs of a Type 3 font are operators in the font itself.
        Some(b"Type3") => return None,
        Some(b"Type0") => array(document, font, "DescendantFonts")
            .and_then(|descendants| resolve(document, descendants.first()?))
            .and_then(as_dictionary),
        _ => Some(font),
    };
    let descriptor = shapes.and_then(|shapes| dictionary(document, shapes, "FontDescriptor"));
    let is_embedded = descriptor.is_some_and(|descriptor| {
        ["FontFile", "FontFile2", "FontFile3"]
            .iter()
            .any(|key| get(document, descriptor, key).is_some_and(|file| file.as_stream().is_ok()))
    });
    (!is_embedded).then(|| display_name(name(document, font, "BaseFont").unwrap_or(b"without a name")))
}
