//! The command `linepress print`: tools for printers' files, which need no server.
mod check;

use std::process::ExitCode;

use clap::Subcommand;

#[derive(Subcommand)]
pub(super) enum Command {
    /// Report the problems that a printer would find in any PDF, page by page, and how to fix them.
    Check(check::Arguments),
}

/// Runs a command without reading the settings, so that it works without a server.
pub(super) fn run(command: &Command) -> anyhow::Result<ExitCode> {
    match command {
        Command::Check(arguments) => check::run(arguments),
    }
}
