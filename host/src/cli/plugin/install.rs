//! The commands `linepress plugin install` and `linepress plugin update`.
use anyhow::bail;
use clap::Args;
use linepress_operator::administration::plugins::{Terms, is_granted};
use linepress_platform::clock::Clock;
use linepress_platform::config::Config;
use linepress_plugin_host::{CredentialSource, OriginPattern, Preview};
use linepress_registry::{
    Active, LockedStore, Offer, PublicKey, Record, Reference, RegistryError, Release, Repository, Store,
};
use linepress_terminal::{one_line, print_error_line, print_line, printable};
use semver::Version;

use super::activate::{self, Activation, AuditLog};
use super::allow::{self, credential, origin};
use super::registry::{Registry, accept};
use super::repository::{self, Named, place_of};
use super::{examine, passed_settings, trial};

#[derive(Args)]
pub(in crate::cli) struct Install {
    /// The plugin's id, or its id and a version: acme.flux or acme.flux@1.2.0. Default: the newest version that this
    /// program supports. Or a place in a registry of containers: oci://HOST/PATH, with :TAG or @sha256:DIGEST.
    plugin: Named,
    #[command(flatten)]
    terms: Consent,
}

#[derive(Args)]
pub(in crate::cli) struct Update {
    /// The plugin's id, or its id and a version that is newer than the active one. Or a place in a registry of
    /// containers: oci://HOST/PATH, with :TAG or @sha256:DIGEST.
    plugin: Named,
    #[command(flatten)]
    terms: Consent,
}

#[derive(Args)]
pub(super) struct Consent {
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
    /// The terms for exactly these files. Only a version that was granted passes its private origins on to the next
    /// one: another plugin with this id may have left an approval in the settings file.
    fn terms(self, preview: &Preview, is_granted: bool) -> Terms {
        Terms {
            digest: Some(preview.digest.clone()),
            origins: None,
            private: Some(self.private).filter(|private| !is_granted || !private.is_empty()),
            sources: self.credential.into_iter().collect(),
        }
    }
}

/// The place that a version is downloaded from.
pub(super) enum Origin<'a> {
    Index(&'a Registry),
    Repository {
        repository: &'a mut Repository,
        offer: &'a Offer,
    },
}

impl Origin<'_> {
    async fn archive(&mut self, release: &Release) -> Result<Vec<u8>, RegistryError> {
        match self {
            Self::Index(registry) => registry.source.archive(&release.archive).await,
            Self::Repository { repository, .. } => repository.archive(release).await,
        }
    }

    /// The place for the record.
    fn place(&self) -> String {
        match self {
            Self::Index(registry) => registry.place.clone(),
            Self::Repository { offer, .. } => offer.place.to_string(),
        }
    }

    /// The digest of the manifest, to which the record pins a tag.
    fn manifest(&self) -> Option<String> {
        match self {
            Self::Index(_) => None,
            Self::Repository { offer, .. } => Some(offer.manifest.clone()),
        }
    }
}

pub(super) async fn install(config: Config, arguments: Install) -> anyhow::Result<()> {
    let Install { plugin, terms } = arguments;
    let plugin = match plugin {
        Named::Id(plugin) => plugin,
        Named::Place(place) => return repository::install(&config, &place, terms).await,
    };
    let registry = Registry::new(&config)?;
    let locked = registry.store.lock()?;
    let wanted = wanted(&config, &registry.store, plugin)?;
    examine::refuse_lookalikes(&config, &wanted.id)?;
    let index = registry.remembered_index(&locked).await?;
    let mut origin = Origin::Index(&registry);
    add(
        &config,
        &registry.store,
        &locked,
        &mut origin,
        index.find(&wanted)?,
        terms,
    )
    .await
}

/// The version to install: that of the command, or else the active one, if its installation was interrupted before it
/// was approved.
pub(super) fn wanted(config: &Config, store: &Store, plugin: Reference) -> anyhow::Result<Reference> {
    let id = &plugin.id;
    let active = match store.active(id)? {
        Active::None => return Ok(plugin),
        Active::Version(active) if plugin.version.as_ref().is_some_and(|version| *version != active) => {
            return Ok(plugin);
        }
        Active::Version(active) => active,
        Active::Folder(folder) => bail!(
            "{} is a folder of your own that already holds {id}: move it out of the plugins folder first",
            folder.display()
        ),
    };
    let digest = store.active_record(id)?.map(|record| record.digest);
    let preview = Preview::read(&store.version_folder(id, &active), &config.plugins).ok();
    let preview = preview.filter(|preview| Some(&preview.digest) == digest.as_ref());
    let Some(preview) = preview else {
        bail!(
            "{id} {active} is active, and its files have changed since they were installed. Go back with `linepress plugin \
             rollback {id}` or remove it with `linepress plugin remove {id}`, and then install it again"
        );
    };
    if config.publishers.contains_key(id) && is_granted(config, &preview) {
        bail!("{id} {active} is installed already: `linepress plugin update {id}` installs a newer version");
    }
    Ok(Reference {
        version: Some(active),
        ..plugin
    })
}

