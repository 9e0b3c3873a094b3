//! Coarse masks of the placed figures, for limiting how much of a subject is hidden.

use std::cell::OnceCell;
use std::ops::Range;

use tiny_skia::{FillRule, Mask, Path, Rect, Transform};

use super::chords::{Chord, chords};
use super::grid::Grid;
use super::interior::Interior;
use crate::figure::Figure;

const CELL_PIXELS: f32 = 8.0;

/// The number of cells around the bounds of a path that its rounded edges may reach.
const ROUNDING_CELLS: f32 = 2.0;

#[derive(Debug)]
pub(super) struct Occupancy {
    width: u32,
    height: u32,
    taken: Grid,
}

/// The columns and the rows of a part of the page.
type Area = (Range<usize>, Range<usize>);

/// The limits of a fraction that is not known exactly.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    pub(super) least: f32,
    pub(super) most: f32,
}

impl Limits {
    pub(super) fn exactly(value: f32) -> Self {
        Self {
            least: value,
            most: value,
        }
    }

    /// Returns the limits of a fraction, from the certain and the possible cells of the part and of the whole.
    fn of(part: (u32, u32), whole: (u32, u32)) -> Self {
        Self {
            least: fraction(part.0, part.0 + whole.1 - part.1),
            most: fraction(part.1, part.1 + whole.0 - part.0),
        }
    }

    /// Returns true if the fraction may or may not be more than a value.
    pub(super) fn includes(&self, value: f32) -> bool {
        self.least <= value && value < self.most
    }
}

/// The surfaces of a figure in units of a cell, for trying the figure in several positions.
#[derive(Debug)]
pub(super) struct Surfaces {
    paths: Vec<Path>,
    /// `None` if there are no surfaces.
    bounds: Option<Rect>,
    outline: OnceCell<Vec<Vec<Chord>>>,
    /// The cells at any position that is rounded to the same cells.
    interior: OnceCell<Option<Interior>>,
}

impl Surfaces {
    /// Returns the surfaces of a figure that is enlarged by a factor around the origin.
    pub(super) fn new(figure: &Figure, factor: f32) -> Self {
        let fills = figure.layers.iter().filter_map(|layer| layer.fill.as_ref());
        let paths = fills.filter_map(|path| {
            // The size of a cell is a power of two, so that the order of the scalings and of a move changes no bit.
            let enlarged = path.clone().transform(Transform::from_scale(factor, factor))?;
            enlarged.transform(Transform::from_scale(1.0 / CELL_PIXELS, 1.0 / CELL_PIXELS))
        });
        let paths: Vec<Path> = paths.collect();
        let boxes = paths.iter().map(Path::bounds);
        Self {
            bounds: boxes.reduce(|a, b| a.join(&b).unwrap_or(a)),
            paths,
            outline: OnceCell::new(),
            interior: OnceCell::new(),
        }
    }

    fn outline(&self) -> &[Vec<Chord>] {
        self.outline.get_or_init(|| self.paths.iter().map(chords).collect())
    }

    fn interior(&self) -> Option<&Interior> {
        // A position is at most half a cell from the rounded one.
        let examined = || Interior::of(self.outline(), &self.bounds?, (0.0, 0.0), 0.5);
        self.interior.get_or_init(examined).as_ref()
    }

    /// Returns the cells of the surfaces that are moved by a distance in pixels.
    fn cells(&self, (x, y): (f32, f32)) -> Option<Interior> {
        Interior::of(self.outline(), &self.bounds?, (x / CELL_PIXELS, y / CELL_PIXELS), 0.0)
    }

    /// Returns the surfaces, moved by a distance in pixels.
    fn moved(&self, (x, y): (f32, f32)) -> Vec<Path> {
        let way = Transform::from_translate(x / CELL_PIXELS, y / CELL_PIXELS);
        self.paths
            .iter()
            .filter_map(|path| path.clone().transform(way))
            .collect()
    }
}

