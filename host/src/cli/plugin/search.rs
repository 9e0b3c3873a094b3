//! The command `linepress plugin search`.
use clap::Args;
use linepress_platform::config::Config;
use linepress_registry::{OciPlace, Release, Store};
use linepress_terminal::one_line;
use serde::Serialize;

use super::registry::Registry;
use super::repository;
use crate::cli::Format;

#[derive(Args)]
pub(in crate::cli) struct Search {
    /// Words that the id, the description or the publisher must contain. Default: list all plugins. Or a place in a
    /// registry of containers, whose versions are listed: oci://HOST/PATH.
    words: Vec<String>,
    #[command(flatten)]
    format: Format,
}

/// A plugin of the registry.
#[derive(Serialize)]
pub(super) struct Row {
    id: String,
    version: String,
    world: String,
    publisher: String,
    description: String,
    /// The active version, if the plugin was installed by name.
    installed: Option<String>,
}

impl Row {
    pub(super) fn new(store: &Store, release: &Release) -> anyhow::Result<Self> {
        let installed = store.active_version(&release.id)?;
        Ok(Self {
            id: release.id.clone(),
            version: release.version.to_string(),
            world: release.world.clone(),
            publisher: release.publisher.name.clone(),
            description: release.description.clone(),
            installed: installed.map(|version| version.to_string()),
        })
    }
}

pub(super) async fn search(config: &Config, arguments: &Search) -> anyhow::Result<()> {
    if let [place] = arguments.words.as_slice()
        && place.contains("://")
    {
        let place: OciPlace = place.parse().map_err(anyhow::Error::msg)?;
        return repository::search(config, &place, &arguments.format).await;
    }
    let registry = Registry::new(config)?;
    let (index, seen) = registry.index().await?;
    // Without the lock, another command is about to remember an index, or this user may only read.
    if let Ok(locked) = registry.store.lock() {
        locked.remember(&seen)?;
    }
    let found = index.search(&arguments.words);
    let rows = found.into_iter().map(|release| Row::new(&registry.store, release));
    let rows = rows.collect::<anyhow::Result<Vec<Row>>>()?;
    arguments.format.print(&rows, line)
}

pub(super) fn line(row: &Row) -> String {
    let installed = match &row.installed {
        Some(version) => format!("\tinstalled: {version}"),
        None => String::new(),
    };
    let (id, version, world) = (one_line(&row.id), one_line(&row.version), one_line(&row.world));
    let (publisher, description) = (one_line(&row.publisher), one_line(&row.description));
    format!("{id}\t{version}\t{world}\t{publisher}\t{description}{installed}")
}
