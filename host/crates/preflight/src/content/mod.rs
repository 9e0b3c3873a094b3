//! What the operators of a page do, as far as a printer minds.

/// Color spaces, as inks.
mod ink;
/// Pictures within the operators.
mod inline;
/// Operators and operands, one after the other.
mod lexer;
/// Where things land.
mod matrix;
/// What stands before an operator.
mod operands;
/// Pictures and their sizes.
mod picture;
/// Where texts begin.
mod text;
/// What lets something else shine through.
mod transparency;
/// The operators, followed.
mod walk;

pub(crate) use ink::Ink;
pub(crate) use picture::Picture;
pub(crate) use walk::{Event, Text, Walker};
