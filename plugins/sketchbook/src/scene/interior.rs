//! The cells that a figure certainly covers and those that it may cover, for ruling out a position without painting a
//! mask.

use std::mem;
use std::ops::Range;

use tiny_skia::{Point, Rect};

use super::chords::Chord;
use super::grid::Grid;

/// The number of cells around the paths.
const MARGIN_CELLS: i32 = 3;

/// The maximum number of cells of a figure that is examined.
const MAX_CELLS: usize = 1 << 18;

#[derive(Debug)]
pub(super) struct Interior {
    /// The cell of the page in the first column and row.
    pub(super) origin: (i32, i32),
    /// The cells that the figure covers.
    pub(super) covered: Grid,
    /// The cells that it may cover.
    pub(super) possible: Grid,
    /// The number of cells that it covers.
    pub(super) least: u32,
    /// The number of cells that it may cover.
    pub(super) most: u32,
}

impl Interior {
    /// Examines a figure, each path of which is a list of chords, that is moved by a distance in cells, or by one that
    /// differs from it by at most `tolerance` across and down. `None` if the figure is too large.
    pub(super) fn of(paths: &[Vec<Chord>], bounds: &Rect, way: (f32, f32), tolerance: f32) -> Option<Self> {
        // The casts are of cells within a few pages.
        let (left, top) = (
            (bounds.left() + way.0).floor() as i32 - MARGIN_CELLS,
            (bounds.top() + way.1).floor() as i32 - MARGIN_CELLS,
        );
        let (right, bottom) = (
            (bounds.right() + way.0).ceil() as i32 + MARGIN_CELLS,
            (bounds.bottom() + way.1).ceil() as i32 + MARGIN_CELLS,
        );
        let (width, height) = ((right - left) as usize, (bottom - top) as usize);
        if width.checked_mul(height)? > MAX_CELLS {
            return None;
        }
        let mut interior = Self {
            origin: (left, top),
            covered: Grid::new(width, height),
            possible: Grid::new(width, height),
            least: 0,
            most: 0,
        };
        let mut survey = Survey::new(width, height);
        let way = (way.0 - left as f32, way.1 - top as f32);
        for chords in paths {
            for chord in chords {
                survey.add(chord, way, tolerance);
            }
            survey.finish(&mut interior);
        }
        interior.least = interior.covered.count();
        interior.most = interior.possible.count();
        Some(interior)
    }
}

fn moved(point: Point, (x, y): (f32, f32)) -> Point {
    Point::from_xy(point.x + x, point.y + y)
}

/// Returns the value, or the limit that it exceeds. `f32::clamp` takes longer, because it checks the limits.
fn within(value: f32, low: f32, high: f32) -> f32 {
    if value > high {
        high
    } else if value > low {
        value
    } else {
        low
    }
}

/// Rounds down. No cell of a figure is before the first one.
fn cell(value: f32) -> usize {
    value as u32 as usize
}

/// The examination of a path.
struct Survey {
    /// The cells whose middles may be on either side of the edge of a mask.
    uncertain: Grid,
    /// By how much the winding number of each cell is more than that of the cell on its left. Each row has the length of
    /// whole words of the grid.
    turns: Vec<i8>,
    /// The rows that the path touches.
    rows: Range<usize>,
}

/// The number of cells in a word of a grid.
const WORD: usize = u64::BITS as usize;

/// The number of cells that are treated alike if no chord is between them.
const GROUP: usize = 8;

/// The height below which all of a chord is treated alike.
const LEVEL: f32 = 0.25;

impl Survey {
    fn new(width: usize, height: usize) -> Self {
        Self {
            uncertain: Grid::new(width, height),
            turns: vec![0; width.next_multiple_of(WORD) * height],
            rows: 0..0,
        }
    }

    /// Adds a chord that is moved by a distance in cells.
    fn add(&mut self, chord: &Chord, way: (f32, f32), tolerance: f32) {
        let reach = chord.error + tolerance;
        let (top, bottom, turn) = if chord.from.y <= chord.to.y {
            (moved(chord.from, way), moved(chord.to, way), 1)
        } else {
            (moved(chord.to, way), moved(chord.from, way), -1)
        };
        let (left, right) = if top.x <= bottom.x {
            (top.x, bottom.x)
        } else {
            (bottom.x, top.x)
        };
        let height = bottom.y - top.y;
        let slope = (bottom.x - top.x) / height;
        // The part of the chord that is near the middle of a row is at most this far from that of the middle.
        let near = if height < LEVEL {
            right - left
        } else {
            slope.abs() * reach
        };
        let rows = cell(top.y - reach + 0.5)..cell(bottom.y + reach + 0.5);
        let stride = self.uncertain.words_per_row() * WORD;
        for row in rows.clone() {
            let middle = row as f32 + 0.5;
            let x = within(top.x + (middle - top.y) * slope, left, right);
            let (low, high) = (within(x - near, left, right), within(x + near, left, right));
            // The margin around the paths contains all of these cells.
            self.uncertain
                .set(cell(low - reach + 0.5)..cell(high + reach + 0.5), row);
            if top.y < middle && middle <= bottom.y {
                let turns = &mut self.turns[row * stride + cell(x + 0.5)];
                *turns = turns.wrapping_add(turn);
            }
        }
        self.rows = if self.rows.is_empty() {
            rows
        } else {
            self.rows.start.min(rows.start)..self.rows.end.max(rows.end)
        };
    }

