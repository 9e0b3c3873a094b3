//! `cargo xtask test`: builds the server and its plugins, finds or installs the programs that the tests use, runs all
//! tests on both databases, and lists the skipped tests.

use std::process::ExitCode;

use anyhow::Context as _;
use clap::Args;

use crate::agents;
use crate::altered_terms;
use crate::browser;
use crate::clients;
use crate::examples;
use crate::interrupt;
use crate::openai;
use crate::plugins;
use crate::postgres::Postgres;
use crate::project::Project;
use crate::schemathesis::{self, Schemathesis};
use crate::tools::{self, Tools};

#[derive(Args)]
pub(crate) struct Test {
    /// Further arguments for `cargo test`, such as the name of a test. With arguments, only `cargo test` runs.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<String>,
}

impl Test {
    pub(crate) fn run(&self, project: &Project) -> anyhow::Result<ExitCode> {
        let plugins_folder = plugins::assemble_offline(project)?;
        let network_folder = plugins::assemble_network(project)?;
        let testbed_folder = plugins::assemble_testbed(project)?;
        let program = project.build_server(false)?;
        let tools = Tools::find_or_install();
        let mut skips = tools.skips();
        // The temporary database server must be cleaned up even after Ctrl-C.
        interrupt::catch()?;
        let postgres = match Postgres::start(&tools) {
            Ok(postgres) => Some(postgres),
            Err(error) => {
                skips.push(format!("the tests on PostgreSQL: {error:#}"));
                None
            }
        };
        let run = |selection: &[&str], database: Option<&str>| {
            let mut cargo = project.cargo();
            cargo
                .args(["test", "--workspace"])
                .args(selection)
                .args(&self.arguments)
                .env("LINEPRESS_TEST_BINARY", &program)
                .env("LINEPRESS_TEST_PLUGINS", &plugins_folder)
                .env("LINEPRESS_TEST_NETWORK_PLUGINS", &network_folder)
                .env("LINEPRESS_TEST_TESTBED", &testbed_folder)
                .env_remove("LINEPRESS_TEST_POSTGRES");
            if let Some(url) = database {
                cargo.env("LINEPRESS_TEST_POSTGRES", url);
            }
            cargo.status().context("cargo cannot be started")
        };
        println!("Running all tests on SQLite");
        let mut passed = run(&[], None)?.success();
        if let Some(postgres) = &postgres {
            println!("Running the tests of the server again on PostgreSQL");
            // The whole workspace remains selected: another selection would recompile the dependencies with other
            // features.
            passed &= run(&["--test", "it"], Some(&postgres.url))?.success();
        }
        drop(postgres);
        // A developer who names a test does not want to run the thousands of generated requests.
        if self.arguments.is_empty() {
            match schemathesis::programs(project) {
                Ok(programs) => passed &= Schemathesis::default().check(project, &program, &programs)?,
                Err(error) => skips.push(format!(
                    "the tests of the server against its OpenAPI document: {error:#}"
                )),
            }
            let mut report = |checked: anyhow::Result<()>| {
                if let Err(error) = checked {
                    eprintln!("error: {error:#}");
                    passed = false;
                }
            };
            report(altered_terms::check(project, &program));
            match clients::programs(project) {
                Ok(programs) => {
                    report(clients::check(project, &program, &programs));
                    report(openai::check(project, &program, &programs));
                    if let Some(chromium) = browser::chromium(&tools) {
                        report(browser::check(project, &program, &programs, chromium));
                    }
                }
                Err(error) => skips.push(format!(
                    "the generated clients, the plugins for OpenAI, and the web pages in a browser: {error:#}"
                )),
            }
            match examples::check(project, &program) {
                Ok(skipped) => skips.extend(skipped),
                Err(error) => report(Err(error)),
            }
            match agents::programs(project) {
                Ok(programs) => report(agents::check(project, &program, &programs)),
                Err(error) => skips.push(format!("the agents built on the MCP SDKs: {error:#}")),
            }
        }
        for skip in &skips {
            println!("skipped: {skip}");
        }
        interrupt::check()?;
        Ok(if passed && may_skip(&skips) {
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        })
    }
}

/// Returns false if tests were skipped in continuous integration, where every test must run.
fn may_skip(skips: &[String]) -> bool {
    let in_ci = tools::in_ci();
    if in_ci && !skips.is_empty() {
        eprintln!("error: tests were skipped, which is a failure because CI=true");
    }
    !in_ci || skips.is_empty()
}
