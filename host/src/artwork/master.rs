//! A drawing as a one-image PDF: bilevel, compressed once, embedded into books as it is.
use linepress_raster::{Bitmap, encode_group4};
use lopdf::{Document, Object, Stream, dictionary};

use super::{ArtworkError, Aspect};

/// How fine a master is where it is printed as large as any of our formats can.
const DOTS_PER_INCH: u32 = 600;

/// The pixels of a master: 600 to the inch on a page whose shorter side is 8 inches.
///
/// No page that we print leaves more room: US Letter without bleed has 7.875 inches between its margins.
pub(super) fn master_pixels(aspect: Aspect) -> (u32, u32) {
    match aspect {
        Aspect::Square => (4800, 4800),
        Aspect::Portrait => (4800, 6400),
        Aspect::Landscape => (6400, 4800),
    }
}

/// Wraps a drawing into a PDF of one page that it fills.
pub(super) fn master(bitmap: &Bitmap) -> Result<Vec<u8>, ArtworkError> {
    let (width, height) = (bitmap.width(), bitmap.height());
    let points = |pixels: u32| pixels as f32 * 72.0 / DOTS_PER_INCH as f32;
    let mut document = Document::with_version("1.4");
    let image = document.add_object(Stream::new(
        dictionary! {
            "Type" => "XObject", "Subtype" => "Image",
            "Width" => i64::from(width), "Height" => i64::from(height),
            "ColorSpace" => "DeviceGray", "BitsPerComponent" => 1,
            "Filter" => "CCITTFaxDecode",
            "DecodeParms" => dictionary! { "K" => -1, "Columns" => i64::from(width), "Rows" => i64::from(height) },
        },
        encode_group4(bitmap),
    ));
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
