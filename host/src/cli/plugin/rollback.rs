//! The command `linepress plugin rollback`.
use std::path::Path;

use anyhow::{Context as _, bail};
use clap::Args;
use linepress_operator::administration::plugins::{Terms, is_granted, is_within_grant};
use linepress_platform::config::Config;
use linepress_plugin_host::Preview;
use linepress_registry::{Record, Reference, Store, changes};
use linepress_terminal::{one_line, print_line};
use semver::Version;

use super::activate::{self, Activation, AuditLog};
use super::allow;
use super::registry::accept;
use super::repository::place_of;

#[derive(Args)]
pub(in crate::cli) struct Rollback {
    /// The plugin's id, or its id and a version that is still stored. Default: the version that was active when the
    /// active one was installed.
    plugin: Reference,
    /// Accept permissions that the version needs in addition to the granted ones without being asked.
    #[arg(long)]
    yes: bool,
}

pub(super) async fn rollback(config: Config, arguments: Rollback) -> anyhow::Result<()> {
    let Rollback { plugin, yes } = arguments;
    let id = &plugin.id;
    let store = Store::new(&config.plugins_dir);
    let locked = store.lock()?;
    let Some(active) = store.active_version(id)? else {
        bail!("{id} was not installed by name; `linepress plugin list` lists the plugins");
    };
    let record = target(&store, &active, &plugin)?;
    let preview = read(&config, &store.version_folder(id, &record.version))?;
    if preview.id != *id || preview.digest != record.digest {
        bail!(
            "the files of {id} {} have changed since they were installed: `linepress plugin install {}` installs them again",
            record.version,
            source_of(id, &record)
        );
    }
    print_line!("{id} {}\treplaces {active}", preview.version);
    let old = read(&config, &store.version_folder(id, &active)).ok();
    let old = old.filter(|old| is_granted(&config, old));
    match &old {
        Some(old) => print_lines(changes(old, &preview)),
        None => print_lines(
            preview
                .requests
                .lines()
                .into_iter()
                .map(|line| format!("+ asks {line}")),
        ),
    }
    // An update that was interrupted leaves the approval of the version to go back to.
    let is_approved = is_granted(&config, &preview);
    let is_within = old.as_ref().is_some_and(|old| is_within_grant(old, &preview));
    accept(
        &format!("Go back to {id} {} and grant this?", preview.version),
        yes || is_approved || is_within,
    )?;
    let log = AuditLog::open(&config).await?;
    let activation = Activation {
        id,
        record: &record,
        from: Some(active),
        // The known key stays: the stored files cannot change which key is trusted.
        key: activate::known_key(&config, &store, id)?.unwrap_or_else(|| record.key.to_string()),
        terms: Terms {
            digest: Some(preview.digest.clone()),
            // An approval of neither version may be one of another plugin.
            private: (old.is_none() && !is_approved).then(Vec::new),
            ..Terms::default()
        },
    };
    activate::activate(&config, &store, &locked, &log, activation).await?;
    allow::report_effect(&config, &preview)
}

fn read(config: &Config, folder: &Path) -> anyhow::Result<Preview> {
    let preview = Preview::read(folder, &config.plugins).map_err(anyhow::Error::msg);
    preview.with_context(|| format!("the version in {} cannot be used", folder.display()))
}

/// The record of the version to go back to.
fn target(store: &Store, active: &Version, plugin: &Reference) -> anyhow::Result<Record> {
    let id = &plugin.id;
    let records = store.records(id)?;
    let found = match &plugin.version {
        Some(version) if version == active => bail!("{id} {version} is active already"),
        Some(version) => records.iter().find(|record| record.version == *version).cloned(),
        None => store.record_before(id)?,
    };
    found.with_context(|| {
        let stored: Vec<String> = records.iter().map(|record| record.version.to_string()).collect();
        let active = records.iter().find(|record| record.version == *active);
        let other = match active.and_then(place_of) {
            Some(place) => place.repository().with_tag("VERSION").to_string(),
            None => format!("{id}@VERSION"),
        };
        let missing = match &plugin.version {
            Some(version) => format!("{id} {version} is not stored"),
            None => format!("the version of {id} that was active before is not known, or not stored"),
        };
        format!(
            "{missing}. Stored: {}; `linepress plugin rollback {id}@VERSION` activates one of them, and \
             `linepress plugin install {other}` installs another one",
            stored.join(", ")
        )
    })
}

/// The name with which the files of a stored version are installed again.
fn source_of(id: &str, record: &Record) -> String {
    match (place_of(record), &record.manifest) {
        (Some(place), Some(manifest)) => place.with_digest(manifest).to_string(),
        _ => format!("{id}@{}", record.version),
    }
}

fn print_lines(lines: impl IntoIterator<Item = String>) {
    for line in lines {
        print_line!("{}", one_line(&line));
    }
}
