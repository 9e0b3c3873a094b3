//! `cargo xtask openai`: plans and draws a book with the plugins for OpenAI. The proxy Prism replaces OpenAI and
//! refuses requests that OpenAI's OpenAPI document does not allow. The document and the service behind Prism are in
//! tests/openai.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ExitCode, Stdio};

use anyhow::Context as _;

use crate::project::{self, Project};
use crate::server::{self, Installation};
use crate::{clients, folders, interrupt, plugins, python, trial};

const IMAGES: &str = "linepress.openai-images";
const PLANNER: &str = "linepress.openai-planner";
const LAYOUT: &str = "linepress.classic";

/// Builds everything and makes the book.
pub(crate) fn run(project: &Project) -> anyhow::Result<ExitCode> {
    plugins::assemble_network(project)?;
    trial::run(project, clients::programs, |server, programs| {
        check(project, server, programs)
    })
}

/// Makes the book with the server `program`, whose plugins must be assembled, and the Node.js in `programs`.
pub(crate) fn check(project: &Project, program: &Path, programs: &Path) -> anyhow::Result<()> {
    println!("Checking the plugins for OpenAI against its OpenAPI document");
    let root = project.target.join("openai");
    let work = root.join("work");
    folders::empty(&work)?;
    folders::copy(&project.root.join("tests").join("openai"), &work)?;
    run_program(
        programs,
        &work,
        "npm",
        &["ci", "--no-audit", "--no-fund", "--ignore-scripts"],
    )?;
    let service = StandIn::start(programs, &work)?;
    let installation = install(project, program, &root, &service.prism)?;
    // The first start creates the database.
    let server = installation.serve()?;
    let key = installation.account("ada@example.com", 10)?;
    let arguments = ["walk.mjs", &server.address, &key, &service.prism, &service.answers];
    let answered = run_program(programs, &work, "node", &arguments).inspect_err(|_| server.show_log())?;
    println!("walk.mjs: a book was planned and drawn; requests per path: {answered}");
    interrupt::check()
}

/// Returns a server whose plugins for OpenAI are approved and send their requests to Prism.
fn install(project: &Project, program: &Path, root: &Path, prism: &str) -> anyhow::Result<Installation> {
    let (data, folder) = (root.join("data"), root.join("plugins.d"));
    server::empty_data(&data)?;
    folders::empty(&folder)?;
    let (network, offline) = (project.network_plugins_folder(), project.plugins_folder());
    for (from, id) in [(&network, IMAGES), (&network, PLANNER), (&offline, LAYOUT)] {
        folders::copy(&from.join(id), &folder.join(id))?;
    }
    let key = root.join("key");
    fs::write(&key, "a key that is not checked")?;
    // Prism cannot read forms with a list of files, so that pictures of characters are sent as JSON.
    let settings = format!(
        "image_providers = [\"{IMAGES}\"]\nplanner = \"{PLANNER}\"\n\n\
         [plugins.\"{IMAGES}\"]\nmodel = \"gpt-image-2\"\nedits = \"json\"\nbase_url = \"{prism}\"\n\n\
         [plugins.\"{PLANNER}\"]\nmodel = \"gpt-5\"\nbase_url = \"{prism}\"\n"
    );
    fs::write(data.join("linepress.toml"), settings)?;
    let installation = Installation::new(program.to_owned(), folder, data)?;
    let credential = format!("api_key=file:{}", key.display());
    for id in [IMAGES, PLANNER] {
        installation.read(&["plugin", "allow", id, "--private", prism, "--credential", &credential])?;
    }
    Ok(installation)
}

/// Prism and the service behind it. Both end when this is dropped.
struct StandIn {
    process: Child,
    /// The address of Prism, and the address that reports the number of answered requests per path.
    prism: String,
    answers: String,
}

impl StandIn {
    fn start(programs: &Path, work: &Path) -> anyhow::Result<Self> {
        let log: PathBuf = work.join("prism.log");
        let mut command = python::command(programs, "node", work)?;
        command
            .arg("answers.mjs")
            // The process runs until its input is closed.
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(fs::File::create(&log)?);
        let mut process = command.spawn().context("node cannot be started")?;
        let mut line = String::new();
        let output = process.stdout.take().context("the output of node is not available")?;
        BufReader::new(output).read_line(&mut line)?;
        let addresses = line.trim().split_once(' ');
        let (prism, answers) = addresses.with_context(|| format!("Prism cannot be started: see {}", log.display()))?;
        Ok(Self {
            process,
            prism: prism.to_owned(),
            answers: answers.to_owned(),
        })
    }
}

impl Drop for StandIn {
    fn drop(&mut self) {
        // `wait` closes the input of the process, which then ends. An error means that it has already ended.
        let _ = self.process.wait();
    }
}

fn run_program(programs: &Path, work: &Path, program: &str, arguments: &[&str]) -> anyhow::Result<String> {
    let mut command = python::command(programs, program, work)?;
    command.args(arguments);
    Ok(project::read(&mut command)?.trim().to_owned())
}
