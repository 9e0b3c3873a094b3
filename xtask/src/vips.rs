//! libvips for Python, the peer of a benchmark: installed once, in a virtual environment below the target folder.

use std::path::PathBuf;
use std::process::Command;

use crate::project::{Project, read};

/// With the library in it: no package of the operating system is needed.
const PACKAGE: &str = "pyvips[binary]==3.2.0";

/// The Python that has it.
pub fn python(project: &Project) -> anyhow::Result<PathBuf> {
    let folder = project.target.join("bench-python");
    let python = folder.join("bin").join("python3");
    let imports = || read(Command::new(&python).args(["-c", "import pyvips"]));
    if imports().is_err() {
        println!("Installing {PACKAGE}");
        read(Command::new("python3").args(["-m", "venv"]).arg(&folder))?;
        read(Command::new(&python).args(["-m", "pip", "install", "--quiet", PACKAGE]))?;
        imports()?;
    }
    Ok(python)
}
