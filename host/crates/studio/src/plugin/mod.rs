//! The commands of `linepress plugin` for authors.
mod authoring;
mod bench;
mod check;
mod described;
mod dev;
mod keygen;
mod new;
mod pack;
mod publish;
mod push;
mod replay;
mod request;
mod source;
mod trial;

use std::process::ExitCode;

use clap::Subcommand;
use linepress_operator::administration::Actor;
use linepress_platform::config::Config;

#[derive(Subcommand)]
pub enum Command {
    /// Create a folder with a working example plugin.
    New(new::Arguments),
    /// Build a project whenever a file changes, call the plugin, and show the result in a browser.
    Dev(dev::Arguments),
    /// Write a component's digest into its plugin.toml, and create the folder that is installed on a server.
    Pack(pack::Arguments),
    /// Check a plugin's folder like a server does, and test it with every kind of call.
    Check(check::Arguments),
    /// Draw a picture, plan a book, or review a prompt and a picture with a plugin, with the operator's grant.
    Try(trial::Arguments),
    /// Repeat a logged call with the active or another version of the plugin, and compare result, time and memory.
    Replay(replay::Arguments),
    /// Call a plugin several times and report its time and memory, optionally compared with another version.
    Bench(bench::Arguments),
    /// Create a key that signs plugins or a registry.
    Keygen(keygen::Arguments),
    /// Pack and sign a plugin, and add it to a registry: a folder that any web server can serve.
    Publish(publish::Arguments),
    /// Pack and sign a plugin, and push it to a repository in a registry of containers (OCI), such as ghcr.io.
    Push(push::Arguments),
}

/// Runs a command for the actor, who may read the log of calls.
pub async fn run(config: Config, actor: &Actor, command: Command) -> anyhow::Result<ExitCode> {
    let done = match command {
        Command::New(arguments) => new::run(&arguments),
        Command::Pack(arguments) => pack::run(&config, &arguments).await,
        Command::Check(arguments) => return check::run(config, arguments).await,
        Command::Bench(arguments) => return bench::run(&config, arguments).await,
        Command::Dev(arguments) => return dev::run(config, arguments).await,
        Command::Try(arguments) => return trial::run(config, arguments).await,
        Command::Replay(arguments) => return replay::run(config, actor, arguments).await,
        Command::Keygen(arguments) => keygen::run(&arguments),
        Command::Publish(arguments) => publish::run(&config, arguments).await,
        Command::Push(arguments) => push::run(&config, arguments).await,
    };
    done.map(|()| ExitCode::SUCCESS)
}
