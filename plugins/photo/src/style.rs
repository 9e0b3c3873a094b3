//! What an audience gets: how much of the photograph becomes lines, and how thick they are.

use linepress_plugin_sdk::image::Audience;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Style {
    /// The longer side of the picture in which lines are looked for: what is small in it is not seen.
    pub(crate) working_side: f32,
    /// Structures smaller than this many working pixels are texture.
    pub(crate) texture: f32,
    /// Differences of tone below this are no edge.
    pub(crate) contrast: f32,
    /// The width of the bell along which tones are compared, in working pixels.
    pub(crate) sigma: f32,
    /// A line begins where the response is above the first, and goes on where it is above the second.
    pub(crate) strong: f32,
    pub(crate) weak: f32,
    /// Lines shorter than this share of the longer side are dropped.
    pub(crate) shortest: f32,
    /// Gaps up to this share of the longer side are closed.
    pub(crate) widest_gap: f32,
    /// The width of the pen in pixels of 300 to the inch.
    pub(crate) pen: f32,
}

impl Style {
    pub(crate) fn of(audience: Audience) -> Self {
        let (working_side, texture, contrast, shortest, widest_gap, pen) = match audience {
            Audience::Toddler => (560.0, 3.6, 0.055, 0.075, 0.034, 8.8),
            Audience::Child => (860.0, 3.0, 0.045, 0.042, 0.024, 6.6),
            Audience::Teen => (1060.0, 2.6, 0.036, 0.030, 0.016, 4.6),
            Audience::Adult => (1280.0, 2.3, 0.030, 0.024, 0.012, 4.0),
        };
        Self {
            working_side,
            texture,
            contrast,
            sigma: 1.3,
            strong: 0.009,
            weak: 0.0025,
            shortest,
            widest_gap,
            pen,
        }
    }
}