impl Occupancy {
    pub(super) fn new(width: u32, height: u32) -> Self {
        let (width, height) = (
            (width as f32 / CELL_PIXELS).ceil() as u32,
            (height as f32 / CELL_PIXELS).ceil() as u32,
        );
        Self {
            width,
            height,
            taken: Grid::new(width as usize, height as usize),
        }
    }

    /// Returns the fraction of a moved figure that overlaps other figures.
    pub(super) fn overlap(&self, surfaces: &Surfaces, way: (f32, f32)) -> f32 {
        self.exact_overlap(surfaces, way, self.limits_of_overlap(surfaces, way))
    }

    /// Returns the fraction of a moved figure that overlaps other figures, of which these limits are known.
    pub(super) fn exact_overlap(&self, surfaces: &Surfaces, way: (f32, f32), limits: Limits) -> f32 {
        if limits.least == limits.most {
            return limits.least;
        }
        let (columns, rows) = self.area(surfaces, way);
        let Some(mask) = self.mask(&surfaces.moved(way)) else {
            return 0.0;
        };
        let (mut all, mut hidden) = (0, 0);
        for row in rows {
            let cells = row * self.width as usize;
            for column in columns.clone() {
                let is_covered = mask.data()[cells + column] > 0;
                all += u32::from(is_covered);
                hidden += u32::from(is_covered && self.taken.contains(column, row));
            }
        }
        fraction(hidden, all)
    }

    /// Returns a fraction that the overlap is not less than, which takes least time to find out.
    pub(super) fn least_overlap(&self, surfaces: &Surfaces, way: (f32, f32)) -> f32 {
        if !self.is_taken(&self.area(surfaces, way)) {
            return 0.0;
        }
        let Some(interior) = surfaces.interior() else {
            return 0.0;
        };
        let hidden = self.taken.common(&interior.covered, self.rounded(interior, way));
        fraction(hidden, interior.most)
    }

    /// Returns wide limits of the overlap, which take little more time to find out.
    pub(super) fn rough_overlap(&self, surfaces: &Surfaces, way: (f32, f32)) -> Limits {
        let area = self.area(surfaces, way);
        if !self.is_taken(&area) {
            return Limits::exactly(0.0);
        }
        let Some(interior) = surfaces.interior() else {
            return Limits { least: 0.0, most: 1.0 };
        };
        let hidden = self.taken_of(interior, self.rounded(interior, way));
        let limits = Limits::of(hidden, (interior.least, interior.most));
        if hidden.1 > 0 && !self.contains(&area) {
            return Limits { most: 1.0, ..limits };
        }
        limits
    }

    /// Returns narrow limits of the overlap, which still take much less time to find out than the overlap.
    pub(super) fn limits_of_overlap(&self, surfaces: &Surfaces, way: (f32, f32)) -> Limits {
        let limits = self.rough_overlap(surfaces, way);
        if limits.least == limits.most || !self.contains(&self.area(surfaces, way)) {
            return limits;
        }
        surfaces.cells(way).map_or(limits, |cells| {
            let hidden = self.taken_of(&cells, cells.origin);
            Limits::of(hidden, (cells.least, cells.most))
        })
    }

    /// Returns the number of certain and of possible cells of a figure that other figures have taken.
    fn taken_of(&self, interior: &Interior, at: (i32, i32)) -> (u32, u32) {
        let most = self.taken.common(&interior.possible, at);
        let least = if most == 0 {
            0
        } else {
            self.taken.common(&interior.covered, at)
        };
        (least, most)
    }

    /// Returns true if the overlap of a moved figure is less than a limit.
    pub(super) fn overlaps_less(&self, surfaces: &Surfaces, way: (f32, f32), limit: f32) -> bool {
        let overlap = self.limits_of_overlap(surfaces, way);
        overlap.most < limit || overlap.least < limit && self.exact_overlap(surfaces, way, overlap) < limit
    }

    /// Returns the place of a figure that is moved by a distance in pixels, which is rounded to cells.
    fn rounded(&self, interior: &Interior, way: (f32, f32)) -> (i32, i32) {
        // The casts are of cells within a few pages.
        let left = (way.0 / CELL_PIXELS).round() as i32 + interior.origin.0;
        let top = (way.1 / CELL_PIXELS).round() as i32 + interior.origin.1;
        (left, top)
    }

