//! What the author of a Linepress plugin writes against: Rust bindings to the contracts in `wit/v0`.
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
//! On any other target the bindings compile too, so that pure logic can be unit-tested natively;
//! only the export must be left out there, because native linkers refuse its symbol names.

/// Image providers: from a prompt to line art.
pub mod image {
    wit_bindgen::generate!({
        path: ["../../wit/v0/types", "../../wit/v0/host", "../../wit/v0/image"],
        world: "linepress:image/image-provider@0.1.0",
        pub_export_macro: true,
        default_bindings_module: "linepress_plugin_sdk::image",
        generate_all,
    });

    pub use self::exports::linepress::image::provider::*;
    pub use self::linepress::host::{config, log, progress};
}

/// Book planners: from a theme to page concepts.
pub mod planner {
    wit_bindgen::generate!({
        path: ["../../wit/v0/types", "../../wit/v0/host", "../../wit/v0/planner"],
        world: "linepress:planner/book-planner@0.1.0",
        pub_export_macro: true,
        default_bindings_module: "linepress_plugin_sdk::planner",
        generate_all,
    });

    pub use self::exports::linepress::planner::planner::*;
    pub use self::linepress::host::{config, log, progress};
}

/// Book layouts: print formats, and the leaves of a book in their order.
pub mod layout {
    wit_bindgen::generate!({
        path: ["../../wit/v0/types", "../../wit/v0/host", "../../wit/v0/layout"],
        world: "linepress:layout/book-layout@0.1.0",
        pub_export_macro: true,
        default_bindings_module: "linepress_plugin_sdk::layout",
        generate_all,
    });

    pub use self::exports::linepress::layout::layout::*;
    pub use self::linepress::host::log;
}
