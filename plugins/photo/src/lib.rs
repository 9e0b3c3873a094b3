//! An image provider that turns a customer's photograph into line art, without a network.
//!
//! The photograph is decoded and reduced (`source`), its texture is smoothed while its edges are preserved (`smooth`),
//! and lines are detected along the flow of its edges (`flow`, `edges`). The lines are thinned to one pixel (`thin`),
//! traced as strokes whose gaps are closed (`strokes`), completed by outlines of small dark features such as eyes
//! (`spots`), and drawn with the audience's pen width (`page`), in a frame unless they show a character. The same
//! photograph always gives the same page.

mod edges;
mod flow;
mod page;
mod part;
mod plane;
mod smooth;
mod source;
mod spots;
mod strokes;
mod style;
mod thin;

#[cfg(target_family = "wasm")]
mod component;

pub use page::draw;

/// The plugin's id, which must be the same in the manifest.
pub const ID: &str = "linepress.photo";
