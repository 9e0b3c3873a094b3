//! The checks of an element against the boxes of its page.
use typst::syntax::Span;

use super::{TOLERANCE_MM, Walk};
use crate::measures::Rectangle;
use crate::proof::finding::Rule;

impl Walk<'_> {
    /// Checks an element that must not be cut off: it has to lie inside the safe box, or bleed.
    pub(super) fn check_safe_box(&mut self, name: &str, area: Rectangle, tolerance: f64, span: Option<Span>) {
        let excess = |safe: &Rectangle| safe.excess(&area).into_iter().fold(f64::MIN, f64::max);
        let least = self.boxes.safe.iter().map(excess).fold(f64::MAX, f64::min);
        self.check_barcode_box(name, &area, span);
        if self.check_live_box(name, area, span) && least > tolerance && !self.bleeds(&area) {
            let what = format!("{name} extends {least:.1} mm past the safe box");
            self.report(Rule::Safe, what, span, Some(area));
        }
    }

    /// Checks that an element leaves the box of the printer's barcode empty. A background that bleeds may lie below it,
    /// because a white box covers the background there.
    pub(super) fn check_barcode_box(&mut self, name: &str, area: &Rectangle, span: Option<Span>) {
        if let Some(free) = &self.boxes.free
            && free.intersection(area).is_some()
            && !self.bleeds(area)
        {
            let what = format!("{name} covers the barcode's box");
            self.report(Rule::Barcode, what, span, Some(*area));
        }
    }

    /// Checks that an element with ink lies where ink is allowed. Returns false after reporting a finding.
    pub(super) fn check_live_box(&mut self, name: &str, area: Rectangle, span: Option<Span>) -> bool {
        let past = self.boxes.sheet().excess(&area).into_iter().fold(0.0, f64::max);
        // On a sheet with bleed, an element bleeds by extending past the sheet.
        if past > TOLERANCE_MM && self.boxes.bleed == 0.0 {
            self.report(
                Rule::Trim,
                format!("{name} extends {past:.1} mm past the page"),
                span,
                Some(area),
            );
            return false;
        }
        let Some(live) = self.boxes.live else { return true };
        let most = live.excess(&area).into_iter().fold(0.0, f64::max);
        if most > TOLERANCE_MM && !self.bleeds(&area) {
            self.report(
                Rule::Live,
                format!("{name} extends {most:.1} mm past the live box"),
                span,
                Some(area),
            );
            return false;
        }
        true
    }

    /// Returns true when the element extends past the live box, and only on sides where it reaches the edge of the
    /// sheet.
    fn bleeds(&self, area: &Rectangle) -> bool {
        let live = self.boxes.live.unwrap_or_else(|| self.boxes.trim());
        let sheet = self.boxes.sheet();
        let mut sides = live.excess(area).into_iter().zip(sheet.excess(area));
        self.boxes.bleed > 0.0
            && live.excess(area).into_iter().any(|past| past > TOLERANCE_MM)
            && sides.all(|(past_live, past_sheet)| past_live <= TOLERANCE_MM || past_sheet >= -TOLERANCE_MM)
    }
}
