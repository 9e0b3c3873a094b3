//! Line art as pixels: scale, threshold, clean, find gaps, measure and compress.
//!
//! It knows sizes and pixels, and nothing of books, printers or files. A crate of its own so that development builds
//! can optimise these loops while the server's code stays quick to compile.

/// Bilevel pictures as runs of ink.
mod bitmap;
/// Bilevel pictures as bits.
mod bits;
/// How deep in the ink its pixels lie.
mod distance;
/// Line art enlarged straight into runs of ink.
mod enlarge;
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
/// Bilevel pictures made small.
mod shrink;

pub use bitmap::Bitmap;
pub use gaps::{Bridges, find_gaps};
pub use gray::{Gray, Placement, ScaleError};
pub use group4::{decode_group4, encode_group4, group4_rows};
pub use measure::{Measures, line_weight, measure};
