//! `cargo xtask test`: builds the server and its plugins, finds or installs the programs that the tests use, runs all
//! tests on both databases, or the named ones on SQLite, and lists the skipped tests.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use clap::Args;

use crate::agents;
use crate::altered_terms;
use crate::bench;
use crate::browser::{self, Looks};
use crate::clients;
use crate::disk;
use crate::examples;
use crate::faults::{Faults, Servers};
use crate::interrupt;
use crate::mounts;
use crate::openai;
use crate::plugins;
use crate::postgres::Postgres;
use crate::project::Project;
use crate::s3::{self, S3};
use crate::schemathesis::{self, Schemathesis};
use crate::tools::{self, Tools};

/// The beginning of the names of the tests that need an S3 server whatever the database.
const S3_TESTS: &str = "buckets::";

/// The beginnings of the names of tests that use neither a database nor stored objects. They pass or fail alike on
/// each database, so a run of everything runs them once.
const INDEPENDENT_TESTS: [&str; 15] = [
    "architecture::",
    "command_line::plugins::",
    "command_line::template::",
    "fetch::",
    "looks::",
    "plugins::bundled::",
    "plugins::calls::",
    "plugins::hostile::",
    "plugins::layouts::",
    "plugins::loading::",
    "plugins::network::",
    "plugins::templates::",
    "print::editions::",
    "print::processes::",
    "print::templates::",
];

/// The targets with tests. Examples in comments are none: rustdoc would read each crate again to find one.
const TARGETS: [&str; 4] = ["--lib", "--bins", "--tests", "--examples"];

/// The variable in which libtest finds the number of its threads.
const THREADS_VARIABLE: &str = "RUST_TEST_THREADS";

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
        self.check_disk(project)?;
        let mut parts = Parts::default();
        let program = parts.timed("builds", || {
            plugins::assemble_offline(project)?;
            plugins::assemble_network(project)?;
            plugins::assemble_testbed(project)?;
            project.build_server(false)
        })?;
        let tools = Tools::find_or_install();
        parts.skips = tools.skips();
        parts.skips.extend(mounts::skip());
        // The temporary database server must be cleaned up even after Ctrl-C.
        interrupt::catch()?;
        self.test_workspace(project, &program, &tools, &mut parts)?;
        // A developer who names a test does not want to run the thousands of generated requests.
        if self.arguments.is_empty() {
            test_program(project, &program, &tools, &mut parts);
        }
        if !self.wants_postgres() {
            println!("The tests ran on SQLite only; with --postgres before their names they run on PostgreSQL, too");
        }
        parts.print();
        interrupt::check()?;
        Ok(if !parts.failed && may_skip(&parts.skips) {
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        })
    }

    /// Fails if there is too little disk space for a run of everything. Named tests need less, so they only get a
    /// warning.
    fn check_disk(&self, project: &Project) -> anyhow::Result<()> {
        match disk::check(&project.target) {
            Err(shortage) if !self.arguments.is_empty() => {
                eprintln!("warning: {shortage:#}");
                Ok(())
            }
            checked => checked,
        }
    }

    /// Runs `cargo test` on SQLite, and the tests of the server again on PostgreSQL.
    fn test_workspace(
        &self,
        project: &Project,
        program: &Path,
        tools: &Tools,
        parts: &mut Parts,
    ) -> anyhow::Result<()> {
        let postgres = match self.wants_postgres().then(|| Postgres::start(tools)).transpose() {
            Ok(postgres) => postgres,
            Err(error) => {
                parts.skip(format!("the tests on PostgreSQL: {error:#}"));
                None
            }
        };
        let mut skipped_tests = tools.skipped_tests();
        let objects = match S3::start(project) {
            Ok(objects) => Some(objects),
            Err(error) => {
                parts.skip(format!("the tests with an S3 server: {error:#}"));
                skipped_tests.insert(S3_TESTS);
                None
            }
        };
        let run = |selection: &[&str], database: Option<&str>, skipped: &BTreeSet<&str>| {
            let mut cargo = project.cargo();
            cargo.args(["test", "--workspace"]);
            if self.arguments.is_empty() {
                // One run reports all failures.
                cargo.arg("--no-fail-fast");
            }
            cargo
                .args(selection)
                .args(self.arguments_without(skipped))
                .env("LINEPRESS_TEST_BINARY", program)
                .env("LINEPRESS_TEST_PLUGINS", project.plugins_folder())
                .env("LINEPRESS_TEST_NETWORK_PLUGINS", project.network_plugins_folder())
                .env("LINEPRESS_TEST_TESTBED", project.testbed_folder())
                .env_remove("LINEPRESS_TEST_POSTGRES")
                .env_remove("LINEPRESS_TEST_S3");
            if std::env::var_os(THREADS_VARIABLE).is_none() {
                cargo.env(THREADS_VARIABLE, test_threads().to_string());
            }
            if let Some(url) = database {
                cargo.env("LINEPRESS_TEST_POSTGRES", url);
            }
            if let Some(objects) = &objects {
                cargo.env("LINEPRESS_TEST_S3", &objects.url).envs(s3::CREDENTIALS);
            }
            let status = cargo.status().context("cargo cannot be started")?;
            anyhow::ensure!(status.success(), "tests failed");
            Ok(())
        };
        parts.timed("builds of the tests", || {
            let mut cargo = project.cargo();
            let status = cargo.args(["test", "--workspace", "--no-run"]).status();
            anyhow::ensure!(
                status.context("cargo cannot be started")?.success(),
                "the tests cannot be built"
            );
            Ok(())
        })?;
        println!("Running all tests on SQLite and a folder of objects");
        parts.run("tests on SQLite", || run(&TARGETS, None, &skipped_tests));
        if let Some(postgres) = &postgres {
            println!("Running the tests of the server again on PostgreSQL and a bucket of objects");
            // The whole workspace remains selected: another selection would recompile the dependencies with other
            // features.
            if self.arguments.is_empty() {
                skipped_tests.extend(INDEPENDENT_TESTS);
            }
            parts.run("tests on PostgreSQL", || {
                run(&["--test", "it"], Some(&postgres.url), &skipped_tests)
            });
        }
        Ok(())
    }

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

