//! Python virtual environments in the user's cache, each with exactly the packages that a requirements file lists.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context as _;
use sha2::{Digest as _, Sha256};

use crate::project;
use crate::tools;

/// Returns the folder with the programs of the environment for these requirements, and creates it if it is missing.
pub(crate) fn environment(name: &str, requirements: &Path) -> anyhow::Result<PathBuf> {
    let list = fs::read(requirements).with_context(|| format!("{} cannot be read", requirements.display()))?;
    let digest = hex::encode(Sha256::digest(&list));
    // Each list of requirements has a separate folder.
    let folder = cache()?.join(format!("{name}-{}", &digest[..12]));
    let programs = folder.join("bin");
    // This file is written last. If it is missing, an earlier installation was interrupted.
    let whole = folder.join("whole");
    if whole.is_file() {
        return Ok(programs);
    }
    println!("Installing {name} into {}", folder.display());
    create(&folder)?;
    let mut pip = Command::new(programs.join("python"));
    pip.args([
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "--requirement",
    ]);
    project::run(pip.arg(requirements)).context("the packages cannot be installed from PyPI")?;
    fs::write(whole, "")?;
    Ok(programs)
}

/// Returns a command for a program of an environment, run in a folder. Its PATH includes the environment, because many
/// of these programs call each other.
pub(crate) fn command(programs: &Path, program: &str, folder: &Path) -> anyhow::Result<Command> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(std::iter::once(programs.to_owned()).chain(std::env::split_paths(&path)))?;
    let mut command = Command::new(programs.join(program));
    command.current_dir(folder).env("PATH", path);
    Ok(command)
}

fn create(folder: &Path) -> anyhow::Result<()> {
    let make = || project::read(Command::new("python3").args(["-m", "venv", "--clear"]).arg(folder));
    if make().is_ok() {
        return Ok(());
    }
    // On Debian, the module venv is in a separate package.
    tools::install(&["python3", "python3-venv"])?;
    make().context("python3 cannot create a virtual environment (packages python3 and python3-venv)")?;
    Ok(())
}

/// Returns a folder that `cargo clean` does not delete.
fn cache() -> anyhow::Result<PathBuf> {
    let variable = |name: &str| {
        std::env::var_os(name)
            .filter(|value| !value.is_empty())
            .map(PathBuf::from)
    };
    let base = variable("XDG_CACHE_HOME").or_else(|| Some(variable("HOME")?.join(".cache")));
    Ok(base
        .context("neither XDG_CACHE_HOME nor HOME is set, so there is no folder for a cache")?
        .join("linepress"))
}
