//! The commands `linepress plugin install` and `linepress plugin update`.
use anyhow::bail;
use clap::Args;
use linepress_operator::administration::plugins::{Provenance, Terms};
use linepress_platform::clock::Clock;
use linepress_platform::config::Config;
use linepress_plugin_host::{CredentialSource, OriginPattern, Preview, find_folder, id_in};
use linepress_registry::{Active, LockedStore, PublicKey, Record, Reference, Release, changes, looks_like};
use linepress_terminal::{one_line, print_error_line, print_line, printable};
use semver::Version;

use super::activate::{self, Activation};
use super::allow::{credential, origin};
use super::registry::{Registry, accept};

#[derive(Args)]
pub(in crate::cli) struct Install {
    /// The plugin's id, or its id and a version: acme.flux or acme.flux@1.2.0. Default: the newest version that this
    /// program supports.
    plugin: Reference,
    #[command(flatten)]
    terms: Consent,
}

#[derive(Args)]
pub(in crate::cli) struct Update {
    /// The plugin's id, or its id and a version that is newer than the active one.
    plugin: Reference,
    #[command(flatten)]
    terms: Consent,
}

#[derive(Args)]
struct Consent {
    /// Accept the permissions without being asked.
    #[arg(long)]
    yes: bool,
    /// The publisher's key, as the publisher announced it. A version that another key signed is refused.
    #[arg(long, value_name = "KEY")]
    publisher_key: Option<PublicKey>,
    /// Grant this origin even if its addresses are private or it uses plain http; may be repeated.
    #[arg(long, value_name = "ORIGIN", value_parser = origin)]
    private: Vec<OriginPattern>,
    /// The source of a credential: NAME=env:VARIABLE or NAME=file:PATH; may be repeated.
    #[arg(long, value_name = "NAME=SOURCE", value_parser = credential)]
    credential: Vec<(String, CredentialSource)>,
}

impl Consent {
    /// The terms for exactly these files.
    fn terms(self, preview: &Preview) -> Terms {
        Terms {
            digest: Some(preview.digest.clone()),
            origins: None,
            private: Some(self.private).filter(|private| !private.is_empty()),
            sources: self.credential.into_iter().collect(),
        }
    }
}

pub(super) async fn install(config: Config, arguments: Install) -> anyhow::Result<()> {
    let Install { plugin, terms } = arguments;
    let registry = Registry::new(&config)?;
    let id = &plugin.id;
    match (registry.store.active(id)?, &plugin.version) {
        (Active::Version(version), None) => {
            bail!("{id} {version} is installed already: `linepress plugin update {id}` installs a newer version");
        }
        (Active::Version(active), Some(version)) if active == *version => {
            bail!("{id} {version} is installed already");
        }
        (Active::Folder(folder), _) => bail!(
            "{} is a folder of your own that already holds {id}: move it out of the plugins folder first",
            folder.display()
        ),
        _ => {}
    }
    refuse_lookalikes(&config, id)?;
    add(config, registry, plugin, terms).await
}

pub(super) async fn update(config: Config, arguments: Update) -> anyhow::Result<()> {
    let Update { plugin, terms } = arguments;
    let registry = Registry::new(&config)?;
    let id = &plugin.id;
    let Active::Version(active) = registry.store.active(id)? else {
        bail!("{id} was not installed by name: `linepress plugin install {id}` installs it");
    };
    if let Some(version) = plugin.version.as_ref().filter(|version| **version <= active) {
        bail!(
            "{id} {active} is active, and {version} is not newer. To go back, use `linepress plugin rollback {id}`, or \
             `linepress plugin install {id}@{version}`"
        );
    }
    let (index, _) = registry.index().await?;
    let newest = &index.find(&plugin)?.version;
    if *newest <= active {
        print_line!("{id} {active} is active, and the registry has no newer version");
        return Ok(());
    }
    add(config, registry, plugin, terms).await
}

