//! How a page is drawn for whom: the pen, the smallest shape, how much there is on it.

use linepress_plugin_sdk::image::Audience;

use crate::art::Detail;

#[derive(Clone, Copy, Debug)]
pub struct Style {
    pub audience: Audience,
    /// Pixels of the page.
    pub pen: f32,
    pub detail: Detail,
    /// How many drawings besides the subjects a scene may have.
    pub fillers: usize,
    /// Their least height, as a share of the shorter side.
    pub filler: f32,
    /// How many subjects beside the first one.
    pub supports: usize,
    /// One unit of size: a hundredth of the shorter side.
    pub unit: f32,
}

impl Style {
    pub fn new(audience: Audience, width: u32, height: u32) -> Self {
        let short = width.min(height) as f32;
        // The live area of a letter page is 7.875 inches wide.
        let dots_per_inch = short / 7.875;
        let (pen, smallest, fillers, supports) = match audience {
            Audience::Toddler => (8.8, 0.085, 2, 2),
            Audience::Child => (6.6, 0.052, 6, 4),
            Audience::Teen => (4.6, 0.042, 11, 5),
            Audience::Adult => (4.0, 0.036, 14, 5),
        };
        Self {
            audience,
            // Pens are given for 300 dots an inch; below two pixels a line would break when thresholded.
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
