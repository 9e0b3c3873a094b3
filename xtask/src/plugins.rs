//! `cargo xtask plugins`: builds the plugins as WebAssembly components and writes the folders that the server loads.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context as _, bail};
use clap::Args;
use sha2::{Digest as _, Sha256};
use toml_edit::{DocumentMut, value};

use crate::folders;
use crate::project::{self, Project};

const TARGET: &str = "wasm32-wasip2";

/// A crate that is built into a plugin.
struct Guest {
    /// The name of the package.
    package: String,
    /// The folder of the crate, which contains plugin.toml.
    folder: PathBuf,
    id: String,
    manifest: DocumentMut,
}

/// The plugins of a folder to build.
#[derive(Clone, Debug)]
enum Selection {
    All,
    /// Plugins that run without an approval. A server refuses the others, and logs that, until an operator grants the
    /// access that they request.
    Offline,
    /// Plugins that request network access or services.
    Network,
    /// Plugins with these ids.
    Named(Vec<String>),
}

#[derive(Args)]
pub(crate) struct Plugins {
    /// The ids of the plugins. The default is all plugins that do not need network access.
    ids: Vec<String>,
    /// Build the plugins that request network access instead. A server loads them after its operator has granted it.
    #[arg(long, conflicts_with = "ids")]
    network: bool,
    /// The folder to write the plugins to. The default is plugins.d in cargo's target folder, or network-plugins.d with
    /// --network.
    #[arg(long)]
    out: Option<PathBuf>,
}

impl Plugins {
    pub(crate) fn run(self, project: &Project) -> anyhow::Result<ExitCode> {
        let (selection, usual) = match (self.network, self.ids) {
            (true, _) => (Selection::Network, project.network_plugins_folder()),
            (false, ids) if ids.is_empty() => (Selection::Offline, project.plugins_folder()),
            (false, ids) => (Selection::Named(ids), project.plugins_folder()),
        };
        let out = self.out.map_or(Ok(usual), std::path::absolute)?;
        assemble(project, &project.root.join("plugins"), &out, &selection)?;
        println!("The plugins are in {}", out.display());
        Ok(ExitCode::SUCCESS)
    }
}

/// Builds the plugins that a server runs without an approval. Returns their folder.
pub(crate) fn assemble_offline(project: &Project) -> anyhow::Result<PathBuf> {
    let out = project.plugins_folder();
    assemble(project, &project.root.join("plugins"), &out, &Selection::Offline)?;
    Ok(out)
}

/// Builds the plugins that request network access. Returns their folder.
pub(crate) fn assemble_network(project: &Project) -> anyhow::Result<PathBuf> {
    let out = project.network_plugins_folder();
    assemble(project, &project.root.join("plugins"), &out, &Selection::Network)?;
    Ok(out)
}

/// Builds all plugins that ship with the server into this folder.
pub(crate) fn assemble_all(project: &Project, out: &Path) -> anyhow::Result<()> {
    assemble(project, &project.root.join("plugins"), out, &Selection::All)
}

/// Builds the plugins that only tests and benchmarks use. Returns their folder.
pub(crate) fn assemble_testbed(project: &Project) -> anyhow::Result<PathBuf> {
    let out = project.testbed_folder();
    assemble(
        project,
        &project.root.join("plugins").join("testbed"),
        &out,
        &Selection::All,
    )?;
    Ok(out)
}

/// Builds the selected plugins in the folders of `source` and writes one folder for each into `out`.
fn assemble(project: &Project, source: &Path, out: &Path, selection: &Selection) -> anyhow::Result<()> {
    let mut guests = discover(source)?;
    if let Selection::Named(ids) = selection
        && let Some(unknown) = ids.iter().find(|id| guests.iter().all(|guest| guest.id != **id))
    {
        bail!("no folder in {} contains the plugin {unknown}", source.display());
    }
    guests.retain(|guest| selection.includes(guest));
    if guests.is_empty() {
        bail!("no folder in {} contains a plugin.toml", source.display());
    }
    ensure_target(TARGET)?;
    let mut cargo = project.cargo();
    cargo.args(["build", "--target", TARGET, "--profile", "plugin"]);
    for guest in &guests {
        cargo.args(["--package", &guest.package]);
    }
    project::run(&mut cargo)?;
    fs::create_dir_all(out).with_context(|| format!("{} cannot be created", out.display()))?;
    for guest in &guests {
        let changed = guest.assemble(project, out)?;
        println!("{} {}", if changed { "assembled" } else { "unchanged" }, guest.id);
    }
    Ok(())
}

