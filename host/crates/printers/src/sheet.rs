//! The sizes of the sheets of an interior, as a file must have them.
use crate::area::{INCH, Size};
use crate::edition::Edition;
use crate::margins::interior_bleed;
use crate::trim::TOLERANCE;

/// The largest bleed of a book that is printed at home or in a copy shop, which prescribes none.
const HOME_BLEED_MAX: u32 = INCH;

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
        Edition::Lulu => vec![trim.with_border(interior_bleed(edition, 0))],
    }
}

/// Returns true when a page of this trimmed size may have a sheet of this size in the file.
pub fn is_interior_sheet(edition: Edition, trim: Size, sheet: Size) -> bool {
    // A copy shop trims a page with the same bleed on all four sides.
    let (wide, high) = (
        sheet.width.checked_sub(trim.width),
        sheet.height.checked_sub(trim.height),
    );
    let has_even_bleed = wide
        .zip(high)
        .is_some_and(|(wide, high)| wide.abs_diff(high) <= TOLERANCE && wide <= 2 * HOME_BLEED_MAX);
    (edition == Edition::Home && has_even_bleed)
        || interior_sheets(edition, trim)
            .iter()
            .any(|expected| expected.is_near(sheet, TOLERANCE))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_at_home_may_a_sheet_have_any_even_bleed() {
        let trim = Size {
            width: 148_000,
            height: 210_000,
        };
        let allowed = |sheet| {
            Edition::ALL
                .iter()
                .map(|&edition| is_interior_sheet(edition, trim, sheet))
                .collect::<Vec<_>>()
        };
        assert_eq!(allowed(trim), [true, true, false]);
        assert_eq!(allowed(trim.with_border(3_175)), [true, false, true]);
        assert_eq!(allowed(trim.with_border(5_000)), [true, false, false]);
        assert_eq!(allowed(trim.with_border(30_000)), [false, false, false]);
        let uneven = Size {
            width: trim.width + 6_000,
            ..trim
        };
        assert_eq!(allowed(uneven), [false, false, false]);
    }

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
