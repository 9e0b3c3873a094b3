//! `cargo xtask plugins`: builds the plugins as WebAssembly components and writes the folders that the server loads.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, bail};
use sha2::{Digest as _, Sha256};
use toml_edit::{DocumentMut, value};

use crate::folders;
use crate::project::{self, Project};

const TARGET: &str = "wasm32-wasip2";

/// A crate that is built into a plugin.
struct Guest {
    /// The package's name.
    package: String,
    /// The folder of the crate, with its plugin.toml.
    folder: PathBuf,
    id: String,
    manifest: DocumentMut,
}

/// Builds every plugin in the folders of `source` and writes one folder for each into `out`.
pub(crate) fn assemble(project: &Project, source: &Path, out: &Path) -> anyhow::Result<()> {
    let guests = discover(source)?;
    if guests.is_empty() {
        bail!("no folder in {} has a plugin.toml", source.display());
    }
    ensure_target(TARGET)?;
    let mut cargo = project.cargo();
    cargo.args(["build", "--target", TARGET, "--profile", "plugin"]);
    for guest in &guests {
        cargo.args(["--package", &guest.package]);
    }
    project::run(&mut cargo)?;
    fs::create_dir_all(out).with_context(|| format!("{} cannot be made", out.display()))?;
    for guest in &guests {
        let changed = guest.assemble(project, out)?;
        println!("{} {}", if changed { "assembled" } else { "unchanged" }, guest.id);
    }
    Ok(())
}

fn discover(source: &Path) -> anyhow::Result<Vec<Guest>> {
    let mut guests = Vec::new();
    for entry in fs::read_dir(source).with_context(|| format!("{} cannot be read", source.display()))? {
        let folder = entry?.path();
        if folder.join("plugin.toml").is_file() {
            guests.push(Guest::read(folder.clone()).with_context(|| format!("the plugin in {}", folder.display()))?);
        }
    }
    guests.sort_by(|one, other| one.id.cmp(&other.id));
    if let Some(pair) = guests.windows(2).find(|pair| pair[0].id == pair[1].id) {
        bail!(
            "{} and {} have the same id, {}",
            pair[0].folder.display(),
            pair[1].folder.display(),
            pair[0].id
        );
    }
    Ok(guests)
}

impl Guest {
    fn read(folder: PathBuf) -> anyhow::Result<Self> {
        let document = |name: &str| -> anyhow::Result<DocumentMut> {
            let text = fs::read_to_string(folder.join(name)).with_context(|| format!("{name} cannot be read"))?;
            text.parse().with_context(|| format!("{name} is not TOML"))
        };
        let manifest = document("plugin.toml")?;
        let id = manifest
            .get("id")
            .and_then(|id| id.as_str())
            .context("plugin.toml has no id")?
            .to_owned();
        let crate_manifest = document("Cargo.toml")?;
        let package = crate_manifest
            .get("package")
            .and_then(|package| package.get("name")?.as_str());
        let package = package.context("Cargo.toml has no package name")?.to_owned();
        Ok(Self {
            package,
            folder,
            id,
            manifest,
        })
    }

    /// Writes the plugin's folder; returns whether anything in it changed.
    fn assemble(&self, project: &Project, out: &Path) -> anyhow::Result<bool> {
        let file = format!("{}.wasm", self.package.replace('-', "_"));
        let built = project.target.join(TARGET).join("plugin").join(file);
        let wasm = fs::read(&built).with_context(|| format!("{} was not built", built.display()))?;
        // Beside the folder, not in it: a running server may be reading it.
        let work = tempfile::Builder::new()
            .prefix(".assembling-")
            .tempdir_in(out.parent().unwrap_or(out))?;
        let fresh = work.path().join("fresh");
        fs::create_dir(&fresh)?;
        fs::write(fresh.join("plugin.wasm"), &wasm)?;
        fs::write(fresh.join("plugin.toml"), self.manifest_for(&wasm)?)?;
        if self.folder.join("config.json").is_file() {
            fs::copy(self.folder.join("config.json"), fresh.join("config.json"))?;
        }
        if let Some(templates) = self.templates(&project.root) {
            folders::copy(&templates, &fresh.join("templates"))?;
        }
        let place = out.join(&self.id);
        if folders::same(&place, &fresh)? {
            return Ok(false);
        }
        folders::replace(&place, &fresh, &work.path().join("old"))?;
        Ok(true)
    }

