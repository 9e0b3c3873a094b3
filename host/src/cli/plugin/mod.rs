//! The command `linepress plugin`, for operators who install plugins. The commands for authors are in `linepress-studio`.
mod allow;
mod installed;
mod list;
mod show;
mod spend;

use std::process::ExitCode;

use clap::Subcommand;
use linepress_platform::config::Config;
use linepress_studio::plugin as author;

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
    #[command(flatten)]
    Author(author::Command),
    /// Show the drawings, drawing times and costs of image providers, next to the credits that customers paid.
    // Listed after the author's `check` and before `try`, which has the same number and a later name.
    #[command(display_order = 7)]
    Spend(spend::Arguments),
}

pub(super) async fn run(config: Config, command: Command) -> anyhow::Result<ExitCode> {
    let done = match command {
        Command::List(arguments) => list::list(config, &arguments).await,
        Command::Show(arguments) => show::show(&config, &arguments),
        Command::Allow(arguments) => allow::allow(config, arguments).await,
        Command::Deny(arguments) => allow::deny(config, arguments).await,
        Command::Author(command) => return author::run(config, command).await,
        Command::Spend(arguments) => spend::run(&super::open(config).await?, arguments).await,
    };
    done.map(|()| ExitCode::SUCCESS)
}
