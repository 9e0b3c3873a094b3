//! The library for authors of Linepress plugins: Rust bindings to the contracts in `wit`, and helpers for plugins that
//! call a web API, such as [`http`] with JSON, forms and time limits, [`poll`], [`settings`](settings()),
//! [`Failure`], a common [`style`] of prompts, [`planning`] and [`reviewing`].
//!
//! A plugin is a `cdylib` that implements one world's `Guest` trait and exports it:
//!
//! ```ignore
//! use linepress_plugin_sdk::planner::{self, BookPlan, Description, Guest, PlanError, PlanRequest};
//!
//! struct Acme;
//!
//! impl Guest for Acme {
//!     fn describe() -> Description { /* ... */ }
//!     fn plan(request: PlanRequest) -> Result<BookPlan, PlanError> { /* ... */ }
//! }
//!
//! #[cfg(target_family = "wasm")]
//! planner::export!(Acme);
//! ```
//!
//! `cargo build --release --target wasm32-wasip2` builds the component. The crate also compiles for native targets, so
//! that a plugin can be unit-tested there: the log is written to standard error, and a test sets the settings, the
//! responses of the API and the clock (see `testing`). Only the export must be excluded from native builds, because
//! native linkers reject its symbol names.

/// The JSON in a model's answer.
mod answer;
mod bindings;

/// Pictures as `data:` URLs.
pub mod data_url;
/// The deadline of a call.
mod deadline;
/// The doubles of the server's functions and of the clock in unit tests.
#[cfg(not(target_family = "wasm"))]
mod doubles;
/// Failed calls, in the terms of every world.
mod failure;
/// Functions of the server.
mod host;
/// Requests to web APIs.
pub mod http;
/// Helpers for layouts.
pub mod layouts;
/// The error codes of OpenAI's API.
pub mod openai;
/// Settings that are merged into a plugin's request bodies.
mod parameters;
/// Drawings from the bytes of a picture.
pub mod picture;
/// Helpers for planners that use a language model.
pub mod planning;
/// Polling for a result.
pub mod poll;
/// Helpers for reviewers that use a model.
pub mod reviewing;
/// Services of the server that the operator may grant.
mod services;
/// The operator's settings.
mod settings;
/// Picture sizes that an API supports.
pub mod size;
/// Prompts that describe a coloring page to an image model.
pub mod style;
/// Doubles for unit tests: settings, responses of an API, and a clock that does not wait.
#[cfg(not(target_family = "wasm"))]
pub mod testing;
/// The worlds with a version 1, whose records have fields for what version 0.1 has as names in `extra`.
pub mod v1;

pub use self::deadline::Deadline;
pub use self::failure::Failure;
pub use self::host::{config, log, progress};
pub use self::parameters::merge;
pub use self::services::{cache, store};
pub use self::settings::settings;

/// The world of image providers, which draw line art from a prompt.
pub mod image {
    pub use crate::bindings::image::exports::linepress::image::provider::*;
    pub use crate::bindings::image::*;
    pub use crate::{config, log, progress};
}

/// The optional interface `vocabulary` of image providers, which reports words that a provider cannot draw.
pub mod vocabulary {
    pub use crate::bindings::vocabulary::exports::linepress::image::vocabulary::*;
    pub use crate::bindings::vocabulary::*;
}

/// The world of book planners, which turn a theme into page concepts.
pub mod planner {
    pub use crate::bindings::planner::exports::linepress::planner::planner::*;
    pub use crate::bindings::planner::*;
    pub use crate::{config, log, progress};
}

/// The world of reviewers, which check prompts and pictures.
pub mod reviewer {
    pub use crate::bindings::reviewer::exports::linepress::review::review::*;
    pub use crate::bindings::reviewer::*;
    pub use crate::{config, log, progress};
}

/// The world of book layouts, which offer print formats and arrange a book as leaves.
pub mod layout {
    pub use crate::bindings::layout::exports::linepress::layout::layout::*;
    pub use crate::bindings::layout::*;
    pub use crate::bindings::shared::linepress::types::types::{Aspect, Pixels};
    pub use crate::log;
}
