//! Placed pictures and their resolution.
use lopdf::{Dictionary, Document, ObjectId};

use crate::content::matrix::Matrix;
use crate::page::Rectangle;
use crate::pdf::{get, number};

/// A picture as it is placed on a page.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Picture {
    /// `None` for an inline picture.
    pub(crate) id: Option<ObjectId>,
    /// The width in pixels.
    pub(crate) width: u32,
    pub(crate) height: u32,
    /// Pixels per inch along the width and the height.
    pub(crate) ppi: (f64, f64),
    /// The bounds of the visible part of the picture on the page.
    pub(crate) bounds: Rectangle,
}

impl Picture {
    /// Returns the placed picture, or `None` where nothing of it is visible. `unit` is the number of points in a unit
    /// of the page.
    pub(crate) fn placed(id: Option<ObjectId>, (width, height): (u32, u32), matrix: Matrix, unit: f64) -> Option<Self> {
        let (wide, high) = matrix.sides();
        let ppi = |pixels: u32, length: f64| f64::from(pixels) * 72.0 / (length * unit);
        let ppi = (ppi(width, wide), ppi(height, high));
        // A picture without a size on the page is invisible, and a picture of a single pixel is a color.
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

/// The width and height of a picture in pixels.
pub(crate) fn pixels(document: &Document, picture: &Dictionary) -> Option<(u32, u32)> {
    let length = |key| {
        let pixels = get(document, picture, key).and_then(number)?;
        // A larger number is an error in the file.
        (1.0..=1e9).contains(&pixels).then_some(pixels as u32)
    };
    Some((length("Width")?, length("Height")?))
}
