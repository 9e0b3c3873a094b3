//! The formats of the layout: the usual trim sizes of coloring books at Amazon KDP and Lulu.
use linepress_plugin_sdk::layout::{Aspect, Format};
use linepress_plugin_sdk::layouts::format;

/// Returns all formats, the preferred formats of each aspect first.
///
/// Both printers offer letter, A4 and square. Only KDP offers 8 x 10 in and 8.25 x 6 in, and only Lulu offers landscape
/// letter.
pub fn formats() -> Vec<Format> {
    vec![
        format("pod_square", "Paperback 8.5 x 8.5 in", Aspect::Square, 215_900, 215_900),
        format(
            "pod_letter",
            "Paperback 8.5 x 11 in",
            Aspect::Portrait,
            215_900,
            279_400,
        ),
        format("pod_8x10", "Paperback 8 x 10 in", Aspect::Portrait, 203_200, 254_000),
        format("pod_a4", "Paperback A4", Aspect::Portrait, 210_000, 297_000),
        format(
            "pod_letter_landscape",
            "Paperback 11 x 8.5 in",
            Aspect::Landscape,
            279_400,
            215_900,
        ),
        format(
            "pod_small_landscape",
            "Paperback 8.25 x 6 in",
            Aspect::Landscape,
            209_550,
            152_400,
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_is_named_after_the_layout_and_has_the_orientation_of_its_drawings() {
        for format in formats() {
            assert!(format.id.starts_with("pod_"), "{}", format.id);
            let paper = format.trim_width.cmp(&format.trim_height);
            let pixels = format.recommended.width.cmp(&format.recommended.height);
            assert_eq!(paper, pixels, "{}", format.id);
        }
    }
}