    /// Adds the cells of the path to the figure, and forgets the path.
    fn finish(&mut self, interior: &mut Interior) {
        let stride = self.uncertain.words_per_row() * WORD;
        for row in mem::take(&mut self.rows) {
            let turns = self.turns[row * stride..][..stride].chunks_exact_mut(WORD);
            let words = self.uncertain.row_mut(row).iter_mut().zip(turns);
            let found = interior.covered.row_mut(row).iter_mut();
            let found = found.zip(interior.possible.row_mut(row));
            let mut winding = 0;
            for ((uncertain, turns), (covered, possible)) in words.zip(found) {
                let inside = inside(turns, &mut winding);
                *covered |= inside & !*uncertain;
                *possible |= inside | *uncertain;
                *uncertain = 0;
                turns.fill(0);
            }
        }
    }
}

/// Returns the cells of a word that have a winding number other than 0.
fn inside(turns: &[i8], winding: &mut i8) -> u64 {
    let mut cells = 0;
    for (index, turns) in turns.chunks_exact(GROUP).enumerate() {
        let group = if turns == [0; GROUP] {
            if *winding == 0 { 0 } else { (1 << GROUP) - 1 }
        } else {
            let bits = turns.iter().enumerate().map(|(cell, turn)| {
                *winding = winding.wrapping_add(*turn);
                u64::from(*winding != 0) << cell
            });
            bits.sum()
        };
        cells |= group << (index * GROUP);
    }
    cells
}

#[cfg(test)]
mod tests {
    use tiny_skia::{FillRule, Mask, Path, PathBuilder, Transform};

    use super::*;
    use crate::figure::shapes::{circle, petal, polygon, star};
    use crate::scene::chords::chords;

    const SIDE: u32 = 120;

    fn figure() -> (Vec<Path>, Rect) {
        let mut wave = PathBuilder::new();
        wave.move_to(-31.0, 14.0);
        for step in 0..12 {
            let x = -31.0 + step as f32 * 5.0;
            wave.cubic_to(x + 1.4, 9.0, x + 3.1, 26.5, x + 5.0, 13.0 + step as f32 % 3.0);
        }
        wave.quad_to(20.0, -30.0, -5.0, 3.0);
        let paths = vec![
            circle(3.0, 5.0, 9.3).unwrap(),
            star(-20.0, 8.0, 22.0, 9.0, 7, 0.3).unwrap(),
            petal((14.0, -17.0), 19.0, 6.0, 0.7).unwrap(),
            polygon(&[(-8.0, 30.0), (25.0, 30.2), (-8.0, 33.0), (25.0, 33.1)]).unwrap(),
            wave.finish().unwrap(),
        ];
        let boxes = paths.iter().map(Path::bounds);
        let bounds = boxes.reduce(|a, b| a.join(&b).unwrap()).unwrap();
        (paths, bounds)
    }

    fn painted(paths: &[Path], (x, y): (f32, f32)) -> Mask {
        let mut mask = Mask::new(SIDE, SIDE).unwrap();
        for path in paths {
            let path = path.clone().transform(Transform::from_translate(x, y)).unwrap();
            mask.fill_path(&path, FillRule::Winding, false, Transform::identity());
        }
        mask
    }

    /// Fails unless the mask has the certain cells and not more than the possible ones.
    fn check(interior: &Interior, (right, down): (i32, i32), mask: &Mask, what: &str) {
        let (left, top) = (interior.origin.0 + right, interior.origin.1 + down);
        for index in 0..SIDE * SIDE {
            let (column, row) = (index % SIDE, index / SIDE);
            let at = (column as i32 - left, row as i32 - top);
            let has = |grid: &Grid| match (usize::try_from(at.0), usize::try_from(at.1)) {
                (Ok(column), Ok(row)) => grid.contains(column, row),
                _ => false,
            };
            let is_covered = mask.data()[index as usize] > 0;
            assert!(!has(&interior.covered) || is_covered, "certain: {column}, {row} {what}");
            assert!(
                has(&interior.possible) || !is_covered,
                "possible: {column}, {row} {what}"
            );
        }
    }

    #[test]
    fn a_mask_anywhere_has_the_certain_cells_and_not_more_than_the_possible_ones() {
        let (paths, bounds) = figure();
        let outline: Vec<Vec<Chord>> = paths.iter().map(chords).collect();
        let anywhere = Interior::of(&outline, &bounds, (0.0, 0.0), 0.5).unwrap();
        assert!(anywhere.covered.count() > 500);
        for step in 0..300 {
            let way = (50.0 + (step as f32 * 0.27) % 15.0, 45.0 + (step as f32 * 0.41) % 20.0);
            let mask = painted(&paths, way);
            let cells = (way.0.round() as i32, way.1.round() as i32);
            check(&anywhere, cells, &mask, &format!("of any place, at {way:?}"));
            let here = Interior::of(&outline, &bounds, way, 0.0).unwrap();
            check(&here, (0, 0), &mask, &format!("at {way:?}"));
            let unknown = |interior: &Interior| interior.most - interior.least;
            assert!(unknown(&here) * 3 < unknown(&anywhere) * 2, "at {way:?}");
        }
    }
}
