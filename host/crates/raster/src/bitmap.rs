//! Bilevel pictures as runs of ink: line art has few, so even thirty million pixels stay cheap.
use crate::gray::Gray;
use crate::labels::Labels;

/// A stretch of ink in one row: from `start` up to, but not including, `end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) start: u32,
    pub(crate) end: u32,
}

/// A bilevel picture: each row is a list of runs of ink, in order, that neither touch nor overlap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bitmap {
    width: u32,
    runs: Vec<Run>,
    /// Where each row's runs start in `runs`, and at the end where the last row's stop.
    rows: Vec<usize>,
}

impl Bitmap {
    fn empty(width: u32, height: u32) -> Self {
        let mut rows = Vec::with_capacity(height as usize + 1);
        rows.push(0);
        Self {
            width,
            runs: Vec::new(),
            rows,
        }
    }

    /// The picture of which `changes` holds for each row where paper and ink take turns, paper first.
    pub(crate) fn from_changes(width: u32, changes: impl IntoIterator<Item = Vec<u32>>) -> Self {
        let mut bitmap = Self::empty(width, 0);
        for row in changes {
            bitmap.runs.extend(row.chunks(2).map(|run| Run {
                start: run[0],
                end: run.get(1).copied().unwrap_or(width).min(width),
            }));
            bitmap.rows.push(bitmap.runs.len());
        }
        bitmap
    }

    /// Everything darker than `threshold` is ink.
    pub fn threshold(gray: &Gray, threshold: u8) -> Self {
        let mut bitmap = Self::empty(gray.width, gray.height);
        for line in gray.pixels.chunks_exact(gray.width as usize) {
            let mut start = None;
            for (x, &pixel) in (0_u32..).zip(line) {
                match (pixel < threshold, start) {
                    (true, None) => start = Some(x),
                    (false, Some(from)) => {
                        bitmap.runs.push(Run { start: from, end: x });
                        start = None;
                    }
                    _ => {}
                }
            }
            bitmap.runs.extend(start.map(|from| Run {
                start: from,
                end: gray.width,
            }));
            bitmap.rows.push(bitmap.runs.len());
        }
        bitmap
    }

    pub fn width(&self) -> u32 {
        self.width
    }

    pub fn height(&self) -> u32 {
        u32::try_from(self.rows.len() - 1).expect("built from a height that is a u32")
    }

    /// How many pixels are ink.
    pub(crate) fn ink(&self) -> u64 {
        self.runs.iter().map(|run| u64::from(run.end - run.start)).sum()
    }

    pub(crate) fn rows(&self) -> impl Iterator<Item = &[Run]> {
        self.rows.windows(2).map(|bounds| &self.runs[bounds[0]..bounds[1]])
    }

    /// Ink and paper exchanged.
    pub(crate) fn inverted(&self) -> Self {
        let mut inverted = Self::empty(self.width, self.height());
        for row in self.rows() {
            let mut from = 0;
            for run in row {
                if run.start > from {
                    inverted.runs.push(Run {
                        start: from,
                        end: run.start,
                    });
                }
                from = run.end;
            }
            if from < self.width {
                inverted.runs.push(Run {
                    start: from,
                    end: self.width,
                });
            }
            inverted.rows.push(inverted.runs.len());
        }
        inverted
    }

    /// Removes specks of ink, then fills pinholes in what is left: both smaller than their areas in pixels.
    pub fn despeckled(&self, speck: u64, pinhole: u64) -> Self {
        // Strokes may touch at corners only; then paper must not, or a closed diagonal line would leak.
        self.without_small(speck, true)
            .inverted()
            .without_small(pinhole, false)
            .inverted()
    }

    fn without_small(&self, area: u64, diagonal: bool) -> Self {
        let labels = Labels::of(self, diagonal);
        let mut kept = Self::empty(self.width, self.height());
        let mut index = 0;
        for row in self.rows() {
            for &run in row {
                if labels.area(labels.of_run(index)) >= area {
                    kept.runs.push(run);
                }
                index += 1;
            }
            kept.rows.push(kept.runs.len());
        }
        kept
    }

    /// Stamps a disc of ink onto each of some pixels of a picture that is `scale` times smaller.
    ///
    /// `radius` is in pixels of the smaller picture.
    pub fn stamp(&mut self, pixels: &[(u32, u32)], scale: f64, radius: f64) {
        let (radius, height) = (radius * scale, f64::from(self.height()));
        let mut strokes = Vec::new();
        for &(x, y) in pixels {
            let (x, y) = ((f64::from(x) + 0.5) * scale, (f64::from(y) + 0.5) * scale);
            let (mut row, last) = ((y - radius).floor().max(0.0), (y + radius).ceil().min(height));
            while row < last {
                let away = row + 0.5 - y;
                let half = (radius * radius - away * away).max(0.0).sqrt();
                // Rounded to whole pixels; a cast keeps what lies left of the picture at zero.
                strokes.push((row as u32, (x - half).round() as u32, (x + half).round() as u32));
                row += 1.0;
            }
        }
        self.paint(strokes);
    }