impl Selection {
    fn includes(&self, guest: &Guest) -> bool {
        let needs_approval = guest.manifest.contains_key("http") || guest.manifest.contains_key("permissions");
        match self {
            Self::All => true,
            Self::Offline => !needs_approval,
            Self::Network => needs_approval,
            Self::Named(ids) => ids.contains(&guest.id),
        }
    }
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

    /// Writes the plugin's folder. Returns true if its contents changed.
    fn assemble(&self, project: &Project, out: &Path) -> anyhow::Result<bool> {
        let file = format!("{}.wasm", self.package.replace('-', "_"));
        let built = project.target.join(TARGET).join("plugin").join(file);
        let wasm = fs::read(&built).with_context(|| format!("cargo did not build {}", built.display()))?;
        // The work folder is not inside `out`, which a running server may be reading.
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

    /// Returns the manifest with the digest of its component.
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

    /// Returns the folder with the templates of a layout, in its crate or in `templates/<name>` of the workspace.
    fn templates(&self, root: &Path) -> Option<PathBuf> {
        let name = self.id.rsplit('.').next()?;
        let is_layout = self.manifest.get("world")?.as_str()?.contains("book-layout");
        [self.folder.join("templates"), root.join("templates").join(name)]
            .into_iter()
            .find(|folder| is_layout && folder.is_dir())
    }
}

/// Installs the compilation target of plugins if it is missing.
pub(crate) fn ensure_target(target: &str) -> anyhow::Result<()> {
    let installed = project::read(Command::new("rustup").args(["target", "list", "--installed"]));
    match installed {
        Ok(targets) if targets.lines().any(|line| line == target) => Ok(()),
        Ok(_) => project::run(Command::new("rustup").args(["target", "add", target]))
            .with_context(|| format!("the compilation target {target} of plugins cannot be installed")),
        Err(_) if rustc_has_target(target) => Ok(()),
        Err(_) => bail!(
            "plugins are built for {target}, but rustup, which installs that target, was not found. \
             Install rustup from https://rustup.rs, or add the target in the way Rust was installed on this machine."
        ),
    }
}

/// Returns true if rustc has the target, which may be the case even if rustup did not install Rust.
fn rustc_has_target(target: &str) -> bool {
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
    fn a_manifest_gains_the_digest_and_is_otherwise_unchanged() {
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
        assert_eq!(fs::read_dir(&out).unwrap().count(), 1, "no temporary folder remains");
    }

    #[test]
    fn plugins_that_request_network_access_are_built_separately() {
        let folder = tempfile::tempdir().unwrap();
        let offline = guest(folder.path(), "id = \"some.guest\"\n").unwrap();
        let network = guest(
            folder.path(),
            "id = \"some.caller\"\n[[http]]\norigin = \"https://example.com\"\n",
        )
        .unwrap();
        let included = |selection: Selection| [&offline, &network].map(|guest| selection.includes(guest));
        assert_eq!(included(Selection::All), [true, true]);
        assert_eq!(included(Selection::Offline), [true, false]);
        assert_eq!(included(Selection::Network), [false, true]);
        assert_eq!(included(Selection::Named(vec!["some.caller".into()])), [false, true]);
    }

    #[test]
    fn a_manifest_without_an_id_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let error = guest(folder.path(), "manifest = 1\n").err().unwrap();
        assert!(error.to_string().contains("id"), "{error}");
    }
}
