//! The command line: its arguments, and the commands.
mod account;
mod audit_log;
mod backup;
mod bundled;
mod client;
mod doctor;
mod doubts;
mod key;
mod listing;
mod maintenance;
mod manual;
mod oauth;
mod operation;
mod plugin;
mod print;
mod provider;
mod queue;
mod restore;
mod secrets;
mod serve;
mod storage;

use std::backtrace::BacktraceStatus;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context as _;
use clap::{Args, CommandFactory as _, Parser, Subcommand};
use linepress_platform::app::App;
use linepress_platform::config::{Config, LogFormat, TraceSettings};
use linepress_platform::error::{Error, chain};
use linepress_studio::template;
use linepress_terminal::{print_error_line, printable};
use linepress_traces::{Exporter, ExporterSettings};
use serde::Serialize;
use tokio::runtime::Handle;
use tracing_subscriber::Layer as _;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

/// A self-hosted server that makes printable coloring books.
#[derive(Parser)]
#[command(name = "linepress", version, about)]
struct Arguments {
    /// The settings file. Default: `linepress.toml` in the current folder, or else `/etc/linepress.toml`, if it exists.
    #[arg(long, global = true, env = "LINEPRESS_CONFIG", value_name = "FILE")]
    config: Option<PathBuf>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run the server with its interfaces and workers, or only one of these.
    Serve(serve::Arguments),
    /// Manage accounts and their credits.
    #[command(subcommand)]
    Account(account::Command),
    /// List the changes by operators, newest first: who changed what, when, and from where.
    AuditLog(audit_log::Arguments),
    /// Show, cancel and retry the operations of all accounts.
    #[command(subcommand)]
    Operation(operation::Command),
    /// Show and pause the queue of drawings.
    #[command(subcommand)]
    Queue(queue::Command),
    /// List image providers, and switch them off and on.
    #[command(subcommand)]
    Provider(provider::Command),
    /// Manage API keys.
    #[command(subcommand)]
    Key(key::Command),
    /// Manage apps that act for accounts, and their grants.
    #[command(subcommand)]
    Oauth(oauth::Command),
    /// Manage the secrets that all servers of one database share.
    #[command(subcommand)]
    Secrets(secrets::Command),
    /// Make the server read-only for a while, and writable again.
    #[command(subcommand)]
    Maintenance(maintenance::Command),
    /// Move the stored objects to another folder or bucket.
    #[command(subcommand)]
    Storage(storage::Command),
    /// Manage installed plugins and their permissions, and develop plugins.
    #[command(subcommand)]
    Plugin(plugin::Command),
    /// Preview and check templates, and create your own.
    #[command(subcommand)]
    Template(template::Command),
    /// Check files for printers before you send them.
    #[command(subcommand)]
    Print(print::Command),
    /// Order books from any server over its REST interface, with an API key.
    Client(client::Arguments),
    /// Back up the database and the objects while the server runs, and check and list backups.
    Backup(backup::Arguments),
    /// Restore a backup into an empty database, SQLite or PostgreSQL, and an empty object store.
    Restore(restore::Arguments),
    /// Check database, stored objects, plugins, templates and fonts, and say how to fix problems.
    Doctor(doctor::Arguments),
    /// Compile one book to PDF. The server runs this itself, in a process that can be killed.
    #[command(hide = true)]
    Render,
    /// Typeset books for display. `template` runs this itself, in a process that can be killed.
    #[command(hide = true)]
    Proof,
    /// Compile the component of one plugin. The server runs this itself, in a process that can be killed.
    #[command(hide = true)]
    CompilePlugin,
    /// Check one PDF. The server and `print check` run this themselves, in a process that can be killed.
    #[command(hide = true)]
    CheckPdf,
    /// Picture a part of one PDF. The server runs this itself, in a process that can be killed.
    #[command(hide = true)]
    PicturePdf,
    /// Write manual pages and completions for shells into a folder. `cargo xtask dist` runs this.
    #[command(hide = true)]
    Manual(manual::Arguments),
}

pub(crate) fn run() -> ExitCode {
    let arguments = Arguments::parse();
    match arguments.command {
        Command::Render => return linepress_print::render_child(),
        Command::Proof => return linepress_print::proof_child(),
        Command::CompilePlugin => return linepress_plugin_host::compile_child(),
        Command::CheckPdf => return linepress_preflight::check_child(),
        Command::PicturePdf => return linepress_print::excerpt_child(),
        _ => {}
    }
    let done = match &arguments.command {
        Command::Print(command) => print::run(command),
        Command::Client(arguments) => client::run(arguments),
        Command::Manual(command) => manual::run(Arguments::command(), command).map(|()| ExitCode::SUCCESS),
        _ => execute(arguments),
    };
    match done {
        Ok(code) => code,
        Err(error) => {
            print_error_line!("linepress: {}", printable(&error_message(&error)));
            ExitCode::FAILURE
        }
    }
}

