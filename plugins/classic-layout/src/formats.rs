//! The formats of the layout.
use linepress_plugin_sdk::layout::{Aspect, Format};
use linepress_plugin_sdk::layouts::format;

/// Returns all formats, the preferred formats of each aspect first.
///
/// None of them has a bleed: ink never reaches an edge, so that prints at home and from any print shop look the same.
pub fn formats() -> Vec<Format> {
    vec![
        format("square", "Square", Aspect::Square, 215_900, 215_900),
        format("small_square", "Small Square", Aspect::Square, 190_500, 190_500),
        format("us_letter", "US Letter", Aspect::Portrait, 215_900, 279_400),
        format("a4", "A4", Aspect::Portrait, 210_000, 297_000),
        format(
            "us_letter_landscape",
            "US Letter Landscape",
            Aspect::Landscape,
            279_400,
            215_900,
        ),
        format("a4_landscape", "A4 Landscape", Aspect::Landscape, 297_000, 210_000),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_aspect_has_two_formats_of_its_orientation() {
        for (aspect, ids) in [
            (Aspect::Square, ["square", "small_square"]),
            (Aspect::Portrait, ["us_letter", "a4"]),
            (Aspect::Landscape, ["us_letter_landscape", "a4_landscape"]),
        ] {
            let matching: Vec<Format> = formats().into_iter().filter(|format| format.aspect == aspect).collect();
            assert_eq!(
                matching.iter().map(|format| format.id.as_str()).collect::<Vec<_>>(),
                ids
            );
            for format in matching {
                let paper = format.trim_width.cmp(&format.trim_height);
                let pixels = format.recommended.width.cmp(&format.recommended.height);
                assert_eq!(paper, pixels, "{}", format.id);
            }
        }
    }
}
