//! The cells that a figure covers wherever it is placed, for ruling out a position without painting a mask.

use tiny_skia::{FillRule, Mask, Path, PathSegment, Point, Rect, Transform};

/// The maximum distance in cells along an outline between two points that are examined.
const STEP: f32 = 0.25;

/// The distance in cells from such a point to the points that a mask may contain or not: half a step, and the maximum
/// deviation of the mask from the outline, which is less than half a cell.
const UNCERTAIN: f32 = STEP / 2.0 + 0.5;

/// The number of cells around the paths.
const MARGIN_CELLS: f32 = 3.0;

/// The maximum number of cells of a figure that is examined.
const MAX_CELLS: u32 = 1 << 18;

#[derive(Debug)]
pub(super) struct Interior {
    /// The cell of the page in the first column and row if the figure is not moved.
    pub(super) origin: (i32, i32),
    pub(super) width: usize,
    /// Row by row, true for a cell that the figure covers if it is moved to the grid or at most half a cell from it.
    pub(super) covered: Vec<bool>,
    /// Row by row, false for a cell that it does not cover then.
    pub(super) possible: Vec<bool>,
    /// The number of possible cells.
    pub(super) most: u32,
}

impl Interior {
    /// Examines paths in units of a cell. `None` if they are too large.
    pub(super) fn of(paths: &[Path], bounds: &Rect) -> Option<Self> {
        let (left, top) = (
            bounds.left().floor() - MARGIN_CELLS,
            bounds.top().floor() - MARGIN_CELLS,
        );
        // The casts are of cells within a few pages.
        let (width, height) = (
            (bounds.right() - left + MARGIN_CELLS).ceil() as u32,
            (bounds.bottom() - top + MARGIN_CELLS).ceil() as u32,
        );
        if width.checked_mul(height)? > MAX_CELLS {
            return None;
        }
        let mut mask = Mask::new(width, height)?;
        let mut interior = Self {
            origin: (left as i32, top as i32),
            width: width as usize,
            covered: vec![false; mask.data().len()],
            possible: vec![false; mask.data().len()],
            most: 0,
        };
        for path in paths {
            let path = path.clone().transform(Transform::from_translate(-left, -top))?;
            mask.data_mut().fill(0);
            mask.fill_path(&path, FillRule::Winding, false, Transform::identity());
            let mut is_uncertain = vec![false; interior.possible.len()];
            outline(&path, |point| interior.mark(point, &mut is_uncertain));
            let cells = mask.data().iter().zip(is_uncertain);
            let found = interior.covered.iter_mut().zip(&mut interior.possible);
            for ((value, is_uncertain), (covered, possible)) in cells.zip(found) {
                *covered |= *value > 0 && !is_uncertain;
                *possible |= *value > 0 || is_uncertain;
            }
        }
        interior.most = interior.possible.iter().map(|possible| u32::from(*possible)).sum();
        Some(interior)
    }

    /// Marks the cells that contain a point at most the uncertain distance from this one.
    fn mark(&self, point: Point, cells: &mut [bool]) {
        // The margin around the paths contains all of these cells.
        let range = |middle: f32| (middle - 1.0 - UNCERTAIN).ceil() as usize..=(middle + UNCERTAIN) as usize;
        for row in range(point.y) {
            cells[row * self.width..][range(point.x)].fill(true);
        }
    }
}

/// Visits points of the outline, all contours of which are closed, at most a step apart along it.
fn outline(path: &Path, mut visit: impl FnMut(Point)) {
    let (mut start, mut here) = (Point::zero(), Point::zero());
    for segment in path.segments().chain([PathSegment::Close]) {
        let (first, second, to) = match segment {
            PathSegment::MoveTo(_) | PathSegment::Close => (here, start, start),
            PathSegment::LineTo(to) => (here, to, to),
            PathSegment::QuadTo(over, to) => (mixed(here, over, 2.0 / 3.0), mixed(to, over, 2.0 / 3.0), to),
            PathSegment::CubicTo(first, second, to) => (first, second, to),
        };
        for point in points([here, first, second, to]) {
            visit(point);
        }
        here = to;
        if let PathSegment::MoveTo(to) = segment {
            (start, here) = (to, to);
        }
    }
}

/// Returns points of a curve from its start to its end. There are none if the curve has no length.
fn points([a, b, c, d]: [Point; 4]) -> impl Iterator<Item = Point> {
    // The speed of a curve is at most three times the length of its control polygon.
    let pieces = ((a.distance(b) + b.distance(c) + c.distance(d)) * 3.0 / STEP).ceil();
    let shares = (0..=pieces as usize).map(move |piece| piece as f32 / pieces);
    shares.filter(|share| share.is_finite()).map(move |share| {
        let (ab, bc, cd) = (mixed(a, b, share), mixed(b, c, share), mixed(c, d, share));
        mixed(mixed(ab, bc, share), mixed(bc, cd, share), share)
    })
}

fn mixed(from: Point, to: Point, share: f32) -> Point {
    Point::from_xy(from.x + (to.x - from.x) * share, from.y + (to.y - from.y) * share)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::shapes::{circle, star};

    #[test]
    fn a_mask_anywhere_has_the_certain_cells_and_not_more_than_the_possible_ones() {
        let paths = [
            circle(3.0, 5.0, 9.3).unwrap(),
            star(-20.0, 8.0, 22.0, 9.0, 7, 0.3).unwrap(),
        ];
        let bounds = paths[0].bounds().join(&paths[1].bounds()).unwrap();
        let interior = Interior::of(&paths, &bounds).unwrap();
        assert!(interior.covered.iter().any(|is_covered| *is_covered));
        for step in 0..40 {
            let (x, y) = (60.0 + step as f32 * 0.27, 40.0 + step as f32 * 0.41);
            let mut mask = Mask::new(120, 120).unwrap();
            for path in &paths {
                let path = path.clone().transform(Transform::from_translate(x, y)).unwrap();
                mask.fill_path(&path, FillRule::Winding, false, Transform::identity());
            }
            let all = mask.data().iter().filter(|value| **value > 0).count();
            assert!(all <= interior.most as usize);
            let first = (
                interior.origin.0 + x.round() as i32,
                interior.origin.1 + y.round() as i32,
            );
            for (index, is_covered) in interior.covered.iter().enumerate() {
                let (column, row) = (index % interior.width, index / interior.width);
                let (column, row) = (first.0 as usize + column, first.1 as usize + row);
                assert!(
                    !is_covered || mask.data()[row * 120 + column] > 0,
                    "{column}, {row} at {x}, {y}"
                );
            }
        }
    }
}
