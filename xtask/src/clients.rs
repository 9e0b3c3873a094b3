//! `cargo xtask clients`: generates clients from the OpenAPI document of a temporary server, and makes a book with each.
//! tests/clients holds what is done with them, and which generators there are.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context as _;

use crate::project::{self, Project};
use crate::server::{self, Installation, Server};
use crate::{folders, interrupt, python, trial};

/// The folder with the programs of the generators, Node.js among them; installs them if they are missing.
pub(crate) fn programs(project: &Project) -> anyhow::Result<PathBuf> {
    python::environment("clients", &own_folder(project).join("requirements.txt"))
}

fn own_folder(project: &Project) -> PathBuf {
    project.root.join("tests").join("clients")
}

/// Builds everything and tries the clients.
pub(crate) fn run(project: &Project) -> anyhow::Result<ExitCode> {
    trial::run(project, programs, |server, programs| check(project, server, programs))
}

/// Generates the clients of `program`, whose plugins are assembled, and makes a book with each.
pub(crate) fn check(project: &Project, program: &Path, programs: &Path) -> anyhow::Result<()> {
    println!("Clients that are generated from the OpenAPI document");
    let root = project.target.join("clients");
    let data = root.join("data");
    server::empty_data(&data)?;
    let installation = Installation::new(program.to_owned(), project.plugins_folder(), data)?;
    // It makes the database.
    let server = installation.serve()?;
    let key = installation.account("ada@example.com", 10)?;
    let clients = Clients {
        work: root.join("work"),
        programs: programs.to_owned(),
        address: server.address.clone(),
        key,
        picture: project.root.join("tests/it/fixtures/interlaced.png"),
    };
    clients
        .try_both(&own_folder(project), &server)
        .inspect_err(|_| server.show_log())
}

struct Clients {
    /// The folder in which they are generated.
    work: PathBuf,
    programs: PathBuf,
    address: String,
    key: String,
    /// A drawing in landscape.
    picture: PathBuf,
}

impl Clients {
    fn try_both(&self, own: &Path, server: &Server) -> anyhow::Result<()> {
        folders::empty(&self.work)?;
        folders::copy(own, &self.work)?;
        let document = ureq::get(format!("{}/api/v1/openapi.json", server.address)).call()?;
        let document = document.into_body().read_to_vec()?;
        fs::write(self.work.join("openapi.json"), document)?;
        self.python()
            .context("the client that openapi-python-client generates")?;
        self.typescript().context("the types that openapi-typescript writes")
    }

    fn python(&self) -> anyhow::Result<()> {
        let generate = [
            "generate",
            "--path",
            "openapi.json",
            "--output-path",
            "linepress_client",
        ];
        let settings = [
            "--meta",
            "none",
            "--config",
            "openapi-python-client.yml",
            "--fail-on-warning",
        ];
        self.run("openapi-python-client", &[&generate[..], &settings].concat())?;
        self.walk("python", "walk.py")
    }

    fn typescript(&self) -> anyhow::Result<()> {
        self.run("npm", &["ci", "--no-audit", "--no-fund"])?;
        self.run("npx", &["--no", "openapi-typescript", "openapi.json", "-o", "api.ts"])?;
        self.run("npx", &["--no", "tsc"])?;
        self.walk("node", "walk.ts")
    }

    /// Makes a book.
    fn walk(&self, program: &str, file: &str) -> anyhow::Result<()> {
        let picture = self.picture.to_string_lossy();
        self.run(program, &[file, &self.address, &self.key, &picture])?;
        println!("{file}: a book was planned, drawn and printed");
        interrupt::check()
    }

    fn run(&self, program: &str, arguments: &[&str]) -> anyhow::Result<()> {
        let mut command = python::command(&self.programs, program, &self.work)?;
        command.args(arguments);
        project::read(&mut command).map(drop)
    }
}
