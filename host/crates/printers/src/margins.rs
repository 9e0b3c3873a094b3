//! The margins of a page.
//!
//! Ink stays inside `live`; drawings and text stay inside `safe`. At home, both areas satisfy KDP and home printers at
//! the same time, so that one file prints everywhere. On US Letter, this leaves a margin of half an inch around an area
//! of almost exactly 3:4.
use linepress_model::FormatMargins;
use serde::Serialize;

use crate::area::{Area, INCH, Size};
use crate::direction::Direction;
use crate::edition::Edition;

/// The strip at the bottom of the paper that home printers cannot print on.
const HOME_BOTTOM_MARGIN: u32 = 7_000;
/// The distance from the live area to the safe area.
const SAFETY_MARGIN: u32 = INCH / 4;

/// The side of the open book that a page is on: recto pages have odd numbers and are on the right, verso pages on the
/// left. In a book that is read from right to left, the odd pages are verso.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    Recto,
    Verso,
}

impl Side {
    /// Returns the side of a page, given its index from 0. The first page is on the right, or on the left in a book
    /// that is read from right to left.
    pub fn of(index: usize, direction: Direction) -> Self {
        if index.is_multiple_of(2) == (direction == Direction::LeftToRight) {
            Self::Recto
        } else {
            Self::Verso
        }
    }
}

/// The smallest distances of ink from the trimmed edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Margins {
    /// The margin at the binding.
    pub inner: u32,
    pub outer: u32,
    pub top: u32,
    pub bottom: u32,
    /// The additional distance for drawings and text.
    pub safety: u32,
}

/// The areas of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageAreas {
    /// The area for ink.
    pub live: Area,
    /// The area for drawings and text.
    pub safe: Area,
}

/// The part of the inner edge that the binding takes, for the final number of pages, blank pages included.
pub fn gutter(edition: Edition, pages: u32) -> u32 {
    match edition {
        // Source: KDP, "Set Trim Size, Bleed, and Margins".
        Edition::Home | Edition::Kdp => match pages {
            ..=150 => INCH * 3 / 8,
            151..=300 => INCH / 2,
            301..=500 => INCH * 5 / 8,
            501..=700 => INCH * 3 / 4,
            701.. => INCH * 7 / 8,
        },
        // Lulu, "Book Creation Guide": the gutter is added to the margin of every page. Below 61 pages it requires none
        // there, but recommends 0.2 in elsewhere.
        Edition::Lulu => match pages {
            ..=60 => INCH / 5,
            61..=150 => INCH / 5,
            151..=400 => INCH / 2,
            401..=600 => INCH * 5 / 8,
            601.. => INCH * 3 / 4,
        },
    }
}

/// The bleed of every interior page past its trimmed edges, in a format whose own bleed is `own`.
///
/// A printing service prescribes the bleed, so a format decides only that its pages have one.
pub fn interior_bleed(edition: Edition, own: u32) -> u32 {
    match edition {
        Edition::Home => own,
        // KDP accepts pages without bleed at their trimmed size.
        Edition::Kdp if own == 0 => 0,
        // Lulu requires 0.125 in on all four sides, whether or not anything is printed there.
        Edition::Kdp | Edition::Lulu => INCH / 8,
    }
}

/// Returns true when the bleed of interior pages ends at the binding. KDP, "Set Trim Size, Bleed, and Margins": bleed
/// at the top, the bottom and the outer edge.
pub fn ends_at_binding(edition: Edition) -> bool {
    edition == Edition::Kdp
}

impl Margins {
    /// The margins for a book of `pages` pages. `bleeds` is true when its ink extends past the trimmed edges.
    pub fn of(edition: Edition, pages: u32, bleeds: bool) -> Self {
        let inner = gutter(edition, pages);
        // KDP requires 0.25 in, or 0.375 in with bleed.
        let outer = if bleeds { INCH * 3 / 8 } else { INCH / 4 };
        match edition {
            Edition::Home => Self {
                inner,
                outer,
                top: outer,
                bottom: outer.max(HOME_BOTTOM_MARGIN),
                safety: SAFETY_MARGIN,
            },
            Edition::Kdp => Self {
                inner,
                outer,
                top: outer,
                bottom: outer,
                safety: SAFETY_MARGIN,
            },
            // Lulu has a safety margin of 0.5 in for drawings and text, plus the gutter.
            Edition::Lulu => Self {
                inner: INCH / 4 + inner,
                outer: INCH / 4,
                top: INCH / 4,
                bottom: INCH / 4,
                safety: SAFETY_MARGIN,
            },
        }
    }

    /// The areas of a page with these margins. The format's own margins apply to drawings and text.
    pub fn areas(self, trim: Size, side: Side, own: FormatMargins) -> PageAreas {
        let inset = |safety: u32, own: FormatMargins| {
            // At home, the strip at the bottom is part of the safety margin, which is half an inch on all sides.
            let bottom = match safety {
                0 => self.bottom,
                _ => self.bottom.max(self.top + safety),
            };
            let inner = (self.inner + safety).max(own.inner_um);
            let outer = (self.outer + safety).max(own.outer_um);
            let (top, bottom) = ((self.top + safety).max(own.top_um), bottom.max(own.bottom_um));
            Area {
                x: match side {
                    Side::Recto => inner,
                    Side::Verso => outer,
                },
                y: top,
                width: trim.width.saturating_sub(inner + outer),
                height: trim.height.saturating_sub(top + bottom),
            }
        };
        PageAreas {
            live: inset(0, FormatMargins::default()),
            safe: inset(self.safety, own),
        }
    }
}

