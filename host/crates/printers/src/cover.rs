//! The sheet that is wrapped around a book. Seen from outside, the back is on the left and the front on the right.
use crate::area::{Area, INCH, Size};
use crate::edition::Edition;
use crate::spine::{Paper, spine_takes_text, spine_width};

/// The bleed past every edge of the sheet, for both printers.
const BLEED: u32 = INCH / 8;

/// The box of the barcode. Both printers print it low on the back, 0.25 in from the spine and from the bottom edge.
pub const BARCODE: Size = Size {
    width: 2 * INCH,
    height: INCH * 6 / 5,
};
/// The distance of the barcode from the spine and from the bottom edge.
const BARCODE_MARGIN: u32 = INCH / 4;

/// The height, in micrometers, of a line of the smallest type that KDP accepts, 7 points ("Paperback Submission
/// Guidelines"), in the scripts with the highest letters, which take 1.2 times the size of their type.
const MIN_LINE_HEIGHT_UM: u32 = 7 * INCH * 12 / (10 * 72);

/// A sheet and its parts. Areas are measured from the top left corner of the trimmed sheet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CoverSheet {
    /// The size of the trimmed sheet.
    pub size: Size,
    pub bleed: u32,
    pub back: Area,
    pub spine: Area,
    pub front: Area,
    /// The distance that text and drawings keep from the edges of the back and the front.
    pub safety: u32,
    /// The distance that text on the spine keeps from its edges. `None` where the spine may have no text.
    pub spine_safety: Option<u32>,
    /// The area on the back that must stay empty for the barcode.
    pub barcode: Area,
}

impl CoverSheet {
    /// The sheet of a book that is read from right to left: the front is on the left and the back on the right (KDP,
    /// "Create a Paperback Cover"). The barcode stays next to the spine.
    #[must_use]
    pub fn mirrored(self) -> Self {
        let mirror = |area: Area| Area {
            x: self.size.width - area.x - area.width,
            ..area
        };
        Self {
            back: mirror(self.back),
            spine: mirror(self.spine),
            front: mirror(self.front),
            barcode: mirror(self.barcode),
            ..self
        }
    }

    /// The width from which every title fits on the spine in the smallest type. A layout may have titles that fit on a
    /// thinner one, such as those in capitals. `None` where the spine may have no text.
    pub fn spine_width_for_any_title(&self) -> Option<u32> {
        self.spine_safety.map(|safety| 2 * safety + MIN_LINE_HEIGHT_UM)
    }

    /// Returns true for a spine that may have text, but is so thin that a title may not fit.
    pub fn is_spine_thin(&self) -> bool {
        self.spine_width_for_any_title()
            .is_some_and(|width| self.spine.width < width)
    }
}

/// The distance that a printer asks for between the text of a cover and every edge and fold, in micrometers.
pub fn cover_text_distance(edition: Edition) -> u32 {
    match edition {
        Edition::Lulu => INCH / 2,
        Edition::Home | Edition::Kdp => INCH / 8,
    }
}

