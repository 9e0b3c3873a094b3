//! Pages, their boxes, and their inherited properties.
use lopdf::{Dictionary, Document, Object, Stream};

use linepress_printers::Size;

use crate::pdf::{array, as_dictionary, dictionary, get, number, numbers, resolve};

/// The maximum number of levels of a page tree that are searched for an inherited property.
const MAX_TREE_DEPTH: usize = 64;
/// The largest coordinate of a page. PDF allows 14,400 points, or more with a user unit.
const MAX_COORDINATE: f64 = 1_000_000.0;

/// A rectangle in units of the page, which are points unless the page has a user unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Rectangle {
    pub(crate) left: f64,
    pub(crate) bottom: f64,
    pub(crate) right: f64,
    pub(crate) top: f64,
}

impl Rectangle {
    /// The smallest rectangle around both.
    pub(crate) fn around(&self, other: &Self) -> Self {
        Self {
            left: self.left.min(other.left),
            bottom: self.bottom.min(other.bottom),
            right: self.right.max(other.right),
            top: self.top.max(other.top),
        }
    }

    fn new([x0, y0, x1, y1]: [f64; 4]) -> Option<Self> {
        let rectangle = Self {
            left: x0.min(x1),
            bottom: y0.min(y1),
            right: x0.max(x1),
            top: y0.max(y1),
        };
        let is_paper = [x0, y0, x1, y1].iter().all(|number| number.abs() <= MAX_COORDINATE)
            && rectangle.right > rectangle.left
            && rectangle.top > rectangle.bottom;
        is_paper.then_some(rectangle)
    }

    /// Returns true when the other rectangle lies within this one, with a tolerance of a hundredth of a point.
    pub(crate) fn encloses(&self, other: &Self) -> bool {
        const TOLERANCE: f64 = 0.01;
        self.left <= other.left + TOLERANCE
            && self.bottom <= other.bottom + TOLERANCE
            && self.right >= other.right - TOLERANCE
            && self.top >= other.top - TOLERANCE
    }

    pub(crate) fn has(&self, (x, y): (f64, f64)) -> bool {
        (self.left..=self.right).contains(&x) && (self.bottom..=self.top).contains(&y)
    }

    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        self.left < other.right && other.left < self.right && self.bottom < other.top && other.bottom < self.top
    }

    pub(crate) fn intersection(&self, other: &Self) -> Option<Self> {
        Self::new([
            self.left.max(other.left),
            self.bottom.max(other.bottom),
            self.right.min(other.right),
            self.top.min(other.top),
        ])
        .filter(|_| self.overlaps(other))
    }
}

/// A page with its inherited properties.
pub(crate) struct Page<'a> {
    /// The number of the page, counted from 1.
    pub(crate) number: u32,
    pub(crate) dictionary: &'a Dictionary,
    pub(crate) resources: Option<&'a Dictionary>,
    /// The MediaBox, or `None` where it is missing or invalid.
    pub(crate) media: Option<Rectangle>,
    pub(crate) crop: Option<Rectangle>,
    pub(crate) bleed: Option<Rectangle>,
    pub(crate) trim: Option<Rectangle>,
    /// The clockwise rotation in degrees.
    pub(crate) rotation: f64,
    /// The number of points in a unit.
    pub(crate) unit: f64,
}

impl<'a> Page<'a> {
    pub(crate) fn new(document: &'a Document, number: u32, dictionary: &'a Dictionary) -> Self {
        let inherited = |key| inherited(document, dictionary, key);
        let rectangle = |object: &Object| {
            let corners = object.as_array().ok()?;
            Rectangle::new(numbers(document, corners)?)
        };
        let own = |key| get(document, dictionary, key).and_then(rectangle);
        Self {
            number,
            dictionary,
            resources: inherited("Resources").and_then(as_dictionary),
            media: inherited("MediaBox").and_then(rectangle),
            crop: inherited("CropBox").and_then(rectangle),
            bleed: own("BleedBox"),
            trim: own("TrimBox"),
            rotation: inherited("Rotate").and_then(self::number).unwrap_or_default(),
            unit: get(document, dictionary, "UserUnit")
                .and_then(self::number)
                .filter(|unit| (0.001..=MAX_COORDINATE).contains(unit))
                .unwrap_or(1.0),
        }
    }

    /// The part of the page that is printed: the MediaBox, cropped to the CropBox.
    pub(crate) fn sheet(&self) -> Option<Rectangle> {
        let media = self.media?;
        match self.crop {
            Some(crop) => media.intersection(&crop),
            None => Some(media),
        }
    }

    /// The size of the printed page after rotation, in micrometers.
    pub(crate) fn sheet_size(&self) -> Option<Size> {
        Some(self.size_of(&self.sheet()?))
    }

    /// The trimmed size that the page declares, where that differs from the whole sheet.
    pub(crate) fn stated_trim(&self) -> Option<Size> {
        let trim = self.size_of(&self.trim?);
        let sheet = self.sheet_size()?;
        (!trim.is_near(sheet, linepress_printers::TOLERANCE)).then_some(trim)
    }

    fn size_of(&self, rectangle: &Rectangle) -> Size {
        // At most 1e9 micrometers, so the cast is exact.
        let micrometers = |points: f64| (points * self.unit * 25_400.0 / 72.0).round().min(1e9) as u32;
        let width = micrometers(rectangle.right - rectangle.left);
        let height = micrometers(rectangle.top - rectangle.bottom);
        match self.rotation.rem_euclid(180.0) {
            90.0 => Size {
                width: height,
                height: width,
            },
            _ => Size { width, height },
        }
    }

    /// The content streams, with `None` for each that is missing.
    pub(crate) fn contents(&self, document: &'a Document) -> Vec<Option<&'a Stream>> {
        let stream = |object: &'a Object| resolve(document, object).and_then(|object| object.as_stream().ok());
        match get(document, self.dictionary, "Contents") {
            None => Vec::new(),
            Some(Object::Array(parts)) => parts.iter().map(stream).collect(),
            Some(object) => vec![object.as_stream().ok()],
        }
    }

    /// Returns true when the page is a transparency group.
    pub(crate) fn is_transparency_group(&self, document: &Document) -> bool {
        dictionary(document, self.dictionary, "Group").is_some_and(|group| is_transparency(document, group))
    }

    pub(crate) fn annotations(&self, document: &'a Document) -> &'a [Object] {
        array(document, self.dictionary, "Annots").unwrap_or_default()
    }
}

pub(crate) fn is_transparency(document: &Document, group: &Dictionary) -> bool {
    crate::pdf::name(document, group, "S") == Some(b"Transparency")
}

fn inherited<'a>(document: &'a Document, page: &'a Dictionary, key: &str) -> Option<&'a Object> {
    let mut node = page;
    for _ in 0..MAX_TREE_DEPTH {
        if let Some(object) = get(document, node, key) {
            return Some(object);
        }
        node = dictionary(document, node, "Parent")?;
    }
    None
}
