//! The keys in the catalog of a print master in color. One crate writes them, and another reads them.

/// The red, green and blue of the cover around the picture.
pub const GROUND: &str = "LinepressGround";

/// True for a picture that was drawn for the cover and may fill its front.
pub const FILLS_FRONT: &str = "LinepressFillsFront";
