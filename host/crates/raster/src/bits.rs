//! Bilevel pictures as bits: operations that treat all pixels alike process 64 of them at a time.
use crate::bitmap::{Bitmap, Run};

const WORD: usize = u64::BITS as usize;

/// A bilevel picture. Each row is a whole number of words; the lowest bit of a word is its leftmost pixel.
pub(crate) struct Bits {
    width: u32,
    height: u32,
    words: Vec<u64>,
}

impl Bits {
    fn empty(width: u32, height: u32) -> Self {
        Self {
            width,
            height,
            words: vec![0; words_of(width) * height as usize],
        }
    }

    fn ink_of(bitmap: &Bitmap) -> Self {
        let mut bits = Self::empty(bitmap.width(), bitmap.height());
        let words = words_of(bits.width);
        for (line, row) in bits.words.chunks_exact_mut(words).zip(bitmap.rows()) {
            for run in row {
                fill(line, *run);
            }
        }
        bits
    }

    /// Returns the paper that is more than `reach` pixels away from all ink.
    pub(crate) fn clear_of_ink(bitmap: &Bitmap, reach: f32) -> Self {
        let ink = Self::ink_of(bitmap);
        let (words, height) = (words_of(ink.width), ink.height as usize);
        let mut clear = Self::empty(ink.width, ink.height);
        // The casts are of small positive numbers, and round down.
        let far = reach.max(0.0) as usize;
        let half_width = |down: usize| (reach * reach - (down * down) as f32).sqrt() as usize;
        for (y, line) in ink.words.chunks_exact(words).enumerate() {
            if line.iter().all(|&word| word == 0) {
                continue;
            }
            // A disc is narrowest at its top and bottom, so the row is widened step by step from there.
            let mut wide = line.to_vec();
            let mut widened = 0;
            for down in (0..=far).rev() {
                while widened < half_width(down) {
                    widen(&mut wide);
                    widened += 1;
                }
                let above = y.checked_sub(down);
                let below = (down > 0 && y + down < height).then(|| y + down);
                for row in above.into_iter().chain(below) {
                    for (covered, &word) in clear.words[row * words..][..words].iter_mut().zip(&wide) {
                        *covered |= word;
                    }
                }
            }
        }
        clear.invert();
        clear
    }

    fn invert(&mut self) {
        let (words, within) = (words_of(self.width), last_word(self.width));
        for line in self.words.chunks_exact_mut(words) {
            for word in &mut *line {
                *word = !*word;
            }
            line[words - 1] &= within;
        }
    }

    /// Returns the pixels that have a neighbor outside the picture's pixels, to the left, to the right, above or below.
    pub(crate) fn outline(&self) -> Self {
        let words = words_of(self.width);
        let mut outline = Self::empty(self.width, self.height);
        let none = vec![0; words];
        let lines: Vec<&[u64]> = self.words.chunks_exact(words).collect();
        for (y, target) in outline.words.chunks_exact_mut(words).enumerate() {
            let line = lines[y];
            let above = if y > 0 { lines[y - 1] } else { &none };
            let below = lines.get(y + 1).copied().unwrap_or(&none);
            for (index, target) in target.iter_mut().enumerate() {
                let before = if index > 0 { line[index - 1] } else { 0 };
                let after = line.get(index + 1).copied().unwrap_or(0);
                let sides = (line[index] << 1 | before >> (WORD - 1)) & (line[index] >> 1 | after << (WORD - 1));
                *target = line[index] & !(sides & above[index] & below[index]);
            }
        }
        outline
    }

    pub(crate) fn to_bitmap(&self) -> Bitmap {
        let mut bitmap = Bitmap::with_room(self.width, self.height);
        let words = words_of(self.width);
        for line in self.words.chunks_exact(words) {
            let mut start = None;
            for (index, &word) in (0_u32..).zip(line) {
                // The bits that differ from the current color.
                let mut changes = if start.is_some() { !word } else { word };
                while changes != 0 {
                    let bit = changes.trailing_zeros();
                    let x = index * u64::BITS + bit;
                    match start.take() {
                        None => start = Some(x),
                        Some(start) => bitmap.push(Run { start, end: x }),
                    }
                    changes = !changes & (u64::MAX << bit);
                }
            }
            if let Some(start) = start {
                bitmap.push(Run { start, end: self.width });
            }
            bitmap.end_row();
        }
        bitmap
    }
}

fn words_of(width: u32) -> usize {
    (width as usize).div_ceil(WORD).max(1)
}

/// The bits of a row's last word that lie inside the picture.
fn last_word(width: u32) -> u64 {
    match width as usize % WORD {
        0 if width == 0 => 0,
        0 => u64::MAX,
        rest => u64::MAX >> (WORD - rest),
    }
}

/// Sets the bits of a run, which must not be empty.
fn fill(line: &mut [u64], run: Run) {
    let (start, end) = (run.start as usize, run.end as usize);
    let (first, last) = (start / WORD, (end - 1) / WORD);
    let from = u64::MAX << (start % WORD);
    let until = u64::MAX >> (WORD - 1 - (end - 1) % WORD);
    if first == last {
        line[first] |= from & until;
        return;
    }
    line[first] |= from;
    line[first + 1..last].fill(u64::MAX);
    line[last] |= until;
}

/// Widens every pixel by one to its left and to its right.
fn widen(line: &mut [u64]) {
    let mut before = 0;
    for index in 0..line.len() {
        let word = line[index];
        let after = line.get(index + 1).copied().unwrap_or(0);
        line[index] = word | word << 1 | before >> (WORD - 1) | word >> 1 | after << (WORD - 1);
        before = word;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gray::Gray;

    fn picture(width: u32, height: u32, ink: impl Fn(u32, u32) -> bool) -> Bitmap {
        let pixels = (0..width * height)
            .map(|index| if ink(index % width, index / width) { 0 } else { 255 })
            .collect();
        Bitmap::threshold(&Gray::new(width, height, pixels), 128)
    }

    #[test]
    fn bits_and_runs_are_the_same_picture() {
        for width in [1, 63, 64, 65, 200] {
            let bitmap = picture(width, 9, |x, y| (x * 7 + y * 13) % 31 < 1 + x % 9 || x / 64 == 1);
            assert_eq!(Bits::ink_of(&bitmap).to_bitmap(), bitmap, "{width}");
        }
    }

    #[test]
    fn clear_paper_is_far_from_all_ink() {
        let dots = [(0, 0), (70, 12), (64, 30), (129, 39)];
        let bitmap = picture(130, 40, |x, y| dots.contains(&(x, y)));
        for reach in [0.5_f32, 1.0, 2.0, 3.7, 9.2] {
            let far = |x: u32, y: u32| {
                let away = |dot: &(u32, u32)| (x as f32 - dot.0 as f32).hypot(y as f32 - dot.1 as f32);
                dots.iter().all(|dot| away(dot) > reach)
            };
            assert_eq!(
                Bits::clear_of_ink(&bitmap, reach).to_bitmap(),
                picture(130, 40, far),
                "{reach}"
            );
        }
    }

    #[test]
    fn an_outline_has_the_pixels_at_the_border() {
        let square = |low: u32, high: u32| move |x: u32, y: u32| (low..high).contains(&x) && (low..high).contains(&y);
        let (outer, inner) = (square(60, 70), square(61, 69));
        let bits = Bits::ink_of(&picture(100, 100, outer));
        let expected = picture(100, 100, |x, y| outer(x, y) && !inner(x, y));
        assert_eq!(bits.outline().to_bitmap(), expected);
    }
}