/// Downloads, verifies and shows a version, and makes it the active one if the operator accepts it.
async fn add(config: Config, registry: Registry, plugin: Reference, consent: Consent) -> anyhow::Result<()> {
    let store = registry.store.lock()?;
    let (index, seen) = registry.index().await?;
    store.remember(&seen)?;
    let release = index.find(&plugin)?;
    check_publisher(&config, release, consent.publisher_key.as_ref())?;
    let archive = registry.source.archive(&release.archive).await?;
    let staged = store.stage(release, &archive, &config.plugins)?;
    let preview = staged.preview.clone();
    let active = present(&config, &registry, &release.id)?;
    // What was not granted to the active version is shown again.
    let granted = active.as_ref().filter(|active| activate::is_granted(&config, active));
    show(release, &preview, granted);
    let id = &release.id;
    if let Some(bundled) = &config.bundled_plugins
        && find_folder(&[bundled], id).is_some()
    {
        print_line!("replaces\tthe plugin with this id that the program contains");
    }
    accept(
        &format!("Install {id} {} and grant this?", release.version),
        consent.yes,
    )?;

    let record = Record {
        version: release.version.clone(),
        digest: release.digest.clone(),
        publisher: release.publisher.name.clone(),
        key: release.publisher.key,
        index: registry.place.clone(),
        installed_at: Clock::System.now().to_string(),
    };
    store.place(id, staged.folder(), &record)?;
    let activation = Activation {
        id,
        version: &release.version,
        from: active.map(|active| active.version),
        terms: consent.terms(&preview),
        provenance: Provenance {
            from: None,
            publisher: record.publisher.clone(),
            key: record.key.to_string(),
            index: record.index.clone(),
        },
    };
    if let Err(error) = activate::activate(&config, &registry.store, &store, activation).await {
        forget(&store, id, &release.version);
        return Err(error);
    }
    prune(&config, &store, id);
    activate::report(&config, &preview)
}

/// Removes a version that could not be activated.
fn forget(store: &LockedStore, id: &str, version: &Version) {
    if let Err(error) = store.remove_version(id, version) {
        print_error_line!(
            "{id} {version} cannot be removed again: {}",
            printable(&error.to_string())
        );
    }
}

fn prune(config: &Config, store: &LockedStore, id: &str) {
    match store.prune(id, config.plugin_index.kept_versions) {
        Ok(removed) => removed
            .iter()
            .for_each(|version| print_line!("{id} {version} is no longer stored")),
        Err(error) => print_error_line!("old versions of {id} remain: {}", printable(&error.to_string())),
    }
}

/// The active version of the plugin, if it was installed by name and can still be read.
fn present(config: &Config, registry: &Registry, id: &str) -> anyhow::Result<Option<Preview>> {
    let Active::Version(version) = registry.store.active(id)? else {
        return Ok(None);
    };
    let folder = registry.store.version_folder(id, &version);
    Ok(Preview::read(&folder, &config.plugins).ok())
}

/// Checks the publisher's signature, and that the key is the one of the first installation.
fn check_publisher(config: &Config, release: &Release, announced: Option<&PublicKey>) -> anyhow::Result<()> {
    let Release {
        id, version, publisher, ..
    } = release;
    release.check_signature()?;
    if let Some(announced) = announced {
        if *announced != publisher.key {
            bail!(
                "{id} {version} is signed with the key {}, which is not the one that you named: do not install it",
                publisher.key
            );
        }
        return Ok(());
    }
    match config.publishers.get(id) {
        Some(known) if *known != publisher.key.to_string() => bail!(
            "{id} {version} is signed with another key than before: {} instead of {known}. Another person may have published it. \
             If the publisher announced the new key, and you can verify that, add --publisher-key {}",
            publisher.key,
            publisher.key
        ),
        _ => Ok(()),
    }
}

/// Prints where the version comes from, and what it asks for.
fn show(release: &Release, new: &Preview, old: Option<&Preview>) {
    let Release { id, publisher, .. } = release;
    print_line!("{id} {}\t{}", new.version, new.world);
    print_line!("from\t{} ({})", one_line(&publisher.name), publisher.key);
    print_line!("digest\t{}", new.digest);
    let Some(old) = old else {
        for request in new.requests.lines() {
            print_line!("asks\t{}", one_line(&request));
        }
        if new.requests.is_empty() {
            print_line!("asks\tfor nothing: it has no access to the network");
        }
        print_line!(
            "limits\t{} MiB of memory, {} s a call, {} MiB a drawing",
            new.limits.memory_mib(),
            new.limits.deadline().as_secs(),
            new.limits.response_bytes() >> 20
        );
        return;
    };
    print_line!("replaces\t{}", old.version);
    let changes = changes(old, new);
    for change in &changes {
        print_line!("{}", one_line(change));
    }
    if changes.is_empty() {
        print_line!("It asks for what {} asks for, and has the same settings.", old.version);
    }
}

/// Fails if an installed plugin has an id that a person could take for this one.
fn refuse_lookalikes(config: &Config, id: &str) -> anyhow::Result<()> {
    let folders = config.plugin_folders();
    let entries = folders
        .iter()
        .filter_map(|folder| std::fs::read_dir(folder).ok())
        .flatten()
        .flatten();
    let ids = entries.filter_map(|entry| id_in(&entry.path()).ok());
    if let Some(other) = ids.into_iter().find(|other| looks_like(other, id)) {
        bail!(
            "{id} looks like {other}, which is installed: it may be an imitation. To use it all the same, remove {other} first"
        );
    }
    Ok(())
}
