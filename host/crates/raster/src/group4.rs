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

/// The picture of a Group 4 strip; nothing where the bytes are none.
pub fn decode_group4(strip: &[u8], width: u32, height: u32) -> Option<Bitmap> {
    let mut rows = Vec::new();
    let read = decoder::decode_g4(strip.iter().copied(), width, Some(height), |changes| {
        rows.push(changes.iter().copied().filter(|&change| change < width).collect());
    });
    read.map(|()| Bitmap::from_changes(width, rows))
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
    }
}
