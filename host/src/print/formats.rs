//! Print formats and leaves, as a layout plugin names them.
use crate::artwork::Aspect;

/// A size of paper that a layout can print. Lengths are in micrometers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrintFormat {
    pub id: String,
    pub name: String,
    pub aspect: Aspect,
    pub trim_width_um: u32,
    pub trim_height_um: u32,
    /// How far ink may run past each trimmed edge; 0 for none.
    pub bleed_um: u32,
    pub recommended_width: u32,
    pub recommended_height: u32,
    /// A file of the layout's template folder: `us_letter.typ`.
    pub template: String,
}

/// One printed page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leaf {
    /// Names the template's function: `title`, `drawing`, `blank`.
    pub kind: String,
    /// An index into the book's drawings.
    pub drawing: Option<u32>,
    pub extra: Vec<(String, String)>,
}
