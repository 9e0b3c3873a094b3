//! sketchbook: the image provider that needs no network. From a prompt it draws a coloring page, the same one
//! for the same request and seed.
//!
//! A request becomes a [`brief::Brief`]: the words of the prompt are led back to drawings of the catalog
//! ([`words`], [`art`]), to what they wear and hold ([`player`]) and to a place ([`setting`]). A brief becomes a scene
//! ([`scene`]) with a backdrop drawn by rule ([`backdrop`]), or a pattern ([`pattern`]), and then pixels ([`canvas`]).

pub mod art;
pub mod backdrop;
pub mod brief;
pub mod bulk;
pub mod canvas;
pub mod cast;
pub mod characters;
pub mod figure;
pub mod grip;
mod hands;
pub mod letters;
pub mod measure;
pub mod page;
pub mod pattern;
pub mod player;
pub mod scene;
pub mod setting;
pub mod style;
pub mod vocabulary;
pub mod words;

#[cfg(target_family = "wasm")]
mod component;

pub use page::{Page, draw, draw_gray};

/// Lowercase, dotted: the same as in the manifest.
pub const ID: &str = "linepress.sketchbook";
