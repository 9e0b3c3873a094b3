//! `linepress plugin`: for operators who install plugins, and for authors who write them.
mod check;
mod new;
mod pack;
mod workbench;

use std::process::ExitCode;

use clap::Subcommand;
use linepress::config::Config;

#[derive(Subcommand)]
pub(super) enum Command {
    /// Write a folder with a plugin that works, to begin with.
    New(new::Arguments),
    /// Write a component's digest into its plugin.toml, and the folder that is dropped into a server's.
    Pack(pack::Arguments),
    /// Check a plugin's folder as a server would, and call it in every way that a server does.
    Check(check::Arguments),
}

pub(super) async fn run(config: Config, command: Command) -> anyhow::Result<ExitCode> {
    match command {
        Command::New(arguments) => new::run(&arguments).map(|()| ExitCode::SUCCESS),
        Command::Pack(arguments) => pack::run(&arguments).map(|()| ExitCode::SUCCESS),
        Command::Check(arguments) => check::run(config, arguments).await,
    }
}
