use std::borrow::Cow;
use std::io::Cursor;

use ::png::{BitDepth, ColorType, Encoder, Info};
use image::codecs::jpeg::JpegEncoder;
use image::{ExtendedColorType, ImageFormat};

use super::*;

/// A file in a variant that no Rust library writes. All fixtures show red and green above blue and white.
macro_rules! fixture {
    ($name:literal) => {
        include_bytes!(concat!("../../../../../tests/it/fixtures/", $name))
    };
}

const SIZE: (u32, u32) = (384, 288);

/// A PNG with a single row.
fn png_row(color: ColorType, depth: BitDepth, width: u32, row: &[u8], change: impl FnOnce(&mut Info)) -> Vec<u8> {
    let mut png = Vec::new();
    let mut info = Info::with_size(width, 1);
    info.color_type = color;
    info.bit_depth = depth;
    change(&mut info);
    let mut writer = Encoder::with_info(&mut png, info).unwrap().write_header().unwrap();
    writer.write_image_data(row).unwrap();
    writer.finish().unwrap();
    png
}

/// The pixels of the fixtures, as RGB.
fn quarters() -> Vec<u8> {
    let (width, height) = SIZE;
    (0..width * height)
        .flat_map(|index| match (index % width < width / 2, index / width < height / 2) {
            (true, true) => [255, 0, 0],
            (false, true) => [0, 255, 0],
            (true, false) => [0, 0, 255],
            (false, false) => [255; 3],
        })
        .collect()
}

fn jpeg() -> Vec<u8> {
    let mut jpeg = Vec::new();
    JpegEncoder::new_with_quality(&mut jpeg, 90)
        .encode(&quarters(), SIZE.0, SIZE.1, ExtendedColorType::Rgb8)
        .unwrap();
    jpeg
}

/// Decodes a file that is refused. The pixels are dropped, because a failed test would print them.
fn refusal(bytes: &[u8]) -> ArtworkError {
    decode(bytes).map(|gray| (gray.width, gray.height)).unwrap_err()
}

/// A block of EXIF with only an orientation.
fn exif(orientation: u8) -> Vec<u8> {
    let mut tiff = b"II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0".to_vec();
    tiff.extend([orientation, 0, 0, 0, 0, 0, 0, 0]);
    tiff
}

/// Inserts a metadata segment directly after the start of a JPEG.
fn with_segment(jpeg: &[u8], marker: u8, content: &[u8]) -> Vec<u8> {
    let length = u16::try_from(content.len() + 2).unwrap().to_be_bytes();
    [&jpeg[..2], &[0xFF, marker], &length, content, &jpeg[2..]].concat()
}

/// Asserts the size of a picture and the tones of its quarters, from left to right and from top to bottom.
fn assert_shows(bytes: &[u8], name: &str, size: (u32, u32), tones: [u8; 4]) {
    let gray = decode(bytes).unwrap();
    assert_eq!((gray.width, gray.height), size, "{name}");
    let at = |x: u32, y: u32| gray.pixels[(y * gray.width + x) as usize];
    let (left, top) = (gray.width / 4, gray.height / 4);
    let found = [(1, 1), (3, 1), (1, 3), (3, 3)].map(|(x, y)| at(left * x, top * y));
    for (found, expected) in found.iter().zip(tones) {
        assert!(found.abs_diff(expected) <= 2, "{name}: {found} instead of {expected}");
    }
}

/// The lumas of red, green, blue and white.
const UPRIGHT: [u8; 4] = [76, 150, 29, 255];
/// The same, rotated clockwise.
const CLOCKWISE: [u8; 4] = [29, 76, 255, 150];

