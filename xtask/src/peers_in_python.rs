//! Tools written for Python, with which benchmarks compare: installed once, in virtual environments in the target folder.

use std::path::PathBuf;
use std::process::Command;

use crate::project::{Project, read};

/// Packages that are installed together.
struct Environment {
    folder: &'static str,
    packages: &'static [&'static str],
    /// What can be imported once they are there.
    modules: &'static str,
}

/// libvips, in the variant that contains the library: no package of the operating system is needed.
const VIPS: Environment = Environment {
    folder: "bench-python",
    packages: &["pyvips[binary]==3.2.0"],
    modules: "pyvips",
};

/// What makes PDFs. WeasyPrint needs Pango, which most systems have.
const PRINT: Environment = Environment {
    folder: "bench-print",
    packages: &[
        "img2pdf==0.6.3",
        "typst==0.15.0",
        "weasyprint==69.0",
        "reportlab==4.5.1",
    ],
    modules: "img2pdf, typst, weasyprint, reportlab",
};

/// The path of the Python interpreter that can import libvips.
pub(crate) fn vips(project: &Project) -> anyhow::Result<PathBuf> {
    VIPS.python(project)
}

/// The same for what makes PDFs.
pub(crate) fn print(project: &Project) -> anyhow::Result<PathBuf> {
    PRINT.python(project)
}

impl Environment {
    fn python(&self, project: &Project) -> anyhow::Result<PathBuf> {
        let folder = project.target.join(self.folder);
        let python = folder.join("bin").join("python3");
        let imports = || read(Command::new(&python).args(["-c", &format!("import {}", self.modules)]));
        if imports().is_err() {
            println!("Installing {}", self.packages.join(", "));
            read(Command::new("python3").args(["-m", "venv"]).arg(&folder))?;
            let mut pip = Command::new(&python);
            read(pip.args(["-m", "pip", "install", "--quiet"]).args(self.packages))?;
            imports()?;
        }
        Ok(python)
    }
}
