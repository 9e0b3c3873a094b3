//! The plugin host on Extism that a benchmark compares with: built outside the workspace, into the target folder.

use std::path::PathBuf;

use crate::plugins;
use crate::project::{self, Project};

/// Extism's plugins are core modules, which need no WASI.
const TARGET: &str = "wasm32-unknown-unknown";

pub(crate) struct Extism {
    /// The path of the host's program.
    pub host: PathBuf,
    /// The path of its plugin.
    pub guest: PathBuf,
}

/// Builds the host and its plugin if they are missing.
pub(crate) fn build(project: &Project) -> anyhow::Result<Extism> {
    plugins::ensure_target(TARGET)?;
    let folder = project.root.join("tests").join("benches").join("extism");
    let target = project.target.join("bench-extism");
    for arguments in [
        &["--release", "--package", "extism-peer"][..],
        &["--profile", "plugin", "--package", "extism-guest", "--target", TARGET],
    ] {
        let mut cargo = project.cargo();
        cargo
            .current_dir(&folder)
            .arg("build")
            .args(arguments)
            .env("CARGO_TARGET_DIR", &target);
        project::run(&mut cargo)?;
    }
    Ok(Extism {
        host: target
            .join("release")
            .join(format!("extism-peer{}", std::env::consts::EXE_SUFFIX)),
        guest: target.join(TARGET).join("plugin").join("extism_guest.wasm"),
    })
}
