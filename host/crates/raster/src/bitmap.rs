//! Bilevel pictures as runs of ink. Line art has few runs, so even thirty million pixels take little memory and time.
use crate::gray::Gray;

/// A run of ink in one row, from `start` up to but not including `end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) start: u32,
    pub(crate) end: u32,
}

/// A bilevel picture. Each row is an ordered list of runs of ink that neither touch nor overlap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bitmap {
    width: u32,
    runs: Vec<Run>,
    /// The index in `runs` at which each row starts, followed by the length of `runs`.
    rows: Vec<usize>,
}

impl Bitmap {
    /// A sheet without ink.
    pub fn blank(width: u32, height: u32) -> Self {
        Self {
            width,
            runs: Vec::new(),
            rows: vec![0; height as usize + 1],
        }
    }

    /// A picture without rows, to which rows are added from the top.
    pub(crate) fn with_room(width: u32, height: u32) -> Self {
        let mut rows = Vec::with_capacity(height as usize + 1);
        rows.push(0);
        Self {
            width,
            runs: Vec::new(),
            rows,
        }
    }

    /// Adds a run to the current row.
    pub(crate) fn push(&mut self, run: Run) {
        self.runs.push(run);
    }

    /// Adds a row, given the columns where its color changes, starting with white. Returns false, and adds nothing,
    /// when the columns are not in ascending order.
    pub(crate) fn push_row(&mut self, changes: &[u32]) -> bool {
        let before = self.runs.len();
        let mut last = 0;
        for pair in changes.chunks(2) {
            let (start, end) = (pair[0], pair.get(1).copied().unwrap_or(self.width).min(self.width));
            if start < last || end < start {
                self.runs.truncate(before);
                return false;
            }
            match self.runs[before..].last_mut() {
                Some(run) if run.end == start && start < end => run.end = end,
                _ if start < end => self.runs.push(Run { start, end }),
                _ => continue,
            }
            last = end;
        }
        self.end_row();
        true
    }

    pub(crate) fn end_row(&mut self) {
        self.rows.push(self.runs.len());
    }

    /// Converts a gray picture. Every pixel darker than `threshold` is ink.
    pub fn threshold(gray: &Gray, threshold: u8) -> Self {
        /// The number of pixels that are compared at once. Usually all of them have the same color.
        const CHUNK_PIXELS: usize = 32;
        let mut bitmap = Self::with_room(gray.width, gray.height);
        for line in gray.pixels.chunks_exact(gray.width as usize) {
            let mut start = None;
            for (piece, pixels) in (0_u32..).zip(line.chunks(CHUNK_PIXELS)) {
                let (darkest, lightest) = pixels.iter().fold((u8::MAX, u8::MIN), |(dark, light), &pixel| {
                    (dark.min(pixel), light.max(pixel))
                });
                // The color changes neither inside the chunk nor at its start.
                if darkest >= threshold && start.is_none() || lightest < threshold && start.is_some() {
                    continue;
                }
                for (x, &pixel) in (piece * CHUNK_PIXELS as u32..).zip(pixels) {
                    match (pixel < threshold, start) {
                        (true, None) => start = Some(x),
                        (false, Some(from)) => {
                            bitmap.push(Run { start: from, end: x });
                            start = None;
                        }
                        _ => {}
                    }
                }
            }
            bitmap.runs.extend(start.map(|from| Run {
                start: from,
                end: gray.width,
            }));
            bitmap.end_row();
        }
        bitmap
    }

    pub fn width(&self) -> u32 {
        self.width
    }

    pub fn height(&self) -> u32 {
        u32::try_from(self.rows.len() - 1).expect("built from a height that is a u32")
    }

    /// The number of pixels that are ink.
    pub(crate) fn ink(&self) -> u64 {
        self.runs.iter().map(|run| u64::from(run.end - run.start)).sum()
    }

    pub(crate) fn rows(&self) -> impl Iterator<Item = &[Run]> {
        self.rows.windows(2).map(|bounds| &self.runs[bounds[0]..bounds[1]])
    }

    /// Returns the picture with ink and paper exchanged.
    pub(crate) fn inverted(&self) -> Self {
        let mut inverted = Self::with_room(self.width, self.height());
        for row in self.rows() {
            let mut from = 0;
            for run in row {
                if run.start > from {
                    inverted.push(Run {
                        start: from,
                        end: run.start,
                    });
                }
                from = run.end;
            }
            if from < self.width {
                inverted.push(Run {
                    start: from,
                    end: self.width,
                });
            }
            inverted.end_row();
        }
        inverted
    }

    /// Stamps a disc of ink onto each of some pixels. `pixels` and `radius` are in pixels of a picture that is `scale`
    /// times smaller.
    pub fn stamp(&mut self, pixels: &[(u32, u32)], scale: f64, radius: f64) {
        let (radius, height) = (radius * scale, f64::from(self.height()));
        let mut strokes = Vec::new();
        for &(x, y) in pixels {
            let (x, y) = ((f64::from(x) + 0.5) * scale, (f64::from(y) + 0.5) * scale);
            let (mut row, last) = ((y - radius).floor().max(0.0), (y + radius).ceil().min(height));
            while row < last {
                let away = row + 0.5 - y;
                let half = (radius * radius - away * away).max(0.0).sqrt();
                // Rounded to whole pixels. The cast turns negative columns, left of the picture, into 0.
                strokes.push((row as u32, (x - half).round() as u32, (x + half).round() as u32));
                row += 1.0;
            }
        }
        self.paint(strokes);
    }

    /// Adds runs of ink, each given by its row, its start and its end.
    pub(crate) fn paint(&mut self, mut strokes: Vec<(u32, u32, u32)>) {
        if strokes.is_empty() {
            return;
        }
        strokes.sort_unstable();
        let mut strokes = strokes.into_iter().peekable();
        let mut painted = Self::with_room(self.width, self.height());
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
            painted.end_row();
        }
        *self = painted;
    }
}

#[cfg(test)]
pub(crate) mod tests {
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
    fn painting_joins_what_touches() {
        let mut picture = drawn(&["##..##", "......"]);
        picture.paint(vec![(0, 2, 4), (1, 5, 9)]);
        assert_eq!(picture, drawn(&["######", ".....#"]));
    }
}
