//! The traces of a node: the steps of requests and drawings, and their export to a collector of OpenTelemetry.
//!
//! A step is a span of `tracing` with the target [`TARGET`] and the names and fields of OpenTelemetry's semantic
//! conventions. The spans of the log are others: they carry the fields that belong into each line. While no exporter
//! runs, all steps are disabled.
//!
//! ```text
//! POST /api/v1/books          a request; below `POST /mcp`, the call of a tool has a step of its own
//! └── draw                    an attempt at one of its drawings, perhaps on another node
//!     └── call of a plugin
//!         └── POST            a request of the plugin
//! ```

mod client;
mod exporter;
mod parent;
mod sampler;

pub use exporter::{Exporter, ExporterSettings};
pub use parent::{StepContext, TRACEPARENT, current_parent, link_log, set_parent};

/// The target of all steps.
pub const TARGET: &str = "linepress::traces";
