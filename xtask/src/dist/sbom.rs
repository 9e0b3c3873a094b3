//! The list of dependencies, with versions and licences (CycloneDX).

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use serde_json::Value;

use super::Release;
use crate::project::{self, Project};

/// The name of the files that cargo-cyclonedx writes, without its ending.
const NAME: &str = "linepress-dependencies.cdx";

impl Release<'_> {
    /// Lists the dependencies of the program with cargo-cyclonedx.
    pub(super) fn list_dependencies(&mut self) -> anyhow::Result<()> {
        if !self.has_cargo_command("cyclonedx", "cargo-cyclonedx", "the list of dependencies") {
            return Ok(());
        }
        let mut cargo = self.project.cargo();
        cargo
            .args(["cyclonedx", "--quiet", "--format", "json", "--spec-version", "1.5"])
            .args(["--target", &self.program.target, "--override-filename", NAME]);
        let listed = project::run(&mut cargo);
        // It writes one file next to the manifest of every crate.
        for folder in crates(self.project)? {
            let file = folder.join(format!("{NAME}.json"));
            if folder == self.project.root.join("host") && listed.is_ok() {
                let list = fs::read(&file).with_context(|| format!("cargo-cyclonedx wrote no {}", file.display()))?;
                fs::write(self.out.join(format!("{}.cdx.json", self.name)), list)?;
            }
            if file.exists() {
                fs::remove_file(file)?;
            }
        }
        listed
    }
}

/// The folders of the crates of the workspace.
fn crates(project: &Project) -> anyhow::Result<Vec<PathBuf>> {
    let mut cargo = project.cargo();
    let metadata = project::read(cargo.args(["metadata", "--no-deps", "--format-version", "1"]))?;
    let metadata: Value = serde_json::from_str(&metadata)?;
    let packages = metadata["packages"]
        .as_array()
        .context("cargo metadata has no packages")?;
    let folders = packages.iter().filter_map(|package| {
        let manifest = Path::new(package["manifest_path"].as_str()?);
        Some(manifest.parent()?.to_owned())
    });
    Ok(folders.collect())
}
