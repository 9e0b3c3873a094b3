//! The sizes of the sheets of an interior, as a file must have them.
use crate::area::{INCH, Size};
use crate::edition::Edition;
use crate::margins::interior_bleed;

/// The sizes that a page of this trimmed size may have in the file: without bleed, where the printer accepts that, and
/// with bleed.
pub fn interior_sheets(edition: Edition, trim: Size) -> Vec<Size> {
    match edition {
        Edition::Home => vec![trim],
        // KDP, "Set Trim Size, Bleed, and Margins": bleed at the top, the bottom and the outer edge, but not at the
        // binding. So a page with bleed is 0.125 in wider and 0.25 in higher.
        Edition::Kdp => vec![
            trim,
            Size {
                width: trim.width + INCH / 8,
                height: trim.height + INCH / 4,
            },
        ],
        // Lulu, "What is bleed?": bleed on all four sides. Lulu adds a white border to pages without bleed.
        Edition::Lulu => vec![trim.with_border(interior_bleed(edition))],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sheet_with_bleed_has_the_size_that_the_printer_requires() {
        let hundredths = |size: Size| (size.width * 1000 / INCH, size.height * 1000 / INCH);
        let novel = Size {
            width: 6 * INCH,
            height: 9 * INCH,
        };
        let sheets = |edition| {
            interior_sheets(edition, novel)
                .into_iter()
                .map(hundredths)
                .collect::<Vec<_>>()
        };
        assert_eq!(sheets(Edition::Kdp), [(6000, 9000), (6125, 9250)]);
        assert_eq!(sheets(Edition::Lulu), [(6250, 9250)]);
        assert_eq!(sheets(Edition::Home), [(6000, 9000)]);
    }
}
