//! Reduced bilevel pictures, in which each pixel is exactly as dark as the ink that it covers.
use crate::bitmap::{Bitmap, Run};
use crate::gray::Gray;

impl Bitmap {
    /// Returns a smaller gray picture.
    pub fn shrunk(&self, width: u32, height: u32) -> Gray {
        let mut pixels = Vec::with_capacity(width as usize * height as usize);
        self.shrink(width, height, |covered, full| {
            pixels.extend(covered.iter().map(|&ink| darkness(ink, full)));
        });
        Gray::new(width, height, pixels)
    }

    /// Returns a smaller bilevel picture, in which a pixel is ink when ink covers half of it or more. No gray picture
    /// is made.
    pub fn reduced(&self, width: u32, height: u32) -> Self {
        let mut reduced = Self::with_room(width, height);
        let mut changes = Vec::new();
        self.shrink(width, height, |covered, full| {
            changes.clear();
            let mut is_ink = false;
            for (x, &ink) in (0_u32..).zip(covered) {
                if (2 * ink >= full) != is_ink {
                    changes.push(x);
                    is_ink = !is_ink;
                }
            }
            reduced.push_row(&changes);
        });
        reduced
    }

    /// Calls `row_done` for each row of a smaller picture, with the ink in each pixel, and the amount that would fill
    /// it.
    fn shrink(&self, width: u32, height: u32, mut row_done: impl FnMut(&[i64], i64)) {
        // Measured in units that divide both grids: a source pixel is `width` by `height` units, and a target pixel
        // `self.width` by `self.height`, so no fraction is ever rounded.
        let full = i64::from(self.width()) * i64::from(self.height());
        let mut covered = Covered::new(self.width(), width);
        let mut next_edge = i64::from(self.height());
        for (y, row) in (0_i64..).zip(self.rows()) {
            let (top, bottom) = (y * i64::from(height), (y + 1) * i64::from(height));
            covered.add(row, next_edge.min(bottom) - top);
            if bottom >= next_edge {
                covered.take(|ink| row_done(ink, full));
                covered.add(row, bottom - next_edge);
                next_edge += i64::from(self.height());
            }
        }
    }
}

/// The amount of ink in each column of a row of the smaller picture.
///
/// A run consists of the pixels left of its end minus those left of its start. Both edges are recorded in their
/// columns, and are added up once for the row, from the right.
struct Covered {
    /// The width of a column in units.
    wide: i64,
    /// For each edge of a pixel of the larger picture, its column and its offset in it.
    edges: Vec<(u32, i64)>,
    /// For each column, the ink that lies in it to the left of its edges.
    within: Vec<i64>,
    /// For each column, the height of its edges, which cover all columns to the left.
    beyond: Vec<i64>,
}

impl Covered {
    fn new(wide: u32, narrow: u32) -> Self {
        let edge = |x: u32| {
            let unit = u64::from(x) * u64::from(narrow);
            let (column, part) = (unit / u64::from(wide), unit % u64::from(wide));
            // The casts are of numbers that do not exceed the widths.
            (column as u32, part as i64)
        };
        Self {
            wide: wide.into(),
            edges: (0..=wide).map(edge).collect(),
            within: vec![0; narrow as usize + 1],
            beyond: vec![0; narrow as usize + 1],
        }
    }

    /// Adds the ink of a row that is `weight` units high.
    fn add(&mut self, row: &[Run], weight: i64) {
        if weight == 0 {
            return;
        }
        for run in row {
            for (x, weight) in [(run.end, weight), (run.start, -weight)] {
                let (column, part) = self.edges[x as usize];
                self.within[column as usize] += part * weight;
                self.beyond[column as usize] += weight;
            }
        }
    }

    /// Calls `row_done` with the ink of each column, from the left, and resets the columns.
    fn take(&mut self, row_done: impl FnOnce(&[i64])) {
        let narrow = self.within.len() - 1;
        let mut right = self.beyond[narrow];
        for column in (0..narrow).rev() {
            self.within[column] += right * self.wide;
            right += self.beyond[column];
        }
        row_done(&self.within[..narrow]);
        self.within.fill(0);
        self.beyond.fill(0);
    }
}

fn darkness(ink: i64, full: i64) -> u8 {
    // Most pixels are plain paper or plain ink, and a division is slow.
    if ink == 0 {
        return 255;
    }
    if ink == full {
        return 0;
    }
    u8::try_from(255 - (ink * 255 + full / 2) / full).expect("a share of 255 is a byte")
}

#[cfg(test)]
mod tests {
    use crate::bitmap::tests::drawn;

    #[test]
    fn shrinking_preserves_the_amount_of_ink() {
        let picture = drawn(&["###...", "###...", "###...", "......"]);
        assert_eq!(picture.shrunk(4, 2).pixels, [0, 0, 255, 255, 127, 127, 255, 255]);
    }

    #[test]
    fn shrinking_by_a_fraction_splits_pixels_at_the_edges() {
        let picture = drawn(&["#..", "...", "..."]);
        let shrunk = picture.shrunk(2, 2);
        // One of nine pixels is ink. The first of four target pixels covers 2.25 of them.
        assert_eq!(shrunk.pixels, [255 - 113, 255, 255, 255]);
    }

    #[test]
    fn a_pixel_of_a_reduced_picture_is_ink_by_half_or_more() {
        let picture = drawn(&["###...", "##....", "###..#", "...#.."]);
        assert_eq!(picture.reduced(3, 2), drawn(&["#..", "##."]));
        assert_eq!(picture.reduced(6, 4), picture);
    }
}
