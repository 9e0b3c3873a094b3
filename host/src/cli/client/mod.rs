//! The command `linepress client`: orders from any server over its REST interface, with an API key. It reads neither
//! the settings nor a database.
mod api;
mod book;
mod confirmation;
mod file;
mod following;
mod printing;
mod wait;

use std::process::ExitCode;

use anyhow::Context as _;
use clap::{Args, Subcommand};

use api::Api;

#[derive(Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    server: Server,
    #[command(subcommand)]
    command: Command,
}

/// The server and the account of a command.
#[derive(Args)]
struct Server {
    /// The address of the server, such as https://books.example.com.
    #[arg(long, global = true, env = "LINEPRESS_URL", value_name = "URL")]
    url: Option<String>,
    /// An API key of the account. Other users of this machine can see arguments, but not the environment variable.
    #[arg(
        long,
        global = true,
        env = "LINEPRESS_KEY",
        value_name = "KEY",
        hide_env_values = true
    )]
    key: Option<String>,
}

#[derive(Subcommand)]
enum Command {
    /// Plan a book from a theme, show the price, and order the book once you agree.
    ///
    /// The ids of the operation and the book are written to standard output. Ctrl-C ends the command, but not the
    /// order.
    Book(book::Arguments),
    /// Wait for an order, and download its PDF.
    Wait(wait::Arguments),
}

/// Runs a command without reading the settings, so that it works on a machine without a server.
pub(super) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let Server { url, key } = &arguments.server;
    let url = url.as_deref().context("name the server with --url or LINEPRESS_URL")?;
    let key = key
        .as_deref()
        .context("name an API key of the account with --key or LINEPRESS_KEY")?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let api = Api::new(url, key)?;
        match &arguments.command {
            Command::Book(arguments) => book::run(&api, arguments).await,
            Command::Wait(arguments) => wait::run(&api, arguments).await,
        }
    })
}
