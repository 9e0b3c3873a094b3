//! Tracing of one-pixel lines as strokes: short ones are dropped, gaps are closed and wobbles are smoothed.

use std::collections::HashMap;

use crate::part::part;
use crate::thin::{AROUND, neighbors};

pub(crate) type Point = (f32, f32);

/// Rounds of averaging of the points of a stroke.
const SMOOTH_ROUNDS: usize = 6;

/// A line that is drawn without lifting the pen.
#[derive(Debug)]
pub(crate) struct Stroke {
    pub(crate) points: Vec<Point>,
    /// For the first and the last point: true if it does not meet another line.
    free: [bool; 2],
}

/// Lengths in pixels that control the tracing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Measures {
    /// Strokes shorter than this are dropped.
    pub(crate) min_length: f32,
    /// Gaps up to this width are closed.
    pub(crate) max_gap: f32,
}

/// Traces the strokes of a thinned picture.
pub(crate) fn strokes(mut line: Vec<bool>, width: usize, measures: Measures) -> Vec<Stroke> {
    drop_small(&mut line, width, measures.min_length);
    let mut strokes = chains(&line, width);
    // Short spurs on a line are removed. Strokes between two forks remain.
    strokes.retain(|stroke| stroke.free == [false; 2] || stroke.length() > measures.min_length * 0.4);
    let height = line.len() / width;
    bridge(&mut strokes, (width as f32, height as f32), measures.max_gap);
    strokes.retain(|stroke| stroke.free != [true; 2] || stroke.length() > measures.min_length);
    for stroke in &mut strokes {
        stroke.smooth(false, SMOOTH_ROUNDS);
    }
    strokes
}

/// Removes connected components of fewer than `min_length` pixels.
fn drop_small(line: &mut [bool], width: usize, min_length: f32) {
    let mut seen = vec![false; line.len()];
    for start in 0..line.len() {
        if !line[start] || seen[start] {
            continue;
        }
        let part = part(start, &mut seen, |index| {
            let near = indices(width, index).into_iter().zip(neighbors(line, width, index));
            near.filter_map(|(near, inked)| inked.then_some(near))
        });
        if (part.len() as f32) < min_length {
            for index in part {
                line[index] = false;
            }
        }
    }
}

/// The indices of a pixel's eight neighbors. Those outside the picture are meaningless and must not be used.
fn indices(width: usize, index: usize) -> [usize; 8] {
    AROUND.map(|(dx, dy)| index.wrapping_add_signed(dx + dy * width as isize))
}

/// Traces the lines from fork to fork.
fn chains(line: &[bool], width: usize) -> Vec<Stroke> {
    let ways = |index: usize| {
        let near = neighbors(line, width, index);
        (0..8).filter(|at| !near[*at] && near[(at + 1) % 8]).count()
    };
    let fork: Vec<bool> = (0..line.len()).map(|index| line[index] && ways(index) > 2).collect();
    let mut seen = fork.clone();
    let open = |index: usize, seen: &[bool]| -> Vec<usize> {
        let near = neighbors(line, width, index);
        let mut found: Vec<usize> = (0..8)
            // Straight neighbors come before diagonal ones. Otherwise corners would be skipped.
            .filter(|at| at % 2 == 0)
            .chain((0..8).filter(|at| at % 2 == 1))
            .filter(|at| near[*at])
            .map(|at| indices(width, index)[at])
            .collect();
        found.retain(|near| !seen[*near]);
        found
    };
    let ends = (0..line.len()).filter(|index| line[*index] && !fork[*index] && open(*index, &fork).len() < 2);
    // Rings have no end, so every pixel is a possible start.
    let starts: Vec<usize> = ends.chain(0..line.len()).collect();
    let mut strokes = Vec::new();
    for start in starts {
        if !line[start] || seen[start] {
            continue;
        }
        let mut chain = vec![start];
        seen[start] = true;
        let mut at = start;
        while let Some(next) = open(at, &seen).first().copied() {
            seen[next] = true;
            chain.push(next);
            at = next;
        }
        strokes.push(joined(line, width, &fork, &chain));
    }
    strokes
}

/// Creates a stroke from a chain of pixels, including the forks at its ends. A ring is closed with its first point.
fn joined(line: &[bool], width: usize, fork: &[bool], chain: &[usize]) -> Stroke {
    let place = |index: usize| ((index % width) as f32, (index / width) as f32);
    let fork_at = |index: usize| {
        let near = neighbors(line, width, index);
        (0..8)
            .filter(|at| near[*at])
            .map(|at| indices(width, index)[at])
            .find(|near| fork[*near])
    };
    let mut points: Vec<Point> = chain.iter().map(|index| place(*index)).collect();
    let (first, last) = (chain[0], chain[chain.len() - 1]);
    let ring = chain.len() > 8 && indices(width, last).contains(&first);
    let (before, behind) = (fork_at(first), fork_at(last));
    if let Some(fork) = before {
        points.insert(0, place(fork));
    }
    if let Some(fork) = behind {
        points.push(place(fork));
    } else if ring && before.is_none() {
        points.push(place(first));
    }
    Stroke {
        points,
        free: [before.is_none() && !ring, behind.is_none() && !ring],
    }
}

