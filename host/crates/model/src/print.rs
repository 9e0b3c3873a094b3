//! Sizes a book can be printed in, and its printed pages: what a layout plugin describes and the printer works from.
use crate::Aspect;

/// One print format. Lengths are in micrometers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrintFormat {
    /// Lowercase with underscores: `us_letter`.
    pub id: String,
    /// For people.
    pub name: String,
    pub aspect: Aspect,
    pub trim_width_um: u32,
    pub trim_height_um: u32,
    pub bleed_um: u32,
    /// In pixels.
    pub recommended_width: u32,
    pub recommended_height: u32,
    /// A file of the layout's template folder, by its path from there.
    pub template: String,
}

/// One printed page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leaf {
    /// Lowercase with hyphens: names the template's function.
    pub kind: String,
    /// An index into the book's drawings, in range.
    pub drawing: Option<u32>,
    pub extra: Vec<(String, String)>,
}
