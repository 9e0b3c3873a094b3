//! `cargo xtask test`: builds the server and its plugins, finds or installs the programs that the tests use, runs all
//! tests on both databases, or the named ones on SQLite, and lists the skipped tests.

use std::collections::BTreeSet;
use std::process::ExitCode;

use anyhow::Context as _;
use clap::Args;

use crate::agents;
use crate::altered_terms;
use crate::browser;
use crate::clients;
use crate::examples;
use crate::faults::{Faults, Servers};
use crate::interrupt;
use crate::openai;
use crate::plugins;
use crate::postgres::Postgres;
use crate::project::Project;
use crate::s3::{self, S3};
use crate::schemathesis::{self, Schemathesis};
use crate::tools::{self, Tools};

/// The beginning of the names of the tests that need an S3 server whatever the database.
const S3_TESTS: &str = "buckets::";

#[derive(Args)]
pub(crate) struct Test {
    /// Run the named tests of the server again on PostgreSQL. Without arguments, they always are.
    #[arg(long)]
    postgres: bool,
    /// Further arguments for `cargo test`, such as the name of a test. With arguments, only `cargo test` runs, on
    /// SQLite.
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
        let postgres = match self.wants_postgres().then(|| Postgres::start(&tools)).transpose() {
            Ok(postgres) => postgres,
            Err(error) => {
                skips.push(format!("the tests on PostgreSQL: {error:#}"));
                None
            }
        };
        let mut skipped_tests = tools.skipped_tests();
        let objects = match S3::start(project) {
            Ok(objects) => Some(objects),
            Err(error) => {
                skips.push(format!("the tests with an S3 server: {error:#}"));
                skipped_tests.insert(S3_TESTS);
                None
            }
        };
        let arguments = self.arguments_without(&skipped_tests);
        let run = |selection: &[&str], database: Option<&str>| {
            let mut cargo = project.cargo();
            cargo.args(["test", "--workspace"]);
            if self.arguments.is_empty() {
                // One run reports all failures.
                cargo.arg("--no-fail-fast");
            }
            cargo
                .args(selection)
                .args(&arguments)
                .env("LINEPRESS_TEST_BINARY", &program)
                .env("LINEPRESS_TEST_PLUGINS", &plugins_folder)
                .env("LINEPRESS_TEST_NETWORK_PLUGINS", &network_folder)
                .env("LINEPRESS_TEST_TESTBED", &testbed_folder)
                .env_remove("LINEPRESS_TEST_POSTGRES")
                .env_remove("LINEPRESS_TEST_S3");
            if let Some(url) = database {
                cargo.env("LINEPRESS_TEST_POSTGRES", url);
            }
            if let Some(objects) = &objects {
                cargo.env("LINEPRESS_TEST_S3", &objects.url).envs(s3::CREDENTIALS);
            }
            cargo.status().context("cargo cannot be started")
        };
        println!("Running all tests on SQLite and a folder of objects");
        let mut passed = run(&[], None)?.success();
        if let Some(postgres) = &postgres {
            println!("Running the tests of the server again on PostgreSQL and a bucket of objects");
            // The whole workspace remains selected: another selection would recompile the dependencies with other
            // features.
            passed &= run(&["--test", "it"], Some(&postgres.url))?.success();
        }
        drop((postgres, objects));
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
            match Servers::start(project, &tools) {
                Ok(servers) => report(Faults::SHORT.check(project, &servers)),
                Err(error) => skips.push(format!("the nodes under faults: {error:#}")),
            }
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
        if !self.wants_postgres() {
            println!("The tests ran on SQLite only; with --postgres before their names they run on PostgreSQL, too");
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

impl Test {
    /// A developer who names a test wants its result soon.
    fn wants_postgres(&self) -> bool {
        self.postgres || self.arguments.is_empty()
    }

    /// Returns the arguments for `cargo test`, which leave out these tests.
    fn arguments_without(&self, skipped: &BTreeSet<&str>) -> Vec<String> {
        let mut arguments = self.arguments.clone();
        if !skipped.is_empty() && !arguments.iter().any(|argument| argument == "--") {
            arguments.push("--".to_owned());
        }
        arguments.extend(
            skipped
                .iter()
                .flat_map(|name| ["--skip".to_owned(), (*name).to_owned()]),
        );
        arguments
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

#[cfg(test)]
mod unit {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        test: Test,
    }

    fn parsed(arguments: &[&str]) -> Test {
        Line::parse_from([&["test"], arguments].concat()).test
    }

    #[test]
    fn named_tests_run_on_postgresql_only_if_it_is_requested() {
        assert!(parsed(&[]).wants_postgres());
        assert!(!parsed(&["a_test"]).wants_postgres());
        let both = parsed(&["--postgres", "a_test"]);
        assert!(both.wants_postgres());
        assert_eq!(both.arguments, ["a_test"]);
    }

    #[test]
    fn skipped_tests_follow_the_arguments_for_the_test_programs() {
        let skipped = BTreeSet::from(["looks::one"]);
        let skip = |arguments: &[&str]| parsed(arguments).arguments_without(&skipped);
        assert_eq!(skip(&[]), ["--", "--skip", "looks::one"]);
        assert_eq!(skip(&["a_test"]), ["a_test", "--", "--skip", "looks::one"]);
        assert_eq!(
            skip(&["--", "--", "one", "two"]),
            ["--", "one", "two", "--skip", "looks::one"]
        );
        assert_eq!(parsed(&["a_test"]).arguments_without(&BTreeSet::new()), ["a_test"]);
    }
}
