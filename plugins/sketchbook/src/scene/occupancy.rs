//! Coarse masks of the placed figures, for limiting how much of a subject is hidden.

use tiny_skia::{FillRule, Mask, Transform};

use crate::figure::Figure;

const CELL_PIXELS: f32 = 8.0;

#[derive(Debug)]
pub(super) struct Occupancy {
    width: u32,
    height: u32,
    taken: Vec<bool>,
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

    fn cells(&self, figure: &Figure) -> Vec<usize> {
        let Some(mut mask) = Mask::new(self.width, self.height) else {
            return Vec::new();
        };
        for path in figure.layers.iter().filter_map(|layer| layer.fill.as_ref()) {
            mask.fill_path(
                path,
                FillRule::Winding,
                false,
                Transform::from_scale(1.0 / CELL_PIXELS, 1.0 / CELL_PIXELS),
            );
        }
        mask.data()
            .iter()
            .enumerate()
            .filter(|(_, value)| **value > 0)
            .map(|(index, _)| index)
            .collect()
    }

    /// Returns the fraction of the figure that overlaps other figures.
    pub(super) fn overlap(&self, figure: &Figure) -> f32 {
        let cells = self.cells(figure);
        let hidden = cells.iter().filter(|index| self.taken[**index]).count();
        hidden as f32 / cells.len().max(1) as f32
    }

    pub(super) fn take(&mut self, figure: &Figure) {
        for index in self.cells(figure) {
            self.taken[index] = true;
        }
    }
}
