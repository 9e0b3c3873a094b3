//! Symmetric outlines, given by their left halves.

use tiny_skia::{Path, PathBuilder};

use crate::figure::shapes::{Point, continue_curve, curve, curve_into};

/// Returns the points of the right half of an outline, from its bottom to its top. Points in the middle belong to the
/// left half.
fn right_half(left: &[Point]) -> impl Iterator<Item = Point> {
    let right = left.iter().rev().filter(|point| point.0 != 0.0);
    right.map(|(x, y)| (-x, *y))
}

/// A smooth closed outline from the points of its left half, from its top to its bottom.
pub(super) fn rounded(left: &[Point]) -> Option<Path> {
    let points: Vec<Point> = left.iter().copied().chain(right_half(left)).collect();
    curve(&points, true)
}

/// A closed outline from the points of its left side, its right side, and the middle of its lower edge.
pub(super) fn hemmed(left: &[Point], bottom: Point) -> Option<Path> {
    let mut path = PathBuilder::new();
    curve_into(&mut path, left, false);
    let last = left[left.len() - 1];
    path.quad_to(bottom.0, bottom.1, -last.0, last.1);
    let right: Vec<Point> = right_half(left).collect();
    continue_curve(&mut path, &right, false);
    path.close();
    path.finish()
}
