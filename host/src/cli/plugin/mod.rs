//! The command `linepress plugin`, for operators who install plugins. The commands for authors are in
//! `linepress-studio`.
mod activate;
mod allow;
mod calls;
mod choose;
mod examine;
mod install;
mod installed;
mod list;
mod passed_settings;
mod registry;
mod remove;
mod repository;
mod rollback;
mod search;
mod show;
mod spend;
mod stored;
mod trial;

use std::process::ExitCode;

use clap::Subcommand;
use linepress_operator::administration::Actor;
use linepress_platform::config::Config;
use linepress_studio::plugin as author;

#[derive(Subcommand)]
pub(super) enum Command {
    /// List all plugins and their state: serving, waiting for the server or for approval, or refused and why.
    List(list::List),
    /// Show one plugin: its requests, its grant and its settings.
    Show(show::Show),
    /// Grant the requests of the current version of a plugin, and write the grant into the settings file.
    Allow(allow::Allow),
    /// Remove the grant of a plugin from the settings file.
    Deny(allow::Deny),
    /// Draw, plan, lay out or review with a plugin: name it in the settings file.
    Use(choose::Use),
    /// Take an image provider, or the reviewer, out of the settings file.
    StopUsing(choose::StopUsing),
    /// Change settings of a plugin in the settings file, if its config.json allows it.
    Set(choose::Set),
    /// List the plugins of the registry that the settings name, or the versions of a repository.
    Search(search::Search),
    /// Install a plugin by its name, after showing what it asks for.
    Install(install::Install),
    /// Install a newer version of a plugin, after showing what it asks for in addition.
    Update(install::Update),
    /// Go back to the version of a plugin that was active before.
    Rollback(rollback::Rollback),
    /// Remove a plugin that was installed by its name, with its approval.
    Remove(remove::Remove),
    /// List the last calls of a plugin: what it was asked, how it ended, and what it used.
    Calls(calls::Calls),
    /// List what a plugin has stored in the database, or delete it.
    Stored(stored::Stored),
    /// Show the drawings, drawing times and costs of image providers, next to the credits that customers paid, and the
    /// reviews and costs of reviewers.
    Spend(spend::Arguments),
    #[command(flatten)]
    Author(author::Command),
}

pub(super) async fn run(config: Config, command: Command) -> anyhow::Result<ExitCode> {
    let done = match command {
        Command::List(arguments) => list::list(config, &arguments).await,
        Command::Show(arguments) => show::show(&config, &arguments),
        Command::Allow(arguments) => allow::allow(config, arguments).await,
        Command::Deny(arguments) => allow::deny(config, arguments).await,
        Command::Use(arguments) => choose::use_plugin(config, arguments).await,
        Command::StopUsing(arguments) => choose::stop_using(config, arguments).await,
        Command::Set(arguments) => choose::set(config, arguments).await,
        Command::Search(arguments) => search::search(&config, &arguments).await,
        Command::Install(arguments) => install::install(config, arguments).await,
        Command::Update(arguments) => install::update(config, arguments).await,
        Command::Rollback(arguments) => rollback::rollback(config, arguments).await,
        Command::Remove(arguments) => remove::remove(config, arguments).await,
        Command::Calls(arguments) => calls::run(&super::open(config).await?, arguments).await,
        Command::Stored(arguments) => stored::run(&super::open(config).await?, arguments).await,
        Command::Spend(arguments) => spend::run(&super::open(config).await?, arguments).await,
        Command::Author(command) => return author::run(config, &Actor::command_line(), command).await,
    };
    done.map(|()| ExitCode::SUCCESS)
}
