//! `cargo xtask bench`: builds everything with optimizations and compares its speed with minimal implementations. A brief
//! run is one of the tests.

use std::path::Path;
use std::process::ExitCode;

use clap::Args;

use crate::extism;
use crate::peer;
use crate::plugins;
use crate::postgres::Postgres;
use crate::project::{self, Project};
use crate::python_peers;
use crate::tools::Tools;

#[derive(Args)]
pub(crate) struct Bench {
    /// The benchmarks to run: component, plugins, hostile, read, accept, mcp, large, nodes, normalise, prepare, print,
    /// routing, server, soak, load. The default is all except the last two, which take long.
    names: Vec<String>,
    /// One round of component, read, accept and server, or of those of them that are named, without optimizations: to
    /// see that they work. The figures mean nothing.
    #[arg(long)]
    brief: bool,
}

/// The benchmarks of a brief run. They need no other programs, and take seconds.
const BRIEF: [&str; 4] = ["component", "read", "accept", "server"];

/// Runs one round of a few benchmarks. The plugins must be assembled.
pub(crate) fn check(project: &Project, program: &Path) -> anyhow::Result<()> {
    run_briefly(project, program, &BRIEF)
}

fn run_briefly(project: &Project, program: &Path, names: &[&str]) -> anyhow::Result<()> {
    println!("Running benchmarks without optimizations, to see that they work");
    let mut cargo = project.cargo();
    cargo
        .args(["test", "--workspace", "--bench", "peers", "--"])
        .args(names)
        .env("LINEPRESS_TEST_BINARY", program)
        .env("LINEPRESS_TEST_PLUGINS", project.plugins_folder())
        .env("LINEPRESS_TEST_TESTBED", project.testbed_folder())
        .env("LINEPRESS_TEST_BENCH_BRIEF", "1");
    project::run(&mut cargo)
}

impl Bench {
    pub(crate) fn run(&self, project: &Project) -> anyhow::Result<ExitCode> {
        if self.brief {
            return self.run_briefly(project);
        }
        let plugins_folder = plugins::assemble_offline(project)?;
        let testbed_folder = plugins::assemble_testbed(project)?;
        let program = project.build_server_with(true, &["--bench", "peers"])?;
        let mut cargo = project.cargo();
        cargo
            .args(["bench", "--workspace", "--bench", "peers", "--"])
            .args(&self.names)
            .env("LINEPRESS_TEST_BINARY", &program)
            .env("LINEPRESS_TEST_PLUGINS", &plugins_folder)
            .env("LINEPRESS_TEST_TESTBED", &testbed_folder);
        if self.runs("mcp") {
            match peer::install(project) {
                Ok(peer) => {
                    cargo
                        .env("LINEPRESS_TEST_BENCH_NODE", peer.node)
                        .env("LINEPRESS_TEST_BENCH_MCP", peer.folder);
                }
                Err(error) => println!(
                    "skipped: the comparison of mcp with the TypeScript SDK, and the count of tokens: {error:#}"
                ),
            }
        }
        if self.runs("plugins") {
            match extism::build(project) {
                Ok(extism) => {
                    cargo
                        .env("LINEPRESS_TEST_BENCH_EXTISM", extism.host)
                        .env("LINEPRESS_TEST_BENCH_EXTISM_GUEST", extism.guest);
                }
                Err(error) => println!("skipped: the comparison of plugins with Extism: {error:#}"),
            }
        }
        if self.runs("normalise") {
            match python_peers::VIPS.install(project) {
                Ok(python) => _ = cargo.env("LINEPRESS_TEST_BENCH_PYTHON", python),
                Err(error) => println!("skipped: the comparison of normalise with pyvips: {error:#}"),
            }
        }
        if self.runs("print") {
            match python_peers::PRINT.install(project) {
                Ok(python) => _ = cargo.env("LINEPRESS_TEST_BENCH_PRINT", python),
                Err(error) => println!("skipped: the comparison of print with img2pdf and others: {error:#}"),
            }
        }
        if self.runs("prepare") {
            match python_peers::OPENCV.install(project) {
                Ok(python) => _ = cargo.env("LINEPRESS_TEST_BENCH_OPENCV", python),
                Err(error) => println!("skipped: the comparison of prepare with OpenCV: {error:#}"),
            }
        }
        let uses_postgres = self.runs("large") || self.runs("nodes");
        let postgres = uses_postgres.then(|| Postgres::start(&Tools::find_or_install()));
        match &postgres {
            Some(Ok(postgres)) => _ = cargo.env("LINEPRESS_TEST_BENCH_POSTGRES", &postgres.url),
            Some(Err(error)) => println!("skipped: the benchmarks on PostgreSQL: {error:#}"),
            None => {}
        }
        project::run(&mut cargo)?;
        Ok(ExitCode::SUCCESS)
    }

    fn run_briefly(&self, project: &Project) -> anyhow::Result<ExitCode> {
        if let Some(name) = self.names.iter().find(|name| !BRIEF.contains(&name.as_str())) {
            anyhow::bail!(
                "{name} has no brief run; the benchmarks that have one are {}",
                BRIEF.join(", ")
            );
        }
        plugins::assemble_offline(project)?;
        plugins::assemble_testbed(project)?;
        let program = project.build_server(false)?;
        match &self.names[..] {
            [] => check(project, &program)?,
            names => run_briefly(project, &program, &names.iter().map(String::as_str).collect::<Vec<_>>())?,
        }
        Ok(ExitCode::SUCCESS)
    }

    fn runs(&self, name: &str) -> bool {
        self.names.is_empty() || self.names.iter().any(|one| one == name)
    }
}