/// Returns the number of tests that run at the same time: two for each processor, because many tests wait for another
/// process or for a time limit.
fn test_threads() -> usize {
    2 * std::thread::available_parallelism().map_or(1, usize::from)
}

/// Tests the built server from outside: with generated requests, faults, clients, a browser and agents.
fn test_program(project: &Project, program: &Path, tools: &Tools, parts: &mut Parts) {
    match schemathesis::programs(project) {
        Ok(programs) => parts.run("generated requests", || {
            let accepted = Schemathesis::default().check(project, program, &programs)?;
            anyhow::ensure!(accepted, "Schemathesis found failures");
            Ok(())
        }),
        Err(error) => parts.skip(format!(
            "the tests of the server against its OpenAPI document: {error:#}"
        )),
    }
    parts.run("altered terms", || altered_terms::check(project, program));
    parts.run("benchmarks, briefly", || bench::check(project, program));
    match Servers::start(project, tools) {
        Ok(servers) => {
            parts.skips.extend(servers.skip());
            parts.run("faults", || Faults::SHORT.check(project, &servers));
        }
        Err(error) => parts.skip(format!("the nodes under faults: {error:#}")),
    }
    match clients::programs(project) {
        Ok(programs) => {
            parts.run("generated clients", || clients::check(project, program, &programs));
            parts.run("plugins for OpenAI", || openai::check(project, program, &programs));
            if let Some(chromium) = browser::chromium(tools) {
                parts.run("web pages in a browser", || {
                    browser::check(project, program, &programs, chromium, Looks::Pairs)
                });
            }
        }
        Err(error) => parts.skip(format!(
            "the generated clients, the plugins for OpenAI, and the web pages in a browser: {error:#}"
        )),
    }
    let mut skipped_examples = Vec::new();
    parts.run("examples of plugins", || {
        skipped_examples = examples::check(project, program)?;
        Ok(())
    });
    parts.skips.extend(skipped_examples);
    match agents::programs(project) {
        Ok(programs) => parts.run("agents", || agents::check(project, program, &programs)),
        Err(error) => parts.skip(format!("the agents built on the MCP SDKs: {error:#}")),
    }
}

/// The parts of a test run: what was skipped, whether one failed, and the duration of each.
#[derive(Default)]
struct Parts {
    failed: bool,
    skips: Vec<String>,
    durations: Vec<(&'static str, Duration)>,
}

impl Parts {
    /// Runs a part and prints its error. The next part runs all the same.
    fn run(&mut self, name: &'static str, part: impl FnOnce() -> anyhow::Result<()>) {
        if let Err(error) = self.timed(name, part) {
            eprintln!("error: {name}: {error:#}");
            self.failed = true;
        }
    }

    fn timed<T>(&mut self, name: &'static str, part: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = part();
        self.durations.push((name, start.elapsed()));
        result
    }

    fn skip(&mut self, what: String) {
        self.skips.push(what);
    }

    /// Prints the duration of each part, and what was skipped.
    fn print(&self) {
        for (name, duration) in &self.durations {
            println!("{:>8}  {name}", indicatif::FormattedDuration(*duration).to_string());
        }
        for skip in &self.skips {
            println!("skipped: {skip}");
        }
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
