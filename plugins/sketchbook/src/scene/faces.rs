//! The faces of the figures on a cover, which other figures leave free.

use tiny_skia::{PathBuilder, Rect};

use super::occupancy::{Occupancy, Surfaces};
use crate::figure::{Figure, Layer};

/// Returns the area of a face from above the eyes to the chin. `None` if the figure has no known face.
pub(super) fn face(figure: &Figure) -> Option<Rect> {
    let anchors = &figure.anchors;
    if let Some(landmarks) = &anchors.landmarks {
        // The landmarks of a procedural body have its chin at the hands.
        let (chin, crown) = (landmarks.hand.at, landmarks.crown.top);
        let half = landmarks.crown.width * 0.36;
        let top = crown.1 + (chin.1 - crown.1) * 0.3;
        return Rect::from_ltrb(chin.0 - half, top, chin.0 + half, chin.1);
    }
    let level = anchors.lowest_feature?;
    let eyes = anchors.eyes.iter().filter(|eye| eye.1 < level);
    let (left, top, right) = eyes
        .map(|eye| (eye.0, eye.1, eye.0))
        .reduce(|a, b| (a.0.min(b.0), a.1.min(b.1), a.2.max(b.2)))?;
    let air = ((right - left) * 0.5).max(figure.bounds().height() * 0.05);
    Rect::from_ltrb(left - air, top - air, right + air, level)
}

/// Returns the share of the face of a figure, moved by a distance, that is behind what has a place.
pub(super) fn hidden(figure: &Figure, taken: &Occupancy, way: (f32, f32)) -> f32 {
    let Some(face) = face(figure) else { return 0.0 };
    let layer = Layer {
        fill: Some(PathBuilder::from_rect(face)),
        ..Layer::default()
    };
    taken.overlap(&Surfaces::new(&Figure::from_layers(vec![layer]), 1.0), way)
}

/// Returns the largest share of a face among these figures that a figure with these bounds would hide.
pub(super) fn hidden_by<'a>(bounds: &Rect, figures: impl Iterator<Item = &'a Figure>) -> f32 {
    let share = |face: Rect| {
        let both = face.intersect(bounds)?;
        Some(both.width() * both.height() / (face.width() * face.height()))
    };
    figures.filter_map(face).filter_map(share).fold(0.0, f32::max)
}
