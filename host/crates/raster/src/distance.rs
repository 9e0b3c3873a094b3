//! The distance of ink from paper, computed by a chamfer transform.
//!
//! The weights 5, 7 and 11 (a straight step, a diagonal step and a knight's move) stay within 2% of the true distance.
use crate::bitmap::{Bitmap, Run};

/// The number of units of [`Depths`] in a pixel.
const UNITS_PER_PIXEL: f32 = 5.0;
const FAR: u16 = u16::MAX / 2;
/// The width of the frame around the picture, which has no paper. It is as wide as the longest step.
const FRAME: usize = 2;

/// For each pixel of ink, the distance to the nearest pixel of paper; for paper, 0. There is no paper beyond the
/// picture.
pub(crate) struct Depths<'a> {
    bitmap: &'a Bitmap,
    /// The length of a row, including its frame.
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

    /// Computes the distances in two passes, from the top left and from the bottom right. Only pixels of ink are
    /// visited.
    fn spread(&mut self) {
        let (stride, units) = (self.stride, &mut self.units);
        let rows: Vec<&[Run]> = self.bitmap.rows().collect();
        for (y, row) in rows.iter().enumerate() {
            for run in *row {
                for index in indices(stride, y, run) {
                    let seen = |back: usize, weight: u16| units[index - back] + weight;
                    let straight = seen(1, 5).min(seen(stride, 5));
                    let diagonal = seen(stride + 1, 7).min(seen(stride - 1, 7));
                    let flat = seen(stride + 2, 11).min(seen(stride - 2, 11));
                    let steep = seen(2 * stride + 1, 11).min(seen(2 * stride - 1, 11));
                    units[index] = straight.min(diagonal).min(flat).min(steep).min(FAR);
                }
            }
        }
        for (y, row) in rows.iter().enumerate().rev() {
            for run in row.iter().rev() {
                for index in indices(stride, y, run).rev() {
                    let seen = |on: usize, weight: u16| units[index + on] + weight;
                    let straight = seen(1, 5).min(seen(stride, 5));
                    let diagonal = seen(stride + 1, 7).min(seen(stride - 1, 7));
                    let flat = seen(stride + 2, 11).min(seen(stride - 2, 11));
                    let steep = seen(2 * stride + 1, 11).min(seen(2 * stride - 1, 11));
                    units[index] = units[index].min(straight).min(diagonal).min(flat).min(steep);
                }
            }
        }
    }

    /// Returns the depths, in pixels, of the center lines of all strokes: of the pixels that have no deeper neighbor.
    ///
    /// Pixels at the edge of the picture are left out, because the thickness of a stroke is unknown there.
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
                        depths.push(f32::from(depth) / UNITS_PER_PIXEL);
                    }
                }
            }
        }
        depths
    }
}

/// The indices of the pixels of a run in the framed picture.
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
        f32::from(depths.units[(y + FRAME) * depths.stride + x + FRAME]) / UNITS_PER_PIXEL
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
    fn a_picture_without_paper_is_deep_everywhere() {
        assert!(depth_at(4, 4, |_, _| false, (0, 0)) > 1000.0);
    }
}