#[test]
fn every_format_gives_the_same_tones() {
    let mut png = Cursor::new(Vec::new());
    let mut webp = Cursor::new(Vec::new());
    let image = image::RgbImage::from_raw(SIZE.0, SIZE.1, quarters()).unwrap();
    image.write_to(&mut png, ImageFormat::Png).unwrap();
    image.write_to(&mut webp, ImageFormat::WebP).unwrap();
    assert_shows(png.get_ref(), "png", SIZE, UPRIGHT);
    assert_shows(webp.get_ref(), "webp", SIZE, UPRIGHT);
    assert_shows(&jpeg(), "jpeg", SIZE, UPRIGHT);
    assert_shows(fixture!("interlaced.png"), "interlaced", SIZE, UPRIGHT);
    assert_shows(fixture!("progressive.jpg"), "progressive", SIZE, UPRIGHT);
    assert_shows(fixture!("transparent.webp"), "transparent", SIZE, UPRIGHT);
}

#[test]
fn cmyk_gives_the_tones_that_it_prints_as() {
    assert_shows(fixture!("cmyk.jpg"), "cmyk", SIZE, UPRIGHT);
    assert_shows(fixture!("ycck.jpg"), "ycck", SIZE, UPRIGHT);
}

#[test]
fn a_rotated_picture_is_turned_upright() {
    let turned = (SIZE.1, SIZE.0);
    let prefixed = [b"Exif\0\0", &exif(6)[..]].concat();
    assert_shows(&with_segment(&jpeg(), 0xE1, &prefixed), "jpeg", turned, CLOCKWISE);
    assert_shows(fixture!("tilted.webp"), "webp", SIZE, UPRIGHT);
    for exif in [exif(6), prefixed] {
        let png = png_row(ColorType::Grayscale, BitDepth::Eight, 3, &[1, 2, 3], |info| {
            info.exif_metadata = Some(Cow::Owned(exif));
        });
        let gray = decode(&png).unwrap();
        assert_eq!((gray.width, gray.height, &gray.pixels[..]), (1, 3, &[1, 2, 3][..]));
    }
}

#[test]
fn exif_may_follow_the_pixels_of_a_png() {
    let early = png_row(ColorType::Grayscale, BitDepth::Eight, 3, &[1, 2, 3], |info| {
        info.exif_metadata = Some(Cow::Owned(exif(3)));
    });
    let start = early.windows(4).position(|name| name == b"eXIf").unwrap() - 4;
    let chunk = &early[start..start + 12 + exif(3).len()];
    let end = early.len() - 12;
    let late = [&early[..start], &early[start + chunk.len()..end], chunk, &early[end..]].concat();
    assert_eq!(decode(&late).unwrap().pixels, [3, 2, 1]);
}

#[test]
fn a_broken_orientation_is_ignored() {
    for exif in [&b"Exif\0\0"[..], b"Exif\0\0II*\0\xFF\xFF\xFF\xFF", b"Exif\0\0nonsense"] {
        assert_shows(&with_segment(&jpeg(), 0xE1, exif), "jpeg", SIZE, UPRIGHT);
    }
}

#[test]
fn sixteen_bits_palettes_and_transparency_give_the_right_tones() {
    let sixteen = [0x0000_u16, 0x4000, 0x80FF, 0xFFFF].map(u16::to_be_bytes).concat();
    let png = png_row(ColorType::Grayscale, BitDepth::Sixteen, 4, &sixteen, |_| {});
    assert_eq!(decode(&png).unwrap().pixels, [0, 64, 128, 255]);

    // Black, red, and transparent black.
    let png = png_row(ColorType::Indexed, BitDepth::Two, 3, &[0b00_01_10_00], |info| {
        info.palette = Some(Cow::Borrowed(&[0, 0, 0, 255, 0, 0, 0, 0, 0]));
        info.trns = Some(Cow::Borrowed(&[255, 255, 0]));
    });
    assert_eq!(decode(&png).unwrap().pixels, [0, 76, 255]);

    let png = png_row(
        ColorType::Grayscale,
        BitDepth::One,
        9,
        &[0b1010_0000, 0b1000_0000],
        |_| {},
    );
    assert_eq!(decode(&png).unwrap().pixels, [255, 0, 255, 0, 0, 0, 0, 0, 255]);

    let rgba = [0, 0, 0, 255, 0, 0, 0, 0, 0, 0, 0, 128, 255, 0, 0, 255];
    let png = png_row(ColorType::Rgba, BitDepth::Eight, 4, &rgba, |_| {});
    assert_eq!(decode(&png).unwrap().pixels, [0, 255, 127, 76]);
}

