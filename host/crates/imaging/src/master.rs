//! Print masters: a picture as a one-image PDF, which is compressed once and embedded into books unchanged.
use image::ExtendedColorType;
use image::codecs::jpeg::JpegEncoder;
use linepress_model::Aspect;
use linepress_raster::{Bitmap, Gray, encode_group4};
use lopdf::{Document, Object, Stream, dictionary};

use crate::ArtworkError;

/// The resolution of a master when it is printed as large as any of our formats allows.
pub(crate) const DOTS_PER_INCH: u32 = 600;

/// The resolution of a master with tones. The printer screens tones, so half the resolution of lines is enough, and
/// printers ask for 300.
const TONE_DOTS_PER_INCH: u32 = DOTS_PER_INCH / 2;
/// The JPEG quality at which no artifacts are visible in print.
const TONE_QUALITY: u8 = 92;

/// The pixels of a bilevel master: 600 per inch on a page whose shorter side is 8 inches.
///
/// None of our pages leaves more room: US Letter without bleed has 7.875 inches between its margins.
pub(crate) fn master_pixels(aspect: Aspect) -> (u32, u32) {
    match aspect {
        Aspect::Square => (4800, 4800),
        Aspect::Portrait => (4800, 6400),
        Aspect::Landscape => (6400, 4800),
    }
}

/// The pixels of a master with tones: 300 per inch, but no more than the picture itself has, because interpolated
/// pixels would only make the file larger.
pub(crate) fn tone_pixels(picture: (u32, u32), aspect: Aspect) -> (u32, u32) {
    let (width, height) = master_pixels(aspect);
    let finest = f64::from(TONE_DOTS_PER_INCH) / f64::from(DOTS_PER_INCH);
    let own = (f64::from(picture.0) / f64::from(width)).max(f64::from(picture.1) / f64::from(height));
    let scale = own.min(finest);
    // The casts are of small positive numbers.
    let scaled = |pixels: u32| ((f64::from(pixels) * scale).round() as u32).max(1);
    (scaled(width), scaled(height))
}

/// Makes the master of a black and white drawing, which has as many pixels as [`master_pixels`].
pub(crate) fn line_master(bitmap: &Bitmap, aspect: Aspect) -> Result<Vec<u8>, ArtworkError> {
    let (width, height) = (i64::from(bitmap.width()), i64::from(bitmap.height()));
    let image = Stream::new(
        dictionary! {
            "Type" => "XObject", "Subtype" => "Image",
            "Width" => width, "Height" => height,
            "ColorSpace" => "DeviceGray", "BitsPerComponent" => 1,
            "Filter" => "CCITTFaxDecode",
            "DecodeParms" => dictionary! { "K" => -1, "Columns" => width, "Rows" => height },
        },
        encode_group4(bitmap),
    );
    page_of(image, aspect)
}

/// Makes the master of a picture with tones, such as a photograph: a gray JPEG, which preserves them.
pub(crate) fn tone_master(gray: &Gray, aspect: Aspect) -> Result<Vec<u8>, ArtworkError> {
    let mut jpeg = Vec::new();
    JpegEncoder::new_with_quality(&mut jpeg, TONE_QUALITY)
        .encode(&gray.pixels, gray.width, gray.height, ExtendedColorType::L8)
        .map_err(ArtworkError::processing)?;
    let image = Stream::new(
        dictionary! {
            "Type" => "XObject", "Subtype" => "Image",
            "Width" => i64::from(gray.width), "Height" => i64::from(gray.height),
            "ColorSpace" => "DeviceGray", "BitsPerComponent" => 8,
            "Filter" => "DCTDecode",
        },
        jpeg,
    );
    page_of(image, aspect)
}

/// Returns true when a print master has its beginning and its end. After a full disk or an interrupted copy, only the
/// beginning exists.
pub fn is_whole_master(bytes: &[u8]) -> bool {
    bytes.starts_with(b"%PDF-") && bytes.trim_ascii_end().ends_with(b"%%EOF")
}

/// Wraps an image into a PDF with one page, which the image fills.
fn page_of(image: Stream, aspect: Aspect) -> Result<Vec<u8>, ArtworkError> {
    let (width, height) = master_pixels(aspect);
    let points = |pixels: u32| pixels as f32 * 72.0 / DOTS_PER_INCH as f32;
    let mut document = Document::with_version("1.4");
    let image = document.add_object(image);
    let placed = format!("q {} 0 0 {} 0 0 cm /Drawing Do Q", points(width), points(height));
    let contents = document.add_object(Stream::new(dictionary! {}, placed.into_bytes()));
    let pages = document.new_object_id();
    let page = document.add_object(dictionary! {
        "Type" => "Page", "Parent" => pages, "Contents" => contents,
        "MediaBox" => vec![0.into(), 0.into(), Object::Real(points(width)), Object::Real(points(height))],
        "Resources" => dictionary! { "XObject" => dictionary! { "Drawing" => image } },
    });
    document.set_object(
        pages,
        dictionary! { "Type" => "Pages", "Kids" => vec![page.into()], "Count" => 1 },
    );
    let catalog = document.add_object(dictionary! { "Type" => "Catalog", "Pages" => pages });
    document.trailer.set("Root", catalog);
    let mut bytes = Vec::new();
    document.save_to(&mut bytes).map_err(ArtworkError::processing)?;
    Ok(bytes)
}
