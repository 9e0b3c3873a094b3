//! The licences of the crates in the program, whose texts must accompany it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use anyhow::{Context as _, bail};
use serde_json::Value;

use super::Release;
use crate::project;

/// Names of files with a licence begin with one of these words.
const NAMES: [&str; 5] = ["LICENSE", "LICENCE", "COPYING", "COPYRIGHT", "NOTICE"];

/// The licence of musl, in the Debian package `musl`.
const MUSL_LICENCE: &str = "/usr/share/doc/musl/copyright";

impl Release<'_> {
    /// Returns the names and licences of all crates in the program and its plugins, and then each text once.
    pub(super) fn licences(&self) -> anyhow::Result<String> {
        let mut cargo = self.project.cargo();
        let arguments = ["metadata", "--locked", "--format-version", "1", "--filter-platform"];
        let metadata = project::read(cargo.args(arguments).arg(&self.program.target))?;
        let metadata: Value = serde_json::from_str(&metadata).context("cargo metadata is not JSON")?;
        let crates = crates(&metadata, &self.project.root)?;
        let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let mut list = String::from("The program contains these crates, under the licences below.\n\n");
        for package in &crates {
            let name = format!("{} {}", text(package, "name"), text(package, "version"));
            let licence = package["license"].as_str().unwrap_or("see its text");
            list += &format!("{name}: {licence}\n");
            for text in self.texts_of(package, &crates)? {
                texts.entry(text).or_default().push(name.clone());
            }
        }
        list += "musl (the C library): MIT\n";
        let musl = fs::read_to_string(MUSL_LICENCE).with_context(|| format!("{MUSL_LICENCE} cannot be read"))?;
        texts.entry(musl).or_default().push("musl".into());
        for (text, crates) in texts {
            list += &format!("\n{}\n{}\n\n{}\n", "=".repeat(80), crates.join(", "), text.trim_end());
        }
        Ok(list)
    }

    /// The licence texts of a crate. Some crates are published without one.
    fn texts_of(&self, package: &Value, crates: &[&Value]) -> anyhow::Result<Vec<String>> {
        let texts = texts_in(folder_of(package)?)?;
        if !texts.is_empty() {
            return Ok(texts);
        }
        let name = text(package, "name");
        match Replacement::of(name, text(package, "license")) {
            Some(Replacement::None) => Ok(Vec::new()),
            Some(Replacement::OwnLicence) => Ok(vec![fs::read_to_string(self.project.root.join("LICENSE"))?]),
            Some(Replacement::Crate(other)) => {
                let other = crates.iter().find(|package| text(package, "name") == other);
                texts_in(folder_of(
                    other.with_context(|| format!("no crate has the licence text of {name}"))?,
                )?)
            }
            None => bail!("the crate {name} has no licence text; add it to `Replacement::of`"),
        }
    }
}

/// The licence text of a crate that was published without one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Replacement {
    /// The licence demands none.
    None,
    /// That of this project, the Apache License 2.0.
    OwnLicence,
    /// That of another crate in the program.
    Crate(&'static str),
}

impl Replacement {
    fn of(name: &str, licence: &str) -> Option<Self> {
        let offers = |wanted: &str| {
            licence
                .replace('/', " OR ")
                .split(" OR ")
                .any(|offered| offered == wanted)
        };
        if offers("Apache-2.0") {
            Some(Self::OwnLicence)
        } else if offers("Apache-2.0 WITH LLVM-exception") {
            Some(Self::Crate("wasmtime"))
        } else if offers("0BSD") || offers("CC0-1.0") {
            Some(Self::None)
        } else if name == "alloc-stdlib" {
            // By the same authors, from the same repository.
            Some(Self::Crate("alloc-no-stdlib"))
        } else {
            None
        }
    }
}

fn text<'a>(package: &'a Value, field: &str) -> &'a str {
    package[field].as_str().unwrap_or_default()
}

fn folder_of(package: &Value) -> anyhow::Result<&Path> {
    Path::new(text(package, "manifest_path"))
        .parent()
        .context("a crate has no folder")
}

