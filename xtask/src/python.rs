//! A Python of our own: a virtual environment in the user's cache that holds exactly what a requirements file lists.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context as _;
use sha2::{Digest as _, Sha256};

use crate::project;
use crate::tools;

/// The folder with the programs of the environment for these requirements, made unless it is there.
pub fn environment(name: &str, requirements: &Path) -> anyhow::Result<PathBuf> {
    let list = fs::read(requirements).with_context(|| format!("{} cannot be read", requirements.display()))?;
    let digest = hex::encode(Sha256::digest(&list));
    // Other requirements get another folder.
    let folder = cache()?.join(format!("{name}-{}", &digest[..12]));
    let programs = folder.join("bin");
    // Written last: without it somebody stopped half way.
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
    project::run(pip.arg(requirements)).context("the packages could not be installed from PyPI")?;
    fs::write(whole, "")?;
    Ok(programs)
}

fn create(folder: &Path) -> anyhow::Result<()> {
    let make = || project::read(Command::new("python3").args(["-m", "venv", "--clear"]).arg(folder));
    if make().is_ok() {
        return Ok(());
    }
    // Debian keeps what venv needs in a package of its own.
    tools::install_if_allowed(&["python3", "python3-venv"])?;
    make().context("python3 makes no virtual environment (packages python3 and python3-venv)")?;
    Ok(())
}

/// Where it survives `cargo clean`.
fn cache() -> anyhow::Result<PathBuf> {
    let variable = |name: &str| {
        std::env::var_os(name)
            .filter(|value| !value.is_empty())
            .map(PathBuf::from)
    };
    let base = variable("XDG_CACHE_HOME").or_else(|| Some(variable("HOME")?.join(".cache")));
    Ok(base
        .context("there is no home folder to keep a cache in")?
        .join("linepress"))
}