#[test]
fn animations_are_refused() {
    let webp = refusal(fixture!("animated.webp"));
    assert!(matches!(webp, ArtworkError::Animated), "{webp}");
    let mut png = Vec::new();
    let mut encoder = Encoder::new(&mut png, 2, 1);
    encoder.set_color(ColorType::Grayscale);
    encoder.set_animated(2, 0).unwrap();
    let mut writer = encoder.write_header().unwrap();
    writer.write_image_data(&[0, 255]).unwrap();
    writer.write_image_data(&[255, 0]).unwrap();
    writer.finish().unwrap();
    let refusal = refusal(&png);
    assert!(matches!(refusal, ArtworkError::Animated), "{refusal}");
    assert!(refusal.to_string().contains("a single picture"));
}

#[test]
fn a_truncated_file_is_refused_and_never_padded() {
    let mut png = Cursor::new(Vec::new());
    let image = image::RgbImage::from_raw(SIZE.0, SIZE.1, quarters()).unwrap();
    image.write_to(&mut png, ImageFormat::Png).unwrap();
    let files = [
        ("baseline", jpeg()),
        ("progressive", fixture!("progressive.jpg").to_vec()),
        ("cmyk", fixture!("cmyk.jpg").to_vec()),
        ("webp", fixture!("tilted.webp").to_vec()),
        ("png", png.into_inner()),
    ];
    for (name, bytes) in files {
        for tenths in 1..10 {
            let refusal = refusal(&bytes[..bytes.len() * tenths / 10]);
            assert!(matches!(refusal, ArtworkError::NotAnImage), "{name}: {refusal}");
        }
    }
}

#[test]
fn data_after_the_end_of_a_jpeg_is_ignored() {
    let bytes = jpeg();
    assert_shows(
        &[&bytes[..], b"left behind by a camera"].concat(),
        "junk",
        SIZE,
        UPRIGHT,
    );
    assert_shows(&[&bytes[..], &bytes[..]].concat(), "another picture", SIZE, UPRIGHT);
    assert_shows(&[&bytes[..], &[0; 5000]].concat(), "zeros", SIZE, UPRIGHT);
}

#[test]
fn a_jpeg_with_too_many_scans_is_refused() {
    let bytes = fixture!("progressive.jpg");
    let last = bytes.windows(2).rposition(|pair| pair == [0xFF, 0xDA]).unwrap();
    let (start, scan) = (&bytes[..bytes.len() - 2], &bytes[last..bytes.len() - 2]);
    let with_more = |scans: usize| [start, &scan.repeat(scans), &[0xFF, 0xD9]].concat();
    decode(&with_more(5)).unwrap();
    let refusal = refusal(&with_more(100));
    assert!(matches!(refusal, ArtworkError::TooManyScans { .. }), "{refusal}");
}

#[test]
fn a_heic_photo_is_refused_with_a_specific_error() {
    for brand in [b"heic", b"heix", b"hevc", b"mif1"] {
        let bytes = [b"\0\0\0\x24ftyp".as_slice(), brand, &[0; 100]].concat();
        assert!(matches!(refusal(&bytes), ArtworkError::Heic));
    }
    let video = [b"\0\0\0\x24ftypisom".as_slice(), &[0; 100]].concat();
    assert!(matches!(refusal(&video), ArtworkError::NotAnImage));
}

