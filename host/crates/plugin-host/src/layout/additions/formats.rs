//! The `[[formats]]` tables of `layout.toml`.
use linepress_model::{Aspect, FormatMargins, PrintFormat};
use linepress_printers::{Edition, Margins, Side, Size, Unprintable, page_limits};
use serde::Deserialize;

use crate::layout::formats::{BLEED_UM, TRIM_UM};

/// The least width and height of the area for drawings and text, inside the margins of the format and of its printers.
const MIN_SAFE_UM: u32 = 25_000;

/// A `[[formats]]` table.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct FormatTable {
    pub(super) id: String,
    name: String,
    width_mm: f64,
    height_mm: f64,
    #[serde(default)]
    bleed_mm: f64,
    #[serde(default)]
    margins_mm: MarginsTable,
    template: String,
    /// The printers that must offer the size.
    #[serde(default)]
    printers: Vec<Edition>,
}

/// The least distances of drawings and text from the trimmed edges.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct MarginsTable {
    inner: f64,
    outer: f64,
    top: f64,
    bottom: f64,
}

impl FormatTable {
    fn size(&self) -> Size {
        Size {
            width: micrometers(self.width_mm),
            height: micrometers(self.height_mm),
        }
    }

    pub(super) fn aspect(&self) -> Aspect {
        Aspect::nearest(micrometers(self.width_mm), micrometers(self.height_mm))
    }

    /// The first format of this aspect, which is the preferred one. `own` are the formats of the layout's component.
    pub(super) fn like<'a>(&self, own: &'a [PrintFormat]) -> Option<&'a PrintFormat> {
        own.iter().find(|format| format.aspect == self.aspect())
    }

    fn margins(&self) -> FormatMargins {
        let MarginsTable {
            inner,
            outer,
            top,
            bottom,
        } = self.margins_mm;
        FormatMargins {
            inner_um: micrometers(inner),
            outer_um: micrometers(outer),
            top_um: micrometers(top),
            bottom_um: micrometers(bottom),
        }
    }

    /// The print format. `None` if the component has no format of this aspect.
    pub(super) fn describe(&self, own: &[PrintFormat]) -> Option<PrintFormat> {
        let like = self.like(own)?;
        let Size { width, height } = self.size();
        Some(PrintFormat {
            id: self.id.clone(),
            name: self.name.clone(),
            aspect: like.aspect,
            trim_width_um: width,
            trim_height_um: height,
            bleed_um: micrometers(self.bleed_mm),
            margins: self.margins(),
            recommended_width: like.recommended_width,
            recommended_height: like.recommended_height,
            template: self.template.clone(),
        })
    }

    /// Checks the lengths, that each named printer offers the size, and that the margins leave an area for drawings and
    /// text. Returns a problem worded to follow the format's name.
    pub(super) fn check(&self) -> Result<(), String> {
        self.check_lengths()?;
        self.check_for(Edition::Home)?;
        for &edition in &self.printers {
            self.check_for(edition)?;
        }
        Ok(())
    }

    fn check_lengths(&self) -> Result<(), String> {
        let MarginsTable {
            inner,
            outer,
            top,
            bottom,
        } = self.margins_mm;
        let margin_um = 0..=*TRIM_UM.end();
        for (key, found, limits) in [
            ("width-mm", self.width_mm, TRIM_UM),
            ("height-mm", self.height_mm, TRIM_UM),
            ("bleed-mm", self.bleed_mm, BLEED_UM),
            ("margins-mm.inner", inner, margin_um.clone()),
            ("margins-mm.outer", outer, margin_um.clone()),
            ("margins-mm.top", top, margin_um.clone()),
            ("margins-mm.bottom", bottom, margin_um),
        ] {
            let (min, max) = (millimeters(*limits.start()), millimeters(*limits.end()));
            // Also refuses NaN, which is in no range.
            if !(min..=max).contains(&found) {
                return Err(format!("has {key} = {found}; it must be {min} to {max}"));
            }
        }
        Ok(())
    }

    /// Checks that a printer offers the size, and that its margins leave an area for drawings and text.
    fn check_for(&self, edition: Edition) -> Result<(), String> {
        let size = self.size();
        let Some(pages) = page_limits(edition, size) else {
            return Err(format!(
                "names a printer that does not offer its size: {}. Choose another size, or remove {edition} from \
                 printers",
                Unprintable::Trim { edition, size }
            ));
        };
        // The thickest book has the widest margin at the binding.
        let margins = Margins::of(edition, *pages.end(), micrometers(self.bleed_mm) > 0);
        let safe = margins.areas(size, Side::Recto, self.margins()).safe;
        if safe.width < MIN_SAFE_UM || safe.height < MIN_SAFE_UM {
            return Err(format!(
                "has too little room for drawings and text: with the margins of {}, {} x {} mm remain in the thickest \
                 book, and {least} x {least} mm are needed. Choose smaller margins-mm or a larger size",
                edition.name(),
                millimeters(safe.width),
                millimeters(safe.height),
                least = millimeters(MIN_SAFE_UM)
            ));
        }
        Ok(())
    }
}