    /// Adds stretches of ink, each given by its row, its start and its end.
    fn paint(&mut self, mut strokes: Vec<(u32, u32, u32)>) {
        if strokes.is_empty() {
            return;
        }
        strokes.sort_unstable();
        let mut strokes = strokes.into_iter().peekable();
        let mut painted = Self::empty(self.width, self.height());
        for (y, row) in (0_u32..).zip(self.rows()) {
            let mut line = row.to_vec();
            while let Some((_, start, end)) = strokes.next_if(|stroke| stroke.0 == y) {
                line.push(Run {
                    start,
                    end: end.min(self.width),
                });
            }
            line.sort_unstable_by_key(|run| run.start);
            for run in line.into_iter().filter(|run| run.start < run.end) {
                let first_of_row = painted.rows.last().is_some_and(|&first| first == painted.runs.len());
                match painted.runs.last_mut() {
                    Some(last) if !first_of_row && run.start <= last.end => {
                        last.end = last.end.max(run.end);
                    }
                    _ => painted.runs.push(run),
                }
            }
            painted.rows.push(painted.runs.len());
        }
        *self = painted;
    }

    /// A smaller gray picture in which each pixel is exactly as dark as the ink it covers.
    pub fn shrunk(&self, width: u32, height: u32) -> Gray {
        // Measured in units that divide both grids: a pixel here is `width` by `height` units, one there
        // `self.width` by `self.height`, so no fraction is ever rounded.
        let (columns, full) = (width as usize, u64::from(self.width) * u64::from(self.height()));
        let mut pixels = Vec::with_capacity(columns * height as usize);
        let mut covered = vec![0_u64; columns];
        let mut next_edge = u64::from(self.height());
        for (y, row) in (0_u64..).zip(self.rows()) {
            let (top, bottom) = (y * u64::from(height), (y + 1) * u64::from(height));
            let above = next_edge.min(bottom) - top;
            cover(&mut covered, row, width, self.width, above);
            if bottom >= next_edge {
                pixels.extend(covered.iter().map(|&ink| darkness(ink, full)));
                covered.fill(0);
                cover(&mut covered, row, width, self.width, bottom - next_edge);
                next_edge += u64::from(self.height());
            }
        }
        Gray::new(width, height, pixels)
    }
}

/// Adds a row's ink to the columns of a smaller picture: `weight` units high.
fn cover(covered: &mut [u64], row: &[Run], narrow: u32, wide: u32, weight: u64) {
    if weight == 0 {
        return;
    }
    let (narrow, wide) = (u64::from(narrow), u64::from(wide));
    for run in row {
        let (mut from, to) = (u64::from(run.start) * narrow, u64::from(run.end) * narrow);
        while from < to {
            let column = from / wide;
            let edge = ((column + 1) * wide).min(to);
            covered[usize::try_from(column).expect("a column of the smaller picture")] += (edge - from) * weight;
            from = edge;
        }
    }
}

fn darkness(ink: u64, full: u64) -> u8 {
    u8::try_from(255 - (ink * 255 + full / 2) / full).expect("a share of 255 is a byte")
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(crate) fn drawn(rows: &[&str]) -> Bitmap {
        let width = rows[0].len() as u32;
        let pixels = rows
            .concat()
            .bytes()
            .map(|byte| if byte == b'#' { 0 } else { 255 })
            .collect();
        Bitmap::threshold(&Gray::new(width, rows.len() as u32, pixels), 128)
    }

    #[test]
    fn inverting_twice_gives_the_same_picture() {
        let picture = drawn(&["##..#", ".....", "#####", "..#.."]);
        assert_eq!(picture.inverted().inverted(), picture);
        assert_eq!(picture.ink() + picture.inverted().ink(), 20);
    }

    #[test]
    fn specks_and_pinholes_go_and_strokes_stay() {
        let picture = drawn(&["#.......", "..#####.", "..#.###.", "..#####."]);
        let clean = drawn(&["........", "..#####.", "..#####.", "..#####."]);
        assert_eq!(picture.despeckled(2, 2), clean);
    }

    #[test]
    fn a_diagonal_stroke_is_one_stroke() {
        let picture = drawn(&["#...", ".#..", "..#.", "...#"]);
        assert_eq!(picture.despeckled(4, 1), picture);
    }

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
    fn painting_joins_what_touches() {
        let mut picture = drawn(&["##..##", "......"]);
        picture.paint(vec![(0, 2, 4), (1, 5, 9)]);
        assert_eq!(picture, drawn(&["######", ".....#"]));
    }
}
