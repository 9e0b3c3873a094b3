//! Drawings of heads without their ears, to which other ears are added.

use tiny_skia::Rect;

use super::Drawing;

/// The distance of the middle of an ear from the edge of a head, as a share of its width.
const MAX_FROM_EDGE: f32 = 0.2;
/// The level above which the middle of an ear is, as a share of the height of a head.
const LOWEST: f32 = 0.55;

/// Returns a drawing without the regions at the sides of the head that are ears. They become a part of the outside.
pub fn without_ears(drawing: &Drawing) -> Drawing {
    let bounds = drawing.bounds;
    let is_ear = |index: usize| {
        let region = &drawing.regions[index];
        let across = (region.pole.0 - bounds.left()) / bounds.width();
        let down = (region.pole.1 - bounds.top()) / bounds.height();
        index != 0 && !region.solid && across.min(1.0 - across) < MAX_FROM_EDGE && down < LOWEST
    };
    let bare = |index: usize| if is_ear(index) { 0 } else { index };
    let mut whole = drawing.clone();
    for arc in &mut whole.arcs {
        (arc.left, arc.right) = (bare(arc.left), bare(arc.right));
    }
    whole.arcs.retain(|arc| arc.left != arc.right);
    whole.meltings.retain(|melting| !is_ear(melting.region));
    for melting in &mut whole.meltings {
        melting.into = bare(melting.into);
    }
    let points = whole.arcs.iter().flat_map(|arc| &arc.points);
    let corners = points.map(|(x, y)| (*x, *y, *x, *y));
    let all = corners.reduce(|a, b| (a.0.min(b.0), a.1.min(b.1), a.2.max(b.2), a.3.max(b.3)));
    let rect = all.and_then(|(left, top, right, bottom)| Rect::from_ltrb(left, top, right, bottom));
    whole.bounds = rect.unwrap_or(bounds);
    whole
}

#[cfg(test)]
mod tests {
    use super::without_ears;
    use crate::art::Drawings;

    #[test]
    fn the_ears_of_a_dog_can_be_taken_off() {
        for dog in Drawings::get().with_label("dog face") {
            let bald = without_ears(dog);
            assert!(bald.bounds.width() < dog.bounds.width() * 0.9, "{:?}", dog.collection);
            assert!(bald.bounds.bottom() == dog.bounds.bottom());
        }
    }
}
