//! Where on the paper ink may be: the rules of printers, computed once, so that no template repeats them.
//!
//! Sources, read in November 2026:
//! - Amazon KDP, "Set Trim Size, Bleed, and Margins": the gutter grows with the page count (0.375 in up to 150
//!   pages, then 0.5, 0.625, 0.75 and 0.875); the other margins are 0.25 in, or 0.375 in with bleed.
//! - Lulu, "Book Creation Guide": a safety margin of 0.5 in for everything that matters.
//! - Home printers: 0.25 in all round, 7 mm at the bottom, where the paper is held.
//!
//! Two boxes satisfy all three. Ink stays in `live`. What matters, drawings and text, stays in `safe`, a quarter
//! of an inch farther in; on US Letter that leaves a half-inch margin around an area of almost exactly 3:4.
use serde::Serialize;

use linepress_model::PrintFormat;

/// Micrometers in an inch.
const INCH: u32 = 25_400;
const OUTER: u32 = INCH / 4;
const OUTER_WITH_BLEED: u32 = INCH * 3 / 8;
/// The strip at the bottom that home printers cannot reach.
const BOTTOM: u32 = 7_000;
/// From `live` to `safe` at the sides and at the top.
const SAFETY: u32 = INCH / 4;
/// From the trimmed edge to `safe` at the bottom: the same half inch as on the other sides.
const SAFE_BOTTOM: u32 = INCH / 2;

/// A page on the right (odd numbers) or on the left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Side {
    Recto,
    Verso,
}

impl Side {
    /// The side of a page, counted from zero: books begin on the right.
    pub(crate) fn of(index: usize) -> Self {
        if index.is_multiple_of(2) {
            Self::Recto
        } else {
            Self::Verso
        }
    }
}

/// A rectangle in micrometers from the trimmed page's top left corner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Area {
    pub(crate) x: u32,
    pub(crate) y: u32,
    pub(crate) width: u32,
    pub(crate) height: u32,
}

/// The areas of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PageAreas {
    /// Where ink may be.
    pub(crate) live: Area,
    /// Where drawings and text belong.
    pub(crate) safe: Area,
}

/// How much of the inner edge the binding takes, in micrometers, for the final number of pages, blank ones included.
pub(crate) fn gutter(pages: usize) -> u32 {
    match pages {
        ..=150 => INCH * 3 / 8,
        151..=300 => INCH / 2,
        301..=500 => INCH * 5 / 8,
        501..=700 => INCH * 3 / 4,
        _ => INCH * 7 / 8,
    }
}

/// The areas of a page of a book with `pages` pages in all.
pub(crate) fn page_areas(format: &PrintFormat, pages: usize, side: Side) -> PageAreas {
    let outer = if format.bleed_um > 0 { OUTER_WITH_BLEED } else { OUTER };
    let inner = gutter(pages);
    let (left, right) = match side {
        Side::Recto => (inner, outer),
        Side::Verso => (outer, inner),
    };
    let bottom = outer.max(BOTTOM);
    PageAreas {
        live: inset(format, left, outer, right, bottom),
        safe: inset(
            format,
            left + SAFETY,
            outer + SAFETY,
            right + SAFETY,
            bottom.max(SAFE_BOTTOM),
        ),
    }
}

fn inset(format: &PrintFormat, left: u32, top: u32, right: u32, bottom: u32) -> Area {
    Area {
        x: left,
        y: top,
        width: format.trim_width_um.saturating_sub(left + right),
        height: format.trim_height_um.saturating_sub(top + bottom),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use linepress_model::Aspect;

    fn letter(bleed_um: u32) -> PrintFormat {
        PrintFormat {
            id: "us_letter".into(),
            name: "US Letter".into(),
            aspect: Aspect::Portrait,
            trim_width_um: 215_900,
            trim_height_um: 279_400,
            bleed_um,
            recommended_width: 1152,
            recommended_height: 1536,
            template: "us_letter.typ".into(),
        }
    }

    #[test]
    fn the_gutter_follows_the_final_page_count() {
        let tiers = [
            (2, 0.375),
            (24, 0.375),
            (150, 0.375),
            (151, 0.5),
            (300, 0.5),
            (301, 0.625),
            (501, 0.75),
            (828, 0.875),
        ];
        for (pages, inches) in tiers {
            assert_eq!(f64::from(gutter(pages)) / f64::from(INCH), inches, "{pages}");
        }
    }

    #[test]
    fn the_live_area_of_letter_is_as_wide_as_the_printer_says() {
        let live = page_areas(&letter(0), 80, Side::Recto).live;
        assert_eq!(live.width, 7_875 * INCH / 1000);
        assert_eq!(live.y + live.height, 279_400 - 7_000);
    }

    #[test]
    fn recto_and_verso_mirror_each_other() {
        for pages in [24, 200, 400] {
            for bleed in [0, 3_175] {
                let recto = page_areas(&letter(bleed), pages, Side::Recto);
                let verso = page_areas(&letter(bleed), pages, Side::Verso);
                for (right, left) in [(recto.live, verso.live), (recto.safe, verso.safe)] {
                    assert_eq!(left.x + left.width, 215_900 - right.x);
                    assert_eq!((left.y, left.height), (right.y, right.height));
                    assert!(
                        right.x >= 215_900 - right.x - right.width,
                        "the inner margin is never the narrower one"
                    );
                }
            }
        }
    }

    #[test]
    fn what_matters_keeps_half_an_inch_from_every_edge() {
        let safe = page_areas(&letter(0), 24, Side::Recto).safe;
        assert!(safe.x >= INCH / 2 && safe.y >= INCH / 2);
        assert!(safe.x + safe.width <= 215_900 - INCH / 2);
        assert!(safe.y + safe.height <= 279_400 - INCH / 2);
    }

    #[test]
    fn with_bleed_margins_are_wider() {
        let plain = page_areas(&letter(0), 24, Side::Recto).live;
        let bled = page_areas(&letter(3_175), 24, Side::Recto).live;
        assert_eq!((plain.y, bled.y), (6_350, 9_525));
    }

    #[test]
    fn a_book_begins_on_the_right() {
        assert_eq!(
            [Side::of(0), Side::of(1), Side::of(2)],
            [Side::Recto, Side::Verso, Side::Recto]
        );
    }
}
