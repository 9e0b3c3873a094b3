//! The command `linepress template new`: creates a layout as a copy of another one.
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, bail};
use clap::Args;
use linepress_platform::config::Config;
use linepress_plugin_host::{Layout, id_in, is_plugin_id};
use linepress_terminal::print_line;
use toml_edit::{DocumentMut, Item, Table, Value, value};

use super::bench::installed;
use super::sample;
use crate::new_folder::NewFolder;
use crate::workbench::{Network, Plugin, Workbench};

#[derive(Args)]
pub struct Arguments {
    /// The id of your layout: lowercase words joined by dots, beginning with a word of yours, such as acme.ocean.
    name: String,
    /// The layout to copy: the id of an installed layout or its last word, or the path of a folder.
    #[arg(long, value_name = "LAYOUT")]
    from: String,
    /// The folder to create. Default: a folder named like the layout's id in the current folder.
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
}

/// The size limit of each copied file in bytes; the component is the largest.
const MAX_FILE_BYTES: u64 = 256 << 20;

/// The file in the templates that may declare formats.
const ADDITIONS: &str = "layout.toml";

/// Further files that are copied from the source folder if they exist.
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
    let made = load(config, &fresh).await.context("the copy is not a valid layout")?;
    sample::write(&made, &fresh.join("templates")).await?;
    drop(made);
    let folder = folder.put_in_place()?;
    for template in unnamed {
        print_line!("{template} does not contain its format's id in quotes: change it to use the format's new id");
    }
    print_line!("{} is written. Preview and change it:", folder.display());
    print_line!("  linepress template preview {}", folder.display());
    print_line!("{} describes the files.", folder.join("templates/README.md").display());
    Ok(ExitCode::SUCCESS)
}

/// The folder of the layout to copy.
fn source(config: &Config, from: &str) -> anyhow::Result<PathBuf> {
    let path = Path::new(from);
    if path.join("plugin.toml").is_file() {
        return Ok(path.to_owned());
    }
    if from.contains('.') || path.components().count() > 1 {
        return installed(config, Some(from));
    }
    // Looks for installed layouts whose id ends with this word.
    let folders = config.plugin_folders().into_iter().map(fs::read_dir);
    let folders = folders.flatten().flatten().flatten();
    let ids = folders.filter_map(|folder| id_in(&folder.path()).ok());
    let mut named: Vec<String> = ids.filter(|id| id.rsplit('.').next() == Some(from)).collect();
    named.sort();
    named.dedup();
    match named.as_slice() {
        [id] => installed(config, Some(id)),
        [] => installed(config, Some(from)),
        several => bail!("{} match: name one of them in full", several.join(" and ")),
    }
}

async fn load(config: &Config, folder: &Path) -> anyhow::Result<Layout> {
    let loaded = Workbench::new(config, folder, Network::Offline, None)?.load().await?;
    match loaded {
        Ok((_, Plugin::Layout(layout))) => Ok(layout),
        Ok(_) => bail!("the plugin in {} is not a layout", folder.display()),
        Err(reason) => bail!("a server refuses the layout in {}: {reason}", folder.display()),
    }
}

/// Writes the new folder; returns the templates in which no format id was found to replace.
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
            // Does not follow links, because the folder is meant to be passed on.
            let content = linepress_files::read(&from, MAX_FILE_BYTES);
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
        if path == ADDITIONS {
            let text = String::from_utf8_lossy(&content).into_owned();
            content = variant.rename_formats(&text)?.into_bytes();
        }
        let formats = layout.description().formats.iter();
        for format in formats.filter(|format| format.template == path) {
            let text = String::from_utf8_lossy(&content).into_owned();
            let named = text.replace(
                &format!("\"{}\"", format.id),
                &format!("\"{}\"", variant.format_id(&format.id)),
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

/// The manifest's table `variant`: how the new layout differs from the layout that its component implements.
struct Variant {
    id: String,
    of: String,
    name: String,
    formats: String,
    /// The prefix of the ids of the source's formats.
    old_formats: String,
}

impl Variant {
    /// Derives the variant. The copy of a variant is a variant of the same component.
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

    /// The id of the format that had this id in the source.
    fn format_id(&self, old: &str) -> String {
        let own = old.strip_prefix(&self.old_formats).unwrap_or(old);
        format!("{}{own}", self.formats)
    }

    /// Replaces the ids of the formats that a `layout.toml` declares.
    fn rename_formats(&self, text: &str) -> anyhow::Result<String> {
        let mut document: DocumentMut = text.parse().with_context(|| format!("{ADDITIONS} is not TOML"))?;
        let mut index = 0;
        // An array of inline tables has the same meaning as `[[formats]]` tables.
        while let Some(format) = document.get_mut("formats").and_then(|formats| formats.get_mut(index)) {
            if let Some(id) = format.get_mut("id").and_then(Item::as_value_mut)
                && let Some(old) = id.as_str()
            {
                let mut new = Value::from(self.format_id(old));
                *new.decor_mut() = id.decor().clone();
                *id = new;
            }
            index += 1;
        }
        Ok(document.to_string())
    }

    fn write(&self, manifest: &mut DocumentMut) {
        manifest["id"] = value(&self.id);
        let mut table = Table::new();
        table.decor_mut().set_prefix(
            "\n# The component is that of another layout, whose pages this layout prints under another name and with \
             its own formats.\n",
        );
        for (key, text) in [("of", &self.of), ("name", &self.name), ("formats", &self.formats)] {
            table[key] = value(text);
        }
        manifest["variant"] = Item::Table(table);
    }
}

/// A display name for the last word of an id: `Deep Sea` for `deep-sea`.
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
    fn formats_are_renamed_however_their_ids_are_written() {
        let variant = Variant {
            id: "acme.reef".into(),
            of: "linepress.classic".into(),
            name: "Reef".into(),
            formats: "reef_".into(),
            old_formats: "ocean_".into(),
        };
        let tables =
            "[[formats]]\nid = 'ocean_a5' # small\nname = \"ocean_a5\"\n\n[[formats]]\n\"id\" = \"\"\"b6\"\"\"\n";
        assert_eq!(
            variant.rename_formats(tables).unwrap(),
            "[[formats]]\nid = \"reef_a5\" # small\nname = \"ocean_a5\"\n\n[[formats]]\n\"id\" = \"reef_b6\"\n"
        );
        assert_eq!(
            variant.rename_formats("formats = [{ id = 'ocean_a5' }]\n").unwrap(),
            "formats = [{ id = \"reef_a5\" }]\n"
        );
        let leaves = "[[leaves]]\nkind = \"map\"\nbefore = \"drawing\"\n";
        assert_eq!(variant.rename_formats(leaves).unwrap(), leaves);
    }

    #[test]
    fn a_display_name_is_made_of_the_last_word_of_an_id() {
        assert_eq!(
            (titled("ocean"), titled("deep-sea")),
            ("Ocean".into(), "Deep Sea".into())
        );
    }
}
