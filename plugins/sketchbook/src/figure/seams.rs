//! The edges of an area on a surface, cut off where the area extends past the surface.

use tiny_skia::{Path, PathBuilder, PathSegment};

use super::shapes::Point;

/// The number of straight pieces of a curve.
const PIECES: usize = 8;

/// Returns the parts of the edge of an area that are inside a surface. `None` if there are none.
pub(super) fn within(area: &Path, surface: &Path) -> Option<Path> {
    let sides = pieces(surface);
    let mut path = PathBuilder::new();
    let mut last = None;
    for (from, to) in pieces(area) {
        let at = |share: f32| (from.0 + (to.0 - from.0) * share, from.1 + (to.1 - from.1) * share);
        let mut cuts: Vec<f32> = sides.iter().filter_map(|side| crossing((from, to), *side)).collect();
        cuts.extend([0.0, 1.0]);
        cuts.sort_by(f32::total_cmp);
        for pair in cuts.windows(2) {
            if pair[1] - pair[0] < 1e-4 || !contains(&sides, at((pair[0] + pair[1]) / 2.0)) {
                continue;
            }
            let (start, end) = (at(pair[0]), at(pair[1]));
            if last != Some(start) {
                path.move_to(start.0, start.1);
            }
            path.line_to(end.0, end.1);
            last = Some(end);
        }
    }
    path.finish()
}

type Segment = (Point, Point);

/// Returns the outline of a path as straight segments. Every contour is closed.
fn pieces(path: &Path) -> Vec<Segment> {
    let mut segments = Vec::new();
    let (mut start, mut here) = ((0.0, 0.0), (0.0, 0.0));
    let mut to = |from: &mut Point, to: Point| {
        if *from != to {
            segments.push((*from, to));
        }
        *from = to;
    };
    for segment in path.segments() {
        match segment {
            PathSegment::MoveTo(point) => {
                to(&mut here, start);
                start = (point.x, point.y);
                here = start;
            }
            PathSegment::LineTo(point) => to(&mut here, (point.x, point.y)),
            PathSegment::QuadTo(over, end) => {
                let from = here;
                for step in 1..=PIECES {
                    let share = step as f32 / PIECES as f32;
                    let rest = 1.0 - share;
                    let mix = |a: f32, b: f32, c: f32| a * rest * rest + b * 2.0 * rest * share + c * share * share;
                    to(&mut here, (mix(from.0, over.x, end.x), mix(from.1, over.y, end.y)));
                }
            }
            PathSegment::CubicTo(first, second, end) => {
                let from = here;
                for step in 1..=PIECES {
                    let share = step as f32 / PIECES as f32;
                    let rest = 1.0 - share;
                    let mix = |a: f32, b: f32, c: f32, d: f32| {
                        let (near, far) = (a * rest + b * 3.0 * share, c * 3.0 * rest + d * share);
                        near * rest * rest + far * share * share
                    };
                    to(
                        &mut here,
                        (
                            mix(from.0, first.x, second.x, end.x),
                            mix(from.1, first.y, second.y, end.y),
                        ),
                    );
                }
            }
            PathSegment::Close => to(&mut here, start),
        }
    }
    to(&mut here, start);
    segments
}

/// Returns the share of the first segment at which the second crosses it.
fn crossing((from, to): Segment, (start, end): Segment) -> Option<f32> {
    let (along, across) = ((to.0 - from.0, to.1 - from.1), (end.0 - start.0, end.1 - start.1));
    let turn = along.0 * across.1 - along.1 * across.0;
    if turn.abs() < 1e-6 {
        return None;
    }
    let way = (start.0 - from.0, start.1 - from.1);
    let share = (way.0 * across.1 - way.1 * across.0) / turn;
    let other = (way.0 * along.1 - way.1 * along.0) / turn;
    ((0.0..=1.0).contains(&share) && (0.0..=1.0).contains(&other)).then_some(share)
}

/// Returns true if a point is inside the outline.
fn contains(sides: &[Segment], (x, y): Point) -> bool {
    let crossed = sides
        .iter()
        .filter(|((ax, ay), (bx, by))| (*ay > y) != (*by > y) && x < ax + (bx - ax) * (y - ay) / (by - ay));
    crossed.count() % 2 == 1
}

#[cfg(test)]
mod tests {
    use super::within;
    use crate::figure::shapes::{circle, rectangle};

    #[test]
    fn the_edges_of_a_belt_end_at_the_sides_of_a_coat() {
        let coat = rectangle(-20.0, 0.0, 40.0, 100.0).unwrap();
        let belt = rectangle(-50.0, 40.0, 100.0, 10.0).unwrap();
        let bounds = within(&belt, &coat).unwrap().bounds();
        assert_eq!(
            (bounds.left(), bounds.right(), bounds.top(), bounds.bottom()),
            (-20.0, 20.0, 40.0, 50.0)
        );
        assert!(within(&rectangle(-50.0, 120.0, 100.0, 10.0).unwrap(), &coat).is_none());
        let pocket = circle(0.0, 70.0, 8.0).unwrap();
        assert!((within(&pocket, &coat).unwrap().bounds().height() - 16.0).abs() < 0.1);
    }
}
