//! Conversion of colors and transparency to tones on white paper.

/// Overwrites pixels of `SIZE` bytes by one tone each, starting at the front, and shrinks the buffer to the tones.
///
/// It works in place because the colors of a large picture take hundreds of megabytes, which should not be in memory
/// twice.
pub(super) fn in_place<const SIZE: usize>(mut pixels: Vec<u8>, tone: impl Fn([u8; SIZE]) -> u8) -> Vec<u8> {
    let count = pixels.len() / SIZE;
    for index in 0..count {
        let start = index * SIZE;
        let pixel = std::array::from_fn(|channel| pixels[start + channel]);
        pixels[index] = tone(pixel);
    }
    pixels.truncate(count);
    pixels.shrink_to_fit();
    pixels
}

/// The luma of ITU-R BT.601, which is also the Y of a JPEG, so that one drawing has the same tones in every format.
pub(crate) fn of_color([red, green, blue]: [u8; 3]) -> u8 {
    let weighted = u32::from(red) * 19_595 + u32::from(green) * 38_470 + u32::from(blue) * 7_471;
    // The weights sum to 1 << 16.
    ((weighted + 0x8000) >> 16) as u8
}

/// A tone with transparency, laid over white paper: `255 - alpha` is the share of the paper.
pub(super) fn over_white([tone, alpha]: [u8; 2]) -> u8 {
    let (tone, alpha) = (u32::from(tone), u32::from(alpha));
    // The weighted mean of two bytes fits in a byte.
    ((tone * alpha + 255 * (255 - alpha) + 127) / 255) as u8
}

pub(super) fn of_color_over_white([red, green, blue, alpha]: [u8; 4]) -> u8 {
    over_white([of_color([red, green, blue]), alpha])
}
