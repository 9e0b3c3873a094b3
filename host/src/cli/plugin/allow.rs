//! The commands `linepress plugin allow` and `linepress plugin deny`.
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use clap::Args;
use linepress_core::startup::plugin_settings;
use linepress_platform::config::Config;
use linepress_plugin_host::{OriginPattern, Preview};
use linepress_terminal::{print_line, printable};
use toml_edit::{Array, DocumentMut, InlineTable, Item, Table, value};

use super::installed::Found;

#[derive(Args)]
pub(in crate::cli) struct Allow {
    /// The plugin's id, or the path of its folder.
    plugin: String,
    /// Grant only this origin instead of all requested ones; may be repeated.
    #[arg(long, value_name = "ORIGIN", value_parser = origin)]
    origin: Vec<OriginPattern>,
    /// Grant this origin even if its addresses are private or it uses plain http, such as http://127.0.0.1:8188.
    #[arg(long, value_name = "ORIGIN", value_parser = origin)]
    private: Vec<OriginPattern>,
    /// The source of a credential: NAME=env:VARIABLE or NAME=file:PATH; may be repeated.
    #[arg(long, value_name = "NAME=SOURCE", value_parser = credential)]
    credential: Vec<(String, Source)>,
}

#[derive(Args)]
pub(in crate::cli) struct Deny {
    /// The plugin's id.
    plugin: String,
}

#[derive(Clone)]
enum Source {
    Env(String),
    File(PathBuf),
}

fn origin(text: &str) -> Result<OriginPattern, String> {
    OriginPattern::parse(text).map_err(|problem| format!("it {problem}"))
}

fn credential(text: &str) -> Result<(String, Source), String> {
    let source = |text: &str| match text.split_once(':')? {
        ("env", name) if !name.is_empty() => Some(Source::Env(name.to_owned())),
        ("file", path) if !path.is_empty() => Some(Source::File(path.into())),
        _ => None,
    };
    let parts = text
        .split_once('=')
        .and_then(|(name, text)| Some((name.to_owned(), source(text)?)));
    // The error does not repeat the text, because a secret that was entered by mistake must not appear in a log.
    parts.ok_or_else(|| "it must be NAME=env:VARIABLE or NAME=file:PATH, not the secret itself".into())
}

pub(super) fn allow(config: &Config, file: &Path, arguments: &Allow) -> anyhow::Result<()> {
    let found = Found::new(config, &arguments.plugin)?;
    let Preview {
        id,
        digest,
        requests: asked,
        ..
    } = &found.preview;
    if asked.is_empty() {
        print_line!("{id} requests nothing and needs no approval");
        return Ok(());
    }
    print_line!("{id} {} asks", found.preview.version);
    for request in asked.lines() {
        print_line!("  {}", printable(&request));
    }
    let origins = granted(&found.preview, arguments)?;
    let private = private(config, id, &origins, arguments);
    for (name, _) in &arguments.credential {
        if !asked.credentials.iter().any(|credential| credential.name == *name) {
            bail!("{id} does not request a credential {name}");
        }
    }
    Config::edit(file, |document| {
        write(document, id, digest, &origins, &private, arguments);
    })
    .with_context(|| format!("the grant for {id} was not written"))?;
    print_line!("granted in {}: {}", file.display(), join(&origins));
    if !private.is_empty() {
        print_line!("also with private addresses or plain http: {}", join(&private));
    }
    // Loads the settings as the server will see them.
    let now = Config::load(Some(file))?;
    let program = std::env::current_exe().context("the path of the linepress binary cannot be determined")?;
    match found.preview.missing_grant(&plugin_settings(&now, program).network) {
        None => print_line!("a running server applies this within seconds"),
        Some(missing) => print_line!("not yet loaded: {}", printable(&missing)),
    }
    Ok(())
}

