//! CCITT Group 4 compression (ITU-T T.6), which PDF can embed directly.
//!
//! The codes come from the `fax` crate. Its encoder reads every pixel, whereas this one goes from run to run.
use fax::maps::{EDFB_HALF, Mode, black, mode, white};
use fax::{BitWriter as _, Bits, VecWriter, decoder};

use crate::bitmap::{Bitmap, Run};

/// Encodes the picture as one Group 4 strip: black is ink, without byte alignment, with an end-of-block mark at the
/// end.
pub fn encode_group4(bitmap: &Bitmap) -> Vec<u8> {
    let width = bitmap.width();
    let mut writer = Writer {
        bits: VecWriter::new(),
        vertical: [-3, -2, -1, 0, 1, 2, 3].map(|delta| code(Mode::Vertical(delta))),
        pass: code(Mode::Pass),
        horizontal: code(Mode::Horizontal),
    };
    let (mut above, mut line) = (Vec::new(), Vec::new());
    changes_of(&[], width, &mut above);
    for row in bitmap.rows() {
        changes_of(row, width, &mut line);
        writer.row(&above, &line, width);
        std::mem::swap(&mut above, &mut line);
    }
    writer.write(EDFB_HALF);
    writer.write(EDFB_HALF);
    writer.bits.finish()
}

/// Calls `row` with the columns where the color of each row changes, starting with white. Returns `None` for a broken
/// strip.
pub fn group4_rows(strip: &[u8], width: u32, height: u32, row: impl FnMut(&[u32])) -> Option<()> {
    decoder::decode_g4(strip.iter().copied(), width, Some(height), row)
}

/// Decodes a Group 4 strip, or returns `None` when it is not a picture of this size.
pub fn decode_group4(strip: &[u8], width: u32, height: u32) -> Option<Bitmap> {
    let mut bitmap = Bitmap::with_room(width, height);
    let mut is_whole = true;
    group4_rows(strip, width, height, |changes| {
        is_whole = is_whole && bitmap.push_row(changes);
    })?;
    (is_whole && bitmap.height() == height).then_some(bitmap)
}

/// The columns where a row changes its color, starting with white, followed by the width, repeated as often as the
/// encoder looks ahead.
fn changes_of(row: &[Run], width: u32, changes: &mut Vec<u32>) {
    changes.clear();
    changes.extend(row.iter().flat_map(|run| [run.start, run.end]));
    changes.extend([width; 4]);
}

fn code(mode: Mode) -> Bits {
    mode::encode(mode).expect("every mode that is written has a code")
}

struct Writer {
    bits: VecWriter,
    vertical: [Bits; 7],
    pass: Bits,
    horizontal: Bits,
}

impl Writer {
    fn write(&mut self, bits: Bits) {
        let Ok(()) = self.bits.write(bits);
    }

    /// Encodes a row. The names are those of the standard: `a` are changes in this row, `b` changes in the row above.
    /// `b1` is the first change above that is to the right of `a0` and turns to the color opposite to that of `a0`.
    fn row(&mut self, above: &[u32], line: &[u32], width: u32) {
        // Changes at even indices turn black, so the index of b1 is odd where a0 is black, and even where it is white.
        let (mut a, mut b) = (0, 0);
        // The row starts to the left of its first pixel, because that pixel may be a change.
        let mut a0 = None;
        while a0.is_none_or(|a0| a0 < width) {
            while a0.is_some_and(|a0| above[b] <= a0) {
                b += 2;
            }
            let (a1, b1, b2) = (line[a], above[b], above[b + 1]);
            let shift = i64::from(a1) - i64::from(b1);
            if b2 < a1 {
                self.write(self.pass);
                a0 = Some(b2);
            } else if (-3..=3).contains(&shift) {
                // The cast is of a number from 0 to 6.
                self.write(self.vertical[(shift + 3) as usize]);
                a0 = Some(a1);
                a += 1;
                // The color is now the other one, so a change in between comes first.
                b = if b > 0 { b - 1 } else { 1 };
            } else {
                let a2 = line[a + 1];
                self.write(self.horizontal);
                let is_black = a % 2 == 1;
                self.length(is_black, a1 - a0.unwrap_or(0));
                self.length(!is_black, a2 - a1);
                a0 = Some(a2);
                a += 2;
            }
        }
    }

    fn length(&mut self, is_black: bool, mut length: u32) {
        /// The length of the longest run that has a code, in pixels.
        const MAX_CODED_LENGTH: u32 = 2560;
        let codes = if is_black { &black::ENTRIES } else { &white::ENTRIES };
        // There is a code for each length below 64, and one for each multiple of 64.
        let code = |length: u32| codes[if length < 64 { length } else { 63 + length / 64 } as usize].1;
        while length >= MAX_CODED_LENGTH {
            self.write(code(MAX_CODED_LENGTH));
            length -= MAX_CODED_LENGTH;
        }
        if length >= 64 {
            self.write(code(length));
            length %= 64;
        }
        self.write(code(length));
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

    fn changes(bitmap: &Bitmap) -> Vec<Vec<u32>> {
        let within = |change: &u32| *change < bitmap.width();
        bitmap
            .rows()
            .map(|row| row.iter().flat_map(|run| [run.start, run.end]).filter(within).collect())
            .collect()
    }

    #[test]
    fn an_encoded_picture_decodes_to_the_same_rows() {
        // Widths that are not a multiple of eight, ink at both edges, and runs longer than 2560 pixels.
        let striped = picture(6001, 40, |x, y| {
            x < y || x + 3 > 6001 || x.wrapping_mul(y) % 97 < 9 || (y > 20 && x > 3000)
        });
        // Noise contains every relation between two rows.
        let noisy = picture(301, 200, |x, y| {
            let mixed = (x / 2).wrapping_mul(0x9E37_79B1) ^ (y / 3).wrapping_mul(0x85EB_CA77);
            (mixed ^ mixed >> 15).wrapping_mul(0x2C1B_3C6D) >> 30 == 0
        });
        for bitmap in [
            striped,
            noisy,
            picture(1, 1, |_, _| true),
            picture(100, 5, |_, y| y % 2 == 0),
        ] {
            let bytes = encode_group4(&bitmap);
            let mut rows = Vec::new();
            group4_rows(&bytes, bitmap.width(), bitmap.height(), |row| rows.push(row.to_vec())).unwrap();
            assert_eq!(rows, changes(&bitmap));
            assert_eq!(decode_group4(&bytes, bitmap.width(), bitmap.height()), Some(bitmap));
        }
    }

    #[test]
    fn the_bytes_equal_those_of_the_encoder_of_the_fax_crate() {
        let bitmap = picture(777, 300, |x, y| {
            let (across, down) = (f64::from(x) - 380.0, f64::from(y) - 150.0);
            (across.hypot(down) as u32 % 40) < 5 || x % 111 == y % 7
        });
        let mut encoder = fax::encoder::Encoder::new(VecWriter::new());
        for row in changes(&bitmap) {
            let Ok(()) = encoder.encode_line(decoder::pels(&row, 777), 777);
        }
        let Ok(writer) = encoder.finish();
        assert_eq!(encode_group4(&bitmap), writer.finish());
    }

    #[test]
    fn a_broken_strip_is_not_decoded() {
        let whole = encode_group4(&picture(64, 64, |x, y| x % 7 == y % 5));
        assert_eq!(decode_group4(&whole[..whole.len() / 2], 64, 64), None);
    }
}