/// The message of an error with its chain of sources.
fn error_message(error: &anyhow::Error) -> String {
    match error.downcast_ref::<Error>() {
        Some(error) => error.for_operator(),
        None => chain(error.as_ref()),
    }
}

fn execute(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let mut config = Config::load(arguments.config.as_deref()).context("the settings are invalid")?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let traces = match &arguments.command {
        Command::Serve(_) => start_traces(&config, runtime.handle())?,
        _ => None,
    };
    start_log(&config, traces.as_ref());
    let writes_files = matches!(
        arguments.command,
        Command::Serve(_) | Command::Doctor(_) | Command::Storage(_) | Command::Backup(_) | Command::Restore(_)
    );
    if writes_files {
        // They create folders and files that contain hashes of keys and the pictures of accounts.
        rustix::process::umask(rustix::fs::Mode::RWXG | rustix::fs::Mode::RWXO);
    }
    match &arguments.command {
        Command::Serve(_) | Command::Doctor(_) | Command::Plugin(plugin::Command::List(_)) => {
            bundled::add_in_data_dir(&mut config)?;
        }
        Command::Plugin(_) | Command::Template(_) => bundled::add(&mut config),
        _ => {}
    }
    let done = runtime.block_on(async {
        match arguments.command {
            Command::Serve(command) => serve::run(config, arguments.config, command)
                .await
                .map(|()| ExitCode::SUCCESS),
            Command::Account(command) => account::run(&open(config).await?, command)
                .await
                .map(|()| ExitCode::SUCCESS),
            Command::AuditLog(arguments) => audit_log::run(&open(config).await?, arguments)
                .await
                .map(|()| ExitCode::SUCCESS),
            Command::Operation(command) => operation::run(&open(config).await?, command)
                .await
                .map(|()| ExitCode::SUCCESS),
            Command::Queue(command) => queue::run(&open(config).await?, command)
                .await
                .map(|()| ExitCode::SUCCESS),
            Command::Provider(command) => provider::run(&open(config).await?, command)
                .await
                .map(|()| ExitCode::SUCCESS),
            Command::Key(command) => key::run(&open(config).await?, command)
                .await
                .map(|()| ExitCode::SUCCESS),
            Command::Oauth(command) => oauth::run(&open(config).await?, command)
                .await
                .map(|()| ExitCode::SUCCESS),
            Command::Secrets(command) => secrets::run(&open(config).await?, command)
                .await
                .map(|()| ExitCode::SUCCESS),
            Command::Maintenance(command) => maintenance::run(&open(config).await?, command)
                .await
                .map(|()| ExitCode::SUCCESS),
            Command::Storage(command) => storage::run(&open(config).await?, command)
                .await
                .map(|()| ExitCode::SUCCESS),
            Command::Plugin(command) => plugin::run(config, command).await,
            Command::Template(command) => template::run(config, command).await,
            Command::Backup(arguments) => backup::run(config, arguments).await,
            Command::Restore(arguments) => restore::run(config, arguments).await,
            Command::Doctor(arguments) => doctor::run(config, arguments).await,
            Command::Render
            | Command::Proof
            | Command::CompilePlugin
            | Command::CheckPdf
            | Command::PicturePdf
            | Command::Print(_)
            | Command::Client(_)
            | Command::Manual(_) => unreachable!("done before the settings are read"),
        }
    });
    if let Some(traces) = traces {
        traces.stop();
    }
    // A thread that waits for a network share whose server is gone must not keep the process alive for ever.
    runtime.shutdown_timeout(BLOCKING_THREADS_TIMEOUT);
    done
}

/// The time that threads which read or write files have to end after everything else.
const BLOCKING_THREADS_TIMEOUT: Duration = Duration::from_secs(3);

/// Starts sending traces, if the settings name a collector.
fn start_traces(config: &Config, runtime: &Handle) -> anyhow::Result<Option<Exporter>> {
    let invalid = |problem| anyhow::anyhow!("the settings are invalid: {problem}");
    let TraceSettings { url, sample_ratio, .. } = &config.traces;
    if url.is_empty() {
        return Ok(None);
    }
    let settings = ExporterSettings {
        url: url.clone(),
        authorization: config.traces.authorization().map_err(invalid)?,
        sample_ratio: *sample_ratio,
        denied_networks: config.denied_networks.clone(),
    };
    let exporter = Exporter::start(&settings, env!("CARGO_PKG_VERSION"), runtime.clone());
    exporter
        .map(Some)
        .map_err(|problem| anyhow::anyhow!("traces.url: {problem}"))
}

