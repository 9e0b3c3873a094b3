//! The margins of a page: where text may begin, and pictures may lie.
use linepress_printers::{Area, Direction, Edition, Margins, PageAreas, Side, Size, TOLERANCE, page_areas};

use crate::page::{Page, Rectangle};
use crate::size::inches;

/// In the page's own coordinates; nothing where there is no limit, or where it cannot be told.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Limits {
    pub(crate) text: Option<Rectangle>,
    pub(crate) pictures: Option<Rectangle>,
}

/// What holds on this page of a book with `count` pages of this trimmed size.
pub(crate) fn limits(page: &Page<'_>, edition: Edition, trim: Size, count: u32, direction: Direction) -> Limits {
    // A turned page is reported as such, and nobody knows which of its edges is bound.
    let Some((sheet, size)) = page.sheet().zip(page.sheet_size()).filter(|_| page.rotation == 0.0) else {
        return Limits::default();
    };
    let side = Side::of(page.number as usize - 1, direction);
    let (wide, high) = bleed(size, trim);
    let bleeds = wide > TOLERANCE || high > TOLERANCE;
    let left = match (edition, side) {
        // KDP: none at the binding, which is on the left of a page on the right.
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
        // Lulu's safety margin of half an inch is for text.
        text: Some(on_page(if edition == Edition::Lulu { safe } else { live })),
        // Where there is bleed, a picture may reach into it.
        pictures: (!bleeds).then(|| on_page(live)),
    }
}

/// How much wider and higher the sheet is.
fn bleed(sheet: Size, trim: Size) -> (u32, u32) {
    (
        sheet.width.saturating_sub(trim.width),
        sheet.height.saturating_sub(trim.height),
    )
}

/// The margins in words.
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