#[test]
fn a_jpeg_with_too_many_metadata_segments_is_refused() {
    let mut bytes = jpeg();
    for _ in 0..3 {
        bytes = with_segment(&bytes, 0xE2, b"harmless");
    }
    decode(&bytes).unwrap();
    let segment = [0xFF, 0xE2, 0, 2].repeat(5_000);
    let bytes = [&bytes[..2], &segment, &bytes[2..]].concat();
    assert!(matches!(refusal(&bytes), ArtworkError::NotAnImage));
}

/// The header of a PNG of this size, without pixels.
fn png_header(width: u32, height: u32) -> Vec<u8> {
    let mut png = b"\x89PNG\r\n\x1a\n\0\0\0\x0d".to_vec();
    let mut chunk = b"IHDR".to_vec();
    chunk.extend(width.to_be_bytes());
    chunk.extend(height.to_be_bytes());
    chunk.extend([8, 0, 0, 0, 0]);
    let checksum = checksum(&chunk);
    png.extend(chunk);
    png.extend(checksum.to_be_bytes());
    png.extend(b"\0\0\0\0IDAT");
    png
}

fn checksum(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |sum, &byte| {
        (0..8).fold(sum ^ u32::from(byte), |sum, _| {
            (sum >> 1) ^ (0xEDB8_8320 & (sum & 1).wrapping_neg())
        })
    })
}

#[test]
fn too_many_pixels_are_refused_by_the_header() {
    let sized =
        |bytes: &[u8], start: usize, size: &[u8]| [&bytes[..start], size, &bytes[start + size.len()..]].concat();
    let frame = jpeg().windows(2).position(|pair| pair == [0xFF, 0xC0]).unwrap();
    let files = [
        png_header(60_000, 60_000),
        png_header(50_000, 50_000),
        png_header(11_000, 11_000),
        png_header(12_001, 10),
        sized(&jpeg(), frame + 5, &[0xFF; 4]),
        // The canvas of an animation determines its size.
        sized(fixture!("animated.webp"), 24, &[0xFF; 6]),
    ];
    for (index, file) in files.iter().enumerate() {
        let refusal = refusal(file);
        assert!(
            matches!(refusal, ArtworkError::TooManyPixels { .. }),
            "{index}: {refusal}"
        );
    }
}

#[test]
fn a_webp_whose_picture_is_larger_than_its_canvas_is_refused() {
    let mut bytes = fixture!("tilted.webp").to_vec();
    let start = bytes.windows(3).position(|code| code == [0x9D, 0x01, 0x2A]).unwrap();
    bytes[start + 3..start + 7].fill(0xFF);
    assert!(matches!(refusal(&bytes), ArtworkError::NotAnImage));
}

#[test]
fn a_file_that_is_not_an_image_is_refused() {
    for bytes in [
        &b""[..],
        b"\xFF\xD8\xFF",
        b"\xFF\xD8\xFF\xD9",
        b"RIFF\0\0\0\0WEBP",
        b"GIF89a\x01\0\x01\0",
        b"<svg xmlns='http://www.w3.org/2000/svg'/>",
        &png_header(9, 9),
        &png_header(0, 9),
    ] {
        assert!(matches!(refusal(bytes), ArtworkError::NotAnImage));
    }
}

#[test]
fn the_cost_of_decoding_is_known_from_the_header() {
    let pixels = u64::from(SIZE.0 * SIZE.1);
    let cost = |bytes: &[u8]| Header::read(Cursor::new(bytes)).unwrap().memory();
    assert_eq!(cost(&jpeg()), 2 * pixels);
    // Three components of 16 bits, two of them with a sample for every fourth pixel, and the luma.
    assert_eq!(cost(fixture!("progressive.jpg")), 4 * pixels);
    assert_eq!(cost(fixture!("cmyk.jpg")), 3 * pixels);
    assert_eq!(cost(fixture!("tilted.webp")), 7 * pixels);
    assert_eq!(cost(fixture!("transparent.webp")), 11 * pixels);
    assert_eq!(cost(&png_header(384, 288)), 2 * pixels);
}
