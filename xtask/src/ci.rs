//! `cargo xtask ci`: runs every check of continuous integration, with the same script.

use std::process::{Command, ExitCode};

use anyhow::Context as _;

use crate::project::{self, Project};

/// The environment variable with the folder that the script builds in. The default is a folder in the user's cache.
const TARGET: &str = "LINEPRESS_TARGET_DIR";

/// Runs `.ci/run` and returns its exit code.
pub(crate) fn run(project: &Project) -> anyhow::Result<ExitCode> {
    let mut script = Command::new(project.root.join(".ci").join("run"));
    project::forget_own_package(&mut script);
    if std::env::var_os(TARGET).is_none() {
        script.env(TARGET, &project.target);
    }
    let status = script.status().context(".ci/run cannot be started")?;
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    Ok(code.map_or(ExitCode::FAILURE, ExitCode::from))
}
