//! Print formats of a book and its printed pages, which a layout plugin describes and the printer works from.
use crate::Aspect;

/// One print format. Lengths are in micrometers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PrintFormat {
    /// Lowercase letters, digits and underscores, for example `us_letter`.
    pub id: String,
    /// The name that customers see.
    pub name: String,
    pub aspect: Aspect,
    pub trim_width_um: u32,
    pub trim_height_um: u32,
    pub bleed_um: u32,
    pub margins: FormatMargins,
    /// The recommended size of an image, in pixels.
    pub recommended_width: u32,
    pub recommended_height: u32,
    /// Path of the template file, relative to the layout's template folder.
    pub template: String,
}

/// The least distances of drawings and text from the trimmed edges, where a format asks for more than its printer does.
/// In micrometers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FormatMargins {
    /// The margin at the binding.
    pub inner_um: u32,
    pub outer_um: u32,
    pub top_um: u32,
    pub bottom_um: u32,
}

/// One printed page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leaf {
    /// Lowercase with hyphens; the name of the template's function.
    pub kind: String,
    /// A valid index into the book's drawings. None for a page without a drawing.
    pub drawing: Option<u32>,
    pub extra: Vec<(String, String)>,
}
