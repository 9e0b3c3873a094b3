//! The licences of the crates in the program, whose texts must accompany it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use anyhow::Context as _;
use serde_json::Value;

use super::Release;
use crate::project;

/// Names of files with a licence begin with one of these words.
const NAMES: [&str; 5] = ["LICENSE", "LICENCE", "COPYING", "COPYRIGHT", "NOTICE"];

impl Release<'_> {
    /// Returns the names and licences of all crates in the program and its plugins, and then each text once.
    pub(super) fn licences(&self) -> anyhow::Result<String> {
        let mut cargo = self.project.cargo();
        let arguments = ["metadata", "--locked", "--format-version", "1", "--filter-platform"];
        let metadata = project::read(cargo.args(arguments).arg(&self.program.target))?;
        let metadata: Value = serde_json::from_str(&metadata).context("cargo metadata is not JSON")?;
        let crates = crates(&metadata, &self.project.root)?;
        let mut list = String::from("The program contains these crates, under the licences below.\n\n");
        let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for package in crates {
            let text = |name: &str| package[name].as_str().unwrap_or_default();
            let name = format!("{} {}", text("name"), text("version"));
            let licence = package["license"].as_str().unwrap_or("see its text");
            list += &format!("{name}: {licence}\n");
            let folder = Path::new(text("manifest_path"))
                .parent()
                .context("a crate has no folder")?;
            for text in texts_in(folder)? {
                texts.entry(text).or_default().push(name.clone());
            }
        }
        for (text, crates) in texts {
            list += &format!("\n{}\n{}\n\n{}\n", "=".repeat(80), crates.join(", "), text.trim_end());
        }
        Ok(list)
    }
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
