//! Tracing of the borders between areas as smooth lines, each once.

use crate::strokes::{Point, Stroke};

/// The number of what lies outside the picture.
pub(crate) const OUTSIDE: u32 = u32::MAX;
/// Number of times that each pixel takes the number of most of its neighbors, which smooths borders.
const MAJORITY_ROUNDS: usize = 4;
/// Half of the side of the square of those neighbors.
const MAJORITY_REACH: usize = 2;
/// Rounds of averaging of the points of a border.
const SMOOTH_ROUNDS: usize = 22;

/// Lets each pixel take the number that most pixels in the square around it have.
pub(crate) fn even(label: &mut [u32], width: usize) {
    let height = label.len() / width;
    for _ in 0..MAJORITY_ROUNDS {
        let before = label.to_vec();
        for y in 0..height {
            for x in 0..width {
                let own = before[y * width + x];
                let rows = y.saturating_sub(MAJORITY_REACH)..(y + MAJORITY_REACH + 1).min(height);
                let columns = x.saturating_sub(MAJORITY_REACH)..(x + MAJORITY_REACH + 1).min(width);
                if rows.clone().all(|y| {
                    before[y * width + columns.start..y * width + columns.end]
                        .iter()
                        .all(|near| *near == own)
                }) {
                    continue;
                }
                let mut counts: Vec<(u32, u32)> = Vec::new();
                for near in rows.flat_map(|y| &before[y * width + columns.start..y * width + columns.end]) {
                    match counts.iter_mut().find(|count| count.1 == *near) {
                        Some(count) => count.0 += 1,
                        None => counts.push((1, *near)),
                    }
                }
                if let Some((_, most)) = counts.into_iter().max() {
                    label[y * width + x] = most;
                }
            }
        }
    }
}

/// The ways from a corner of pixels along their sides: right, down, left and up.
const WAYS: [(isize, isize); 4] = [(1, 0), (0, 1), (-1, 0), (0, -1)];

/// The corners of pixels, and the sides between them that lie on a border of two areas.
struct Corners<'a> {
    label: &'a [u32],
    width: usize,
    height: usize,
    is_drawn: &'a dyn Fn(u32, u32) -> bool,
}

impl Corners<'_> {
    fn label(&self, x: isize, y: isize) -> u32 {
        let is_inside = x >= 0 && y >= 0 && x < self.width as isize && y < self.height as isize;
        if is_inside {
            self.label[y as usize * self.width + x as usize]
        } else {
            OUTSIDE
        }
    }

    /// True if a border goes this way from a corner.
    fn has(&self, corner: usize, way: usize) -> bool {
        let (x, y) = self.place(corner);
        let (one, other) = match way {
            0 => ((x, y - 1), (x, y)),
            1 => ((x - 1, y), (x, y)),
            2 => ((x - 1, y - 1), (x - 1, y)),
            _ => ((x - 1, y - 1), (x, y - 1)),
        };
        let (one, other) = (self.label(one.0, one.1), self.label(other.0, other.1));
        one != other && (self.is_drawn)(one, other)
    }

    fn place(&self, corner: usize) -> (isize, isize) {
        (
            (corner % (self.width + 1)) as isize,
            (corner / (self.width + 1)) as isize,
        )
    }

    fn next(&self, corner: usize, way: usize) -> usize {
        let (x, y) = WAYS[way];
        corner.wrapping_add_signed(x + y * (self.width as isize + 1))
    }

    fn ways(&self, corner: usize) -> impl Iterator<Item = usize> {
        (0..4).filter(move |way| self.has(corner, *way))
    }
}

/// Traces the borders between areas for which `is_drawn` is true. Lines end where three areas meet and at the edge of
/// the picture.
pub(crate) fn borders(label: &[u32], width: usize, is_drawn: &dyn Fn(u32, u32) -> bool) -> Vec<Stroke> {
    let corners = Corners {
        label,
        width,
        height: label.len() / width,
        is_drawn,
    };
    let count = (width + 1) * (corners.height + 1);
    let mut seen = vec![[false; 4]; count];
    let is_end = |corner: usize| !matches!(corners.ways(corner).count(), 0 | 2);
    let ends = (0..count).filter(|corner| is_end(*corner));
    // Rings have no end, so every corner is a possible start.
    let starts: Vec<usize> = ends.chain(0..count).collect();
    let mut strokes = Vec::new();
    for start in starts {
        for way in 0..4 {
            if seen[start][way] || !corners.has(start, way) {
                continue;
            }
            let mut chain = vec![start];
            let (mut at, mut way) = (start, way);
            loop {
                let next = corners.next(at, way);
                seen[at][way] = true;
                seen[next][(way + 2) % 4] = true;
                chain.push(next);
                at = next;
                let further = corners.ways(at).find(|way| !seen[at][*way]);
                match further {
                    Some(further) if !is_end(at) && at != start => way = further,
                    _ => break,
                }
            }
            let points = chain.iter().map(|corner| corners.place(*corner));
            // The center of a pixel has whole coordinates.
            let points: Vec<Point> = points.map(|(x, y)| (x as f32 - 0.5, y as f32 - 0.5)).collect();
            let is_ring = at == start && !is_end(start);
            strokes.push(Stroke::smooth_line(points, is_ring, SMOOTH_ROUNDS));
        }
    }
    strokes
}

#[cfg(test)]
mod tests {
    use super::{OUTSIDE, borders, even};

    /// Areas by the letters of rows.
    fn label(rows: &[&str]) -> (Vec<u32>, usize) {
        let letters = rows.iter().flat_map(|row| row.bytes());
        (letters.map(|letter| u32::from(letter - b'a')).collect(), rows[0].len())
    }

    #[test]
    fn each_border_is_traced_once_from_where_three_areas_meet() {
        let (label, width) = label(&["aaabbb", "aaabbb", "aaabbb", "cccccc", "cccccc"]);
        let inside = borders(&label, width, &|one, other| one != OUTSIDE && other != OUTSIDE);
        assert_eq!(inside.len(), 3, "{inside:?}");
        let meets = |end: (f32, f32)| end == (2.5, 2.5);
        assert!(
            inside
                .iter()
                .all(|stroke| meets(stroke.points[0]) || stroke.points.last().copied().is_some_and(meets))
        );
        let around = borders(&label, width, &|one, other| one == 2 || other == 2);
        let length: usize = around.iter().map(|stroke| stroke.points.len() - 1).sum();
        assert_eq!(length, 16, "{around:?}");
    }

    #[test]
    fn an_area_within_another_has_a_ring() {
        let (label, width) = label(&[
            "aaaaaaa", "aaaaaaa", "aabbbaa", "aabbbaa", "aabbbaa", "aaaaaaa", "aaaaaaa",
        ]);
        let found = borders(&label, width, &|one, other| one != OUTSIDE && other != OUTSIDE);
        assert!(found.len() == 1 && found[0].is_ring(), "{found:?}");
    }

    #[test]
    fn a_notch_in_a_border_disappears() {
        let (mut label, width) = label(&[
            "aaaaaaaa", "aaaaaaaa", "aaaaaaaa", "aaabaaaa", "bbbbbbbb", "bbbbbbbb", "bbbbbbbb",
        ]);
        even(&mut label, width);
        assert!(label[..4 * width].iter().all(|area| *area == 0));
    }
}
