//! Print masters: a picture as a one-image PDF, which is compressed once and embedded into books unchanged.
use image::ExtendedColorType;
use image::codecs::jpeg::JpegEncoder;
use linepress_model::{Aspect, master_catalog};
use linepress_raster::{Bitmap, Colors, Gray, encode_group4};
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

/// The place of a picture in color on the front of its book.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Front {
    /// The picture fills the front and its bleed, under the title, and may be cropped.
    Filled,
    /// The picture is printed whole, next to the title.
    Framed,
}

/// The pixels of a master in color, which is printed at 300 per inch.
///
/// A front that its picture fills has up to 11.94 inches along its longer side: those of A4 with its bleed.
pub(crate) fn color_pixels(aspect: Aspect, front: Front) -> (u32, u32) {
    let (width, height) = master_pixels(aspect);
    match front {
        Front::Framed => (width / 2, height / 2),
        Front::Filled => (width / 16 * 9, height / 16 * 9),
    }
}

/// Makes the master of a cover in color: a page in sRGB, then the same in gray.
pub(crate) fn color_master(
    colors: &Colors,
    gray: &Gray,
    ground: [u8; 3],
    aspect: Aspect,
    front: Front,
) -> Result<Vec<u8>, ArtworkError> {
    let jpeg = |pixels: &[u8], kind: ExtendedColorType| {
        let mut jpeg = Vec::new();
        JpegEncoder::new_with_quality(&mut jpeg, TONE_QUALITY)
            .encode(pixels, colors.width, colors.height, kind)
            .map_err(ArtworkError::processing)?;
        Ok::<_, ArtworkError>(jpeg)
    };
    let image = |space: &str, jpeg: Vec<u8>| {
        Stream::new(
            dictionary! {
                "Type" => "XObject", "Subtype" => "Image",
                "Width" => i64::from(colors.width), "Height" => i64::from(colors.height),
                "ColorSpace" => space, "BitsPerComponent" => 8,
                "Filter" => "DCTDecode",
            },
            jpeg,
        )
    };
    let pages = vec![
        image("DeviceRGB", jpeg(colors.bytes(), ExtendedColorType::Rgb8)?),
        image("DeviceGray", jpeg(&gray.pixels, ExtendedColorType::L8)?),
    ];
    let ground: Vec<Object> = ground.into_iter().map(|value| i64::from(value).into()).collect();
    let mut entries = vec![(master_catalog::GROUND, Object::Array(ground))];
    if front == Front::Filled {
        entries.push((master_catalog::FILLS_FRONT, true.into()));
    }
    pages_of(pages, aspect, entries)
}

/// Returns true when a print master has its beginning and its end. After a full disk or an interrupted copy, only the
/// beginning exists.
pub fn is_whole_master(bytes: &[u8]) -> bool {
    bytes.starts_with(b"%PDF-") && bytes.trim_ascii_end().ends_with(b"%%EOF")
}

/// Wraps an image into a PDF with one page, which the image fills.
fn page_of(image: Stream, aspect: Aspect) -> Result<Vec<u8>, ArtworkError> {
    pages_of(vec![image], aspect, Vec::new())
}

/// Wraps images into a PDF with a page for each, and adds entries to its catalog.
fn pages_of(images: Vec<Stream>, aspect: Aspect, entries: Vec<(&str, Object)>) -> Result<Vec<u8>, ArtworkError> {
    let (width, height) = master_pixels(aspect);
    let points = |pixels: u32| pixels as f32 * 72.0 / DOTS_PER_INCH as f32;
    let mut document = Document::with_version("1.4");
    let mut kids: Vec<Object> = Vec::new();
    let mut pages = None;
    for image in images {
        let image = document.add_object(image);
        let placed = format!("q {} 0 0 {} 0 0 cm /Drawing Do Q", points(width), points(height));
        let contents = document.add_object(Stream::new(dictionary! {}, placed.into_bytes()));
        let pages = *pages.get_or_insert_with(|| document.new_object_id());
        let page = document.add_object(dictionary! {
            "Type" => "Page", "Parent" => pages, "Contents" => contents,
            "MediaBox" => vec![0.into(), 0.into(), Object::Real(points(width)), Object::Real(points(height))],
            "Resources" => dictionary! { "XObject" => dictionary! { "Drawing" => image } },
        });
        kids.push(page.into());
    }
    let pages = pages.unwrap_or_else(|| document.new_object_id());
    // The cast is of the number of pages, which is 1 or 2.
    let count = kids.len() as i64;
    document.set_object(
        pages,
        dictionary! { "Type" => "Pages", "Kids" => kids, "Count" => count },
    );
    let mut catalog = dictionary! { "Type" => "Catalog", "Pages" => pages };
    for (key, value) in entries {
        catalog.set(key, value);
    }
    let catalog = document.add_object(catalog);
    document.trailer.set("Root", catalog);
    let mut bytes = Vec::new();
    document.save_to(&mut bytes).map_err(ArtworkError::processing)?;
    Ok(bytes)
}
