//! `linepress print`: files for printers, without a server.
mod check;

use std::process::ExitCode;

use clap::Subcommand;

#[derive(Subcommand)]
pub(super) enum Command {
    /// Say what a printer would find wrong with a PDF, whoever made it, page by page, and what to do about it.
    Check(check::Arguments),
}

/// Reads no settings: it works where no server is.
pub(super) fn run(command: &Command) -> anyhow::Result<ExitCode> {
    match command {
        Command::Check(arguments) => check::run(arguments),
    }
}