/// The crates from registries that the program and its plugins contain, by name.
fn crates<'a>(metadata: &'a Value, root: &Path) -> anyhow::Result<Vec<&'a Value>> {
    let packages: BTreeMap<&str, &Value> = list(&metadata["packages"])
        .iter()
        .filter_map(|package| Some((package["id"].as_str()?, package)))
        .collect();
    let nodes: BTreeMap<&str, &Value> = list(&metadata["resolve"]["nodes"])
        .iter()
        .filter_map(|node| Some((node["id"].as_str()?, node)))
        .collect();
    let is_shipped = |manifest: &str| {
        let folder = Path::new(manifest).strip_prefix(root).ok().and_then(Path::parent);
        folder.is_some_and(|folder| folder == Path::new("host") || folder.parent() == Some(Path::new("plugins")))
    };
    let mut waiting: Vec<&str> = packages
        .iter()
        .filter(|(_, package)| package["manifest_path"].as_str().is_some_and(is_shipped))
        .map(|(id, _)| *id)
        .collect();
    let mut found = BTreeSet::new();
    while let Some(id) = waiting.pop() {
        if !found.insert(id) {
            continue;
        }
        let node = nodes
            .get(id)
            .with_context(|| format!("cargo metadata does not resolve {id}"))?;
        // Dependencies of tests and build scripts are not in the program.
        let is_normal = |dependency: &&Value| list(&dependency["dep_kinds"]).iter().any(|kind| kind["kind"].is_null());
        let dependencies = list(&node["deps"]).iter().filter(is_normal);
        waiting.extend(dependencies.filter_map(|dependency| dependency["pkg"].as_str()));
    }
    let mut crates: Vec<&Value> = found.into_iter().map(|id| packages[id]).collect();
    crates.retain(|package| !package["source"].is_null());
    crates.sort_by_key(|package| (package["name"].as_str(), package["version"].as_str()));
    Ok(crates)
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

fn texts_in(folder: &Path) -> anyhow::Result<Vec<String>> {
    let mut texts = Vec::new();
    for entry in fs::read_dir(folder).with_context(|| format!("{} cannot be read", folder.display()))? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().to_uppercase();
        if NAMES.iter().any(|begin| name.starts_with(begin)) && entry.path().is_file() {
            texts.push(String::from_utf8_lossy(&fs::read(entry.path())?).into_owned());
        }
    }
    Ok(texts)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_crate_without_a_text_has_that_of_its_licence() {
        let replacement = |licence| Replacement::of("a", licence);
        assert_eq!(replacement("MIT/Apache-2.0"), Some(Replacement::OwnLicence));
        let llvm = replacement("Apache-2.0 WITH LLVM-exception");
        assert_eq!(llvm, Some(Replacement::Crate("wasmtime")));
        assert_eq!(replacement("0BSD OR CC0-1.0"), Some(Replacement::None));
        assert_eq!(replacement("MIT"), None);
    }

    #[test]
    fn dependencies_of_tests_are_left_out() {
        let package = |name: &str, manifest: &str, source: Option<&str>| json!({"id": name, "name": name, "manifest_path": manifest, "source": source});
        let dependency = |name: &str, kind: Option<&str>| json!({"pkg": name, "dep_kinds": [{"kind": kind}]});
        let metadata = json!({
            "packages": [
                package("linepress", "/p/host/Cargo.toml", None),
                package("xtask", "/p/xtask/Cargo.toml", None),
                package("a", "/r/a/Cargo.toml", Some("registry")),
                package("b", "/r/b/Cargo.toml", Some("registry")),
                package("c", "/r/c/Cargo.toml", Some("registry")),
            ],
            "resolve": {"nodes": [
                {"id": "linepress", "deps": [dependency("a", None), dependency("c", Some("dev"))]},
                {"id": "xtask", "deps": [dependency("c", None)]},
                {"id": "a", "deps": [dependency("b", None)]},
                {"id": "b", "deps": []},
                {"id": "c", "deps": []},
            ]},
        });
        let crates = crates(&metadata, Path::new("/p")).unwrap();
        let names: Vec<_> = crates.iter().map(|package| package["name"].as_str().unwrap()).collect();
        assert_eq!(names, ["a", "b"]);
    }
}