/// Returns the areas of a page in a book with `pages` pages.
pub fn page_areas(edition: Edition, trim: Size, pages: u32, bleeds: bool, side: Side) -> PageAreas {
    Margins::of(edition, pages, bleeds).areas(trim, side, FormatMargins::default())
}

#[cfg(test)]
mod tests {
    use super::*;

    const LETTER: Size = Size {
        width: 215_900,
        height: 279_400,
    };

    fn inches(micrometers: u32) -> f64 {
        f64::from(micrometers) / f64::from(INCH)
    }

    #[test]
    fn the_gutter_of_kdp_follows_the_final_page_count() {
        let tiers = [
            (2, 0.375),
            (24, 0.375),
            (150, 0.375),
            (151, 0.5),
            (300, 0.5),
            (301, 0.625),
            (500, 0.625),
            (501, 0.75),
            (700, 0.75),
            (701, 0.875),
            (828, 0.875),
        ];
        for (pages, gutter_inches) in tiers {
            assert_eq!(inches(gutter(Edition::Kdp, pages)), gutter_inches, "{pages}");
            assert_eq!(inches(gutter(Edition::Home, pages)), gutter_inches, "{pages}");
        }
    }

    #[test]
    fn the_gutter_of_lulu_is_at_least_that_of_its_guide() {
        let added = [
            (32, 0.0),
            (60, 0.0),
            (61, 0.125),
            (150, 0.125),
            (151, 0.5),
            (400, 0.5),
            (401, 0.625),
            (600, 0.625),
            (601, 0.75),
            (800, 0.75),
        ];
        for (pages, least) in added {
            let recto = page_areas(Edition::Lulu, LETTER, pages, false, Side::Recto);
            assert!(inches(recto.safe.x) >= 0.5 + least, "{pages}");
            assert!(inches(recto.safe.x) >= 0.7, "{pages}");
            assert!(inches(recto.safe.x) <= 0.5 + least.max(0.2) + 0.001, "{pages}");
        }
    }

    #[test]
    fn the_live_area_of_letter_has_the_size_that_the_printer_allows() {
        let home = page_areas(Edition::Home, LETTER, 80, false, Side::Recto).live;
        let kdp = page_areas(Edition::Kdp, LETTER, 80, false, Side::Recto).live;
        assert_eq!((home.width, kdp.width), (7_875 * INCH / 1000, 7_875 * INCH / 1000));
        assert_eq!(home.y + home.height, 279_400 - 7_000);
        assert_eq!(kdp.height, 10_500 * INCH / 1000);
    }

    #[test]
    fn recto_and_verso_mirror_each_other() {
        for &edition in Edition::ALL {
            for pages in [24, 200, 450] {
                for bleeds in [false, true] {
                    let of = |side| page_areas(edition, LETTER, pages, bleeds, side);
                    let (recto, verso) = (of(Side::Recto), of(Side::Verso));
                    for (right, left) in [(recto.live, verso.live), (recto.safe, verso.safe)] {
                        assert_eq!(left.x + left.width, 215_900 - right.x);
                        assert_eq!((left.y, left.height), (right.y, right.height));
                        let outer = 215_900 - right.x - right.width;
                        assert!(right.x >= outer, "the inner margin is never the narrower one");
                    }
                }
            }
        }
    }

    #[test]
    fn the_safe_area_is_half_an_inch_from_every_edge() {
        for &edition in Edition::ALL {
            let safe = page_areas(edition, LETTER, 24, false, Side::Recto).safe;
            assert!(safe.x >= INCH / 2 && safe.y >= INCH / 2);
            assert!(safe.x + safe.width <= 215_900 - INCH / 2);
            assert!(safe.y + safe.height <= 279_400 - INCH / 2);
        }
    }

    #[test]
    fn margins_with_bleed_are_wider() {
        let top = |bleeds| page_areas(Edition::Kdp, LETTER, 24, bleeds, Side::Recto).live.y;
        assert_eq!((top(false), top(true)), (6_350, 9_525));
    }

    #[test]
    fn wide_margins_of_a_format_move_drawings_and_text_but_never_below_the_printers_margins() {
        let own = FormatMargins {
            inner_um: 30_000,
            outer_um: 1_000,
            top_um: 25_000,
            bottom_um: 0,
        };
        for &edition in Edition::ALL {
            let margins = Margins::of(edition, 80, false);
            let usual = page_areas(edition, LETTER, 80, false, Side::Verso);
            let wide = margins.areas(LETTER, Side::Verso, own);
            assert_eq!(wide.live, usual.live);
            assert_eq!((wide.safe.x, wide.safe.y), (usual.safe.x, 25_000));
            assert_eq!(wide.safe.x + wide.safe.width, LETTER.width - 30_000);
            assert_eq!(
                wide.safe.y + wide.safe.height,
                usual.safe.y + usual.safe.height,
                "{edition}"
            );
        }
    }

    #[test]
    fn a_printing_service_prescribes_the_bleed_of_pages_that_have_one() {
        let bleeds = |own| {
            Edition::ALL
                .iter()
                .map(|&edition| interior_bleed(edition, own))
                .collect::<Vec<_>>()
        };
        assert_eq!(bleeds(0), [0, 0, 3_175]);
        assert_eq!(bleeds(3_000), [3_000, 3_175, 3_175]);
    }

    #[test]
    fn a_book_begins_on_the_right() {
        assert_eq!(
            [0, 1, 2].map(|index| Side::of(index, Direction::LeftToRight)),
            [Side::Recto, Side::Verso, Side::Recto]
        );
    }
}
