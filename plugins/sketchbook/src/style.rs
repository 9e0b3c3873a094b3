//! The drawing style for an audience: the pen, the smallest shape, the number of drawings.

use linepress_plugin_sdk::image::Audience;

use crate::art::Detail;

#[derive(Clone, Copy, Debug)]
pub struct Style {
    pub audience: Audience,
    /// The width of the pen, in pixels of the page.
    pub pen: f32,
    pub detail: Detail,
    /// The maximum number of drawings in a scene in addition to the subjects.
    pub fillers: usize,
    /// The minimum height of such a drawing, as a fraction of the page's shorter side.
    pub filler: f32,
    /// The maximum number of subjects in addition to the first.
    pub supports: usize,
    /// A hundredth of the page's shorter side, in pixels.
    pub unit: f32,
}

impl Style {
    pub fn new(audience: Audience, width: u32, height: u32) -> Self {
        let short = width.min(height) as f32;
        // The live area of a US Letter page is 7.875 inches wide.
        let dots_per_inch = short / 7.875;
        let (pen, smallest, fillers, supports) = match audience {
            Audience::Toddler => (8.8, 0.085, 2, 2),
            Audience::Child => (6.6, 0.052, 6, 4),
            Audience::Teen => (4.6, 0.042, 11, 5),
            Audience::Adult => (4.0, 0.036, 14, 5),
        };
        Self {
            audience,
            // Pen widths are given at 300 dpi. Thresholding would break a line thinner than two pixels.
            pen: (pen * dots_per_inch / 300.0).max(2.0),
            detail: Detail {
                smallest_radius: smallest * dots_per_inch,
                largest_blot: 0.055 * dots_per_inch,
                thickest_stroke: 0.034 * dots_per_inch,
            },
            fillers,
            filler: if audience == Audience::Toddler { 0.2 } else { 0.095 },
            supports,
            unit: short / 100.0,
        }
    }
}