/// Returns the sheet for a book of this trimmed size and final number of pages, or `None` for a printer at home.
pub fn cover_sheet(edition: Edition, trim: Size, pages: u32, paper: Paper) -> Option<CoverSheet> {
    let spine = spine_width(edition, paper, pages)?;
    let part = |x, width| Area {
        x,
        y: 0,
        width,
        height: trim.height,
    };
    let asked = cover_text_distance(edition);
    // KDP asks for 0.0625 in on the spine, Lulu for 0.125 in. KDP's trim may be off by as much as it asks for at the
    // edges, so that distance is doubled.
    let (safety, spine_safety) = match edition {
        Edition::Lulu => (asked, INCH / 8),
        Edition::Home | Edition::Kdp => (2 * asked, INCH / 16),
    };
    Some(CoverSheet {
        size: Size {
            width: 2 * trim.width + spine,
            height: trim.height,
        },
        bleed: BLEED,
        back: part(0, trim.width),
        spine: part(trim.width, spine),
        front: part(trim.width + spine, trim.width),
        safety,
        spine_safety: spine_takes_text(edition, pages).then_some(spine_safety),
        barcode: Area {
            x: trim.width.saturating_sub(BARCODE_MARGIN + BARCODE.width),
            y: trim.height.saturating_sub(BARCODE_MARGIN + BARCODE.height),
            width: BARCODE.width,
            height: BARCODE.height,
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const LETTER: Size = Size {
        width: 215_900,
        height: 279_400,
    };

    fn inches(micrometers: u32) -> f64 {
        (f64::from(micrometers) / f64::from(INCH) * 1000.0).round() / 1000.0
    }

    /// KDP's formula: the width is twice the trim plus the spine plus 0.25 in, the height is the trim plus 0.25 in.
    #[test]
    fn a_cover_is_as_large_as_the_printer_says() {
        for (pages, width) in [(24, 17.304), (78, 17.426), (79, 17.428), (200, 17.7), (590, 18.579)] {
            let sheet = cover_sheet(Edition::Kdp, LETTER, pages, Paper::White).unwrap();
            let whole = sheet.size.with_border(sheet.bleed);
            assert_eq!((inches(whole.width), inches(whole.height)), (width, 11.25), "{pages}");
        }
        let sheet = cover_sheet(Edition::Lulu, LETTER, 80, Paper::White).unwrap();
        let whole = sheet.size.with_border(sheet.bleed);
        assert_eq!((inches(whole.width), inches(whole.height)), (17.49, 11.25));
        assert_eq!(cover_sheet(Edition::Home, LETTER, 80, Paper::White), None);
    }

    #[test]
    fn back_spine_and_front_fill_the_sheet_side_by_side() {
        let sheet = cover_sheet(Edition::Kdp, LETTER, 120, Paper::White).unwrap();
        assert_eq!(sheet.back.x, 0);
        assert_eq!(sheet.back.x + sheet.back.width, sheet.spine.x);
        assert_eq!(sheet.spine.x + sheet.spine.width, sheet.front.x);
        assert_eq!(sheet.front.x + sheet.front.width, sheet.size.width);
    }

    #[test]
    fn a_mirrored_sheet_has_its_front_on_the_left_and_the_barcode_next_to_the_spine() {
        let sheet = cover_sheet(Edition::Kdp, LETTER, 120, Paper::White).unwrap().mirrored();
        assert_eq!(sheet.front.x, 0);
        assert_eq!(sheet.front.width, sheet.spine.x);
        assert_eq!(sheet.back.x, sheet.spine.x + sheet.spine.width);
        assert_eq!(inches(sheet.barcode.x - sheet.back.x), 0.25);
        assert_eq!(sheet.mirrored().mirrored(), sheet);
    }

    #[test]
    fn the_barcode_keeps_a_quarter_inch_from_spine_and_edge() {
        let sheet = cover_sheet(Edition::Kdp, LETTER, 120, Paper::White).unwrap();
        let Area { x, y, width, height } = sheet.barcode;
        assert_eq!(inches(sheet.spine.x - x - width), 0.25);
        assert_eq!(inches(sheet.size.height - y - height), 0.25);
        assert_eq!((inches(width), inches(height)), (2.0, 1.2));
    }

    #[test]
    fn only_spines_that_are_wide_enough_have_text() {
        let text = |pages| {
            cover_sheet(Edition::Kdp, LETTER, pages, Paper::White)
                .unwrap()
                .spine_safety
        };
        assert_eq!((text(78), text(79)), (None, Some(INCH / 16)));
    }

    #[test]
    fn a_spine_with_little_more_than_the_fewest_pages_for_text_is_thin() {
        let thin = |edition, pages| {
            cover_sheet(edition, LETTER, pages, Paper::White)
                .unwrap()
                .is_spine_thin()
        };
        assert_eq!(
            [78, 79, 107, 108].map(|pages| thin(Edition::Kdp, pages)),
            [false, true, true, false]
        );
        assert_eq!(
            [80, 81, 136, 137].map(|pages| thin(Edition::Lulu, pages)),
            [false, true, true, false]
        );
    }
}
