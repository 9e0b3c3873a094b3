//! `cargo xtask altered-terms`: builds the server with other prices and another maximum length of a title, and checks
//! that every interface states these. The tests are in tests/it/altered_terms.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context as _;

use crate::project::{self, Project};
use crate::{interrupt, plugins, trial};

/// The feature of the server. It is enabled here only.
const FEATURE: &str = "linepress/altered-terms";

/// Builds everything and runs the tests.
pub(crate) fn run(project: &Project) -> anyhow::Result<ExitCode> {
    trial::run(project, plugins::assemble_testbed, |server, _| check(project, server))
}

/// Runs the tests. The plugins must be assembled; the tests share those that were compiled next to the usual server
/// `program`.
pub(crate) fn check(project: &Project, program: &Path) -> anyhow::Result<()> {
    println!("Testing a server with other prices and another maximum length");
    let altered = build(project)?;
    let mut cargo = project.cargo();
    cargo
        .args([
            "test",
            "--workspace",
            "--test",
            "it",
            "--",
            "--ignored",
            "altered_terms",
        ])
        .env("LINEPRESS_TEST_BINARY", program)
        .env("LINEPRESS_TEST_ALTERED_BINARY", altered)
        .env("LINEPRESS_TEST_PLUGINS", project.plugins_folder())
        .env("LINEPRESS_TEST_TESTBED", project.testbed_folder())
        .env_remove("LINEPRESS_TEST_POSTGRES");
    project::run(&mut cargo)?;
    interrupt::check()
}

/// Builds the altered server and returns the path of a copy. Cargo builds it at the place of the usual server, which is
/// then linked there again.
fn build(project: &Project) -> anyhow::Result<PathBuf> {
    let built = project.build_server_with(false, &["--features", FEATURE])?;
    let folder = project.target.join("altered-terms");
    let altered = folder.join(built.file_name().context("the server has no file name")?);
    let copied = fs::create_dir_all(&folder).and_then(|()| fs::copy(&built, &altered));
    project.build_server(false)?;
    copied.with_context(|| format!("{} cannot be written", altered.display()))?;
    Ok(altered)
}