pub(super) async fn update(config: Config, arguments: Update) -> anyhow::Result<()> {
    let Update { plugin, terms } = arguments;
    let plugin = match plugin {
        Named::Id(plugin) => plugin,
        Named::Place(place) => return repository::update_to(&config, &place, terms).await,
    };
    let record = Store::new(&config.plugins_dir).active_record(&plugin.id)?;
    if let Some(place) = record.as_ref().and_then(place_of) {
        return repository::update(&config, &plugin, &place, terms).await;
    }
    let registry = Registry::new(&config)?;
    let locked = registry.store.lock()?;
    let id = &plugin.id;
    let Active::Version(active) = registry.store.active(id)? else {
        bail!("{id} was not installed by name: `linepress plugin install {id}` installs it");
    };
    if plugin.version.as_ref() == Some(&active) {
        print_line!("{id} {active} is active already");
        return Ok(());
    }
    if let Some(version) = plugin.version.as_ref().filter(|version| **version < active) {
        bail!(
            "{id} {active} is active, and {version} is not newer. To go back, use `linepress plugin rollback {id}`, or \
             `linepress plugin install {id}@{version}`"
        );
    }
    let index = registry.remembered_index(&locked).await?;
    let left_out = left_out(&registry.store, &plugin, &active)?;
    let release = match left_out.as_slice() {
        [] => Some(index.find(&plugin)?),
        left_out => index.newest_except(id, left_out),
    };
    let Some(release) = release.filter(|release| release.version > active) else {
        let passed_over = index.passed_over(id, &active);
        let which = match (left_out.is_empty(), passed_over.is_empty()) {
            (true, true) => "",
            (true, false) => " for this program",
            (false, _) => " that is not left out",
        };
        print_line!("{id} {active} is active, and the registry has no newer version{which}");
        for line in passed_over {
            print_line!("{}", printable(&line));
        }
        return Ok(());
    };
    let mut origin = Origin::Index(&registry);
    add(&config, &registry.store, &locked, &mut origin, release, terms).await
}

/// The newer versions that an update does not choose, because the server or the operator went back from them. Prints
/// one line for each. Empty if the operator names a version.
pub(super) fn left_out(store: &Store, plugin: &Reference, active: &Version) -> anyhow::Result<Vec<Version>> {
    if plugin.version.is_some() {
        return Ok(Vec::new());
    }
    let id = &plugin.id;
    let mut left_out = store.left_out(id)?;
    left_out.retain(|version, _| version > active);
    for (version, reason) in &left_out {
        print_line!(
            "{version} is left out: {}. To install it all the same, run `linepress plugin update {id}@{version}`",
            one_line(&reason.to_string())
        );
    }
    Ok(left_out.into_keys().collect())
}

/// Downloads, verifies and shows a version, and makes it the active one if the operator accepts it.
pub(super) async fn add(
    config: &Config,
    store: &Store,
    locked: &LockedStore,
    origin: &mut Origin<'_>,
    release: &Release,
    consent: Consent,
) -> anyhow::Result<()> {
    let Release { id, version, .. } = release;
    examine::check_publisher(config, store, release, consent.publisher_key.as_ref())?;
    let archive = origin.archive(release).await?;
    let staged = locked.stage(release, &archive, &config.plugins)?;
    let preview = &staged.preview;
    let from = store.active_version(id)?;
    // What was not granted to the active version is shown again.
    let active = from.as_ref().and_then(|from| present(config, store, id, from));
    let granted = active.filter(|active| is_granted(config, active));
    let sources = consent.credential.iter().cloned().collect();
    if let Some(manifest) = origin.manifest() {
        print_line!("manifest\t{manifest} at {}", origin.place());
    }
    examine::show(config, release, preview, granted.as_ref(), &sources);
    accept(&format!("Install {id} {version} and grant this?"), consent.yes)?;

    let terms = consent.terms(preview, granted.is_some());
    let log = AuditLog::open(config).await?;
    trial::load(config, &staged, &terms, granted.is_none()).await?;
    let was_stored = store.records(id)?.iter().any(|record| record.version == *version);
    let record = Record {
        version: version.clone(),
        digest: release.digest.clone(),
        publisher: release.publisher.name.clone(),
        key: release.publisher.key,
        index: origin.place(),
        manifest: origin.manifest(),
        installed_at: Clock::System.now().to_string(),
        before: from.clone(),
    };
    if from.as_ref() != Some(version) {
        locked.place(id, staged.folder(), &record)?;
    }
    let activation = Activation {
        id,
        record: &record,
        from,
        key: record.key.to_string(),
        terms,
    };
    if let Err(error) = activate::activate(config, store, locked, &log, activation).await {
        if !was_stored {
            forget(locked, id, version);
        }
        return Err(error);
    }
    prune(config, locked, id);
    allow::report_effect(config, preview)
}

/// Removes a version that could not be activated.
fn forget(locked: &LockedStore, id: &str, version: &Version) {
    if let Err(error) = locked.remove_version(id, version) {
        print_error_line!(
            "{id} {version} cannot be removed again: {}",
            printable(&error.to_string())
        );
    }
}

fn prune(config: &Config, locked: &LockedStore, id: &str) {
    let passed = passed_settings::passed(config, id);
    match locked.prune(id, config.plugin_index.kept_versions) {
        Ok(removed) => {
            for version in removed {
                print_line!("{id} {version} is no longer stored");
            }
            passed_settings::report_added(config, id, &passed);
        }
        Err(error) => print_error_line!("old versions of {id} remain: {}", printable(&error.to_string())),
    }
}

/// The active version of the plugin, if it can still be read.
fn present(config: &Config, store: &Store, id: &str, active: &Version) -> Option<Preview> {
    Preview::read(&store.version_folder(id, active), &config.plugins).ok()
}
