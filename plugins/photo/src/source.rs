//! The photograph: decoded under limits, upright, gray, and as small as its lines need.

use std::io::Cursor;

use fast_image_resize::images::Image;
use fast_image_resize::{FilterType, PixelType, ResizeAlg, ResizeOptions, Resizer};
use image::{DynamicImage, GrayImage, ImageDecoder as _, ImageReader, Limits};
use linepress_plugin_sdk::image::DrawError;

use crate::plane::Plane;

/// 40 million pixels in color, which leaves room for the rest within the memory of a plugin.
const MOST_BYTES: u64 = 128 << 20;
const LONGEST_SIDE: u32 = 12_000;
/// With fewer pixels there is nothing to find lines in.
const SHORTEST_SIDE: u32 = 64;

/// The photograph with its longer side at most so long.
pub(crate) fn read(bytes: &[u8], longest: f32) -> Result<Plane, DrawError> {
    let invalid = |error: &dyn std::fmt::Display| DrawError::Invalid(format!("the source cannot be read: {error}"));
    let mut reader = ImageReader::new(Cursor::new(bytes))
        .with_guessed_format()
        .map_err(|error| invalid(&error))?;
    let mut limits = Limits::default();
    limits.max_alloc = Some(MOST_BYTES);
    limits.max_image_width = Some(LONGEST_SIDE);
    limits.max_image_height = Some(LONGEST_SIDE);
    reader.limits(limits);
    let mut decoder = reader.into_decoder().map_err(|error| invalid(&error))?;
    let orientation = decoder.orientation().map_err(|error| invalid(&error))?;
    let picture = DynamicImage::from_decoder(decoder).map_err(|error| invalid(&error))?;
    let (width, height) = (picture.width(), picture.height());
    if width.min(height) < SHORTEST_SIDE {
        return Err(DrawError::Invalid(format!(
            "the source has {width} x {height} pixels; a side needs {SHORTEST_SIDE}"
        )));
    }
    let gray = on_white(picture);
    let small = shrink(gray, longest).map_err(|error| invalid(&error))?;
    // Turned when it is small.
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

/// Transparent parts show the paper.
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

fn shrink(gray: GrayImage, longest: f32) -> Result<GrayImage, Box<dyn std::error::Error>> {
    let (width, height) = gray.dimensions();
    let scale = longest / width.max(height) as f32;
    let side = |side: u32| ((side as f32 * scale).round() as u32).max(1);
    let (small_width, small_height) = (side(width), side(height));
    let large = Image::from_vec_u8(width, height, gray.into_raw(), PixelType::U8)?;
    let mut small = Image::new(small_width, small_height, PixelType::U8);
    let options = ResizeOptions::new().resize_alg(ResizeAlg::Convolution(FilterType::CatmullRom));
    Resizer::new().resize(&large, &mut small, &options)?;
    GrayImage::from_raw(small_width, small_height, small.into_vec()).ok_or_else(|| "no pixels".into())
}
