//! How deep in the ink its pixels lie, by a chamfer transform.
//!
//! The weights 5, 7 and 11 (a step aside, a diagonal one and a knight's move) stay within 2% of the true distance.
use crate::bitmap::{Bitmap, Run};

/// How many units of [`Depths`] make a pixel.
const UNIT: f32 = 5.0;
const FAR: u16 = u16::MAX / 2;
/// How far a step reaches beyond its pixel: so wide is the frame around the picture, in which there is no paper.
const FRAME: usize = 2;

/// For each pixel of ink the distance to the nearest of paper; paper itself has none. Beyond the picture there is no paper.
pub(crate) struct Depths<'a> {
    bitmap: &'a Bitmap,
    /// Of a row with its frame.
    stride: usize,
    units: Vec<u16>,
}

impl<'a> Depths<'a> {
    pub(crate) fn of(bitmap: &'a Bitmap) -> Self {
        let (width, height) = (bitmap.width() as usize, bitmap.height() as usize);
        let stride = width + 2 * FRAME;
        let mut units = vec![0; stride * (height + 2 * FRAME)];
        units[..FRAME * stride].fill(FAR);
        units[(height + FRAME) * stride..].fill(FAR);
        for line in units.chunks_exact_mut(stride) {
            line[..FRAME].fill(FAR);
            line[width + FRAME..].fill(FAR);
        }
        let mut depths = Self { bitmap, stride, units };
        depths.spread();
        depths
    }

    /// From the top left, then from the bottom right; of all pixels only those of ink are looked at.
    fn spread(&mut self) {
        let (stride, units) = (self.stride, &mut self.units);
        let rows: Vec<&[Run]> = self.bitmap.rows().collect();
        for (y, row) in rows.iter().enumerate() {
            for run in *row {
                for index in indices(stride, y, run) {
                    let seen = |back: usize, weight: u16| units[index - back] + weight;
                    let beside = seen(1, 5).min(seen(stride, 5));
                    let diagonal = seen(stride + 1, 7).min(seen(stride - 1, 7));
                    let flat = seen(stride + 2, 11).min(seen(stride - 2, 11));
                    let steep = seen(2 * stride + 1, 11).min(seen(2 * stride - 1, 11));
                    units[index] = beside.min(diagonal).min(flat).min(steep).min(FAR);
                }
            }
        }
        for (y, row) in rows.iter().enumerate().rev() {
            for run in row.iter().rev() {
                for index in indices(stride, y, run).rev() {
                    let seen = |on: usize, weight: u16| units[index + on] + weight;
                    let beside = seen(1, 5).min(seen(stride, 5));
                    let diagonal = seen(stride + 1, 7).min(seen(stride - 1, 7));
                    let flat = seen(stride + 2, 11).min(seen(stride - 2, 11));
                    let steep = seen(2 * stride + 1, 11).min(seen(2 * stride - 1, 11));
                    units[index] = units[index].min(beside).min(diagonal).min(flat).min(steep);
                }
            }
        }
    }

    /// The depths of the middle lines of all strokes: of the pixels that have no deeper neighbour, in pixels.
    ///
    /// What lies at the picture's edge is left out: how thick it is, nobody knows.
    pub(crate) fn of_middle_lines(&self) -> Vec<f32> {
        let stride = self.stride;
        let (width, height) = (self.bitmap.width(), self.bitmap.height() as usize);
        let mut depths = Vec::new();
        for (y, row) in self.bitmap.rows().enumerate() {
            if y == 0 || y + 1 == height {
                continue;
            }
            for run in row {
                let inner = Run {
                    start: run.start.max(1),
                    end: run.end.min(width - 1),
                };
                for index in indices(stride, y, &inner) {
                    let depth = self.units[index];
                    let around = [index - stride, index - 1, index + 1, index + stride];
                    if around.into_iter().all(|neighbour| self.units[neighbour] <= depth) {
                        depths.push(f32::from(depth) / UNIT);
                    }
                }
            }
        }
        depths
    }
}

/// Where the pixels of a run lie in the framed picture.
fn indices(stride: usize, y: usize, run: &Run) -> std::ops::Range<usize> {
    let line = (y + FRAME) * stride + FRAME;
    line + run.start as usize..line + run.end as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gray::Gray;

    fn depth_at(width: u32, height: u32, paper: impl Fn(u32, u32) -> bool, (x, y): (usize, usize)) -> f32 {
        let pixels = (0..width * height)
            .map(|index| if paper(index % width, index / width) { 255 } else { 0 })
            .collect();
        let bitmap = Bitmap::threshold(&Gray::new(width, height, pixels), 128);
        let depths = Depths::of(&bitmap);
        f32::from(depths.units[(y + FRAME) * depths.stride + x + FRAME]) / UNIT
    }

    #[test]
    fn depths_are_close_to_the_true_distances() {
        for (x, y) in [(0_usize, 0_usize), (100, 50), (70, 90), (50, 51)] {
            let depth = depth_at(101, 101, |x, y| (x, y) == (50, 50), (x, y));
            let truth = (x as f32 - 50.0).hypot(y as f32 - 50.0);
            assert!((depth - truth).abs() <= truth * 0.03, "{x},{y}: {depth}");
        }
    }

    #[test]
    fn without_any_paper_everything_is_deep() {
        assert!(depth_at(4, 4, |_, _| false, (0, 0)) > 1000.0);
    }
}
