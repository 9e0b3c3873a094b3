//! A synthetic photograph with soft shapes of all sizes, edges and grain, the same in every run.

/// Returns the pixels of the photograph, three bytes each.
pub(crate) fn photograph(width: u32, height: u32) -> Vec<u8> {
    let mut pixels = Vec::with_capacity(width as usize * height as usize * 3);
    for y in 0..height {
        for x in 0..width {
            // Each shape is half as large as the previous one and a little weaker, as in nature.
            let shapes: f32 = [
                (1024, 90.0),
                (512, 60.0),
                (256, 40.0),
                (128, 28.0),
                (64, 20.0),
                (32, 14.0),
                (16, 10.0),
                (8, 7.0),
            ]
            .into_iter()
            .map(|(size, strength)| strength * noise(x, y, size))
            .sum();
            // A horizon with roofs below it.
            let roofs = if y > height / 2 && (x / 190 + y / 230) % 3 == 0 {
                45.0
            } else {
                0.0
            };
            let (warm, cold) = (noise(x, y, 700) * 40.0, noise(y, x, 900) * 40.0);
            let grain = unit(x, y, 1) * 10.0 - 5.0;
            let light = 10.0 + shapes * 0.8 - roofs + grain;
            // `as` saturates values that are too dark or too bright.
            pixels.extend([light + warm, light, light + cold].map(|tone| tone as u8));
        }
    }
    pixels
}

/// Returns a value from 0 to 1 that is smooth between points `size` pixels apart.
fn noise(x: u32, y: u32, size: u32) -> f32 {
    let (column, row) = (x / size, y / size);
    let smooth = |offset: u32| {
        let part = offset as f32 / size as f32;
        part * part * (3.0 - 2.0 * part)
    };
    let (across, down) = (smooth(x % size), smooth(y % size));
    let between = |from: f32, to: f32, part: f32| from + (to - from) * part;
    let top = between(unit(column, row, size), unit(column + 1, row, size), across);
    let bottom = between(unit(column, row + 1, size), unit(column + 1, row + 1, size), across);
    between(top, bottom, down)
}

/// Returns a pseudorandom value from 0 to 1.
fn unit(x: u32, y: u32, seed: u32) -> f32 {
    let mut mixed = x.wrapping_mul(0x9E37_79B1) ^ y.wrapping_mul(0x85EB_CA77) ^ seed.wrapping_mul(0xC2B2_AE3D);
    mixed = (mixed ^ (mixed >> 15)).wrapping_mul(0x2C1B_3C6D);
    mixed = (mixed ^ (mixed >> 12)).wrapping_mul(0x297A_2D39);
    (mixed ^ (mixed >> 15)) as f32 / u32::MAX as f32
}
