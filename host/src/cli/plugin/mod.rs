//! `linepress plugin`.
mod spend;

use clap::Subcommand;
use linepress::config::Config;

#[derive(Subcommand)]
pub(super) enum Command {
    /// Show what image providers drew, and what that took and cost, beside the credits that customers paid.
    Spend(spend::Arguments),
}

pub(super) async fn run(config: Config, command: Command) -> anyhow::Result<()> {
    match command {
        Command::Spend(arguments) => spend::run(&super::open(config).await?, arguments).await,
    }
}