    pub(super) fn take(&mut self, figure: &Figure) {
        let surfaces = Surfaces::new(figure, 1.0);
        let Some(mask) = self.mask(&surfaces.paths) else { return };
        let (columns, rows) = self.area(&surfaces, (0.0, 0.0));
        for row in rows {
            let cells = &mask.data()[row * self.width as usize..][..self.width as usize];
            for column in columns.clone() {
                if cells[column] > 0 {
                    self.taken.set(column..column + 1, row);
                }
            }
        }
    }

    fn mask(&self, paths: &[Path]) -> Option<Mask> {
        let mut mask = Mask::new(self.width, self.height)?;
        for path in paths {
            mask.fill_path(path, FillRule::Winding, false, Transform::identity());
        }
        Some(mask)
    }

    /// Returns the part of the page that contains the moved surfaces.
    fn area(&self, surfaces: &Surfaces, (x, y): (f32, f32)) -> Area {
        let Some(bounds) = surfaces.bounds else {
            return (0..0, 0..0);
        };
        // The casts are of cells within the page.
        let range = |low: f32, high: f32, way: f32, most: u32| {
            let (low, high) = (low + way - ROUNDING_CELLS, high + way + ROUNDING_CELLS);
            (low.max(0.0) as usize).min(most as usize)..(high.max(0.0).ceil() as usize).min(most as usize)
        };
        (
            range(bounds.left(), bounds.right(), x / CELL_PIXELS, self.width),
            range(bounds.top(), bounds.bottom(), y / CELL_PIXELS, self.height),
        )
    }

    /// Returns true if an area is not cut off at an edge of the page.
    fn contains(&self, (columns, rows): &Area) -> bool {
        let is_within = |cells: &Range<usize>, most: u32| cells.start > 0 && cells.end < most as usize;
        is_within(columns, self.width) && is_within(rows, self.height)
    }

    fn is_taken(&self, (columns, rows): &Area) -> bool {
        self.taken.has_any(columns, rows.clone())
    }
}

fn fraction(part: u32, all: u32) -> f32 {
    part as f32 / all.max(1) as f32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::shapes::{circle, shape, star};

    const SIDE: u32 = 640;

    #[test]
    fn the_limits_contain_the_overlap_anywhere() {
        let figure = |paths: [Option<Path>; 2]| Figure::from_layers(paths.map(shape).to_vec());
        let mut page = Occupancy::new(SIDE, SIDE);
        page.take(&figure([
            circle(200.0, 330.0, 120.0),
            star(480.0, 200.0, 90.0, 40.0, 5, 0.2),
        ]));
        let body = figure([circle(0.0, 10.0, 43.0), star(20.0, -40.0, 60.0, 25.0, 6, 0.0)]);
        let surfaces = Surfaces::new(&body, 1.0);
        let (mut are_exact, mut are_free) = (0, 0);
        for step in 0..400 {
            let way = ((step as f32 * 37.3) % 640.0, (step as f32 * 91.7) % 640.0);
            let painted = page.exact_overlap(&surfaces, way, Limits { least: 0.0, most: 1.0 });
            let (rough, narrow) = (
                page.rough_overlap(&surfaces, way),
                page.limits_of_overlap(&surfaces, way),
            );
            for limits in [rough, narrow] {
                assert!((limits.least..=limits.most).contains(&painted), "{painted} at {way:?}");
                assert_eq!(page.exact_overlap(&surfaces, way, limits), painted, "at {way:?}");
            }
            assert!(page.least_overlap(&surfaces, way) <= painted, "at {way:?}");
            assert!(rough.least <= narrow.least && narrow.most <= rough.most, "at {way:?}");
            assert!(page.overlaps_less(&surfaces, way, painted + 0.001));
            assert!(!page.overlaps_less(&surfaces, way, painted));
            are_exact += usize::from(narrow.most - narrow.least < 0.1);
            are_free += usize::from(rough.most == 0.0);
        }
        assert!(are_exact > 300 && are_free > 50, "{are_exact}, {are_free}");
    }
}
