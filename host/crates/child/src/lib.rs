//! Untrusted work in a separate process. A compiler or a typesetter has no fuel limit, and its cost is known only
//! afterwards; a process can be limited and killed, which releases everything it used.
//!
//! The parent starts the server's own program with another subcommand, through [`Command::run`] or [`Command::open`].
//! The child first calls [`limit`] and [`confine`], before it reads its input.

/// Restrictions of the child's access to files and the network.
mod confine;
/// Limits of the child's memory and processor time.
mod limit;
/// The parent's side: a child for one job.
mod run;
/// The parent's side: a child for one job after another.
mod session;

pub use confine::{Extent, confine};
pub use limit::{Limits, limit};
pub use run::{Command, Ended};
pub use session::Session;
