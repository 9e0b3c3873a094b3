//! Python libraries that benchmarks compare with: installed once, each in a virtual environment in the target folder.

use std::path::PathBuf;
use std::process::Command;

use crate::project::{Project, read};

/// The Python libraries of one benchmark.
pub(crate) struct Peer {
    folder: &'static str,
    /// The packages. They include their native libraries and do not need packages of the operating system.
    packages: &'static [&'static str],
    /// An import statement that works only if the packages are installed.
    import: &'static str,
}

pub(crate) const VIPS: Peer = Peer {
    folder: "bench-python",
    packages: &["pyvips[binary]==3.2.0"],
    import: "import pyvips",
};

/// Pillow includes a libtiff with bilevel compression, which the libtiff of OpenCV lacks.
pub(crate) const OPENCV: Peer = Peer {
    folder: "bench-opencv",
    packages: &["opencv-python-headless==5.0.0.93", "pillow==13.0.0"],
    import: "import cv2, PIL.Image",
};

/// WeasyPrint needs Pango, which is installed on most systems.
pub(crate) const PRINT: Peer = Peer {
    folder: "bench-print",
    packages: &[
        "img2pdf==0.6.3",
        "typst==0.15.2",
        "weasyprint==70.0",
        "reportlab==5.1.0",
    ],
    import: "import img2pdf, typst, weasyprint, reportlab",
};

impl Peer {
    /// Installs the packages if necessary. Returns the path of the Python interpreter that can import them.
    pub(crate) fn install(&self, project: &Project) -> anyhow::Result<PathBuf> {
        let folder = project.target.join(self.folder);
        let python = folder.join("bin").join("python3");
        let imports = || read(Command::new(&python).args(["-c", self.import]));
        if imports().is_err() {
            println!("Installing {}", self.packages.join(" and "));
            read(Command::new("python3").args(["-m", "venv"]).arg(&folder))?;
            let mut pip = Command::new(&python);
            pip.args(["-m", "pip", "install", "--quiet"]).args(self.packages);
            read(&mut pip)?;
            imports()?;
        }
        Ok(python)
    }
}
