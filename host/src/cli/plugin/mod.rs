//! The command `linepress plugin`, for operators who install plugins and for authors who write them.
mod allow;
mod check;
mod installed;
mod list;
mod new;
mod pack;
mod show;
mod source;
mod spend;
mod trial;
mod workbench;

pub(super) use workbench::{Network, Plugin, Workbench};

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Subcommand;
use linepress_platform::config::Config;

#[derive(Subcommand)]
pub(super) enum Command {
    /// List all plugins and their state: serving, waiting for approval, or refused and why.
    List(list::List),
    /// Show one plugin: its requests, its grant and its settings.
    Show(show::Show),
    /// Grant the requests of the current version of a plugin, and write the grant into the settings file.
    Allow(allow::Allow),
    /// Remove the grant of a plugin from the settings file.
    Deny(allow::Deny),
    /// Create a folder with a working example plugin.
    New(new::Arguments),
    /// Write a component's digest into its plugin.toml, and create the folder that is installed on a server.
    Pack(pack::Arguments),
    /// Check a plugin's folder like a server does, and test it with every kind of call.
    Check(check::Arguments),
    /// Show the drawings, drawing times and costs of image providers, next to the credits that customers paid.
    Spend(spend::Arguments),
    /// Call a plugin once, with the operator's grant, and write the picture.
    Try(trial::Arguments),
}

/// Runs a command. `file` is the settings file, if one was named.
pub(super) async fn run(config: Config, file: Option<PathBuf>, command: Command) -> anyhow::Result<ExitCode> {
    let file = file.unwrap_or_else(Config::usual_file);
    let file: &Path = &file;
    let done = match command {
        Command::List(arguments) => list::list(config, &arguments).await,
        Command::Show(arguments) => show::show(&config, &arguments),
        Command::Allow(arguments) => allow::allow(&config, file, &arguments),
        Command::Deny(arguments) => allow::deny(&config, file, &arguments),
        Command::New(arguments) => new::run(&arguments),
        Command::Pack(arguments) => pack::run(&arguments),
        Command::Spend(arguments) => spend::run(&super::open(config).await?, arguments).await,
        Command::Check(arguments) => return check::run(config, arguments).await,
        Command::Try(arguments) => return trial::run(config, arguments).await,
    };
    done.map(|()| ExitCode::SUCCESS)
}
