//! The style for each audience: how much of the photograph becomes lines, and how thick they are.

use linepress_plugin_sdk::image::{Audience, DrawRequest};
use linepress_plugin_sdk::style::{Detail, FrameStyle, LineWeight, detail, frame, line_weight};

/// Parameters of the detection and drawing of lines.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Style {
    /// Longer side in pixels of the picture in which lines are detected. Small details disappear when the photograph is
    /// scaled to it.
    pub(crate) working_side: f32,
    /// Structures smaller than this number of working pixels are removed as texture.
    pub(crate) texture: f32,
    /// Minimum difference of tones that counts as an edge.
    pub(crate) contrast: f32,
    /// Sigma of the narrow Gaussian with which lines are detected, in working pixels.
    pub(crate) sigma: f32,
    /// Response above which a line starts.
    pub(crate) strong: f32,
    /// Response above which a line continues.
    pub(crate) weak: f32,
    /// Minimum length of a line, as a fraction of the longer side.
    pub(crate) min_length: f32,
    /// Maximum width of a gap that is closed, as a fraction of the longer side.
    pub(crate) max_gap: f32,
    /// Maximum number of areas of a photograph.
    pub(crate) max_areas: usize,
    /// Areas that differ less are merged even if there are fewer.
    pub(crate) min_difference: f32,
    /// Width of the pen in pixels at 300 dpi.
    pub(crate) pen: f32,
    /// True if a line surrounds the picture.
    pub(crate) framed: bool,
}

impl Style {
    /// The style for a request: that of its audience, except for what the customer wants otherwise.
    pub(crate) fn for_request(request: &DrawRequest) -> Self {
        let usual = Self::for_audience(request.audience);
        let pen = match line_weight(request) {
            None => usual.pen,
            Some(LineWeight::Thin) => 3.4,
            Some(LineWeight::Medium) => 6.0,
            Some(LineWeight::Bold) => 10.0,
        };
        let detailed = match detail(request) {
            None => usual,
            Some(Detail::Simple) => Self::for_audience(Audience::Toddler),
            Some(Detail::Medium) => Self::for_audience(Audience::Child),
            Some(Detail::Detailed) => Self::for_audience(Audience::Adult),
        };
        Self {
            pen,
            framed: frame(request) != Some(FrameStyle::None),
            ..detailed
        }
    }

    pub(crate) fn for_audience(audience: Audience) -> Self {
        let (max_areas, min_difference) = match audience {
            Audience::Toddler => (14, 0.004),
            Audience::Child => (28, 0.0025),
            Audience::Teen => (42, 0.0018),
            Audience::Adult => (60, 0.0013),
        };
        let (working_side, texture, contrast, min_length, max_gap, pen) = match audience {
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
            min_length,
            max_gap,
            max_areas,
            min_difference,
            pen,
            framed: true,
        }
    }
}
