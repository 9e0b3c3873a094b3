//! The arguments and output of commands, which the operator's commands and the tools of plugin authors and designers
//! share.
mod argument;
mod escape;
mod output;
mod report;

pub use argument::one_of;
pub use escape::{one_line, printable};
pub use output::{print, print_error};
pub use report::Report;
