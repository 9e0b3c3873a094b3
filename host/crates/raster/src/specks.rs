//! Removal of specks of ink and of pinholes.
use crate::bitmap::Bitmap;
use crate::labels::Labels;

impl Bitmap {
    /// Removes specks of ink with fewer than `speck` pixels, then fills pinholes with fewer than `pinhole` pixels.
    pub fn despeckled(self, speck: u64, pinhole: u64) -> Self {
        // Strokes may touch only at their corners. Areas of paper must not be joined at corners, or a closed diagonal
        // line would leak.
        let clean = self.without_small(speck, true).unwrap_or(self);
        match clean.inverted().without_small(pinhole, false) {
            Some(paper) => paper.inverted(),
            None => clean,
        }
    }

    /// Returns the picture without components smaller than `area` pixels, or `None` when it has none. With `diagonal`,
    /// runs that touch at a corner belong together.
    fn without_small(&self, area: u64, diagonal: bool) -> Option<Self> {
        let labels = Labels::of(self, diagonal);
        if labels.areas().iter().all(|&one| one >= area) {
            return None;
        }
        let mut kept = Self::with_room(self.width(), self.height());
        let mut index = 0;
        for row in self.rows() {
            for &run in row {
                if labels.area(labels.of_run(index)) >= area {
                    kept.push(run);
                }
                index += 1;
            }
            kept.end_row();
        }
        Some(kept)
    }
}

#[cfg(test)]
mod tests {
    use crate::bitmap::tests::drawn;

    #[test]
    fn specks_and_pinholes_go_and_strokes_stay() {
        let picture = drawn(&["#.......", "..#####.", "..#.###.", "..#####."]);
        let clean = drawn(&["........", "..#####.", "..#####.", "..#####."]);
        assert_eq!(picture.despeckled(2, 2), clean);
    }

    #[test]
    fn a_diagonal_stroke_is_one_stroke() {
        let picture = drawn(&["#...", ".#..", "..#.", "...#"]);
        assert_eq!(picture.clone().despeckled(4, 1), picture);
    }
}
