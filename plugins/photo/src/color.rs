//! The conversion of colors to a space in which distances correspond to visible differences.

use image::RgbImage;

use crate::plane::Plane;

/// Weight of the two planes of hue and saturation compared with lightness, which shadows and folds change as well.
const HUE_WEIGHT: f32 = 2.5;

/// Converts a picture to the three planes of Oklab (Ottosson 2020), with more weight on hue.
pub(crate) fn planes(picture: &RgbImage) -> [Plane; 3] {
    let linear: Vec<f32> = (0..=255_u8).map(|tone| linear(f32::from(tone) / 255.0)).collect();
    let (width, height) = (picture.width() as usize, picture.height() as usize);
    let mut planes = [(); 3].map(|()| Vec::with_capacity(width * height));
    for pixel in picture.pixels() {
        let color = oklab(pixel.0.map(|tone| linear[usize::from(tone)]));
        for (plane, value) in planes.iter_mut().zip(color) {
            plane.push(value);
        }
    }
    planes.map(|values| Plane::new(width, height, values))
}

fn linear(tone: f32) -> f32 {
    if tone <= 0.04045 {
        tone / 12.92
    } else {
        ((tone + 0.055) / 1.055).powf(2.4)
    }
}

fn oklab([red, green, blue]: [f32; 3]) -> [f32; 3] {
    let long = (0.412_221_46 * red + 0.536_332_55 * green + 0.051_445_995 * blue).cbrt();
    let medium = (0.211_903_5 * red + 0.680_699_5 * green + 0.107_396_96 * blue).cbrt();
    let short = (0.088_302_46 * red + 0.281_718_85 * green + 0.629_978_7 * blue).cbrt();
    [
        0.210_454_26 * long + 0.793_617_8 * medium - 0.004_072_047 * short,
        HUE_WEIGHT * (1.977_998_5 * long - 2.428_592_2 * medium + 0.450_593_7 * short),
        HUE_WEIGHT * (0.025_904_037 * long + 0.782_771_77 * medium - 0.808_675_77 * short),
    ]
}
