//! The program with its plugins, manual pages and completions.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::Context as _;
use toml_edit::DocumentMut;

use super::{archive, find_or_install};
use crate::folders;
use crate::plugins;
use crate::project::{self, Project};

/// Packs the list of the addresses that the program corrects when it starts: about one bit for each instead of 24
/// bytes.
const RELATIVE_RELOCATIONS: &str = "link-arg=-Wl,-z,pack-relative-relocs";

/// A program that was built.
pub(super) struct Program {
    pub(super) path: PathBuf,
    pub(super) target: String,
    pub(super) version: String,
    /// The folder with the folders `man` and `completions`.
    pub(super) documents: PathBuf,
}

impl Program {
    /// The name of the profile for cargo.
    pub(super) fn profile(debug: bool) -> &'static str {
        if debug { "dev" } else { "dist" }
    }

    /// Builds the plugins, and then the program that contains them.
    pub(super) fn build(project: &Project, debug: bool) -> anyhow::Result<Self> {
        // The program of this processor, which writes its own manual.
        let target = format!("{}-unknown-linux-musl", std::env::consts::ARCH);
        plugins::ensure_target(&target)?;
        find_or_install("musl-gcc", "musl-tools")?;
        let bundle = pack_plugins(project)?;
        let mut cargo = project.cargo();
        cargo
            .args(["rustc", "--locked", "--package", "linepress", "--bin", "linepress"])
            .args(["--profile", Self::profile(debug), "--target", &target])
            .args(["--", "-C", RELATIVE_RELOCATIONS])
            .env("LINEPRESS_BUNDLE", bundle);
        project::run(&mut cargo)?;
        let folder = project.target.join(&target).join(if debug { "debug" } else { "dist" });
        let (path, documents) = (folder.join("linepress"), folder.join("package"));
        folders::empty(&documents)?;
        project::run(Command::new(&path).arg("manual").arg(&documents))?;
        Ok(Self {
            path,
            target,
            version: version(project)?,
            documents,
        })
    }

    /// The name of the program's processor.
    pub(super) fn processor(&self) -> &'static str {
        std::env::consts::ARCH
    }
}

/// Builds all plugins and packs them for the program. Returns the archive's path.
fn pack_plugins(project: &Project) -> anyhow::Result<PathBuf> {
    let folder = project.target.join("bundled-plugins.d");
    folders::empty(&folder)?;
    plugins::assemble_all(project, &folder)?;
    let packed = archive::pack(&folder, 0)?;
    let archive = project.target.join("bundled-plugins.tar");
    let compressed = project.target.join("bundled-plugins.tar.br");
    // A file that is not written again is not compiled again.
    if fs::read(&archive).ok().as_deref() == Some(&packed) && compressed.exists() {
        return Ok(compressed);
    }
    // Brotli makes them a third smaller than gzip does, and the program contains its decoder in any case, for PDFs.
    find_or_install("brotli", "brotli")?;
    // If compression fails, the file of earlier plugins must not be taken for that of this archive.
    if compressed.exists() {
        fs::remove_file(&compressed)?;
    }
    fs::write(&archive, packed)?;
    // `--output` takes its value only after an equals sign.
    project::run(
        Command::new("brotli")
            .args(["--best", "-o"])
            .args([&compressed, &archive]),
    )?;
    Ok(compressed)
}

/// The version of the workspace.
pub(super) fn version(project: &Project) -> anyhow::Result<String> {
    let manifest: DocumentMut = fs::read_to_string(project.root.join("Cargo.toml"))?.parse()?;
    let version = manifest["workspace"]["package"]["version"].as_str();
    Ok(version.context("Cargo.toml has no version")?.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dist::COMPOSE_FILES;

    #[test]
    fn the_compose_files_name_the_image_of_this_version() {
        let project = Project::find().unwrap();
        let image = format!("image: linepress:{}\n", version(&project).unwrap());
        for name in COMPOSE_FILES {
            let compose = fs::read_to_string(project.root.join("packaging").join(name)).unwrap();
            assert!(compose.contains(&image), "packaging/{name} must contain {image}");
        }
    }
}
