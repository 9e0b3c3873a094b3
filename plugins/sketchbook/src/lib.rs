//! sketchbook: an image provider that works without a network. It draws a coloring page from a prompt, and always the
//! same page for the same request and seed.
//!
//! A request becomes a [`brief::Brief`]: the words of the prompt are mapped to drawings of the catalog ([`words`],
//! [`art`]), to the things that subjects wear and hold ([`player`]) and to a place ([`setting`]). A brief becomes a
//! scene ([`scene`]) with a procedural backdrop ([`backdrop`]), or a pattern ([`pattern`]), and then pixels
//! ([`canvas`]).

pub mod art;
pub mod backdrop;
pub mod brief;
pub mod bulk;
pub mod canvas;
pub mod cast;
pub mod catalog;
pub mod change;
pub mod characters;
pub mod color;
pub mod edit;
pub mod figure;
pub mod grip;
mod hands;
pub mod inflection;
pub mod letters;
pub mod measure;
pub mod page;
pub mod pattern;
pub mod player;
pub mod scene;
pub mod setting;
pub mod style;
pub mod token;
pub mod vocabulary;
pub mod words;

#[cfg(target_family = "wasm")]
mod component;

pub use page::{Page, draw, draw_gray};

/// The id of the plugin, the same as in its manifest.
pub const ID: &str = "linepress.sketchbook";