    /// The manifest with the digest of the component it describes.
    fn manifest_for(&self, wasm: &[u8]) -> anyhow::Result<String> {
        let mut manifest = self.manifest.clone();
        let entry = manifest.get_mut("wasm").and_then(|wasm| wasm.as_inline_table_mut());
        let entry = entry.context("plugin.toml has no `wasm = { path = \"plugin.wasm\" }`")?;
        entry.insert(
            "sha256",
            value(hex::encode(Sha256::digest(wasm)))
                .into_value()
                .expect("a string is a value"),
        );
        entry.fmt();
        Ok(manifest.to_string())
    }

    /// The templates of a layout, in the folder of its crate or in `templates/<name>` of the workspace.
    fn templates(&self, root: &Path) -> Option<PathBuf> {
        let name = self.id.rsplit('.').next()?;
        let is_layout = self.manifest.get("world")?.as_str()?.contains("book-layout");
        [self.folder.join("templates"), root.join("templates").join(name)]
            .into_iter()
            .find(|folder| is_layout && folder.is_dir())
    }
}

/// Installs the target that plugins are built for, unless it is installed.
pub(crate) fn ensure_target(target: &str) -> anyhow::Result<()> {
    let installed = project::read(Command::new("rustup").args(["target", "list", "--installed"]));
    match installed {
        Ok(targets) if targets.lines().any(|line| line == target) => Ok(()),
        Ok(_) => project::run(Command::new("rustup").args(["target", "add", target]))
            .with_context(|| format!("the target {target}, which plugins are built for, could not be installed")),
        Err(_) if target_is_beside_rustc(target) => Ok(()),
        Err(_) => bail!(
            "plugins are built for {target}, but rustup, which installs that target, was not found. \
             Install rustup from https://rustup.rs, or add the target in the way Rust was installed on this machine."
        ),
    }
}

/// A Rust that was not installed by rustup may have the target too.
fn target_is_beside_rustc(target: &str) -> bool {
    let arguments = ["--print", "target-libdir", "--target", target];
    project::read(Command::new("rustc").args(arguments)).is_ok_and(|folder| Path::new(&folder).is_dir())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guest(folder: &Path, manifest: &str) -> anyhow::Result<Guest> {
        fs::write(folder.join("Cargo.toml"), "[package]\nname = \"some-guest\"\n").unwrap();
        fs::write(folder.join("plugin.toml"), manifest).unwrap();
        Guest::read(folder.to_owned())
    }

    #[test]
    fn a_manifest_gains_the_digest_and_keeps_the_rest() {
        let folder = tempfile::tempdir().unwrap();
        let text = "manifest = 1 # first\nid = \"some.guest\"\nwasm = { path = \"plugin.wasm\" }\n\n[limits]\nmemory-mib = 64\n";
        let manifest = guest(folder.path(), text).unwrap().manifest_for(b"").unwrap();
        let digest = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        let expected = text.replace("\"plugin.wasm\"", &format!("\"plugin.wasm\", sha256 = \"{digest}\""));
        assert_eq!(manifest, expected);
    }

    #[test]
    fn a_folder_is_written_once_and_again_only_when_it_changes() {
        let target = tempfile::tempdir().unwrap();
        let source = tempfile::tempdir().unwrap();
        let text =
            "id = \"some.guest\"\nworld = \"linepress:layout/book-layout@0.1\"\nwasm = { path = \"plugin.wasm\" }\n";
        let guest = guest(source.path(), text).unwrap();
        let project = Project {
            root: source.path().to_owned(),
            target: target.path().to_owned(),
        };
        let built = target.path().join(TARGET).join("plugin");
        fs::create_dir_all(&built).unwrap();
        fs::write(built.join("some_guest.wasm"), "one").unwrap();
        fs::create_dir_all(source.path().join("templates/guest")).unwrap();
        let out = target.path().join("out");
        fs::create_dir_all(&out).unwrap();
        assert!(guest.assemble(&project, &out).unwrap());
        assert!(!guest.assemble(&project, &out).unwrap());
        fs::write(built.join("some_guest.wasm"), "two").unwrap();
        assert!(guest.assemble(&project, &out).unwrap());
        assert_eq!(fs::read(out.join("some.guest/plugin.wasm")).unwrap(), b"two");
        fs::write(source.path().join("templates/interior.typ"), "").unwrap();
        assert!(guest.assemble(&project, &out).unwrap());
        assert!(out.join("some.guest/templates/interior.typ").is_file());
        assert_eq!(fs::read_dir(&out).unwrap().count(), 1, "nothing temporary is left");
    }

    #[test]
    fn a_manifest_without_an_id_says_so() {
        let folder = tempfile::tempdir().unwrap();
        let error = guest(folder.path(), "manifest = 1\n").err().unwrap();
        assert!(error.to_string().contains("id"), "{error}");
    }
}
