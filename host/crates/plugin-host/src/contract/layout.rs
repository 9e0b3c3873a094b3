//! The exchange with layouts.
use linepress_model::{Aspect, Audience, PrintFormat};

/// A layout's description of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LayoutDescription {
    pub id: String,
    /// The display name.
    pub name: String,
    pub version: String,
    /// The preferred format first. At least one; ids are unique.
    pub formats: Vec<PrintFormat>,
}

/// The properties of a book that are sent to a layout.
#[derive(Clone, Debug)]
pub struct LayoutBook {
    pub title: String,
    pub subtitle: String,
    pub author: String,
    pub description: String,
    pub audience: Audience,
    pub aspect: Aspect,
    pub has_cover: bool,
    pub drawings: Vec<LayoutDrawing>,
    /// A BCP 47 language tag.
    pub language: String,
    /// Print options: names and values that the contract defines.
    pub extra: Vec<(String, String)>,
}

/// The texts for one drawing of the book.
#[derive(Clone, Debug)]
pub struct LayoutDrawing {
    pub title: String,
    pub caption: String,
}
