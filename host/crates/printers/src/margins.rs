//! Where on a page ink may be.
//!
//! Ink stays in `live`; what matters, drawings and text, stays in `safe`. At home both satisfy KDP and home printers
//! together, so that one file prints everywhere: on US Letter that leaves a half-inch margin around an area of almost
//! exactly 3:4.
use serde::Serialize;

use crate::area::{Area, INCH, Size};
use crate::direction::Direction;
use crate::edition::Edition;

/// The strip at the bottom that home printers cannot reach.
const HOME_BOTTOM: u32 = 7_000;
/// From ink to what matters.
const SAFETY: u32 = INCH / 4;

/// A page on the right (odd numbers) or on the left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    Recto,
    Verso,
}

impl Side {
    /// The side of a page, counted from zero: books begin on the right, and those that are read from there on the left.
    pub fn of(index: usize, direction: Direction) -> Self {
        if index.is_multiple_of(2) == (direction == Direction::LeftToRight) {
            Self::Recto
        } else {
            Self::Verso
        }
    }
}

/// The least distances of ink from the trimmed edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Margins {
    /// At the binding.
    pub inner: u32,
    pub outer: u32,
    pub top: u32,
    pub bottom: u32,
    /// How much farther in what matters belongs.
    pub safety: u32,
}

/// The areas of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageAreas {
    /// Where ink may be.
    pub live: Area,
    /// Where drawings and text belong.
    pub safe: Area,
}

/// How much of the inner edge the binding takes, for the final number of pages, blank ones included.
pub fn gutter(edition: Edition, pages: u32) -> u32 {
    match edition {
        // KDP, "Set Trim Size, Bleed, and Margins".
        Edition::Home | Edition::Kdp => match pages {
            ..=150 => INCH * 3 / 8,
            151..=300 => INCH / 2,
            301..=500 => INCH * 5 / 8,
            501..=700 => INCH * 3 / 4,
            701.. => INCH * 7 / 8,
        },
        // Lulu, "Book Creation Guide": added to the margin of every page. Below 61 pages it asks for nothing, and
        // advises 0.2 in elsewhere.
        Edition::Lulu => match pages {
            ..=60 => INCH / 5,
            61..=150 => INCH / 5,
            151..=400 => INCH / 2,
            401..=600 => INCH * 5 / 8,
            601.. => INCH * 3 / 4,
        },
    }
}

/// How far every page of an interior reaches past its trimmed edges, where the format itself has no bleed.
pub fn interior_bleed(edition: Edition) -> u32 {
    match edition {
        // KDP takes pages without bleed at their trimmed size.
        Edition::Home | Edition::Kdp => 0,
        // Lulu wants 0.125 in on all four sides, whether or not anything is printed there.
        Edition::Lulu => INCH / 8,
    }
}

impl Margins {
    /// For a book of so many pages, whose ink bleeds past the edges or does not.
    pub fn of(edition: Edition, pages: u32, bleeds: bool) -> Self {
        let inner = gutter(edition, pages);
        // KDP: 0.25 in, or 0.375 in with bleed.
        let outer = if bleeds { INCH * 3 / 8 } else { INCH / 4 };
        match edition {
            Edition::Home => Self {
                inner,
                outer,
                top: outer,
                bottom: outer.max(HOME_BOTTOM),
                safety: SAFETY,
            },
            Edition::Kdp => Self {
                inner,
                outer,
                top: outer,
                bottom: outer,
                safety: SAFETY,
            },
            // A safety margin of 0.5 in for what matters, and the gutter beside it.
            Edition::Lulu => Self {
                inner: INCH / 4 + inner,
                outer: INCH / 4,
                top: INCH / 4,
                bottom: INCH / 4,
                safety: SAFETY,
            },
        }
    }
}

/// The areas of a page of a book with `pages` pages in all.
pub fn page_areas(edition: Edition, trim: Size, pages: u32, bleeds: bool, side: Side) -> PageAreas {
    let margins = Margins::of(edition, pages, bleeds);
    let inset = |safety: u32| {
        let (left, right) = match side {
            Side::Recto => (margins.inner, margins.outer),
            Side::Verso => (margins.outer, margins.inner),
        };
        // At home the strip at the bottom is a part of the safety margin, which is half an inch on all sides.
        let bottom = match safety {
            0 => margins.bottom,
            _ => margins.bottom.max(margins.top + safety),
        };
        Area {
            x: left + safety,
            y: margins.top + safety,
            width: trim.width.saturating_sub(left + right + 2 * safety),
            height: trim.height.saturating_sub(margins.top + safety + bottom),
        }
    };
    PageAreas {
        live: inset(0),
        safe: inset(margins.safety),
    }
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
    fn the_gutter_of_lulu_is_at_least_what_its_guide_adds() {
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
    fn the_live_area_of_letter_is_as_wide_as_the_printer_says() {
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
    fn what_matters_keeps_half_an_inch_from_every_edge() {
        for &edition in Edition::ALL {
            let safe = page_areas(edition, LETTER, 24, false, Side::Recto).safe;
            assert!(safe.x >= INCH / 2 && safe.y >= INCH / 2);
            assert!(safe.x + safe.width <= 215_900 - INCH / 2);
            assert!(safe.y + safe.height <= 279_400 - INCH / 2);
        }
    }

    #[test]
    fn with_bleed_margins_are_wider() {
        let top = |bleeds| page_areas(Edition::Kdp, LETTER, 24, bleeds, Side::Recto).live.y;
        assert_eq!((top(false), top(true)), (6_350, 9_525));
    }

    #[test]
    fn a_book_begins_on_the_right() {
        assert_eq!(
            [0, 1, 2].map(|index| Side::of(index, Direction::LeftToRight)),
            [Side::Recto, Side::Verso, Side::Recto]
        );
    }
}
