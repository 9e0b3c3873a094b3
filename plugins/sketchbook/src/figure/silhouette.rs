//! The inside of an outline as a coarse grid, for finding the edge in a given direction.

use tiny_skia::{FillRule, Mask, Path, Rect, Transform};

use super::shapes::Point;

/// The number of cells along the longer side.
const LONGER_SIDE_CELLS: f32 = 192.0;

#[derive(Debug)]
pub(super) struct Silhouette {
    mask: Mask,
    bounds: Rect,
    /// Cells per pixel of the page.
    scale: f32,
}

impl Silhouette {
    pub(super) fn from_outline(outline: &Path) -> Option<Self> {
        let bounds = outline.bounds();
        let scale = LONGER_SIDE_CELLS / bounds.width().max(bounds.height()).max(1.0);
        let cells = |length: f32| (length * scale).ceil().max(1.0) as u32;
        let mut mask = Mask::new(cells(bounds.width()), cells(bounds.height()))?;
        let view = Transform::from_translate(-bounds.left(), -bounds.top()).post_scale(scale, scale);
        mask.fill_path(outline, FillRule::EvenOdd, false, view);
        Some(Self { mask, bounds, scale })
    }

    pub(super) fn contains(&self, (x, y): Point) -> bool {
        let (column, row) = (
            (x - self.bounds.left()) * self.scale,
            (y - self.bounds.top()) * self.scale,
        );
        let inside =
            column >= 0.0 && row >= 0.0 && column < self.mask.width() as f32 && row < self.mask.height() as f32;
        inside && self.mask.data()[row as usize * self.mask.width() as usize + column as usize] > 0
    }

    /// Returns the last inside point on the ray from a point, which may itself be just outside. `towards` is a
    /// direction of length 1.
    pub(super) fn edge(&self, from: Point, towards: Point) -> Point {
        let step = 1.0 / self.scale;
        let at = |steps: usize| {
            let way = steps as f32 * step;
            (from.0 + towards.0 * way, from.1 + towards.1 * way)
        };
        let steps = (LONGER_SIDE_CELLS * 1.5) as usize;
        // A gap of up to three steps, such as a thin line, does not end the inside.
        let inside = |steps: &usize| (0..4).any(|more| self.contains(at(steps + more)));
        at((0..steps).take_while(inside).last().unwrap_or(0))
    }
}
