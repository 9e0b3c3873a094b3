//! `linepress template new`: a layout of one's own that begins as another one looks.
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, bail};
use clap::Args;
use linepress::config::Config;
use linepress_model::PrintFormat;
use linepress_plugin_host::{Layout, id_in, is_plugin_id};
use toml_edit::{DocumentMut, Item, Table, value};

use super::bench::installed;
use super::sample;
use crate::cli::new_folder::NewFolder;
use crate::cli::plugin::{Network, Plugin, Workbench};

#[derive(Args)]
pub(in crate::cli) struct Arguments {
    /// The id of your layout: lowercase words joined by dots, the first of them yours, such as acme.ocean.
    name: String,
    /// The layout that it begins as: an installed one by its id or the last word of it, or the path of its folder.
    #[arg(long, value_name = "LAYOUT")]
    from: String,
    /// The folder to make; one with the layout's id for its name in the current folder when it is left out.
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
}

/// Of the other files, the component the largest.
const LARGEST_FILE: u64 = 256 << 20;

/// What else of the source's folder goes along, where it is there.
const FILES: [&str; 4] = ["config.json", "LICENSE", "LICENSE.txt", "NOTICE"];

pub(super) async fn run(config: &Config, arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let id = &arguments.name;
    if !is_plugin_id(id) || !id.contains('.') {
        bail!("{id:?} must be lowercase words of letters, digits and hyphens, joined by dots, such as acme.ocean");
    }
    let folder = NewFolder::at(arguments.out.clone().unwrap_or_else(|| id.into()))?;
    let source = source(config, &arguments.from)?;
    let layout = load(config, &source).await?;
    let fresh = folder.path();
    let unnamed = copy(&source, &layout, id, &fresh)?;
    let made = load(config, &fresh).await.context("what was copied is no layout")?;
    sample::write(&made, &fresh.join("templates")).await?;
    drop(made);
    let folder = folder.put_in_place()?;
    for template in unnamed {
        println!("{template} does not name its format in quotes: let it print the format's new id");
    }
    println!("{} is written. Look at it, and change it:", folder.display());
    println!("  linepress template preview {}", folder.display());
    println!("{} says what is where.", folder.join("templates/README.md").display());
    Ok(ExitCode::SUCCESS)
}

/// The folder of the layout to begin with.
fn source(config: &Config, from: &str) -> anyhow::Result<PathBuf> {
    let path = Path::new(from);
    if path.join("plugin.toml").is_file() {
        return Ok(path.to_owned());
    }
    if from.contains('.') || path.components().count() > 1 {
        return installed(config, Some(from));
    }
    // By the last word of its id.
    let folders = fs::read_dir(&config.plugins_dir).into_iter().flatten().flatten();
    let ids = folders.filter_map(|folder| id_in(&folder.path()).ok());
    let mut named: Vec<String> = ids.filter(|id| id.rsplit('.').next() == Some(from)).collect();
    named.sort();
    match named.as_slice() {
        [id] => installed(config, Some(id)),
        [] => installed(config, Some(from)),
        several => bail!("there are {}: say which one", several.join(" and ")),
    }
}

async fn load(config: &Config, folder: &Path) -> anyhow::Result<Layout> {
    let loaded = Workbench::new(config, folder, Network::Offline, None)?.load().await?;
    match loaded {
        Ok((_, Plugin::Layout(layout))) => Ok(layout),
        Ok(_) => bail!("the plugin in {} is no layout", folder.display()),
        Err(reason) => bail!("a server refuses the layout in {}: {reason}", folder.display()),
    }
}

/// Writes the folder. Returns the templates in which no format was found to be named.
fn copy(source: &Path, layout: &Layout, id: &str, fresh: &Path) -> anyhow::Result<Vec<String>> {
    let manifest = fs::read_to_string(source.join("plugin.toml")).context("plugin.toml cannot be read")?;
    let mut manifest: DocumentMut = manifest.parse().context("plugin.toml is not TOML")?;
    let wasm = manifest.get("wasm").and_then(|wasm| wasm.get("path")?.as_str());
    let wasm = wasm.context("plugin.toml names no component")?.to_owned();
    let templates = fresh.join("templates");
    fs::create_dir_all(&templates)?;
    for name in FILES.into_iter().chain([wasm.as_str()]) {
        let from = source.join(name);
        if from.is_file() {
            let to = fresh.join(name);
            fs::create_dir_all(to.parent().unwrap_or(fresh))?;
            // Not what a link leads to: the folder is meant to be handed on.
            let content = linepress_files::read(&from, LARGEST_FILE);
            fs::write(
                to,
                content.with_context(|| format!("{} cannot be copied", from.display()))?,
            )?;
        }
    }
    let variant = Variant::new(&manifest, layout, id);
    variant.write(&mut manifest);
    fs::write(fresh.join("plugin.toml"), manifest.to_string())?;

    let files = linepress_files::read_all(&source.join("templates"), linepress_files::TEMPLATES)?;
    let mut unnamed = Vec::new();
    for (path, mut content) in files {
        let formats = layout.description().formats.iter();
        for format in formats.filter(|format| format.template == path) {
            let text = String::from_utf8_lossy(&content).into_owned();
            let named = text.replace(
                &format!("\"{}\"", format.id),
                &format!("\"{}\"", variant.format(format)),
            );
            if named == text {
                unnamed.push(path.clone());
            }
            content = named.into_bytes();
        }
        let path = templates.join(path);
        fs::create_dir_all(path.parent().unwrap_or(&templates))?;
        fs::write(path, content)?;
    }
    Ok(unnamed)
}

/// How the new layout differs from its component.
struct Variant {
    id: String,
    of: String,
    name: String,
    formats: String,
    /// What stands before the ids of the source's own formats.
    old_formats: String,
}

impl Variant {
    /// Of a variant, too, the component is what the new one is of.
    fn new(manifest: &DocumentMut, layout: &Layout, id: &str) -> Self {
        let old = |key: &str| manifest.get("variant").and_then(|variant| variant.get(key)?.as_str());
        let word = id.rsplit('.').next().unwrap_or(id);
        Self {
            id: id.to_owned(),
            of: old("of").unwrap_or(&layout.description().id).to_owned(),
            name: titled(word),
            formats: format!("{}_", word.replace('-', "_")),
            old_formats: old("formats").unwrap_or_default().to_owned(),
        }
    }

    fn format(&self, format: &PrintFormat) -> String {
        let own = format.id.strip_prefix(&self.old_formats).unwrap_or(&format.id);
        format!("{}{own}", self.formats)
    }

    fn write(&self, manifest: &mut DocumentMut) {
        manifest["id"] = value(&self.id);
        let mut table = Table::new();
        table.decor_mut().set_prefix(
            "\n# The component is that of another layout. This one has its pages, under a name and with formats of its own.\n",
        );
        for (key, text) in [("of", &self.of), ("name", &self.name), ("formats", &self.formats)] {
            table[key] = value(text);
        }
        manifest["variant"] = Item::Table(table);
    }
}

/// `deep-sea` as people write it: `Deep Sea`.
fn titled(word: &str) -> String {
    let parts = word.split('-').filter(|part| !part.is_empty());
    let titled = parts.map(|part| {
        let (first, rest) = part.split_at(1);
        first.to_uppercase() + rest
    });
    titled.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_for_people_is_made_of_the_last_word_of_an_id() {
        assert_eq!(
            (titled("ocean"), titled("deep-sea")),
            ("Ocean".into(), "Deep Sea".into())
        );
    }
}
