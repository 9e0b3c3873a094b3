//! The formats of the layout.
use linepress_plugin_sdk::layout::{Aspect, Format};
use linepress_plugin_sdk::layouts::format;

/// Returns all formats, the preferred formats of each aspect first.
pub fn formats() -> Vec<Format> {
    vec![
        format("storybook_square", "Storybook Square", Aspect::Square, 215_900, 215_900),
        format(
            "storybook_small_square",
            "Storybook Small Square",
            Aspect::Square,
            190_500,
            190_500,
        ),
        format(
            "storybook_letter",
            "Storybook US Letter",
            Aspect::Portrait,
            215_900,
            279_400,
        ),
        format("storybook_a4", "Storybook A4", Aspect::Portrait, 210_000, 297_000),
        format(
            "storybook_letter_landscape",
            "Storybook US Letter Landscape",
            Aspect::Landscape,
            279_400,
            215_900,
        ),
        format(
            "storybook_a4_landscape",
            "Storybook A4 Landscape",
            Aspect::Landscape,
            297_000,
            210_000,
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_is_named_after_the_layout_and_has_the_orientation_of_its_drawings() {
        for format in formats() {
            assert!(format.id.starts_with("storybook_"), "{}", format.id);
            let paper = format.trim_width.cmp(&format.trim_height);
            let pixels = format.recommended.width.cmp(&format.recommended.height);
            assert_eq!(paper, pixels, "{}", format.id);
        }
    }
}
