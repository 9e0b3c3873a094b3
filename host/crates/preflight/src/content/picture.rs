//! Pictures and their sizes.
use lopdf::{Dictionary, Document, ObjectId};

use crate::content::matrix::Matrix;
use crate::page::Rectangle;
use crate::pdf::{get, number};

/// A picture as it is placed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Picture {
    /// Nothing for one within the operators.
    pub(crate) id: Option<ObjectId>,
    /// In pixels.
    pub(crate) width: u32,
    pub(crate) height: u32,
    /// Pixels per inch along its two sides.
    pub(crate) ppi: (f64, f64),
    /// Where it lies on the page.
    pub(crate) bounds: Rectangle,
}

impl Picture {
    /// `unit` is how many points a unit of the page has. Nothing where no picture can be seen.
    pub(crate) fn placed(id: Option<ObjectId>, (width, height): (u32, u32), matrix: Matrix, unit: f64) -> Option<Self> {
        let (wide, high) = matrix.sides();
        let ppi = |pixels: u32, length: f64| f64::from(pixels) * 72.0 / (length * unit);
        let ppi = (ppi(width, wide), ppi(height, high));
        // One that has no size is not printed, and one of a single pixel is a color.
        let is_seen = ppi.0.is_finite() && ppi.1.is_finite() && u64::from(width) * u64::from(height) > 1;
        let [left, bottom, right, top] = matrix.bounds();
        is_seen.then_some(Self {
            id,
            width,
            height,
            ppi,
            bounds: Rectangle {
                left,
                bottom,
                right,
                top,
            },
        })
    }
}

/// How many pixels a picture has.
pub(crate) fn pixels(document: &Document, picture: &Dictionary) -> Option<(u32, u32)> {
    let length = |key| {
        let pixels = get(document, picture, key).and_then(number)?;
        // Larger ones are no pictures.
        (1.0..=1e9).contains(&pixels).then_some(pixels as u32)
    };
    Some((length("Width")?, length("Height")?))
}
