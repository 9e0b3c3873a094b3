//! The drawing style for an audience: the pen, the smallest shape, the number of drawings.

use linepress_plugin_sdk::v1::image::{Audience, Detail as DetailWish, DrawRequest, LineWeight, Purpose};

use crate::art::Detail;

#[derive(Clone, Copy, Debug)]
pub struct Style {
    /// The audience whose amount of detail the page has: that of the request, unless the customer asked for another amount.
    pub audience: Audience,
    /// True for a page of ornaments rather than a scene.
    pub ornamental: bool,
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
    /// True for a cover in color.
    pub colored: bool,
    /// True for a page or the cover of a book, in which every picture shows an animal in the same design.
    pub in_book: bool,
}

/// The widths of the pens that a customer may choose, in pixels at 300 dpi.
const THIN_PEN: f32 = 3.4;
const MEDIUM_PEN: f32 = 6.0;
const BOLD_PEN: f32 = 10.0;

/// The maximum number of fillers on a cover in color, where they would compete with the hero.
const MAX_COVER_FILLERS: usize = 3;

/// The live area of a US Letter page is 7.875 inches wide.
const SHORT_SIDE_INCHES: f32 = 7.875;

/// Returns the width of a pen in pixels, from its width at 300 dpi and the page's shorter side. Thresholding would break a
/// line thinner than two pixels.
fn pen(pixels_at_300_dpi: f32, short: f32) -> f32 {
    (pixels_at_300_dpi * short / SHORT_SIDE_INCHES / 300.0).max(2.0)
}

impl Style {
    /// Returns the style for a cover in color, which has bolder outlines and fewer fillers.
    pub fn in_color(mut self) -> Self {
        self.colored = true;
        self.detail.colored = true;
        self.pen *= 1.15;
        self.fillers = self.fillers.min(MAX_COVER_FILLERS);
        self
    }

    /// Returns the style for a request: that of its audience, except for what the customer wants otherwise.
    pub fn for_request(request: &DrawRequest, width: u32, height: u32) -> Self {
        let usual = Self {
            // The host sends the seed of a book only for its pages.
            in_book: request.book_seed.is_some() || request.purpose == Purpose::Cover,
            ..Self::new(request.audience, width, height)
        };
        let Some(detail) = request.look.detail else {
            return usual.with_pen(request.look.line_weight);
        };
        let audience = match detail {
            DetailWish::Simple => Audience::Toddler,
            DetailWish::Medium => Audience::Child,
            DetailWish::Detailed => Audience::Adult,
        };
        let style = Self {
            pen: usual.pen,
            in_book: usual.in_book,
            ornamental: usual.ornamental && detail == DetailWish::Detailed,
            ..Self::new(audience, width, height)
        };
        style.with_pen(request.look.line_weight)
    }

    /// Replaces the pen by one of this weight.
    fn with_pen(mut self, weight: Option<LineWeight>) -> Self {
        let pixels_at_300_dpi = match weight {
            None => return self,
            Some(LineWeight::Thin) => THIN_PEN,
            Some(LineWeight::Medium) => MEDIUM_PEN,
            Some(LineWeight::Bold) => BOLD_PEN,
        };
        self.pen = pen(pixels_at_300_dpi, self.unit * 100.0);
        self
    }

    pub fn new(audience: Audience, width: u32, height: u32) -> Self {
        let short = width.min(height) as f32;
        let dots_per_inch = short / SHORT_SIDE_INCHES;
        let (pen, smallest, fillers, supports) = match audience {
            Audience::Toddler => (8.8, 0.085, 2, 2),
            Audience::Child => (6.6, 0.052, 6, 4),
            Audience::Teen => (4.6, 0.042, 11, 5),
            Audience::Adult => (4.0, 0.036, 14, 5),
        };
        Self {
            audience,
            ornamental: audience == Audience::Adult,
            pen: self::pen(pen, short),
            detail: Detail {
                smallest_radius: smallest * dots_per_inch,
                largest_blot: 0.055 * dots_per_inch,
                thickest_stroke: 0.034 * dots_per_inch,
                colored: false,
            },
            fillers,
            filler: if audience == Audience::Toddler { 0.2 } else { 0.095 },
            supports,
            unit: short / 100.0,
            colored: false,
            in_book: false,
        }
    }
}
