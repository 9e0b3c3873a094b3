//! `cargo xtask agents`: runs agents that are built on the MCP SDKs against a temporary server: they discover it, sign
//! in and make a book. Also runs the MCP conformance suite. The scripts are in tests/agents.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context as _;

use crate::project::{self, Project};
use crate::server::{self, Installation, Server};
use crate::{folders, interrupt, python, trial};

/// Returns the folder with Python, its MCP SDK and Node.js, and installs them if they are missing.
pub(crate) fn programs(project: &Project) -> anyhow::Result<PathBuf> {
    python::environment("agents", &own_folder(project).join("requirements.txt"))
}

fn own_folder(project: &Project) -> PathBuf {
    project.root.join("tests").join("agents")
}

/// Builds everything and runs the agents.
pub(crate) fn run(project: &Project) -> anyhow::Result<ExitCode> {
    trial::run(project, programs, |server, programs| check(project, server, programs))
}

const EMAIL: &str = "ada@example.com";
const PASSWORD: &str = "a password for agents";

/// Runs the agents against the server `program`, whose plugins must be assembled.
pub(crate) fn check(project: &Project, program: &Path, programs: &Path) -> anyhow::Result<()> {
    println!("Running agents built on the MCP SDKs");
    let root = project.target.join("agents");
    let data = root.join("data");
    server::empty_data(&data)?;
    let installation = Installation::new(program.to_owned(), project.plugins_folder(), data)?;
    // The first start creates the database.
    let server = installation.serve()?;
    let account = ["account", "create", "--email", EMAIL, "--plan", "business"];
    let credits = ["--credits", "50", "--password-stdin"];
    installation.feed(&[&account[..], &credits].concat(), PASSWORD)?;
    let agents = Agents {
        work: root.join("work"),
        programs: programs.to_owned(),
    };
    agents
        .all(&own_folder(project), &server)
        .inspect_err(|_| server.show_log())
}

struct Agents {
    /// The working folder of the agents.
    work: PathBuf,
    programs: PathBuf,
}

impl Agents {
    fn all(&self, own: &Path, server: &Server) -> anyhow::Result<()> {
        folders::empty(&self.work)?;
        folders::copy(own, &self.work)?;
        let address = server.address.as_str();
        for mode in ["legacy", "2026-07-28"] {
            self.run("python", &["walk.py", address, EMAIL, PASSWORD, mode])
                .with_context(|| format!("the agent on the Python SDK failed ({mode})"))?;
        }
        self.run("npm", &["ci", "--no-audit", "--no-fund"])?;
        for mode in ["legacy", "auto"] {
            self.run("node", &["walk.mjs", address, EMAIL, PASSWORD, mode])
                .with_context(|| format!("the agent on the TypeScript SDK failed ({mode})"))?;
        }
        self.run("node", &["conformance.mjs", address, EMAIL, PASSWORD])
            .context("the MCP conformance suite failed")
    }

    fn run(&self, program: &str, arguments: &[&str]) -> anyhow::Result<()> {
        let mut command = python::command(&self.programs, program, &self.work)?;
        command.args(arguments);
        print!("{}", project::read(&mut command)?);
        interrupt::check()
    }
}
