//! The command `linepress plugin dev`: builds an author's project whenever a file changes, calls the plugin, and shows
//! the result in a browser.
mod build;
mod outcome;
mod routes;
mod session;
mod sources;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context as _, bail};
use clap::Args;
use linepress_platform::config::Config;
use linepress_plugin_host::pack;
use linepress_terminal::{one_line, print_line, printable};
use serde_json::{Map, Value};
use tempfile::TempDir;

use crate::local_page::{LocalPage, open_browser};
use crate::plugin::request::Request;
use crate::workbench::{Network, Plugin, Workbench};
use build::Build;
use outcome::{Outcome, Problem, Step};
use session::Session;
use sources::Sources;

/// Maximum size of the file with the request.
const MAX_REQUEST_BYTES: u64 = 1 << 20;

#[derive(Args)]
pub struct Arguments {
    /// The author's folder, with plugin.toml.
    path: PathBuf,
    /// The command that builds the component, which `sh` runs in the folder. Default: the command in the README.md of a
    /// new plugin in Rust, JavaScript or Python.
    #[arg(long, value_name = "COMMAND")]
    build: Option<String>,
    /// A file with the request as JSON. It may have any of the fields that `plugin calls --json` lists below `request`,
    /// and the names of files in place of pictures. Default: a sample.
    #[arg(long, value_name = "FILE")]
    request: Option<PathBuf>,
    /// Answer network requests from a file written by `plugin try --record`.
    #[arg(long, value_name = "FILE", conflicts_with = "network")]
    replay: Option<PathBuf>,
    /// Send requests to every origin that plugin.toml names, with the credentials of the settings file. Each change of
    /// a file then makes a real call, which may cost money. Without this option, nothing is sent.
    #[arg(long)]
    network: bool,
    /// Build and call once, report the result, and end.
    #[arg(long, conflicts_with = "open")]
    once: bool,
    /// Open the page in the browser.
    #[arg(long)]
    open: bool,
    /// The port to listen on. Default: any free port.
    #[arg(long, default_value_t = 0)]
    port: u16,
}

/// An author's project, and the way to call it.
struct Project {
    config: Config,
    folder: PathBuf,
    build: Build,
    request: Option<PathBuf>,
    replay: Option<PathBuf>,
    uses_network: bool,
    /// The folder of the packed plugin.
    packed: TempDir,
}

pub(super) async fn run(config: Config, arguments: Arguments) -> anyhow::Result<ExitCode> {
    let path = &arguments.path;
    let folder = std::path::absolute(path).with_context(|| format!("{} cannot be found", path.display()))?;
    if !folder.join("plugin.toml").is_file() {
        bail!(
            "{} contains no plugin.toml: `linepress plugin new` creates a folder with one",
            path.display()
        );
    }
    let build = match arguments.build {
        Some(command) => Build::of_command(command),
        None => Build::of_project(&folder)?,
    };
    // The sources are read before they are built for the first time, so that no change is missed.
    let files = [&arguments.request, &arguments.replay];
    let sources = Sources::read(&folder, files.into_iter().flatten())?;
    let project = Project {
        config,
        build,
        request: arguments.request,
        replay: arguments.replay,
        uses_network: arguments.network,
        packed: TempDir::new().context("the temporary folder for the packed plugin cannot be created")?,
        folder,
    };
    if arguments.once {
        let outcome = project.build_and_call().await;
        print_summary(&outcome);
        return Ok(if outcome.is_ok() {
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        });
    }
    let page = LocalPage::bind(arguments.port).await?;
    let url = page.url();
    print_line!("{} is shown at {url}", project.folder.display());
    print_line!("It is built and called again whenever a file is saved. Press Ctrl-C to end.");
    if arguments.open {
        open_browser(&url);
    }
    let session = Arc::new(Session::new(&project.folder, project.build.command()));
    let routes = routes::router(session.clone());
    tokio::select! {
        served = page.serve(routes) => served?,
        ended = repeat(&project, sources, &session) => ended?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Builds and calls the plugin, now and whenever its sources have changed. It ends only with an error.
async fn repeat(project: &Project, mut sources: Sources, session: &Session) -> anyhow::Result<()> {
    loop {
        session.begin();
        let outcome = project.build_and_call().await;
        print_summary(&outcome);
        session.end(outcome);
        sources.changed().await?;
    }
}

impl Project {
    async fn build_and_call(&self) -> Result<Outcome, Problem> {
        let build = self.build.run(&self.folder).await?;
        let packed = pack(&self.folder, self.packed.path()).map_err(Step::Pack.failed())?;
        // The workbench holds files that calls need.
        let (_workbench, plugin) = self.load(&packed.folder).await.map_err(Step::Load.failed())?;
        let request = self.request_to(&plugin).map_err(|error| format!("{error:#}"));
        let request = request.map_err(Step::Request.failed())?;
        let name = format!("{} {}", packed.id, packed.version);
        let mut outcome = outcome::of_call(name, request.call, &self.config).await?;
        outcome.fact("build", format!("{:.1} s", build.as_secs_f64()));
        if !request.missing.is_empty() {
            outcome.fact("left out", request.missing.join(", "));
        }
        Ok(outcome)
    }

    async fn load(&self, folder: &Path) -> Result<(Workbench, Plugin), String> {
        let network = match (&self.replay, self.uses_network) {
            (Some(file), _) => Network::Replayed(file.clone()),
            (None, true) => Network::Requested,
            (None, false) => Network::Offline,
        };
        let in_words = |error: anyhow::Error| format!("{error:#}");
        let workbench = Workbench::new(&self.config, folder, network, None).map_err(in_words)?;
        let (_, plugin) = workbench.load().await.map_err(in_words)??;
        Ok((workbench, plugin))
    }

    fn request_to(&self, plugin: &Plugin) -> anyhow::Result<Request> {
        let Some(file) = &self.request else {
            return Request::read(plugin, Value::Object(Map::new()), Path::new(""));
        };
        let bytes = linepress_files::read(file, MAX_REQUEST_BYTES);
        let bytes = bytes.with_context(|| format!("{} cannot be read", file.display()))?;
        let fields = serde_json::from_slice(&bytes).with_context(|| format!("{} is not JSON", file.display()))?;
        Request::read(plugin, fields, file.parent().unwrap_or(Path::new("")))
    }
}

/// Prints the result for an author who watches the terminal.
fn print_summary(outcome: &Result<Outcome, Problem>) {
    match outcome {
        Ok(outcome) => {
            print_line!("plugin\t{}", one_line(&outcome.plugin));
            for (name, value) in &outcome.facts {
                print_line!("{name}\t{}", one_line(value));
            }
            for row in &outcome.rows {
                print_line!("{}", one_line(&row.join(" | ")));
            }
        }
        Err(problem) => print_line!("PROBLEM  {}: {}", problem.step.words(), printable(&problem.text)),
    }
}
