//! `cargo xtask`: the commands for working on Linepress.
//!
//! Each command and each shared helper has a separate file. A new command needs a variant of [`Command`], a file and a
//! line in [`run`].

mod agents;
mod altered_terms;
mod bench;
mod browser;
mod ci;
mod client;
mod clients;
mod demo;
mod disk;
mod dist;
mod examples;
mod extism;
mod faults;
mod folders;
mod fuzz;
mod interrupt;
mod mounts;
mod official_clients;
mod openai;
mod peer;
mod plugins;
mod postgres;
mod project;
mod python;
mod python_peers;
mod s3;
mod schemathesis;
mod serve;
mod server;
mod tests;
mod tools;
mod trial;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::project::Project;

/// Builds, runs, tests and measures Linepress.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Build the plugins and write a folder for each, in the form that the server loads.
    Plugins(plugins::Plugins),
    /// Build the server and its plugins, and run the server with its data in ./data.
    Serve(serve::Serve),
    /// Build everything, start a temporary server, and make a sample book through its REST API.
    Demo(demo::Demo),
    /// Build everything and run all tests on SQLite and on PostgreSQL, or the named tests on SQLite.
    ///
    /// Programs that the tests need are installed with apt-get as root, in CI also with sudo. Tests whose programs are
    /// missing are skipped and listed at the end; with CI=true in the environment, a skipped test is a failure.
    Test(tests::Test),
    /// Test a temporary server against its OpenAPI document, with requests that Schemathesis generates.
    Schemathesis(schemathesis::Schemathesis),
    /// Run agents built on the MCP SDKs, which sign in to a temporary server and make a book, and the conformance
    /// suite.
    Agents,
    /// Build the server with other prices and another maximum length, and check that every interface states these.
    AlteredTerms,
    /// Generate clients from the OpenAPI document of a temporary server and make a book with each, test the official
    /// clients, and run the examples of the guides.
    Clients,
    /// Create a plugin of each kind in each language with `linepress plugin new`, and build, check and try it as its
    /// README describes.
    Examples,
    /// Use the web pages of a temporary server in Chromium, as a person would, and check their accessibility.
    Browser,
    /// Plan and draw a book with the plugins for OpenAI, and check their requests against OpenAI's OpenAPI document.
    Openai,
    /// Run several nodes under load while they, their database, their object store and their plugins fail, and check
    /// that nothing was lost or charged twice.
    Faults(faults::Faults),
    /// Build everything with optimizations and compare its speed with minimal implementations.
    Bench(bench::Bench),
    /// Feed the code that reads what strangers send with inputs that libFuzzer varies, a minute for each target.
    Fuzz(fuzz::Fuzz),
    /// Build the packages of a release: an archive, a Debian package and an image, each with a static program that
    /// contains the plugins.
    Dist(dist::Dist),
    /// Run every check of continuous integration: formatting, lints, documentation, dependencies and all tests.
    ///
    /// This runs the script .ci/run. It builds in cargo's target folder unless LINEPRESS_TARGET_DIR is set to another.
    Ci,
}

fn main() -> ExitCode {
    match run(Arguments::parse().command) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(command: Command) -> anyhow::Result<ExitCode> {
    let project = Project::find()?;
    match command {
        Command::Plugins(plugins) => plugins.run(&project),
        Command::Serve(serve) => serve.run(&project),
        Command::Demo(demo) => demo.run(&project),
        Command::Test(test) => test.run(&project),
        Command::Agents => agents::run(&project),
        Command::AlteredTerms => altered_terms::run(&project),
        Command::Browser => browser::run(&project),
        Command::Clients => clients::run(&project),
        Command::Examples => examples::run(&project),
        Command::Schemathesis(schemathesis) => schemathesis.run(&project),
        Command::Openai => openai::run(&project),
        Command::Faults(faults) => faults.run(&project),
        Command::Bench(bench) => bench.run(&project),
        Command::Fuzz(fuzz) => fuzz.run(&project),
        Command::Dist(dist) => dist.run(&project),
        Command::Ci => ci::run(&project),
    }
}
