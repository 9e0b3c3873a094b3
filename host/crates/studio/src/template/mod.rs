//! The command `linepress template`, for designers who change the look of books.
mod artwork;
mod bench;
mod check;
mod new;
mod own_sample;
mod preview;
mod sample;

use std::process::ExitCode;

use clap::Subcommand;
use linepress_platform::config::Config;

#[derive(Subcommand)]
pub enum Command {
    /// Show all pages of a sample book in a browser, and update them whenever a template file is saved.
    Preview(preview::Arguments),
    /// Print difficult books in every format and for every printer, and report the problems of each page.
    Check(check::Arguments),
    /// Create your own layout as a copy of another one.
    New(new::Arguments),
    /// Write the sample book of a layout, for use with Typst and editors without a server.
    Sample(sample::Arguments),
}

/// Runs a command.
pub async fn run(config: Config, command: Command) -> anyhow::Result<ExitCode> {
    match command {
        Command::Preview(arguments) => preview::run(config, arguments).await,
        Command::Check(arguments) => check::run(&config, arguments).await,
        Command::New(arguments) => new::run(&config, &arguments).await,
        Command::Sample(arguments) => sample::run(&config, arguments).await,
    }
}