/// Converts a length that was checked, or that is about to be: out of range, the result saturates.
fn micrometers(millimeters: f64) -> u32 {
    (millimeters * 1000.0).round() as u32
}

fn millimeters(micrometers: u32) -> f64 {
    f64::from(micrometers) / 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::additions::Additions;

    const A5: &str =
        "[[formats]]\nid = \"ocean_a5\"\nname = \"A5\"\ntemplate = \"a5.typ\"\nwidth-mm = 148\nheight-mm = 210.0\n";

    fn own() -> Vec<PrintFormat> {
        vec![PrintFormat {
            id: "ocean_a4".into(),
            name: "A4".into(),
            aspect: Aspect::Portrait,
            trim_width_um: 210_000,
            trim_height_um: 297_000,
            bleed_um: 0,
            margins: FormatMargins::default(),
            recommended_width: 1152,
            recommended_height: 1536,
            template: "a4.typ".into(),
        }]
    }

    #[test]
    fn a_format_has_the_aspect_of_its_size_and_the_pictures_of_a_format_of_the_component() {
        let text = format!("{A5}bleed-mm = 3\nmargins-mm = {{ inner = 20, top = 12.5 }}\nprinters = [\"home\"]\n");
        let additions = Additions::parse(&text).unwrap();
        let [format] = &additions.formats(&own()).unwrap()[..] else {
            panic!("one format")
        };
        assert_eq!(
            (format.trim_width_um, format.trim_height_um, format.bleed_um),
            (148_000, 210_000, 3_000)
        );
        assert_eq!(
            format.margins,
            FormatMargins {
                inner_um: 20_000,
                top_um: 12_500,
                ..FormatMargins::default()
            }
        );
        assert_eq!((format.template.as_str(), format.recommended_height), ("a5.typ", 1536));
        assert_eq!(additions.like("ocean_a5", &own()).unwrap().id, "ocean_a4");
        assert!(additions.like("ocean_a4", &own()).is_none());
        let square = Additions::parse(&A5.replace("148", "210")).unwrap();
        let refusal = square.formats(&own()).unwrap_err();
        assert!(
            refusal.contains("is square, but the layout has no other square format"),
            "{refusal}"
        );
    }

    #[test]
    fn a_wrong_length_or_a_size_that_a_printer_does_not_offer_is_refused() {
        let unknown = Additions::parse(&format!("{A5}widht-mm = 1\n")).unwrap_err();
        assert!(unknown.starts_with(" in line "), "{unknown}");
        assert!(unknown.contains("unknown field `widht-mm`"), "{unknown}");
        for (text, told) in [
            (A5.replace("148", "nan"), "has width-mm = NaN; it must be 50 to 1000"),
            (A5.replace("148", "20"), "has width-mm = 20; it must be 50 to 1000"),
            (format!("{A5}bleed-mm = -1"), "has bleed-mm = -1; it must be 0 to 25"),
            (
                format!("{A5}margins-mm = {{ inner = -1 }}"),
                "has margins-mm.inner = -1; it must be 0 to 1000",
            ),
            (format!("{A5}printers = [\"acme\"]"), "unknown variant `acme`"),
            (
                format!("{A5}printers = [\"kdp\", \"lulu\"]").replace("210.0", "200.0"),
                "Lulu has no pages of 5.83 x 7.87 in",
            ),
        ] {
            let problem = Additions::parse(&text).unwrap_err();
            assert!(problem.contains(told), "{told}: {problem}");
        }
    }

    #[test]
    fn margins_leave_an_area_for_drawings_and_text_also_with_those_of_the_printers() {
        // At home, a thick book has 28.575 mm at the binding and 12.7 mm at the outer edge.
        let home = |width: &str| Additions::parse(&A5.replace("148", width));
        assert!(home("66.275").is_ok());
        let problem = home("66.2").unwrap_err();
        let told =
            "with the margins of a printer at home, 24.925 x 184.6 mm remain in the thickest book, and 25 x 25 mm";
        assert!(problem.contains(told), "{problem}");
        // The margin at the binding is wider at Lulu than at home.
        let own = format!("{A5}margins-mm = {{ outer = 92 }}\n");
        assert!(Additions::parse(&own).is_ok());
        let problem = Additions::parse(&format!("{own}printers = [\"lulu\"]")).unwrap_err();
        assert!(problem.contains("with the margins of Lulu, 24.25 x "), "{problem}");
        let all = format!("{A5}margins-mm = {{ inner = 80, outer = 80 }}");
        assert!(Additions::parse(&all).unwrap_err().contains(", 0 x "));
    }
}
