//! CCITT Group 4 compression (ITU-T T.6), which PDF embeds as it is.
use fax::encoder::Encoder;
use fax::{VecWriter, decoder};

use crate::bitmap::Bitmap;

/// The picture as one Group 4 strip: black is ink, no byte alignment, an end-of-block mark at the end.
pub fn encode_group4(bitmap: &Bitmap) -> Vec<u8> {
    let width = bitmap.width();
    let mut encoder = Encoder::new(VecWriter::new());
    let mut changes = Vec::new();
    for row in bitmap.rows() {
        changes.clear();
        changes.extend(
            row.iter()
                .flat_map(|run| [run.start, run.end])
                .filter(|&change| change < width),
        );
        let Ok(()) = encoder.encode_line(decoder::pels(&changes, width), width);
    }
    let Ok(writer) = encoder.finish();
    writer.finish()
}

/// Reads what [`encode_group4`] and others write; nothing where it is no such picture.
pub fn decode_group4(bytes: &[u8], width: u32, height: u32) -> Option<Bitmap> {
    let mut bitmap = Bitmap::empty(width, height);
    let mut is_whole = true;
    decoder::decode_g4(bytes.iter().copied(), width, Some(height), |changes| {
        is_whole &= bitmap.push_row(changes);
    })?;
    (is_whole && bitmap.height() == height).then_some(bitmap)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gray::Gray;

    #[test]
    fn what_is_encoded_decodes_to_the_same_rows() {
        // Widths that are no multiple of eight, ink at both edges, and runs beyond 2560 pixels.
        let (width, height) = (6001_u32, 40_u32);
        let pixels = (0..width * height)
            .map(|index| {
                let (x, y) = (index % width, index / width);
                let ink = x < y || x + 3 > width || x.wrapping_mul(y) % 97 < 9 || (y > 20 && x > 3000);
                if ink { 0 } else { 255 }
            })
            .collect();
        let bitmap = Bitmap::threshold(&Gray::new(width, height, pixels), 128);
        let bytes = encode_group4(&bitmap);
        let mut rows = Vec::new();
        decoder::decode_g4(bytes.iter().copied(), width, Some(height), |row| {
            rows.push(row.to_vec());
        })
        .unwrap();
        let expected: Vec<Vec<u32>> = bitmap
            .rows()
            .map(|row| {
                row.iter()
                    .flat_map(|run| [run.start, run.end])
                    .filter(|&change| change < width)
                    .collect()
            })
            .collect();
        assert_eq!(rows, expected);
        assert_eq!(decode_group4(&bytes, width, height), Some(bitmap));
    }

    #[test]
    fn what_is_no_picture_is_not_read() {
        assert_eq!(decode_group4(&[0x00, 0x01, 0x02, 0x03, 0x55, 0xaa], 64, 64), None);
    }
}
