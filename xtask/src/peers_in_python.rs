//! libvips for Python, with which a benchmark compares: installed once, in a virtual environment in the target folder.

use std::path::PathBuf;
use std::process::Command;

use crate::project::{Project, read};

/// The variant that contains the library: no package of the operating system is needed.
const PACKAGE: &str = "pyvips[binary]==3.2.0";

/// The path of the Python interpreter that can import it.
pub(crate) fn python(project: &Project) -> anyhow::Result<PathBuf> {
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
