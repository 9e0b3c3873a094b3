//! The common start of all commands that test a temporary server.

use std::path::Path;
use std::process::ExitCode;

use crate::project::Project;
use crate::{interrupt, plugins};

/// Builds the server and its plugins, finds or installs the programs that test it, and calls `check` with both.
pub(crate) fn run<P>(
    project: &Project,
    programs: impl FnOnce(&Project) -> anyhow::Result<P>,
    check: impl FnOnce(&Path, &P) -> anyhow::Result<()>,
) -> anyhow::Result<ExitCode> {
    plugins::assemble_offline(project)?;
    let server = project.build_server(false)?;
    let programs = programs(project)?;
    interrupt::catch()?;
    check(&server, &programs)?;
    Ok(ExitCode::SUCCESS)
}
