//! The sheet that is wrapped around a book: seen from outside, the back is on the left, the front on the right.
use crate::area::{Area, INCH, Size};
use crate::edition::Edition;
use crate::spine::{Paper, spine_takes_text, spine_width};

/// Past every edge of the sheet, for both printers.
const BLEED: u32 = INCH / 8;

/// Both printers print a barcode of 2 x 1.2 in low on the back, next to the spine and 0.25 in from it and the edge.
const BARCODE: Size = Size {
    width: 2 * INCH,
    height: INCH * 6 / 5,
};
const AROUND_BARCODE: u32 = INCH / 4;

/// A sheet, and what on it is what. Areas are measured from the top left corner of the trimmed sheet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CoverSheet {
    /// The trimmed sheet.
    pub size: Size,
    pub bleed: u32,
    pub back: Area,
    pub spine: Area,
    pub front: Area,
    /// How far what matters stays from the edges of back and front.
    pub safety: u32,
    /// How far text on the spine stays from its edges; nothing where it may have none.
    pub spine_safety: Option<u32>,
    /// Kept free on the back.
    pub barcode: Area,
}

impl CoverSheet {
    /// The sheet of a book that is read from right to left: the front is on the left, the back on the right. KDP, "Create a
    /// Paperback Cover"; the barcode stays next to the spine.
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
}

/// The sheet for a book of this trimmed size and final number of pages; nothing at home.
pub fn cover_sheet(edition: Edition, trim: Size, pages: u32, paper: Paper) -> Option<CoverSheet> {
    let spine = spine_width(edition, paper, pages)?;
    let part = |x, width| Area {
        x,
        y: 0,
        width,
        height: trim.height,
    };
    // KDP: 0.125 in from every edge and fold, 0.0625 in on the spine; what it trims may be off by as much, so twice that.
    // Lulu: 0.5 in, and 0.125 in on the spine.
    let (safety, beside_spine_text) = match edition {
        Edition::Lulu => (INCH / 2, INCH / 8),
        Edition::Home | Edition::Kdp => (INCH / 4, INCH / 16),
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
        spine_safety: spine_takes_text(edition, pages).then_some(beside_spine_text),
        barcode: Area {
            x: trim.width.saturating_sub(AROUND_BARCODE + BARCODE.width),
            y: trim.height.saturating_sub(AROUND_BARCODE + BARCODE.height),
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

    /// KDP: twice the trim, the spine and 0.25 in wide; the trim and 0.25 in high.
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
    fn a_mirrored_sheet_has_its_front_on_the_left_and_the_barcode_beside_the_spine() {
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
}