/// Starts the log on standard error, because standard output is for results, and the recording of traces.
fn start_log(config: &Config, traces: Option<&Exporter>) {
    let lines = tracing_subscriber::fmt::layer().with_writer(std::io::stderr);
    let lines = match config.log_format {
        LogFormat::Text => lines
            .with_ansi(std::io::IsTerminal::is_terminal(&std::io::stderr()))
            .boxed(),
        LogFormat::Json => lines.json().boxed(),
    };
    let filter = linepress_platform::config::log_filter(&config.log);
    tracing_subscriber::registry()
        .with(traces.map(Exporter::layer))
        .with(lines.with_filter(filter))
        .init();
    std::panic::set_hook(Box::new(log_panic));
}

/// Logs a panic in the configured format. The request or drawing that it ended is logged where the panic is caught.
fn log_panic(panic: &std::panic::PanicHookInfo<'_>) {
    let location = panic.location().map(ToString::to_string);
    let words = panic.payload_as_str().unwrap_or("a panic without a message");
    let backtrace = std::backtrace::Backtrace::capture();
    let backtrace = (backtrace.status() == BacktraceStatus::Captured).then(|| backtrace.to_string());
    tracing::error!(words, location, backtrace, "thread panicked");
}

/// Opens the database, which is all that the commands for accounts and keys need.
async fn open(config: Config) -> anyhow::Result<App> {
    Ok(linepress_operator::startup::open(config, linepress_operator::startup::Scope::Database).await?)
}

/// The output format of results.
#[derive(Args, Default)]
struct Format {
    /// Print JSON, for programs.
    #[arg(long)]
    json: bool,
}

impl Format {
    /// Prints one line for each item, or a JSON array.
    fn print<T: Serialize>(&self, all: &[T], line: impl Fn(&T) -> String) -> anyhow::Result<()> {
        let lines = |all: &&[T]| all.iter().map(|one| line(one) + "\n").collect();
        self.write(&all, lines)
    }

    /// Prints the lines of one item, or a JSON object.
    fn print_one<T: Serialize>(&self, one: &T, lines: impl Fn(&T) -> String) -> anyhow::Result<()> {
        self.write(one, |one| lines(one) + "\n")
    }

    fn write<T: Serialize>(&self, what: &T, lines: impl Fn(&T) -> String) -> anyhow::Result<()> {
        let text = if self.json {
            serde_json::to_string_pretty(what)? + "\n"
        } else {
            lines(what)
        };
        linepress_terminal::print(format_args!("{text}"));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::sync::{Arc, Mutex};

    use super::*;

    #[derive(Clone, Default)]
    struct Lines(Arc<Mutex<Vec<u8>>>);

    impl Write for Lines {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_panic_is_logged_in_the_configured_format() {
        let lines = Lines::default();
        let writer = lines.clone();
        let log = tracing_subscriber::fmt()
            .json()
            .with_writer(move || writer.clone())
            .finish();
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(log_panic));
        let panicked = tracing::subscriber::with_default(log, || std::panic::catch_unwind(|| panic!("a fox")));
        std::panic::set_hook(usual);
        assert!(panicked.is_err());
        let line: serde_json::Value = serde_json::from_slice(&lines.0.lock().unwrap()).unwrap();
        assert_eq!(line["level"], "ERROR");
        assert_eq!(line["fields"]["words"], "a fox");
        assert!(
            line["fields"]["location"].as_str().unwrap().contains("mod.rs:"),
            "{line}"
        );
    }

    #[test]
    fn the_help_lists_the_commands_for_plugins_in_one_order() {
        let mut command = Arguments::command();
        let help = command.find_subcommand_mut("plugin").unwrap().render_help().to_string();
        let lines = help.lines().skip_while(|line| *line != "Commands:").skip(1);
        let listed: Vec<&str> = lines
            .map_while(|line| line.strip_prefix("  ")?.split(' ').next())
            .collect();
        assert_eq!(
            listed,
            [
                "list",
                "show",
                "allow",
                "deny",
                "use",
                "stop-using",
                "set",
                "search",
                "install",
                "update",
                "rollback",
                "remove",
                "calls",
                "stored",
                "spend",
                "new",
                "dev",
                "pack",
                "check",
                "try",
                "replay",
                "bench",
                "keygen",
                "publish",
                "push",
                "help"
            ]
        );
    }

    #[test]
    fn every_command_and_argument_has_a_help_text() {
        let mut commands = vec![Arguments::command()];
        while let Some(command) = commands.pop() {
            assert!(command.get_about().is_some(), "{}", command.get_name());
            for argument in command.get_arguments() {
                assert!(
                    argument.get_help().is_some(),
                    "{} {}",
                    command.get_name(),
                    argument.get_id()
                );
            }
            commands.extend(command.get_subcommands().cloned());
        }
    }
}
