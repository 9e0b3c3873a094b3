//! Scenes: the subjects of the prompt in a setting, placed by a seeded template.

mod bank;
mod chords;
mod compose;
mod cover;
mod faces;
mod fill;
mod frame;
mod grid;
mod group;
mod interior;
mod lineup;
mod occupancy;
mod place;
mod template;

use fastrand::Rng;
use linepress_plugin_sdk::v1::image::Audience;
use tiny_skia::Rect;

use crate::brief::Brief;
use crate::canvas::{Canvas, Gray, Picture};
use crate::color::Rgb;
use crate::figure::{Figure, Layer};
use crate::measure::{Measures, measure};

pub(crate) use compose::place;
pub use cover::{CALM_SHARE, FEATURES_SHARE};
pub use frame::Frame;

/// The contents of a page in painter's order.
#[derive(Debug, Default)]
pub struct Sheet {
    pub backdrop: Vec<Layer>,
    pub figures: Vec<Figure>,
    pub front: Vec<Layer>,
    pub frame: Option<Frame>,
    /// The bounds of the first subject in pixels, for judging the composition.
    pub hero: Option<Rect>,
    /// Subjects of the prompt, and names of characters, that did not fit on the page.
    pub missing: Vec<String>,
    /// Subjects, and names of characters, that are left out because the request has more than a picture shows.
    pub omitted: Vec<String>,
    /// The labels of the figures of a scene, before the customer's instruction changes them.
    pub labels: Vec<String>,
    /// The color of the paper, for a cover in color.
    pub paper: Option<Rgb>,
}

impl Sheet {
    pub fn render(&self, brief: &Brief, scale: f32) -> Option<Gray> {
        let mut canvas = Canvas::new(brief.width, brief.height, brief.style.pen, scale)?;
        for layer in &self.backdrop {
            canvas.layer(layer);
        }
        for figure in &self.figures {
            canvas.paint(figure);
        }
        for layer in &self.front {
            canvas.layer(layer);
        }
        if let Some(frame) = &self.frame {
            frame.paint(&mut canvas, brief);
        }
        Some(canvas.gray())
    }

    /// Renders a cover in color, which has no frame.
    pub fn render_in_color(&self, brief: &Brief) -> Option<Picture> {
        let paper = self.paper.unwrap_or(Rgb::WHITE);
        let mut canvas = Canvas::in_color(brief.width, brief.height, brief.style.pen, paper)?;
        for layer in &self.backdrop {
            canvas.layer(layer);
        }
        for figure in &self.figures {
            canvas.paint(figure);
        }
        for layer in &self.front {
            canvas.layer(layer);
        }
        Some(canvas.picture())
    }
}

/// The maximum number of compositions to try. After that, the best one is used.
const MAX_COMPOSITIONS: u64 = 24;
/// The scale at which compositions are tried.
const TRIAL_SCALE: f32 = 0.33;

/// Draws a scene, and changes it as the customer's instruction says.
pub fn draw(brief: &Brief) -> Sheet {
    let (attempt, sheet) = choose(brief);
    if brief.edits.is_empty() {
        return sheet;
    }
    // The composition was chosen without the changes, so that everything else remains the same.
    compose::compose(brief, &mut seeded(brief, attempt), &brief.edits, f32::INFINITY).unwrap_or(sheet)
}

fn seeded(brief: &Brief, attempt: u64) -> Rng {
    Rng::with_seed(brief.seed ^ attempt.wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

/// Returns the first of several compositions that measures well, or the best of them, and its number.
fn choose(brief: &Brief) -> (u64, Sheet) {
    let mut best: Option<(f32, u64, Sheet)> = None;
    for attempt in 0..MAX_COMPOSITIONS {
        let least = best.as_ref().map_or(f32::INFINITY, |(least, ..)| *least);
        let Some(sheet) = compose::compose(brief, &mut seeded(brief, attempt), &[], least) else {
            continue;
        };
        let missing = incompleteness(&sheet.missing);
        let fault = if brief.style.colored {
            // The limits for ink and white areas are those of pages to color.
            missing
        } else {
            let Some(image) = sheet.render(brief, TRIAL_SCALE) else {
                continue;
            };
            fault(&measure(&image, 12), brief) + missing
        };
        if fault <= 0.0 {
            return (attempt, sheet);
        }
        if fault < least {
            best = Some((fault, attempt, sheet));
        }
    }
    best.map(|(_, attempt, sheet)| (attempt, sheet)).unwrap_or_default()
}

/// Returns the fault of a composition without some of the subjects.
fn incompleteness(missing: &[String]) -> f32 {
    0.3 * missing.len() as f32
}

/// Returns the deviation of a page from the limits for a coloring page. Zero or less is good.
fn fault(measures: &Measures, brief: &Brief) -> f32 {
    let ink_limit = match brief.style.audience {
        Audience::Toddler => 0.17,
        Audience::Child => 0.20,
        Audience::Teen => 0.24,
        Audience::Adult => 0.28,
    };
    (measures.largest_area - 0.3).max(0.0) * 3.0 + (measures.ink - ink_limit).max(0.0) * 5.0
}

/// Draws a character alone: large, in the middle, on plain ground.
pub fn portrait(brief: &Brief) -> Sheet {
    let (width, height) = (brief.width as f32, brief.height as f32);
    let Some(portrait) = brief.characters.first() else {
        return draw(brief);
    };
    let figure = portrait
        .figure(width * 0.78, height * 0.74, &brief.style)
        .moved(width / 2.0, height * 0.48);
    let bounds = figure.bounds();
    let level = bounds.bottom() - brief.style.unit * 2.0;
    let ground = crate::figure::shapes::line(crate::figure::shapes::ellipse(
        width / 2.0,
        level,
        width * 0.4,
        brief.style.unit * 6.0,
    ));
    Sheet {
        backdrop: vec![ground],
        figures: vec![figure],
        hero: Some(bounds),
        ..Sheet::default()
    }
}
