//! `cargo xtask bench`: builds everything with optimizations and compares its speed with minimal implementations.

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
}

impl Bench {
    pub(crate) fn run(&self, project: &Project) -> anyhow::Result<ExitCode> {
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

    fn runs(&self, name: &str) -> bool {
        self.names.is_empty() || self.names.iter().any(|one| one == name)
    }
}
