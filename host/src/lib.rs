//! Linepress: a self-hosted server that makes printable coloring books.
//!
//! The map of the house. Doors translate and call concepts; concepts decide and call their own
//! store; concepts never import a door.

/// Decode, normalise, measure and store images.
pub mod artwork;
/// Load, link, limit and call sandboxed components.
pub mod plugins;
/// Formats, layouts and Typst: from artwork to a print-ready PDF.
pub mod print;
