//! Measurements of a page: the share of ink, and the white areas that can be colored.

use std::ops::Range;

use crate::canvas::Gray;

#[derive(Clone, Copy, Debug)]
pub struct Measures {
    /// The fraction of black pixels.
    pub ink: f32,
    /// The largest white area that does not touch the edge of the page, as a fraction of the page.
    pub largest_area: f32,
    /// The number of white areas larger than a speck.
    pub areas: usize,
}

pub fn measure(image: &Gray, speck: usize) -> Measures {
    let total = image.pixels.len() as f32;
    let ink = image.pixels.iter().filter(|pixel| **pixel < 128).count() as f32 / total;
    let areas = Areas::find(image);
    let whole = || areas.whole();
    let largest = whole()
        .filter(|area| !area.at_edge)
        .map(|area| area.pixels)
        .max()
        .unwrap_or(0);
    Measures {
        ink,
        largest_area: largest as f32 / total,
        areas: whole().filter(|area| area.pixels > speck).count(),
    }
}

/// Fills white specks of fewer than `smallest` pixels with black: gaps between lines, too small for a pencil.
pub fn close_specks(image: &mut Gray, smallest: usize) {
    let mut areas = Areas::find(image);
    for run in 0..areas.runs.len() {
        let area = areas.root(run);
        if areas.areas[area].pixels < smallest {
            image.pixels[areas.runs[run].clone()].fill(0);
        }
    }
}

/// A white area, or a part of one.
#[derive(Clone, Copy, Debug)]
struct Area {
    /// The index of the area that this one is a part of; its own index if it is a whole area.
    part_of: usize,
    pixels: usize,
    at_edge: bool,
}

/// The connected white areas, as runs of pixels within a row. Pixels connect through four neighbors, so that lines that
/// touch at a corner separate two areas.
#[derive(Debug, Default)]
struct Areas {
    /// The runs as indices of pixels, from the first row to the last.
    runs: Vec<Range<usize>>,
    /// The area of each run.
    areas: Vec<Area>,
}

impl Areas {
    fn find(image: &Gray) -> Self {
        let width = image.width as usize;
        let mut found = Self::default();
        let mut above = 0..0;
        for (row, pixels) in image.pixels.chunks_exact(width.max(1)).enumerate() {
            let first = found.runs.len();
            let is_outer_row = row == 0 || row + 1 == image.height as usize;
            let mut end = 0;
            while let Some(black) = pixels[end..].iter().position(|pixel| *pixel >= 128) {
                let start = end + black;
                let white = pixels[start..].iter().position(|pixel| *pixel < 128);
                end = white.map_or(width, |white| start + white);
                found.areas.push(Area {
                    part_of: found.runs.len(),
                    pixels: end - start,
                    at_edge: is_outer_row || start == 0 || end == width,
                });
                found.runs.push(row * width + start..row * width + end);
            }
            found.connect(above, first, width);
            above = first..found.runs.len();
        }
        found
    }

    /// Connects the runs of the last row, which start at an index, with those of the row above.
    fn connect(&mut self, above: Range<usize>, first: usize, width: usize) {
        let mut upper = above.start;
        for run in first..self.runs.len() {
            let (start, end) = (self.runs[run].start.saturating_sub(width), self.runs[run].end);
            while upper < above.end && self.runs[upper].end <= start {
                upper += 1;
            }
            let mut next = upper;
            while next < above.end && self.runs[next].start + width < end {
                self.join(next, run);
                next += 1;
            }
        }
    }

    fn join(&mut self, one: usize, other: usize) {
        let (one, other) = (self.root(one), self.root(other));
        if one == other {
            return;
        }
        let (kept, part) = (one.min(other), one.max(other));
        self.areas[part].part_of = kept;
        self.areas[kept].pixels += self.areas[part].pixels;
        self.areas[kept].at_edge |= self.areas[part].at_edge;
    }

    /// Returns the index of the whole area that a run belongs to.
    fn root(&mut self, mut area: usize) -> usize {
        while self.areas[area].part_of != area {
            // Halving the way keeps later ways short.
            self.areas[area].part_of = self.areas[self.areas[area].part_of].part_of;
            area = self.areas[area].part_of;
        }
        area
    }

    fn whole(&self) -> impl Iterator<Item = &Area> {
        let areas = self.areas.iter().enumerate();
        areas
            .filter(|(index, area)| area.part_of == *index)
            .map(|(_, area)| area)
    }
}
