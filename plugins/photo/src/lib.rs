//! photo: the image provider that turns a customer's photograph into line art, without a network.
//!
//! A photograph is read and made small (`source`), its texture is smoothed away while its edges stay (`smooth`), and lines are
//! found along the flow of its edges (`flow`, `edges`). They are thinned to one pixel (`thin`), followed as strokes whose
//! gaps are closed (`strokes`), and drawn anew with the pen of the audience (`page`). The same photograph gives the same page.

mod edges;
mod flow;
mod page;
mod plane;
mod smooth;
mod source;
mod strokes;
mod style;
mod thin;

#[cfg(target_family = "wasm")]
mod component;

pub use page::draw;

/// Lowercase, dotted: the same as in the manifest.
pub const ID: &str = "linepress.photo";
