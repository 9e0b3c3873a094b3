//! Line art as pixels: scale, threshold, clean, find gaps, measure and compress.
//!
//! The crate deals with sizes and pixels, not with books, printers or files. It is separate so that development builds
//! can optimize these loops while the server's code compiles quickly.

/// Bilevel pictures as runs of ink.
mod bitmap;
/// Bilevel pictures as bits.
mod bits;
/// Pictures in color.
mod colors;
/// The distance of ink from paper.
mod distance;
/// Line art enlarged directly into runs of ink.
mod enlarge;
/// Detection of small gaps between strokes.
mod gaps;
/// Gray pictures: scaling, and the share that is shaded.
mod gray;
/// CCITT Group 4 compression.
mod group4;
/// Connected components of ink.
mod labels;
/// The measures of a drawing.
mod measure;
/// Reduced bilevel pictures.
mod shrink;
/// Removal of specks of ink and of pinholes.
mod specks;

pub use bitmap::Bitmap;
pub use colors::Colors;
pub use gaps::{Bridges, find_gaps};
pub use gray::{Gray, Placement, ScaleError};
pub use group4::{decode_group4, encode_group4, group4_rows};
pub use measure::{Measures, line_weight, measure};
