//! The content of pages: operators, and the events in them that matter to a printer.

/// The inks that color spaces are printed with.
mod ink;
/// Inline pictures.
mod inline;
/// A lexer for content streams.
mod lexer;
/// Affine transformations.
mod matrix;
/// The operands of an operator.
mod operands;
/// Placed pictures and their resolution.
mod picture;
/// Positions and sizes of text.
mod text;
/// Transparency in graphics states and pictures.
mod transparency;
/// The interpreter of operators.
mod walk;

pub(crate) use ink::Ink;
pub(crate) use picture::Picture;
pub(crate) use walk::{Event, Text, Walker};
