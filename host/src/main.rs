//! The command line: `serve`, `account`, `key`, `doctor`.
mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::run()
}
