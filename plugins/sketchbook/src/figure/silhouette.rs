//! The inside of an outline as a coarse grid, to find where it ends in a direction.

use tiny_skia::{FillRule, Mask, Path, Rect, Transform};

use super::shapes::Point;

/// Cells along the longer side.
const CELLS: f32 = 192.0;

#[derive(Debug)]
pub(super) struct Silhouette {
    mask: Mask,
    bounds: Rect,
    /// Cells for one pixel of the page.
    scale: f32,
}

impl Silhouette {
    pub(super) fn of(outline: &Path) -> Option<Self> {
        let bounds = outline.bounds();
        let scale = CELLS / bounds.width().max(bounds.height()).max(1.0);
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

    /// The last point inside on the way from a point, which may itself lie just outside, in a direction of length one.
    pub(super) fn edge(&self, from: Point, towards: Point) -> Point {
        let step = 1.0 / self.scale;
        let at = |steps: usize| {
            let way = steps as f32 * step;
            (from.0 + towards.0 * way, from.1 + towards.1 * way)
        };
        let steps = (CELLS * 1.5) as usize;
        // A thin line of the outline is no end.
        let inside = |steps: &usize| (0..4).any(|more| self.contains(at(steps + more)));
        at((0..steps).take_while(inside).last().unwrap_or(0))
    }
}
