//! Pictures that clients send: good ones, odd ones and bombs. What Rust cannot write lies in `fixtures`, from `make.py`.
use std::borrow::Cow;
use std::io::{Cursor, Write as _};

use flate2::Compression;
use flate2::write::ZlibEncoder;
use image::{GrayImage, ImageFormat, Luma};
use png::{BitDepth, ColorType, Encoder, Info};

/// An animation of two frames, 384 x 288 pixels.
pub(crate) const ANIMATED_WEBP: &[u8] = include_bytes!("../fixtures/animated.webp");
/// Red and green above blue and white in four inks, 384 x 288 pixels.
pub(crate) const CMYK_JPEG: &[u8] = include_bytes!("../fixtures/cmyk.jpg");
/// A drawing that is none of ours, whatever its name says.
pub(crate) const SVG: &[u8] =
    b"<svg xmlns='http://www.w3.org/2000/svg' width='1152' height='1536'><circle r='300'/></svg>";

/// Line art: outlines of squares.
fn line_art(width: u32, height: u32) -> GrayImage {
    let mut pixels = vec![255; (width * height) as usize];
    // Whole lines at a time: pixel by pixel takes long without optimisation.
    for (y, row) in pixels.chunks_exact_mut(width as usize).enumerate() {
        if y % 100 < 4 {
            row.fill(0);
        } else {
            for square in row.chunks_mut(100) {
                let outline = square.len().min(4);
                square[..outline].fill(0);
            }
        }
    }
    GrayImage::from_raw(width, height, pixels).unwrap()
}

fn written(image: &GrayImage, format: ImageFormat) -> Vec<u8> {
    let mut file = Cursor::new(Vec::new());
    image.write_to(&mut file, format).unwrap();
    file.into_inner()
}

/// Line art as a PNG.
pub(crate) fn png(width: u32, height: u32) -> Vec<u8> {
    written(&line_art(width, height), ImageFormat::Png)
}

/// A page on which nothing is drawn, as a PNG.
pub(crate) fn blank(width: u32, height: u32) -> Vec<u8> {
    written(&GrayImage::from_pixel(width, height, Luma([255])), ImageFormat::Png)
}

/// Line art as a JPEG.
pub(crate) fn jpeg(width: u32, height: u32) -> Vec<u8> {
    written(&line_art(width, height), ImageFormat::Jpeg)
}

/// Line art as a lossless WebP.
pub(crate) fn webp(width: u32, height: u32) -> Vec<u8> {
    let mut file = Cursor::new(Vec::new());
    image::DynamicImage::ImageLuma8(line_art(width, height))
        .into_rgb8()
        .write_to(&mut file, ImageFormat::WebP)
        .unwrap();
    file.into_inner()
}

/// Every tone from black to white, as a JPEG.
pub(crate) fn photograph(width: u32, height: u32) -> Vec<u8> {
    let tone = |x: u32| u8::try_from(x * 255 / width).unwrap();
    written(
        &GrayImage::from_fn(width, height, |x, _| Luma([tone(x)])),
        ImageFormat::Jpeg,
    )
}

/// A bright disc and a dark square before a shaded wall, with some noise, as a JPEG in color.
pub(crate) fn photo_of_shapes(width: u32, height: u32) -> Vec<u8> {
    let picture = image::RgbImage::from_fn(width, height, |x, y| {
        let (across, down) = (f64::from(x) / f64::from(width), f64::from(y) / f64::from(height));
        let disc = (across - 0.35).hypot(down - 0.3) < 0.18;
        let square = (0.5..0.85).contains(&across) && (0.55..0.85).contains(&down);
        let noise = (x * 7919 + y * 104_729) % 13;
        let tone = match (disc, square) {
            (true, _) => 225.0,
            (_, true) => 40.0,
            _ => 110.0 + 50.0 * down,
        };
        let tone = tone as u8 + u8::try_from(noise).unwrap();
        image::Rgb([tone, tone - 10, tone - 20])
    });
    let mut file = Cursor::new(Vec::new());
    picture.write_to(&mut file, ImageFormat::Jpeg).unwrap();
    file.into_inner()
}

/// The first two thirds of a good JPEG.
pub(crate) fn truncated_jpeg(width: u32, height: u32) -> Vec<u8> {
    let mut file = jpeg(width, height);
    file.truncate(file.len() * 2 / 3);
    file
}

/// Line art with 16 bits to the pixel.
pub(crate) fn sixteen_bit_png(width: u32, height: u32) -> Vec<u8> {
    let pixels: Vec<u8> = line_art(width, height).iter().flat_map(|&tone| [tone, tone]).collect();
    gray_png(width, height, BitDepth::Sixteen, &pixels, |_| {})
}

/// A PNG of `width` x `height` pixels that is to be shown turned clockwise, so `height` x `width`.
pub(crate) fn tilted_png(width: u32, height: u32) -> Vec<u8> {
    // TIFF, little-endian, with one entry: the orientation (0x0112), one short number, 6.
    let exif = b"II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0";
    gray_png(width, height, BitDepth::Eight, &line_art(width, height), |info| {
        info.exif_metadata = Some(Cow::Borrowed(exif));
    })
}

/// A PNG of one black pixel.
pub(crate) fn single_pixel() -> Vec<u8> {
    gray_png(1, 1, BitDepth::Eight, &[0], |_| {})
}

fn gray_png(width: u32, height: u32, depth: BitDepth, pixels: &[u8], change: impl FnOnce(&mut Info)) -> Vec<u8> {
    let mut file = Vec::new();
    let mut info = Info::with_size(width, height);
    info.color_type = ColorType::Grayscale;
    info.bit_depth = depth;
    change(&mut info);
    let mut writer = Encoder::with_info(&mut file, info).unwrap().write_header().unwrap();
    writer.write_image_data(pixels).unwrap();
    writer.finish().unwrap();
    file
}

/// A valid PNG of 50,000 x 50,000 pixels in a few hundred kilobytes; as gray bytes it would take 2.5 GB.
pub(crate) fn bomb() -> Vec<u8> {
    const SIDE: u32 = 50_000;
    // A row is a byte for the filter and a bit for each pixel.
    let row = vec![0; 1 + SIDE.div_ceil(8) as usize];
    let mut compressed = ZlibEncoder::new(Vec::new(), Compression::fast());
    for _ in 0..SIDE {
        compressed.write_all(&row).unwrap();
    }
    let size = [SIDE.to_be_bytes(), SIDE.to_be_bytes()].concat();
    let header = [&size[..], &[1, 0, 0, 0, 0]].concat();
    let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
    for (name, content) in [
        (b"IHDR", header),
        (b"IDAT", compressed.finish().unwrap()),
        (b"IEND", Vec::new()),
    ] {
        let mut checksum = flate2::Crc::new();
        checksum.update(name);
        checksum.update(&content);
        file.extend(u32::try_from(content.len()).unwrap().to_be_bytes());
        file.extend(name);
        file.extend(content);
        file.extend(checksum.sum().to_be_bytes());
    }
    file
}