/// The origins to grant. The plugin must have requested each of them.
fn granted(preview: &Preview, arguments: &Allow) -> anyhow::Result<BTreeSet<OriginPattern>> {
    let asked: BTreeSet<OriginPattern> = preview
        .requests
        .origins
        .iter()
        .map(|request| request.origin.clone())
        .collect();
    for origin in arguments.origin.iter().chain(&arguments.private) {
        if !asked.contains(origin) {
            bail!("{} does not request {origin}: it requests {}", preview.id, join(&asked));
        }
    }
    if arguments.origin.is_empty() {
        return Ok(asked);
    }
    Ok(arguments.origin.iter().chain(&arguments.private).cloned().collect())
}

/// The origins that may be private: those named on the command line, or otherwise those of the previous grant that are
/// still requested, so that a new version is approved like the previous one.
fn private(config: &Config, id: &str, origins: &BTreeSet<OriginPattern>, arguments: &Allow) -> BTreeSet<OriginPattern> {
    if !arguments.private.is_empty() {
        return arguments.private.iter().cloned().collect();
    }
    let before = config.grants.get(id).map(|grant| grant.private.as_slice());
    let before = before
        .unwrap_or_default()
        .iter()
        .filter_map(|text| OriginPattern::parse(text).ok());
    before.filter(|origin| origins.contains(origin)).collect()
}

fn join(origins: &BTreeSet<OriginPattern>) -> String {
    origins.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

fn write(
    document: &mut DocumentMut,
    id: &str,
    digest: &str,
    origins: &BTreeSet<OriginPattern>,
    private: &BTreeSet<OriginPattern>,
    arguments: &Allow,
) {
    let mut grant = Table::new();
    grant["digest"] = value(digest);
    grant["origins"] = value(origins.iter().map(ToString::to_string).collect::<Array>());
    if !private.is_empty() {
        grant["private"] = value(private.iter().map(ToString::to_string).collect::<Array>());
    }
    // Existing tables are changed in place, which preserves the comments before them.
    let grants = table(document.as_table_mut(), "grants");
    match grants.get_mut(id).and_then(Item::as_table_mut) {
        Some(old) => {
            for (key, item) in grant {
                old[&key] = item;
            }
            if private.is_empty() {
                old.remove("private");
            }
        }
        None => grants[id] = Item::Table(grant),
    }
    if arguments.credential.is_empty() {
        return;
    }
    let credentials = table(table(document.as_table_mut(), "credentials"), id);
    credentials.set_implicit(false);
    for (name, source) in &arguments.credential {
        let mut inline = InlineTable::new();
        match source {
            Source::Env(variable) => inline.insert("env", variable.as_str().into()),
            Source::File(path) => inline.insert("file", path.display().to_string().into()),
        };
        credentials[name] = value(inline);
    }
}

/// A subtable that contains only tables; created without its own header when it is missing.
fn table<'a>(within: &'a mut Table, name: &str) -> &'a mut Table {
    let item = within.entry(name).or_insert_with(|| {
        let mut table = Table::new();
        table.set_implicit(true);
        Item::Table(table)
    });
    if !item.is_table() {
        // It may be an inline table.
        let converted = std::mem::take(item).into_table().unwrap_or_default();
        *item = Item::Table(converted);
    }
    item.as_table_mut().expect("it is a table now")
}

pub(super) fn deny(config: &Config, file: &Path, arguments: &Deny) -> anyhow::Result<()> {
    let id = &arguments.plugin;
    if !config.grants.contains_key(id) {
        bail!("nothing is granted to {id}; `linepress plugin list` lists the plugins");
    }
    Config::edit(file, |document| {
        if let Some(grants) = document.get_mut("grants").and_then(Item::as_table_like_mut) {
            grants.remove(id);
        }
    })
    .with_context(|| format!("the grant of {id} was not removed"))?;
    let now = Config::load(Some(file))?;
    if now.grants.contains_key(id) {
        bail!("the grant of {id} is set by environment variables: remove it there");
    }
    print_line!("the grant of {id} is removed; a running server applies this within seconds");
    if now.credentials.contains_key(id) {
        print_line!("the sources of its credentials remain in {}", file.display());
    }
    Ok(())
}
