//! Line art as pixels: scale, threshold, clean, find gaps, measure and compress.
//!
//! It knows sizes and pixels, and nothing of books, printers or files. A crate of its own so that development builds
//! can optimise these loops while the server's code stays quick to compile.

/// Bilevel pictures as runs of ink.
mod bitmap;
/// Distances to the nearest pixel of the other kind.
mod distance;
/// Small gaps between strokes, found.
mod gaps;
/// Gray pictures: scaling, and how much of them is shaded.
mod gray;
/// CCITT Group 4 compression.
mod group4;
/// Which pixels belong together.
mod labels;
/// What a drawing is like, in figures.
mod measure;

pub use bitmap::Bitmap;
pub use gaps::{Bridges, find_gaps};
pub use gray::{Gray, Placement, ScaleError};
pub use group4::{decode_group4, encode_group4};
pub use measure::{Measures, measure};
