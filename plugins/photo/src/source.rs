//! Decoding of the photograph within limits, and its conversion to upright, reduced pictures.

use std::io::Cursor;

use fast_image_resize::images::{Image, ImageRef};
use fast_image_resize::{FilterType, PixelType, ResizeAlg, ResizeOptions, Resizer};
use image::{DynamicImage, GrayImage, ImageBuffer, ImageDecoder as _, ImageReader, Limits, Pixel, RgbImage};
use linepress_plugin_sdk::image::DrawError;

use crate::color;
use crate::plane::Plane;

/// Maximum size of the decoded picture in bytes: about 40 million pixels in color. It leaves enough of the plugin's
/// memory for the other steps.
const MAX_DECODED_BYTES: u64 = 128 << 20;
/// Maximum side of the photograph in pixels.
const MAX_SIDE: u32 = 12_000;
/// Minimum side of the photograph in pixels. A smaller one contains no lines.
const MIN_SIDE: u32 = 64;

/// Longer side in pixels of the picture in which areas of color are found.
const AREAS_SIDE: f32 = 600.0;

type Failure = Box<dyn std::error::Error>;

/// A photograph in the two forms that lines are drawn from.
pub(crate) struct Picture {
    /// The tones, in which edges and small dark features are found.
    pub(crate) luma: Plane,
    /// The planes of a perceptual color space at a lower resolution, in which areas are found.
    pub(crate) color: [Plane; 3],
}

/// Decodes a photograph, and scales the longer side of its tones to `longer_side` pixels.
pub(crate) fn read(bytes: &[u8], longer_side: f32) -> Result<Picture, DrawError> {
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
    let [tones, colors] = reduced(picture, [longer_side, AREAS_SIDE])
        .map_err(|error| invalid(&error))?
        .map(|small| {
            // The picture is rotated after scaling, which is cheaper.
            let mut upright = DynamicImage::ImageRgb8(small);
            upright.apply_orientation(orientation);
            upright
        });
    Ok(Picture {
        luma: luma(tones.into_luma8()),
        color: color::planes(&colors.into_rgb8()),
    })
}

fn luma(gray: GrayImage) -> Plane {
    let (width, height) = (gray.width() as usize, gray.height() as usize);
    let values = gray.into_raw().into_iter().map(|value| f32::from(value) / 255.0);
    Plane::new(width, height, values.collect())
}

/// Scales the longer side to each of the `sides` in pixels, and puts transparent parts on a white background. Gray
/// pictures are scaled in gray, because a large one in color would not fit into the plugin's memory.
fn reduced(picture: DynamicImage, sides: [f32; 2]) -> Result<[RgbImage; 2], Failure> {
    if !picture.color().has_color() {
        let gray = gray_on_white(picture);
        let scaled = |side| resize(&gray, side).map(|small| DynamicImage::ImageLuma8(small).into_rgb8());
        return Ok([scaled(sides[0])?, scaled(sides[1])?]);
    }
    if !picture.color().has_alpha() {
        let picture = picture.into_rgb8();
        return Ok([resize(&picture, sides[0])?, resize(&picture, sides[1])?]);
    }
    let mut layered = picture.into_rgba8();
    for pixel in layered.pixels_mut() {
        let [red, green, blue, alpha] = pixel.0;
        let [red, green, blue] = [red, green, blue].map(|tone| on_white(tone, alpha));
        pixel.0 = [red, green, blue, 255];
    }
    let scaled = |side| resize(&layered, side).map(|small| DynamicImage::ImageRgba8(small).into_rgb8());
    Ok([scaled(sides[0])?, scaled(sides[1])?])
}

fn gray_on_white(picture: DynamicImage) -> GrayImage {
    if !picture.color().has_alpha() {
        return picture.into_luma8();
    }
    let layered = picture.into_luma_alpha8();
    GrayImage::from_fn(layered.width(), layered.height(), |x, y| {
        let [tone, alpha] = layered.get_pixel(x, y).0;
        image::Luma([on_white(tone, alpha)])
    })
}

fn on_white(tone: u8, alpha: u8) -> u8 {
    let [tone, alpha] = [tone, alpha].map(u32::from);
    ((tone * alpha + 255 * (255 - alpha)) / 255) as u8
}

fn resize<P>(picture: &ImageBuffer<P, Vec<u8>>, longer_side: f32) -> Result<ImageBuffer<P, Vec<u8>>, Failure>
where
    P: Pixel<Subpixel = u8>,
{
    let (width, height) = picture.dimensions();
    let scale = longer_side / width.max(height) as f32;
    let side = |side: u32| ((side as f32 * scale).round() as u32).max(1);
    let (small_width, small_height) = (side(width), side(height));
    let kind = match P::CHANNEL_COUNT {
        1 => PixelType::U8,
        3 => PixelType::U8x3,
        _ => PixelType::U8x4,
    };
    let large = ImageRef::new(width, height, picture.as_raw(), kind)?;
    let mut small = Image::new(small_width, small_height, kind);
    let options = ResizeOptions::new()
        .resize_alg(ResizeAlg::Convolution(FilterType::Lanczos3))
        .use_alpha(false);
    Resizer::new().resize(&large, &mut small, &options)?;
    ImageBuffer::from_raw(small_width, small_height, small.into_vec()).ok_or_else(|| "no pixels".into())
}