/// Extends free ends to the nearest line or border ahead of them, up to a distance of `max_gap`.
fn bridge(strokes: &mut [Stroke], (width, height): (f32, f32), max_gap: f32) {
    let mut places: HashMap<(i32, i32), (usize, usize)> = HashMap::new();
    for (number, stroke) in strokes.iter().enumerate() {
        for (at, point) in stroke.points.iter().enumerate() {
            places.insert((point.0 as i32, point.1 as i32), (number, at));
        }
    }
    for (number, stroke) in strokes.iter_mut().enumerate() {
        for end in [0, 1] {
            if !stroke.free[end] || stroke.points.len() < 3 {
                continue;
            }
            let Some(found) = stroke.ahead(end, number, &places, (width, height), max_gap) else {
                continue;
            };
            stroke.free[end] = false;
            if end == 0 {
                stroke.points.insert(0, found);
            } else {
                stroke.points.push(found);
            }
        }
    }
}

impl Stroke {
    /// A closed line through the points.
    pub(crate) fn ring(mut points: Vec<Point>) -> Self {
        points.extend(points.first().copied());
        Self {
            points,
            free: [false; 2],
        }
    }

    pub(crate) fn is_ring(&self) -> bool {
        self.points.first() == self.points.last()
    }

    pub(crate) fn length(&self) -> f32 {
        let pairs = self.points.windows(2);
        pairs
            .map(|pair| (pair[1].0 - pair[0].0).hypot(pair[1].1 - pair[0].1))
            .sum()
    }

    /// Finds the nearest point that a free end meets when it is extended in roughly its own direction.
    fn ahead(
        &self,
        end: usize,
        number: usize,
        places: &HashMap<(i32, i32), (usize, usize)>,
        (width, height): Point,
        max_gap: f32,
    ) -> Option<Point> {
        /// Number of points that determine the direction of the end.
        const DIRECTION_POINTS: usize = 8;
        /// Minimum cosine of the angle between that direction and the extension.
        const MIN_TURN_COSINE: f32 = 0.5;
        let count = self.points.len();
        let back = DIRECTION_POINTS.min(count - 1);
        let (tip, from) = if end == 0 {
            (self.points[0], self.points[back])
        } else {
            (self.points[count - 1], self.points[count - 1 - back])
        };
        let (dx, dy) = (tip.0 - from.0, tip.1 - from.1);
        let length = dx.hypot(dy).max(0.01);
        let (dx, dy) = (dx / length, dy / length);
        let reach = max_gap.ceil() as i32;
        let mut best: Option<(f32, Point)> = None;
        let mut offer = |point: Point| {
            let (x, y) = (point.0 - tip.0, point.1 - tip.1);
            let distance = x.hypot(y);
            let turn = (x * dx + y * dy) / distance.max(0.01);
            if distance > 0.5 && distance <= max_gap && turn > MIN_TURN_COSINE {
                let cost = distance * (2.0 - turn);
                if best.is_none_or(|(least, _)| cost < least) {
                    best = Some((cost, point));
                }
            }
        };
        for y in -reach..=reach {
            for x in -reach..=reach {
                let place = (tip.0 as i32 + x, tip.1 as i32 + y);
                let Some((other, at)) = places.get(&place) else {
                    continue;
                };
                // A stroke may meet its own beginning to close a shape, but not its own last points.
                let own = *other == number
                    && (if end == 0 {
                        *at
                    } else {
                        count - 1 - at.min(&(count - 1))
                    } as f32)
                        < max_gap * 2.0;
                if !own {
                    offer((place.0 as f32, place.1 as f32));
                }
            }
        }
        for border in [(0.0, tip.1), (width - 1.0, tip.1), (tip.0, 0.0), (tip.0, height - 1.0)] {
            offer(border);
        }
        best.map(|(_, point)| point)
    }

    /// A line through the points, without their wobbles. The ends stay in place, except those of a ring.
    pub(crate) fn smooth_line(points: Vec<Point>, is_ring: bool, rounds: usize) -> Self {
        let mut line = Self {
            points,
            free: [false; 2],
        };
        line.smooth(is_ring, rounds);
        line
    }

    fn smooth(&mut self, is_ring: bool, rounds: usize) {
        let mix = |one: Point, two: Point, three: Point| {
            let mix = |one: f32, two: f32, three: f32| 0.25 * one + 0.5 * two + 0.25 * three;
            (mix(one.0, two.0, three.0), mix(one.1, two.1, three.1))
        };
        let last = self.points.len().saturating_sub(1);
        for _ in 0..rounds {
            let before = self.points.clone();
            for at in 1..last {
                self.points[at] = mix(before[at - 1], before[at], before[at + 1]);
            }
            if is_ring && last > 2 {
                let joint = mix(before[last - 1], before[0], before[1]);
                self.points[0] = joint;
                self.points[last] = joint;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Measures, strokes};

    fn drawn(rows: &[&str]) -> (Vec<bool>, usize) {
        let line = rows
            .iter()
            .flat_map(|row| row.chars().map(|letter| letter == '#'))
            .collect();
        (line, rows[0].len())
    }

    #[test]
    fn a_gap_in_a_line_is_closed_and_a_speck_is_dropped() {
        let (line, width) = drawn(&[
            "........................",
            ".##.....................",
            "........................",
            "........................",
            ".....########..######...",
            "........................",
            "........................",
        ]);
        let measures = Measures {
            min_length: 5.0,
            max_gap: 4.0,
        };
        let found = strokes(line, width, measures);
        assert_eq!(found.len(), 2, "{found:?}");
        let meets = found.iter().filter(|stroke| stroke.free != [true; 2]).count();
        assert!(meets >= 1, "{found:?}");
        assert!(
            found
                .iter()
                .all(|stroke| stroke.points.iter().all(|point| point.1 > 3.0))
        );
    }
}
