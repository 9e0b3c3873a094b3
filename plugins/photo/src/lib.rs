//! An image provider that turns a customer's photograph into line art, without a network.
//!
//! The photograph is decoded and reduced (`source`, `color`), and its texture is smoothed while its edges are preserved
//! (`smooth`). It is divided into areas of color (`areas`), of which those that differ from the surroundings are the
//! subject (`subject`). Neighboring areas are merged until the audience's number is left, those of the subject last
//! (`lines`), and their borders are traced as smooth lines (`outlines`). In a drawing, dark lines are detected along
//! the flow of its edges (`flow`, `edges`), thinned to one pixel (`thin`), and traced as strokes whose gaps are closed
//! (`strokes`). Outlines of small dark features such as eyes are added (`spots`), and the part of the photograph that
//! fills the page (`crop`) is drawn with the audience's pen width (`page`), in a frame unless it shows a character. The
//! same photograph always gives the same page.

mod areas;
mod color;
mod crop;
mod edges;
mod flow;
mod lines;
mod outlines;
mod page;
mod part;
mod plane;
mod smooth;
mod source;
mod spots;
mod strokes;
mod style;
mod subject;
mod thin;

#[cfg(target_family = "wasm")]
mod component;

pub use page::draw;

/// The plugin's id, which must be the same in the manifest.
pub const ID: &str = "linepress.photo";
