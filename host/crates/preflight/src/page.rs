//! Pages, their boxes, and what they inherit.
use lopdf::{Dictionary, Document, Object, Stream};

use linepress_printers::Size;

use crate::pdf::{array, as_dictionary, dictionary, get, number, numbers, resolve};

/// How many levels a tree of pages may have.
const MOST_LEVELS: usize = 64;
/// Farther from the origin nothing is paper: 14,400 points are the most that a PDF may have, in units of one's own more.
const FARTHEST: f64 = 1_000_000.0;

/// A rectangle in points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Rectangle {
    pub(crate) left: f64,
    pub(crate) bottom: f64,
    pub(crate) right: f64,
    pub(crate) top: f64,
}

impl Rectangle {
    /// The least rectangle around both.
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
        let is_paper = [x0, y0, x1, y1].iter().all(|number| number.abs() <= FARTHEST)
            && rectangle.right > rectangle.left
            && rectangle.top > rectangle.bottom;
        is_paper.then_some(rectangle)
    }

    /// Whether the other one lies within, or sticks out by less than a hundredth of a point.
    pub(crate) fn holds(&self, other: &Self) -> bool {
        const TOLERANCE: f64 = 0.01;
        self.left <= other.left + TOLERANCE
            && self.bottom <= other.bottom + TOLERANCE
            && self.right >= other.right - TOLERANCE
            && self.top >= other.top - TOLERANCE
    }

    pub(crate) fn has(&self, (x, y): (f64, f64)) -> bool {
        (self.left..=self.right).contains(&x) && (self.bottom..=self.top).contains(&y)
    }

    pub(crate) fn meets(&self, other: &Self) -> bool {
        self.left < other.right && other.left < self.right && self.bottom < other.top && other.bottom < self.top
    }

    pub(crate) fn common(&self, other: &Self) -> Option<Self> {
        Self::new([
            self.left.max(other.left),
            self.bottom.max(other.bottom),
            self.right.min(other.right),
            self.top.min(other.top),
        ])
        .filter(|_| self.meets(other))
    }
}

/// A page with all that it inherits.
pub(crate) struct Page<'a> {
    /// Counted from one.
    pub(crate) number: u32,
    pub(crate) dictionary: &'a Dictionary,
    pub(crate) resources: Option<&'a Dictionary>,
    /// Nothing where it is missing or no rectangle.
    pub(crate) media: Option<Rectangle>,
    pub(crate) crop: Option<Rectangle>,
    pub(crate) bleed: Option<Rectangle>,
    pub(crate) trim: Option<Rectangle>,
    /// Clockwise, in degrees.
    pub(crate) rotation: f64,
    /// Points in a unit.
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
                .filter(|unit| (0.001..=FARTHEST).contains(unit))
                .unwrap_or(1.0),
        }
    }

    /// What of the page is handed to the printer.
    pub(crate) fn sheet(&self) -> Option<Rectangle> {
        let media = self.media?;
        match self.crop {
            Some(crop) => media.common(&crop),
            None => Some(media),
        }
    }

    /// Its size as it is printed: turned, and in micrometers.
    pub(crate) fn sheet_size(&self) -> Option<Size> {
        Some(self.size_of(&self.sheet()?))
    }

    /// The size that the page says it is trimmed to, where that is not the whole sheet.
    pub(crate) fn stated_trim(&self) -> Option<Size> {
        let trim = self.size_of(&self.trim?);
        let sheet = self.sheet_size()?;
        (!trim.is_near(sheet, linepress_printers::TOLERANCE)).then_some(trim)
    }

    fn size_of(&self, rectangle: &Rectangle) -> Size {
        // At most 4 billion micrometers: a cast stops there.
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

    /// The streams of its operators; nothing in place of those that are not there.
    pub(crate) fn contents(&self, document: &'a Document) -> Vec<Option<&'a Stream>> {
        let stream = |object: &'a Object| resolve(document, object).and_then(|object| object.as_stream().ok());
        match get(document, self.dictionary, "Contents") {
            None => Vec::new(),
            Some(Object::Array(parts)) => parts.iter().map(stream).collect(),
            Some(object) => vec![object.as_stream().ok()],
        }
    }

    /// Whether it stands for more than its content: how its parts are mixed.
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
    for _ in 0..MOST_LEVELS {
        if let Some(object) = get(document, node, key) {
            return Some(object);
        }
        node = dictionary(document, node, "Parent")?;
    }
    None
}
