//! The content of a cover by area: text on its spine, near its edges and in the barcode's box, and ink in its bleed.
use linepress_printers::{
    Area, BARCODE, CoverSheet, Edition, TOLERANCE, cover_text_distance, fewest_pages_for_spine_text,
};

use crate::expected::Expected;
use crate::page::{Page, Rectangle};
use crate::report::{Findings, Rule};
use crate::size::inches;

/// The areas of a cover in the page's own coordinates, and the content found in them so far.
pub(crate) struct CoverAreas {
    sheet: Rectangle,
    spine: Rectangle,
    barcode: Rectangle,
    /// The areas for text: the back, the front, and the spine if it is thick enough.
    safe: Vec<Rectangle>,
    cover: CoverSheet,
    has_barcode: bool,
    bleed: f64,
    tolerance: f64,
    has_text: TextPlaces,
    /// The bounds of all the ink.
    ink: Option<Rectangle>,
}

#[derive(Default)]
struct TextPlaces {
    on_spine: bool,
    at_edge: bool,
    on_barcode: bool,
}

impl CoverAreas {
    /// Returns `None` for a rotated page, because its edges cannot be told apart.
    pub(crate) fn new(pages: &[Page<'_>], cover: &CoverSheet, expected: &Expected) -> Option<Self> {
        let page = pages.first().filter(|page| page.rotation == 0.0)?;
        let sheet = page.sheet()?;
        let units = |micrometers: u32| f64::from(micrometers) * 72.0 / 25_400.0 / page.unit;
        let on_page = |area: Area| {
            let (left, top) = (
                sheet.left + units(cover.bleed + area.x),
                sheet.top - units(cover.bleed + area.y),
            );
            Rectangle {
                left,
                bottom: top - units(area.height),
                right: left + units(area.width),
                top,
            }
        };
        let inset = |rectangle: Rectangle, by: f64| Rectangle {
            left: rectangle.left + by,
            bottom: rectangle.bottom + by,
            right: rectangle.right - by,
            top: rectangle.top - by,
        };
        let asked = cover_text_distance(expected.edition);
        // Of Lulu's distance, half is checked: text that starts closer is lost.
        let safety = match expected.edition {
            Edition::Lulu => asked / 2,
            Edition::Home | Edition::Kdp => asked,
        };
        let safety = units(safety.saturating_sub(TOLERANCE));
        let spine = on_page(cover.spine);
        Some(Self {
            sheet,
            spine,
            barcode: on_page(cover.barcode),
            safe: vec![inset(on_page(cover.back), safety), inset(on_page(cover.front), safety)],
            cover: *cover,
            has_barcode: expected.has_barcode,
            bleed: units(cover.bleed),
            tolerance: units(TOLERANCE),
            has_text: TextPlaces::default(),
            ink: None,
        })
    }

    /// Records a text that starts at this place.
    pub(crate) fn text(&mut self, place: (f64, f64)) {
        if self.barcode.has(place) {
            self.has_text.on_barcode = true;
        } else if self.spine.has(place) {
            self.has_text.on_spine = true;
        } else if !self.safe.iter().any(|safe| safe.has(place)) {
            self.has_text.at_edge = true;
        }
    }

    /// Records ink within these bounds.
    pub(crate) fn ink(&mut self, bounds: &Rectangle) {
        self.ink = Some(self.ink.map_or(*bounds, |ink| ink.around(bounds)));
    }

    pub(crate) fn report(&self, expected: Edition, findings: &mut Findings) {
        let (printer, page) = (expected.name(), [1].into());
        match (self.has_text.on_spine, self.cover.spine_safety) {
            (true, None) => report_refused_spine_text(printer, findings),
            (false, Some(_)) => self.report_thin_spine(printer, findings),
            (true, Some(_)) | (false, None) => {}
        }
        if self.has_text.at_edge {
            let message = "text starts so near an edge or a fold that it may be cut off or folded".to_owned();
            let distance = inches(cover_text_distance(expected));
            let remedy = format!("keep text {distance} in from every edge and fold");
            findings.warning(Rule::Margins, &page, message, remedy);
        }
        if self.has_text.on_barcode && !self.has_barcode {
            let message = format!("there is text where {printer} prints its barcode");
            let (width, height) = (inches(BARCODE.width), inches(BARCODE.height));
            let remedy = format!(
                "leave {width} x {height} in empty, low on the back next to the spine; only the barcode of your own \
                 ISBN may be there"
            );
            findings.warning(Rule::Barcode, &page, message, remedy);
        }
        self.report_bleed(findings);
    }

    /// Reports a spine that may have text, has none and is thin. A layout leaves out a title that does not fit, so the
    /// owner of the book would not learn the reason.
    fn report_thin_spine(&self, printer: &str, findings: &mut Findings) {
        let Some(roomy) = self.cover.spine_width_for_any_title() else {
            return;
        };
        if !self.cover.is_spine_thin() {
            return;
        }
        let message = format!(
            "the spine has no text: it is {} in wide, too thin for some titles in type of 7 pt between the margins of \
             {printer}",
            inches(self.cover.spine.width)
        );
        let remedy = format!(
            "leave it blank, or add pages: every title fits on a spine of {} in",
            inches(roomy)
        );
        findings.warning(Rule::Spine, &[1].into(), message, remedy);
    }

    /// Reports ink that ends between the trimmed edge and the edge of the sheet: if the trim is slightly off, a white
    /// strip shows.
    fn report_bleed(&self, findings: &mut Findings) {
        let Some(ink) = self.ink else { return };
        let distances = [
            ("left", ink.left - self.sheet.left),
            ("right", self.sheet.right - ink.right),
            ("top", self.sheet.top - ink.top),
            ("bottom", ink.bottom - self.sheet.bottom),
        ];
        let within_bleed = self.tolerance..=self.bleed + self.tolerance;
        let short = distances.iter().filter(|(_, distance)| within_bleed.contains(distance));
        let sides: Vec<&str> = short.map(|(side, _)| *side).collect();
        if !sides.is_empty() {
            let message = format!(
                "the ink ends within the bleed, and a white edge may show at: {}",
                sides.join(", ")
            );
            let remedy = "extend the background to the edges of the sheet, past the trimmed edges";
            findings.warning(Rule::Bleed, &[1].into(), message, remedy);
        }
    }
}

/// Reports text on a spine that is too thin for any.
fn report_refused_spine_text(printer: &str, findings: &mut Findings) {
    let message = format!("there is text on the spine, but {printer} accepts none on a spine this thin");
    let accepted = [Edition::Kdp, Edition::Lulu]
        .into_iter()
        .filter_map(|edition| {
            Some(format!(
                "{} from {}",
                edition.name(),
                fewest_pages_for_spine_text(edition)?
            ))
        })
        .collect::<Vec<_>>()
        .join(", ");
    let remedy = format!("remove it, or add pages; the fewest pages for it: {accepted}");
    findings.error(Rule::Spine, &[1].into(), message, remedy);
}
