//! The middle line of a ribbon: a thick brush stroke is replaced by one line of the pen.

use tiny_skia::{Path, PathSegment};

use crate::figure::shapes::Point;

/// Returns the line along the middle of a closed outline, or `None` where the outline forks or has a hole. `radius`
/// is the radius of the largest inscribed circle.
pub(super) fn middle_line(edge: &Path, radius: f32) -> Option<Vec<Point>> {
    const SAMPLES: usize = 72;
    const STEPS: usize = 12;
    let mut corners: Vec<Point> = Vec::new();
    for segment in edge.segments() {
        match segment {
            PathSegment::MoveTo(_) if !corners.is_empty() => return None,
            PathSegment::MoveTo(to) | PathSegment::LineTo(to) | PathSegment::QuadTo(_, to) => {
                corners.push((to.x, to.y));
            }
            PathSegment::CubicTo(a, b, to) => {
                let from = corners.last().copied().unwrap_or_default();
                let middle = |from: f32, a: f32, b: f32, to: f32| (from + 3.0 * (a + b) + to) / 8.0;
                corners.push((middle(from.0, a.x, b.x, to.x), middle(from.1, a.y, b.y, to.y)));
                corners.push((to.x, to.y));
            }
            PathSegment::Close => {}
        }
    }
    let around = resampled(&corners, SAMPLES)?;
    let apart = |a: Point, b: Point| (a.0 - b.0).hypot(a.1 - b.1);
    let pairs = (0..SAMPLES).flat_map(|a| (a + 1..SAMPLES).map(move |b| (a, b)));
    let (first, last) =
        pairs.max_by(|a, b| apart(around[a.0], around[a.1]).total_cmp(&apart(around[b.0], around[b.1])))?;
    let one = &around[first..=last];
    let other: Vec<Point> = around[last..].iter().chain(&around[..=first]).copied().collect();
    let mut middle = vec![around[first]];
    for step in 1..STEPS {
        let point = one[(one.len() - 1) * step / STEPS];
        let nearest = other
            .iter()
            .copied()
            .min_by(|a, b| apart(*a, point).total_cmp(&apart(*b, point)))?;
        if apart(nearest, point) > radius * 3.0 {
            return None;
        }
        middle.push(((point.0 + nearest.0) / 2.0, (point.1 + nearest.1) / 2.0));
    }
    middle.push(around[last]);
    Some(middle)
}

/// Returns `count` evenly spaced points along a closed outline.
fn resampled(points: &[Point], count: usize) -> Option<Vec<Point>> {
    let ring: Vec<Point> = points.iter().chain(points.first()).copied().collect();
    let length = |pair: &[Point]| (pair[1].0 - pair[0].0).hypot(pair[1].1 - pair[0].1);
    let step = ring.windows(2).map(length).sum::<f32>() / count as f32;
    if step <= 0.0 {
        return None;
    }
    let mut found = Vec::with_capacity(count);
    let mut left = 0.0;
    for pair in ring.windows(2) {
        let long = length(pair);
        while left < long && found.len() < count {
            let share = left / long;
            found.push((
                pair[0].0 + (pair[1].0 - pair[0].0) * share,
                pair[0].1 + (pair[1].1 - pair[0].1) * share,
            ));
            left += step;
        }
        left -= long;
    }
    (found.len() == count).then_some(found)
}
