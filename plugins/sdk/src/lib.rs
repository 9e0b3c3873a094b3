//! What the author of a Linepress plugin writes against: Rust bindings to the contracts in `wit/v0`, and over them what
//! a plugin that calls a web API needs: [`http`] with JSON, forms and time limits, [`poll`], [`settings`](settings()),
//! [`Failure`], one [`style`] of prompts, and [`planning`].
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
//! Build it with `cargo build --release --target wasm32-wasip2`: the result is a component.
//! On any other target everything compiles too, so that a plugin can be unit-tested natively: there the log goes to
//! standard error, and a test sets the settings, the answers of the API and the clock, see `testing`.
//! Only the export must be left out there, because native linkers refuse its symbol names.

mod bindings;

/// Pictures as text.
pub mod data_url;
/// What a call may take.
mod deadline;
/// Why a call failed, in the terms of every world.
mod failure;
/// The server's own functions.
mod host;
/// Requests to web APIs.
pub mod http;
/// What layouts have in common.
pub mod layouts;
/// The error codes of OpenAI's API.
pub mod openai;
/// Settings that are merged into what a plugin sends.
mod parameters;
/// Pictures: what they are, and how they are handed over.
pub mod picture;
/// What planners that ask a language model have in common.
pub mod planning;
/// Asking again and again until something is done.
pub mod poll;
/// What the operator set.
mod settings;
/// The sizes that an API draws.
pub mod size;
/// How a coloring page is described to a model that draws.
pub mod style;
/// Doubles for unit tests: settings, answers of an API, and a clock that does not wait.
#[cfg(not(target_family = "wasm"))]
pub mod testing;

pub use self::deadline::Deadline;
pub use self::failure::Failure;
pub use self::host::{config, log, progress};
pub use self::parameters::merge;
pub use self::settings::settings;

/// Image providers: from a prompt to line art.
pub mod image {
    pub use crate::bindings::image::exports::linepress::image::provider::*;
    pub use crate::bindings::image::*;
    pub use crate::{config, log, progress};
}

/// The optional interface `vocabulary` of image providers: the words that a provider cannot show.
pub mod vocabulary {
    pub use crate::bindings::vocabulary::exports::linepress::image::vocabulary::*;
    pub use crate::bindings::vocabulary::*;
}

/// Book planners: from a theme to page concepts.
pub mod planner {
    pub use crate::bindings::planner::exports::linepress::planner::planner::*;
    pub use crate::bindings::planner::*;
    pub use crate::{config, log, progress};
}

/// Book layouts: print formats, and the leaves of a book in their order.
pub mod layout {
    pub use crate::bindings::layout::exports::linepress::layout::layout::*;
    pub use crate::bindings::layout::*;
    pub use crate::bindings::shared::linepress::types::types::{Aspect, Pixels};
    pub use crate::log;
}
