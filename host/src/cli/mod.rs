//! What the command line understands, and what it does.
mod account;
mod doctor;
mod key;
mod serve;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context as _;
use clap::{Parser, Subcommand};
use linepress::accounts::{self, Account};
use linepress::app::App;
use linepress::config::{Config, LogFormat};

/// A self-hosted server that makes printable coloring books.
#[derive(Parser)]
#[command(name = "linepress", version, about)]
struct Arguments {
    /// The settings file; `linepress.toml` in the current folder when it is left out and there is one.
    #[arg(long, global = true, env = "LINEPRESS_CONFIG", value_name = "FILE")]
    config: Option<PathBuf>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run the server: its interfaces and its workers.
    Serve,
    /// Accounts and their credits.
    #[command(subcommand)]
    Account(account::Command),
    /// API keys.
    #[command(subcommand)]
    Key(key::Command),
    /// Check database, storage, plugins, templates and fonts, and say how to fix what is wrong.
    Doctor,
    /// Compile one book to PDF: what the server runs for itself, in a process that can be killed.
    #[command(hide = true)]
    Render,
    /// Compile the component of one plugin: what the server runs for itself, in a process that can be killed.
    #[command(hide = true)]
    CompilePlugin,
}

pub(crate) fn run() -> ExitCode {
    let arguments = Arguments::parse();
    match arguments.command {
        Command::Render => return linepress_print::render_child(),
        Command::CompilePlugin => return linepress_plugin_host::compile_child(),
        _ => {}
    }
    match execute(arguments) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("linepress: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn execute(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let config = Config::load(arguments.config.as_deref()).context("the settings are wrong")?;
    start_log(&config);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        match arguments.command {
            Command::Serve => serve::run(config).await.map(|()| ExitCode::SUCCESS),
            Command::Account(command) => account::run(&open(config).await?, command)
                .await
                .map(|()| ExitCode::SUCCESS),
            Command::Key(command) => key::run(&open(config).await?, command)
                .await
                .map(|()| ExitCode::SUCCESS),
            Command::Doctor => doctor::run(config).await,
            Command::Render | Command::CompilePlugin => unreachable!("done before the settings are read"),
        }
    })
}

/// Lines go to standard error: standard output is for results.
fn start_log(config: &Config) {
    let builder = tracing_subscriber::fmt()
        .with_env_filter(tracing_subscriber::EnvFilter::new(&config.log))
        .with_writer(std::io::stderr);
    match config.log_format {
        LogFormat::Text => builder
            .with_ansi(std::io::IsTerminal::is_terminal(&std::io::stderr()))
            .init(),
        LogFormat::Json => builder.json().init(),
    }
}

/// The database and its migrations: all that accounts and keys need.
async fn open(config: Config) -> anyhow::Result<App> {
    Ok(linepress::app::open(config, linepress::app::Scope::Database).await?)
}

async fn account(app: &App, email: &str) -> anyhow::Result<Account> {
    let found = accounts::find(app, email).await?;
    found.with_context(|| format!("there is no account {email}; `linepress account list` shows those there are"))
}
