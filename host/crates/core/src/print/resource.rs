//! Print formats as clients see them.
use linepress_model::Aspect;
use linepress_printers::{Edition, page_limits};
use serde::Serialize;

use super::OfferedFormat;
use super::options::trim;

/// A print format: a size in which a book can be printed.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = PrintFormat)]
pub struct PrintFormatResource {
    /// The id that names the format in a request.
    #[schema(example = "us_letter")]
    pub id: String,
    #[schema(example = "US Letter")]
    pub name: String,
    /// The aspect of the books that can be printed in this format.
    pub aspect: Aspect,
    pub trim: Trim,
    /// The distance by which the PDF of the home edition extends past each trimmed edge, in millimeters.
    pub bleed_mm: f64,
    pub recommended_image: RecommendedImage,
    /// The id of the plugin that provides it.
    #[schema(example = "linepress.classic")]
    pub layout: String,
}

/// The size of the trimmed page.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct Trim {
    /// Millimeters.
    pub width_mm: f64,
    /// Millimeters.
    pub height_mm: f64,
    /// Inches.
    pub width_in: f64,
    /// Inches.
    pub height_in: f64,
}

/// The recommended size of an image.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct RecommendedImage {
    /// Pixels.
    pub width: u32,
    /// Pixels.
    pub height: u32,
}

impl PrintFormatResource {
    pub fn new(offered: &OfferedFormat) -> Self {
        let format = &offered.format;
        Self {
            id: format.id.clone(),
            name: format.name.clone(),
            aspect: format.aspect,
            trim: Trim {
                width_mm: millimeters(format.trim_width_um),
                height_mm: millimeters(format.trim_height_um),
                width_in: inches(format.trim_width_um),
                height_in: inches(format.trim_height_um),
            },
            bleed_mm: millimeters(format.bleed_um),
            recommended_image: RecommendedImage {
                width: format.recommended_width,
                height: format.recommended_height,
            },
            layout: offered.layout.description().id.clone(),
        }
    }
}

/// A printing service that offers a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct PrinterLimits {
    pub edition: Edition,
    pub min_pages: u32,
    pub max_pages: u32,
}

/// The printing services that offer the size of a format, with the numbers of pages that they accept in it.
pub fn printers_of(offered: &OfferedFormat) -> Vec<PrinterLimits> {
    let limits = |edition: Edition| {
        let pages = page_limits(edition, trim(offered))?;
        Some(PrinterLimits {
            edition,
            min_pages: *pages.start(),
            max_pages: *pages.end(),
        })
    };
    [Edition::Kdp, Edition::Lulu].into_iter().filter_map(limits).collect()
}

fn millimeters(micrometers: u32) -> f64 {
    f64::from(micrometers) / 1000.0
}

/// Converts to inches, rounded to a thousandth.
fn inches(micrometers: u32) -> f64 {
    (f64::from(micrometers) / 25.4).round() / 1000.0
}

#[cfg(test)]
mod tests {
    use super::{inches, millimeters};

    #[test]
    fn us_letter_is_eight_and_a_half_by_eleven_inches() {
        assert_eq!((inches(215_900), inches(279_400)), (8.5, 11.0));
        assert_eq!((millimeters(215_900), millimeters(279_400)), (215.9, 279.4));
        assert_eq!(inches(297_000), 11.693);
    }
}
