//! `cargo xtask`: builds the plugins, runs the server, shows a demonstration, runs the tests, measures.
//!
//! One file per command, and one for each thing that commands share. A new command gets a variant of [`Command`], a file of
//! its own and a line in [`run`].

mod bench;
mod client;
mod demo;
mod folders;
mod interrupt;
mod plugins;
mod postgres;
mod project;
mod python;
mod schemathesis;
mod serve;
mod server;
mod tests;
mod tools;
mod vips;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::project::Project;

#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", about = "Work on Linepress")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Build the plugins and assemble their folders.
    Plugins {
        /// Where the folders go; plugins.d in the target folder when left out.
        #[arg(long)]
        out: Option<PathBuf>,
    },
    /// Build everything and run the server on ./data.
    Serve(serve::Serve),
    /// Plan, draw and print a book against a server of its own, through REST alone.
    Demo(demo::Demo),
    /// Build everything and run all tests.
    Test(tests::Test),
    /// Let Schemathesis compare the server with its OpenAPI document.
    Schemathesis(schemathesis::Schemathesis),
    /// Build everything with optimisation and measure it beside bare peers.
    Bench(bench::Bench),
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
        Command::Plugins { out } => {
            let out = out.map_or_else(|| Ok(project.plugins_folder()), std::path::absolute)?;
            plugins::assemble(&project, &project.root.join("plugins"), &out)?;
            println!("The plugins are in {}", out.display());
            Ok(ExitCode::SUCCESS)
        }
        Command::Serve(serve) => serve.run(&project),
        Command::Demo(demo) => demo.run(&project),
        Command::Test(test) => test.run(&project),
        Command::Schemathesis(schemathesis) => schemathesis.run(&project),
        Command::Bench(bench) => bench.run(&project),
    }
}
