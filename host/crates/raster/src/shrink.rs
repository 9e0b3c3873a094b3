//! Bilevel pictures made small, in which each pixel is exactly as dark as the ink it covers.
use crate::bitmap::{Bitmap, Run};
use crate::gray::Gray;

impl Bitmap {
    /// A smaller gray picture of the same.
    pub fn shrunk(&self, width: u32, height: u32) -> Gray {
        let mut pixels = Vec::with_capacity(width as usize * height as usize);
        self.shrink(width, height, |covered, full| {
            pixels.extend(covered.iter().map(|&ink| darkness(ink, full)));
        });
        Gray::new(width, height, pixels)
    }

    /// A smaller bilevel picture in which what is ink by half or more is ink. It holds no gray one in between.
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

    /// Hands over the rows of a smaller picture: the ink in each pixel, and how much would fill it.
    fn shrink(&self, width: u32, height: u32, mut row_done: impl FnMut(&[i64], i64)) {
        // Measured in units that divide both grids: a pixel here is `width` by `height` units, one there
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

/// How much ink lies in each column of a row of the smaller picture.
///
/// A run is the pixels left of its end without those left of its start. So each of the two is noted where it lies, and
/// what they come to is added up once for the row, from the right.
struct Covered {
    /// How many units a column is wide.
    wide: i64,
    /// For each edge of a pixel of the larger picture the column it lies in, and how far.
    edges: Vec<(u32, i64)>,
    /// What lies in the column left of the edges in it.
    within: Vec<i64>,
    /// How high the edges in the column are, which cover all columns on their left.
    beyond: Vec<i64>,
}

impl Covered {
    fn new(wide: u32, narrow: u32) -> Self {
        let edge = |x: u32| {
            let unit = u64::from(x) * u64::from(narrow);
            let (column, part) = (unit / u64::from(wide), unit % u64::from(wide));
            // Casts of numbers no larger than the widths.
            (column as u32, part as i64)
        };
        Self {
            wide: wide.into(),
            edges: (0..=wide).map(edge).collect(),
            within: vec![0; narrow as usize + 1],
            beyond: vec![0; narrow as usize + 1],
        }
    }

    /// Adds a row's ink, `weight` units high.
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

    /// Hands over what each column holds, from the left, and empties it.
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
    // Most is plain paper or plain ink, and a division takes its time.
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
    fn shrinking_keeps_the_amount_of_ink() {
        let picture = drawn(&["###...", "###...", "###...", "......"]);
        assert_eq!(picture.shrunk(4, 2).pixels, [0, 0, 255, 255, 127, 127, 255, 255]);
    }

    #[test]
    fn shrinking_by_a_fraction_splits_pixels_at_the_edges() {
        let picture = drawn(&["#..", "...", "..."]);
        let shrunk = picture.shrunk(2, 2);
        // One of nine pixels is ink; the first of four covers 2.25 of them.
        assert_eq!(shrunk.pixels, [255 - 113, 255, 255, 255]);
    }

    #[test]
    fn a_reduced_picture_keeps_what_is_ink_by_half() {
        let picture = drawn(&["###...", "##....", "###..#", "...#.."]);
        assert_eq!(picture.reduced(3, 2), drawn(&["#..", "##."]));
        assert_eq!(picture.reduced(6, 4), picture);
    }
}
