//! `linepress plugin`: for operators who install plugins, and for authors who write them.
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
use linepress::config::Config;

#[derive(Subcommand)]
pub(super) enum Command {
    /// Show every plugin: whether it serves, waits for approval, or why it is refused.
    List(list::List),
    /// Show one plugin: what it asks for, what is granted, and which settings it takes.
    Show(show::Show),
    /// Grant to a plugin what it asks for, as it is now, and write that into the settings file.
    Allow(allow::Allow),
    /// Take the grant of a plugin out of the settings file.
    Deny(allow::Deny),
    /// Write a folder with a plugin that works, to begin with.
    New(new::Arguments),
    /// Write a component's digest into its plugin.toml, and the folder that is dropped into a server's.
    Pack(pack::Arguments),
    /// Check a plugin's folder as a server would, and call it in every way that a server does.
    Check(check::Arguments),
    /// Show what image providers drew, and what that took and cost, beside the credits that customers paid.
    Spend(spend::Arguments),
    /// Call a plugin once, with what the operator granted, and write the picture.
    Try(trial::Arguments),
}

/// `file` is the settings file, where one was named.
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
