//! Coarse masks of the placed figures, for limiting how much of a subject is hidden.

use std::cell::OnceCell;
use std::ops::Range;

use tiny_skia::{FillRule, Mask, Path, Rect, Transform};

use super::interior::Interior;
use crate::figure::Figure;

const CELL_PIXELS: f32 = 8.0;

/// The number of cells around the bounds of a path that its rounded edges may reach.
const ROUNDING_CELLS: f32 = 2.0;

#[derive(Debug)]
pub(super) struct Occupancy {
    width: u32,
    height: u32,
    taken: Vec<bool>,
}

/// The columns and the rows of a part of the page.
type Area = (Range<usize>, Range<usize>);

/// The surfaces of a figure in units of a cell, for trying the figure in several positions.
#[derive(Debug)]
pub(super) struct Surfaces {
    paths: Vec<Path>,
    /// `None` if there are no surfaces.
    bounds: Option<Rect>,
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
            interior: OnceCell::new(),
        }
    }

    fn interior(&self) -> Option<&Interior> {
        let examined = || Interior::of(&self.paths, &self.bounds?);
        self.interior.get_or_init(examined).as_ref()
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
            taken: vec![false; (width * height) as usize],
        }
    }

    /// Returns the fraction of a moved figure that overlaps other figures.
    pub(super) fn overlap(&self, surfaces: &Surfaces, way: (f32, f32)) -> f32 {
        let area = self.area(surfaces, way);
        let is_free = |interior: &Interior| self.taken_of(interior, &interior.possible, way) == 0;
        if !self.is_taken(&area) || surfaces.interior().is_some_and(is_free) {
            return 0.0;
        }
        let Some(mask) = self.mask(&surfaces.moved(way)) else {
            return 0.0;
        };
        let (mut all, mut hidden) = (0, 0);
        for cells in self.rows(&area) {
            for (value, taken) in mask.data()[cells.clone()].iter().zip(&self.taken[cells]) {
                all += u32::from(*value > 0);
                hidden += u32::from(*value > 0 && *taken);
            }
        }
        hidden as f32 / all.max(1) as f32
    }

    /// Returns a fraction that the overlap is not less than, which takes much less time to find out.
    pub(super) fn least_overlap(&self, surfaces: &Surfaces, way: (f32, f32)) -> f32 {
        if !self.is_taken(&self.area(surfaces, way)) {
            return 0.0;
        }
        let Some(interior) = surfaces.interior() else {
            return 0.0;
        };
        self.taken_of(interior, &interior.covered, way) as f32 / interior.most.max(1) as f32
    }

    /// Returns the number of cells of a moved figure that other figures have taken.
    fn taken_of(&self, interior: &Interior, cells: &[bool], way: (f32, f32)) -> u32 {
        // The casts are of cells within a few pages.
        let left = (way.0 / CELL_PIXELS).round() as i32 + interior.origin.0;
        let top = (way.1 / CELL_PIXELS).round() as i32 + interior.origin.1;
        let skipped = (-left).clamp(0, interior.width as i32) as usize;
        let from = (left.max(0) as usize).min(self.width as usize);
        let width = self.width as usize;
        let mut all = 0;
        for (row, cells) in (top..).zip(cells.chunks_exact(interior.width)) {
            if (0..self.height as i32).contains(&row) {
                let taken = &self.taken[row as usize * width..][from..width];
                let both = cells[skipped..].iter().zip(taken);
                all += both.map(|(cell, taken)| u32::from(*cell && *taken)).sum::<u32>();
            }
        }
        all
    }

    pub(super) fn take(&mut self, figure: &Figure) {
        let surfaces = Surfaces::new(figure, 1.0);
        let Some(mask) = self.mask(&surfaces.paths) else { return };
        for cells in self.rows(&self.area(&surfaces, (0.0, 0.0))) {
            for (value, taken) in mask.data()[cells.clone()].iter().zip(&mut self.taken[cells]) {
                *taken |= *value > 0;
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

    /// Returns the indices of the cells of each row of an area.
    fn rows(&self, (columns, rows): &Area) -> impl Iterator<Item = Range<usize>> + use<> {
        let (columns, width) = (columns.clone(), self.width as usize);
        rows.clone()
            .map(move |row| row * width + columns.start..row * width + columns.end)
    }

    fn is_taken(&self, area: &Area) -> bool {
        self.rows(area).any(|cells| self.taken[cells].contains(&true))
    }
}
