//! The changes that turn Typst's PDF into a file that printing services accept.
//!
//! - Gray through an ICC profile prints as a mixture of all four inks; it becomes DeviceGray, which prints with black
//!   alone.
//! - Typst wraps a PDF that is used as an image in a transparency group, which printing services refuse. Nothing in it
//!   is transparent, so the group is removed.
//! - Every page gets boxes for its trim and its bleed. Templates draw the bleed on all four sides; where the printer
//!   wants none at the binding, the boxes end there.
//!
//! Streams, above all the compressed artwork, are not changed, except by [`cap_resolution`].
use std::collections::{BTreeMap, BTreeSet};

use lopdf::{Dictionary, Document, Object, ObjectId};

use crate::PrintError;
use crate::cap::cap_resolution;
use crate::job::{Edge, Header};

/// The boxes of the pages, in points.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Boxes {
    trim: (f32, f32),
    bleed: f32,
    /// The edge of the first page at which the sheet ends without bleed.
    bound: Option<Edge>,
}

impl Boxes {
    pub(crate) fn of(header: &Header) -> Self {
        Self::new(
            header.trim_width_um,
            header.trim_height_um,
            header.bleed_um,
            header.bound,
        )
    }

    fn new(trim_width_um: u32, trim_height_um: u32, bleed_um: u32, bound: Option<Edge>) -> Self {
        // An inch has 72 points and 25400 micrometers; halved, every step is exact to a thousandth of a point.
        let points = |micrometers: u32| (f64::from(micrometers) * 72.0 / 25_400.0 * 1000.0).round() as f32 / 1000.0;
        Self {
            trim: (points(trim_width_um), points(trim_height_um)),
            bleed: points(bleed_um),
            bound,
        }
    }

    /// The sheet of a page, given its number from 1.
    fn media(self, number: u32) -> Object {
        let is_odd = !number.is_multiple_of(2);
        let is_bound = |edge: Edge| self.bound.is_some_and(|first| (first == edge) == is_odd);
        let cut = |edge| if is_bound(edge) { self.bleed } else { 0.0 };
        let width = self.trim.0 + 2.0 * self.bleed;
        let height = self.trim.1 + 2.0 * self.bleed;
        rectangle(cut(Edge::Left), 0.0, width - cut(Edge::Right), height)
    }

    fn trimmed(self) -> Object {
        rectangle(
            self.bleed,
            self.bleed,
            self.bleed + self.trim.0,
            self.bleed + self.trim.1,
        )
    }
}

fn rectangle(left: f32, bottom: f32, right: f32, top: f32) -> Object {
    Object::Array([left, bottom, right, top].map(Object::Real).to_vec())
}

/// Prepares a typeset PDF for printing. `most_ppi` is the highest resolution at which a drawing may be printed.
pub(crate) fn finish(pdf: &[u8], boxes: Boxes, most_ppi: Option<u32>) -> Result<Vec<u8>, PrintError> {
    let mut document = Document::load_mem(pdf).map_err(PrintError::Finishing)?;
    if let Some(most_ppi) = most_ppi {
        cap_resolution(&mut document, most_ppi);
    }
    let gray = gray_profiles(&document);
    let pages: BTreeMap<ObjectId, u32> = document.page_iter().zip(1..).collect();
    for (id, object) in &mut document.objects {
        replace_gray(object, &gray);
        let Some(dictionary) = dictionary_mut(object) else {
            continue;
        };
        drop_transparency_group(dictionary);
        if let Some(&number) = pages.get(id) {
            set_boxes(dictionary, boxes, number);
        }
    }
    set_producer(&mut document);
    document.prune_objects();
    let mut finished = Vec::with_capacity(pdf.len());
    document
        .save_to(&mut finished)
        .map_err(|error| PrintError::Finishing(error.into()))?;
    Ok(finished)
}

/// The ids of the ICC profiles with one color component, which is gray.
fn gray_profiles(document: &Document) -> BTreeSet<ObjectId> {
    let components = |object: &Object| {
        object
            .as_stream()
            .ok()
            .and_then(|stream| stream.dict.get(b"N").and_then(Object::as_i64).ok())
    };
    document
        .objects
        .iter()
        .filter(|(_, object)| components(object) == Some(1))
        .map(|(&id, _)| id)
        .collect()
}

/// Replaces `[/ICCBased profile]` by `/DeviceGray` everywhere in the object.
fn replace_gray(object: &mut Object, gray: &BTreeSet<ObjectId>) {
    if let Object::Array(items) = object
        && let [Object::Name(name), Object::Reference(profile)] = items.as_slice()
        && name == b"ICCBased"
        && gray.contains(profile)
    {
        *object = Object::Name(b"DeviceGray".to_vec());
        return;
    }
    match object {
        Object::Array(items) => items.iter_mut().for_each(|item| replace_gray(item, gray)),
        Object::Dictionary(dictionary) => dictionary.iter_mut().for_each(|(_, value)| replace_gray(value, gray)),
        Object::Stream(stream) => stream.dict.iter_mut().for_each(|(_, value)| replace_gray(value, gray)),
        _ => {}
    }
}

fn dictionary_mut(object: &mut Object) -> Option<&mut Dictionary> {
    match object {
        Object::Dictionary(dictionary) => Some(dictionary),
        Object::Stream(stream) => Some(&mut stream.dict),
        _ => None,
    }
}

fn drop_transparency_group(dictionary: &mut Dictionary) {
    let is_transparency = |group: &Object| {
        group
            .as_dict()
            .and_then(|group| group.get(b"S"))
            .and_then(Object::as_name)
            .is_ok_and(|name| name == b"Transparency")
    };
    if dictionary.get(b"Group").is_ok_and(is_transparency) {
        dictionary.remove(b"Group");
    }
}

fn set_boxes(page: &mut Dictionary, boxes: Boxes, number: u32) {
    for name in ["MediaBox", "CropBox", "BleedBox"] {
        page.set(name, boxes.media(number));
    }
    page.set("TrimBox", boxes.trimmed());
    page.remove(b"ArtBox");
}

fn set_producer(document: &mut Document) {
    let producer = Object::string_literal(concat!("Linepress ", env!("CARGO_PKG_VERSION")));
    let Ok(information) = document.trailer.get(b"Info").and_then(Object::as_reference) else {
        return;
    };
    if let Ok(dictionary) = document.get_dictionary_mut(information) {
        dictionary.set("Producer", producer);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The left and the right edge of a sheet.
    fn edges(boxes: Boxes, number: u32) -> (f32, f32) {
        let Object::Array(corners) = boxes.media(number) else {
            panic!("a box is an array")
        };
        (corners[0].as_float().unwrap(), corners[2].as_float().unwrap())
    }

    #[test]
    fn a_sheet_ends_at_the_binding_which_alternates_between_the_pages() {
        let of = |bound| Boxes::new(152_400, 228_600, 3_175, bound);
        assert_eq!([1, 2].map(|page| edges(of(None), page)), [(0.0, 450.0); 2]);
        assert_eq!(
            [1, 2, 3].map(|page| edges(of(Some(Edge::Left)), page)),
            [(9.0, 450.0), (0.0, 441.0), (9.0, 450.0)]
        );
        assert_eq!(
            [1, 2].map(|page| edges(of(Some(Edge::Right)), page)),
            [(0.0, 441.0), (9.0, 450.0)]
        );
    }
}
