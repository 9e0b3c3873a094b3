//! Work that cannot be trusted, in a process of its own: a compiler or a typesetter has no fuel, and what it takes is known
//! only afterwards. A process can be limited and killed, and then gives everything back.
//!
//! The parent starts the server's own program under another subcommand with [`Command::run`] or [`Command::open`]; the child begins with
//! [`limit`] and [`confine`], before it looks at what it is to work on.

/// What the operating system takes from the child: files and the network.
mod confine;
/// What the child may use.
mod limit;
/// The parent's side: one piece of work.
mod run;
/// The parent's side: one piece of work after another.
mod session;

pub use confine::{Extent, confine};
pub use limit::{Limits, limit};
pub use run::{Command, Ended};
pub use session::Session;
