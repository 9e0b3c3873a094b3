//! Decoding of the photograph within limits, and its conversion to an upright, gray and reduced picture.

use std::io::Cursor;

use fast_image_resize::images::Image;
use fast_image_resize::{FilterType, PixelType, ResizeAlg, ResizeOptions, Resizer};
use image::{DynamicImage, GrayImage, ImageDecoder as _, ImageReader, Limits};
use linepress_plugin_sdk::image::DrawError;

use crate::plane::Plane;

/// Maximum size of the decoded picture in bytes: about 40 million pixels in color. It leaves enough of the plugin's
/// memory for the other steps.
const MAX_DECODED_BYTES: u64 = 128 << 20;
/// Maximum side of the photograph in pixels.
const MAX_SIDE: u32 = 12_000;
/// Minimum side of the photograph in pixels. A smaller one contains no lines.
const MIN_SIDE: u32 = 64;

/// Decodes a photograph, and scales its longer side to `longer_side` pixels.
pub(crate) fn read(bytes: &[u8], longer_side: f32) -> Result<Plane, DrawError> {
    let invalid = |error: &dyn std::fmt::Display| DrawError::Invalid(format!("the source cannot be read: {error}"));
    let mut reader = ImageReader::new(Cursor::new(bytes))
        .with_guessed_format()
        .map_err(|error| invalid(&error))?;
    let mut limits = Limits::default();
    limits.max_alloc = Some(MAX_DECODED_BYTES);
    limits.max_image_width = Some(MAX_SIDE);
    limits.max_image_height = Some(MAX_SIDE);
    reader.limits(limits);
    let mut decoder = reader.into_decoder().map_err(|error| invalid(&error))?;
    let orientation = decoder.orientation().map_err(|error| invalid(&error))?;
    let picture = DynamicImage::from_decoder(decoder).map_err(|error| invalid(&error))?;
    let (width, height) = (picture.width(), picture.height());
    if width.min(height) < MIN_SIDE {
        return Err(DrawError::Invalid(format!(
            "the source has {width} x {height} pixels; each side needs at least {MIN_SIDE}"
        )));
    }
    let gray = on_white(picture);
    let small = resize(gray, longer_side).map_err(|error| invalid(&error))?;
    // The picture is rotated after scaling, which is cheaper.
    let mut upright = DynamicImage::ImageLuma8(small);
    upright.apply_orientation(orientation);
    let upright = upright.into_luma8();
    let (width, height) = (upright.width() as usize, upright.height() as usize);
    let values = upright.into_raw();
    Ok(Plane::new(
        width,
        height,
        values.into_iter().map(|value| f32::from(value) / 255.0).collect(),
    ))
}

/// Converts to gray, and puts transparent parts on a white background.
fn on_white(picture: DynamicImage) -> GrayImage {
    if !picture.color().has_alpha() {
        return picture.into_luma8();
    }
    let layered = picture.into_luma_alpha8();
    GrayImage::from_fn(layered.width(), layered.height(), |x, y| {
        let [tone, alpha] = layered.get_pixel(x, y).0.map(u32::from);
        image::Luma([((tone * alpha + 255 * (255 - alpha)) / 255) as u8])
    })
}

fn resize(gray: GrayImage, longer_side: f32) -> Result<GrayImage, Box<dyn std::error::Error>> {
    let (width, height) = gray.dimensions();
    let scale = longer_side / width.max(height) as f32;
    let side = |side: u32| ((side as f32 * scale).round() as u32).max(1);
    let (small_width, small_height) = (side(width), side(height));
    let large = Image::from_vec_u8(width, height, gray.into_raw(), PixelType::U8)?;
    let mut small = Image::new(small_width, small_height, PixelType::U8);
    let options = ResizeOptions::new().resize_alg(ResizeAlg::Convolution(FilterType::CatmullRom));
    Resizer::new().resize(&large, &mut small, &options)?;
    GrayImage::from_raw(small_width, small_height, small.into_vec()).ok_or_else(|| "no pixels".into())
}
