//! The upper limit on the resolution of printed drawings.
//!
//! The print master of a drawing is made once, for the largest page size. On a smaller page it can have more pixels per
//! inch than a printing service accepts. The service would then reduce it to gray, so we reduce it here and keep it
//! bilevel.
use std::collections::BTreeMap;

use linepress_preflight::{Placement, placements};
use linepress_raster::{decode_group4, encode_group4};
use lopdf::{Dictionary, Document, Object, ObjectId, Stream, dictionary};

/// The lower bound on a picture's resolution where it is placed largest, as a share of the printer's limit. One picture
/// can be placed several times; a much smaller copy must not make the largest one coarser than this.
const MIN_RESOLUTION_SHARE: f64 = 0.5;
/// The longest side of a picture that is reduced. A larger picture cannot be one of our print masters.
const MAX_SIDE_PIXELS: u32 = 20_000;

/// Reduces each Group 4 picture that is placed with more than `most_ppi` pixels per inch.
pub(crate) fn cap_resolution(document: &mut Document, most_ppi: u32) {
    // Our own pages never exceed the limits of `placements`. The pages of a template may; then their pictures stay as
    // they are.
    let placements: BTreeMap<ObjectId, Placement> = placements(document).unwrap_or_default();
    let most = f64::from(most_ppi);
    for (id, placement) in placements {
        let scale = (
            remaining_share(most, placement.largest.0, placement.smallest.0),
            remaining_share(most, placement.largest.1, placement.smallest.1),
        );
        if scale.0 >= 1.0 && scale.1 >= 1.0 {
            continue;
        }
        if let Some(Object::Stream(stream)) = document.objects.get_mut(&id)
            && let Some(reduced) = reduced(stream, scale)
        {
            *stream = reduced;
        }
    }
}

/// The share of its pixels that a picture keeps along one side, at most 1. All arguments are in pixels per inch.
fn remaining_share(most: f64, largest: f64, smallest: f64) -> f64 {
    (most / largest).max(MIN_RESOLUTION_SHARE * most / smallest).min(1.0)
}

/// Returns the picture with fewer pixels, or `None` when it is not encoded like a print master.
fn reduced(stream: &Stream, scale: (f64, f64)) -> Option<Stream> {
    let (width, height) = group4_size(&stream.dict)?;
    // Rounded down, so that the result never exceeds the printer's limit. The cast is of a positive number.
    let scaled = |pixels: u32, scale: f64| ((f64::from(pixels) * scale + 1e-6).floor() as u32).clamp(1, pixels);
    let (narrow, low) = (scaled(width, scale.0), scaled(height, scale.1));
    let bitmap = decode_group4(&stream.content, width, height)?.reduced(narrow, low);
    let mut dict = stream.dict.clone();
    dict.set("Width", i64::from(narrow));
    dict.set("Height", i64::from(low));
    dict.set("Filter", "CCITTFaxDecode");
    let mut parameters = dictionary! { "K" => -1, "Columns" => i64::from(narrow), "Rows" => i64::from(low) };
    if let Some(black_is_1) = parameters_of(&stream.dict).and_then(|old| old.get(b"BlackIs1").ok()) {
        parameters.set("BlackIs1", black_is_1.clone());
    }
    dict.set("DecodeParms", parameters);
    Some(Stream::new(dict, encode_group4(&bitmap)).with_compression(false))
}

/// The width and height in pixels of a picture that is a single Group 4 strip, or `None` for any other encoding.
fn group4_size(dict: &Dictionary) -> Option<(u32, u32)> {
    let filter = match dict.get(b"Filter").ok()? {
        Object::Array(filters) => single_item(filters)?,
        filter => filter,
    };
    let parameters = parameters_of(dict)?;
    let is = |key: &[u8], expected: bool| {
        parameters
            .get(key)
            .and_then(Object::as_bool)
            .is_ok_and(|value| value == expected)
    };
    let is_group4 = filter.as_name().ok()? == b"CCITTFaxDecode"
        && parameters.get(b"K").and_then(Object::as_i64).ok()? < 0
        && !is(b"EncodedByteAlign", true)
        && !is(b"EndOfLine", true);
    let pixels = |dict: &Dictionary, key: &[u8]| {
        let pixels = dict.get(key).and_then(Object::as_i64).ok()?;
        u32::try_from(pixels)
            .ok()
            .filter(|pixels| (1..=MAX_SIDE_PIXELS).contains(pixels))
    };
    let (width, height) = (pixels(dict, b"Width")?, pixels(dict, b"Height")?);
    (is_group4 && pixels(parameters, b"Columns")? == width).then_some((width, height))
}

