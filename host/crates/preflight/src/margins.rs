//! The margins of a page, for text and pictures.
use linepress_printers::{Area, Direction, Edition, Margins, PageAreas, Side, Size, TOLERANCE, page_areas};

use crate::page::{Page, Rectangle};
use crate::size::inches;

/// The areas for text and pictures, in the page's own coordinates. `None` means that there is no limit, or that it is
/// unknown.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Limits {
    pub(crate) text: Option<Rectangle>,
    pub(crate) pictures: Option<Rectangle>,
}

/// The limits on a page of a book with `count` pages of this trimmed size.
pub(crate) fn limits(page: &Page<'_>, edition: Edition, trim: Size, count: u32, direction: Direction) -> Limits {
    // A rotated page is reported elsewhere, and it is unknown which of its edges is bound.
    let Some((sheet, size)) = page.sheet().zip(page.sheet_size()).filter(|_| page.rotation == 0.0) else {
        return Limits::default();
    };
    let side = Side::of(page.number as usize - 1, direction);
    let (wide, high) = bleed(size, trim);
    let bleeds = wide > TOLERANCE || high > TOLERANCE;
    let left = match (edition, side) {
        // KDP has no bleed at the binding, which is on the left of a recto page.
        (Edition::Kdp, Side::Recto) => 0,
        (Edition::Kdp, Side::Verso) => wide,
        (Edition::Home | Edition::Lulu, _) => wide / 2,
    };
    let PageAreas { live, safe } = page_areas(edition, trim, count, bleeds, side);
    let on_page = |area: Area| {
        let units = |micrometers: u32| f64::from(micrometers) * 72.0 / 25_400.0 / page.unit;
        let (x, y) = (sheet.left + units(left + area.x), sheet.top - units(high / 2 + area.y));
        Rectangle {
            left: x - units(TOLERANCE),
            bottom: y - units(area.height + TOLERANCE),
            right: x + units(area.width + TOLERANCE),
            top: y + units(TOLERANCE),
        }
    };
    Limits {
        // Lulu's safety margin of 0.5 in is for text.
        text: Some(on_page(if edition == Edition::Lulu { safe } else { live })),
        // On a page with bleed, a picture may extend into the bleed.
        pictures: (!bleeds).then(|| on_page(live)),
    }
}

/// How much wider and higher than the trimmed page the sheet is, in micrometers.
fn bleed(sheet: Size, trim: Size) -> (u32, u32) {
    (
        sheet.width.saturating_sub(trim.width),
        sheet.height.saturating_sub(trim.height),
    )
}

/// Describes the margins in words.
pub(crate) fn description(sheet: Size, edition: Edition, trim: Size, count: u32) -> String {
    let (wide, high) = bleed(sheet, trim);
    let margins = Margins::of(edition, count, wide.max(high) > TOLERANCE);
    let safety = if edition == Edition::Lulu { margins.safety } else { 0 };
    format!(
        "{} in at the binding and {} in at the other edges",
        inches(margins.inner + safety),
        inches(margins.outer + safety)
    )
}