fn parameters_of(dict: &Dictionary) -> Option<&Dictionary> {
    match dict.get(b"DecodeParms").ok()? {
        Object::Array(parameters) => single_item(parameters)?.as_dict().ok(),
        parameters => parameters.as_dict().ok(),
    }
}

/// Returns the item of a list that has exactly one.
fn single_item(items: &[Object]) -> Option<&Object> {
    match items {
        [item] => Some(item),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use linepress_raster::{Bitmap, Gray};

    use super::*;

    /// Returns a document of one page, and its picture: a disc of 1200 x 800 pixels that `content` places.
    fn page(content: &str) -> (Document, ObjectId) {
        let (width, height) = (1200_u32, 800_u32);
        let inside = |x: u32, y: u32| (f64::from(x) - 600.0).hypot(f64::from(y) - 400.0) < 300.0;
        let pixels = (0..height).flat_map(|y| (0..width).map(move |x| if inside(x, y) { 0 } else { 255 }));
        let bitmap = Bitmap::threshold(&Gray::new(width, height, pixels.collect()), 128);
        let mut document = Document::with_version("1.4");
        let image = document.add_object(Stream::new(
            dictionary! {
                "Type" => "XObject", "Subtype" => "Image", "Width" => i64::from(width), "Height" => i64::from(height),
                "ColorSpace" => "DeviceGray", "BitsPerComponent" => 1, "Filter" => "CCITTFaxDecode",
                "DecodeParms" => dictionary! { "K" => -1, "Columns" => i64::from(width), "Rows" => i64::from(height) },
            },
            encode_group4(&bitmap),
        ));
        let content = document.add_object(Stream::new(dictionary! {}, content.as_bytes().to_vec()));
        let pages = document.new_object_id();
        let page = document.add_object(dictionary! {
            "Type" => "Page", "Parent" => pages, "Contents" => content,
            "MediaBox" => vec![0.into(), 0.into(), 612.into(), 792.into()],
            "Resources" => dictionary! { "XObject" => dictionary! { "Disc" => image } },
        });
        let kids = dictionary! { "Type" => "Pages", "Kids" => vec![page.into()], "Count" => 1 };
        document.set_object(pages, kids);
        let catalog = document.add_object(dictionary! { "Type" => "Catalog", "Pages" => pages });
        document.trailer.set("Root", catalog);
        (document, image)
    }

    /// The pixels of the picture, and the share of them that is ink.
    fn picture(document: &Document, id: ObjectId) -> ((u32, u32), f64) {
        let stream = document.get_object(id).and_then(Object::as_stream).unwrap();
        let (width, height) = group4_size(&stream.dict).unwrap();
        let gray = decode_group4(&stream.content, width, height)
            .unwrap()
            .shrunk(width, height);
        let ink = gray.pixels.iter().filter(|&&pixel| pixel == 0).count();
        ((width, height), ink as f64 / gray.pixels.len() as f64)
    }

    #[test]
    fn a_picture_that_is_printed_too_fine_is_reduced_to_the_limit() {
        // 96 x 96 points: 900 and 600 ppi.
        let (mut document, image) = page("q 96 0 0 96 72 72 cm /Disc Do Q");
        let (_, before) = picture(&document, image);
        cap_resolution(&mut document, 600);
        let (pixels, after) = picture(&document, image);
        assert_eq!(pixels, (800, 800));
        assert!((before - after).abs() < 0.002, "{before} {after}");
        let placed = placements(&document).unwrap()[&image];
        assert_eq!(placed.largest, (600.0, 600.0));
        // A picture within the limit stays as it is.
        let finished = document.get_object(image).unwrap().clone();
        cap_resolution(&mut document, 600);
        assert_eq!(document.get_object(image).unwrap(), &finished);
    }

    #[test]
    fn a_picture_that_is_turned_is_reduced_along_its_own_sides() {
        let (mut document, image) = page("q 0 144 -96 0 400 72 cm /Disc Do Q");
        cap_resolution(&mut document, 300);
        assert_eq!(picture(&document, image).0, (600, 400));
    }

    #[test]
    fn a_small_copy_does_not_spoil_the_large_one() {
        let (mut document, image) = page("q 144 0 0 96 0 0 cm /Disc Do Q q 14.4 0 0 9.6 300 300 cm /Disc Do Q");
        cap_resolution(&mut document, 600);
        assert_eq!(picture(&document, image).0, (600, 400));
    }
}
