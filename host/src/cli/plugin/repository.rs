//! Plugins from repositories of OCI registries: installation, updates, and the list of versions.
use std::str::FromStr;

use anyhow::{Context as _, bail};
use linepress_platform::config::Config;
use linepress_registry::{LockedStore, Newest, OciPlace, Offer, Pin, Record, Reference, Release, Repository, Store};
use linepress_terminal::{one_line, print_error_line, print_line, printable};
use semver::Version;
use serde::Serialize;

use super::install::{self, Consent, Origin};
use super::{examine, search};
use crate::cli::Format;

/// Maximum number of versions that `search` shows.
const MAX_SHOWN: usize = 20;

/// A plugin, as an operator names it.
#[derive(Clone, Debug)]
pub(super) enum Named {
    /// By its id, with a version if one is meant.
    Id(Reference),
    /// By its place in a registry of containers.
    Place(OciPlace),
}

impl FromStr for Named {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.contains("://") {
            true => text.parse().map(Self::Place),
            false => text.parse().map(Self::Id),
        }
    }
}

/// The place of an installed version. `None` for one from an index.
pub(super) fn place_of(record: &Record) -> Option<OciPlace> {
    record.manifest.as_ref().and_then(|_| record.index.parse().ok())
}

/// Opens a repository for reading.
fn open(config: &Config, place: &OciPlace) -> anyhow::Result<Repository> {
    let access = config.oci_access(place).map_err(anyhow::Error::msg)?;
    Ok(Repository::new(place, config.oci_dialer(), access)?)
}

/// A repository that a command reads, and the locked store that it changes.
struct Session<'a> {
    config: &'a Config,
    store: Store,
    locked: LockedStore,
    repository: Repository,
}

impl<'a> Session<'a> {
    fn begin(config: &'a Config, place: &OciPlace) -> anyhow::Result<Self> {
        let store = Store::new(&config.plugins_dir);
        let locked = store.lock()?;
        let repository = open(config, place)?;
        Ok(Self {
            config,
            store,
            locked,
            repository,
        })
    }

    /// The version at a place that the operator names. Prints the reasons why newer versions were not chosen.
    async fn offer(&mut self, place: &OciPlace) -> anyhow::Result<Offer> {
        let offer = self.repository.offer(place).await?;
        print_passed_over(&offer.passed_over);
        Ok(offer)
    }

    /// Refuses a version from which the server or the operator went back, unless it is active again or the operator
    /// names it.
    fn refuse_left_out(&self, place: &OciPlace, offer: &Offer) -> anyhow::Result<()> {
        let Release { id, version, .. } = &offer.release;
        if self.store.active_version(id)?.as_ref() == Some(version) {
            return Ok(());
        }
        match self.store.left_out(id)?.get(version) {
            Some(reason) if !place.names_a_version() => bail!(
                "{place} leads to {id} {version}, which is left out: {}. To install it all the same, name the tag {version}",
                one_line(&reason.to_string())
            ),
            _ => Ok(()),
        }
    }

    async fn add(&mut self, offer: &Offer, consent: Consent) -> anyhow::Result<()> {
        let mut origin = Origin::Repository {
            repository: &mut self.repository,
            offer,
        };
        let (config, store, locked) = (self.config, &self.store, &self.locked);
        install::add(config, store, locked, &mut origin, &offer.release, consent).await
    }

    /// Installs an offered version in the place of the active one, unless it is not newer.
    async fn take_over(&mut self, record: &Record, offer: &Offer, consent: Consent) -> anyhow::Result<()> {
        let Release { id, version, .. } = &offer.release;
        let (active, place) = (&record.version, &offer.place);
        refuse_other_files(record, offer)?;
        if version < active {
            bail!(
                "{id} {active} is active, and {place} leads to {version}, which is older. To go back, use `linepress plugin \
                 rollback {id}`, or `linepress plugin install` with the tag or the digest of that version"
            );
        }
        if version == active {
            print_line!("{id} {active} is active, and {place} leads to the same files");
            if place.to_string() != record.index {
                let index = one_line(&record.index);
                print_line!(
                    "nothing was changed: updates still come from {index}. To change that, remove {id} and install it from {place}"
                );
            }
            return Ok(());
        }
        print_line!("{id} {active} is active, and {place} leads to {version} now");
        self.add(offer, consent).await
    }
}

pub(super) async fn install(config: &Config, place: &OciPlace, consent: Consent) -> anyhow::Result<()> {
    let mut session = Session::begin(config, place)?;
    let offer = session.offer(place).await?;
    let Release { id, version, .. } = &offer.release;
    examine::refuse_lookalikes(config, id)?;
    if let Some(record) = session.store.active_record(id)? {
        refuse_other_files(&record, &offer)?;
    }
    if let Some(active) = session.store.active_version(id)?.filter(|active| version < active)
        && !place.names_a_version()
    {
        bail!(
            "{place} leads to {id} {version}, which is older than {active}, the active version. Name the tag {version} or the digest \
             to install it all the same"
        );
    }
    session.refuse_left_out(place, &offer)?;
    let reference = Reference {
        id: id.clone(),
        version: Some(version.clone()),
    };
    install::wanted(config, &session.store, reference)?;
    session.add(&offer, consent).await
}

/// Updates to the version at a place that the operator names, which may be another one than that of the active version.
pub(super) async fn update_to(config: &Config, place: &OciPlace, consent: Consent) -> anyhow::Result<()> {
    let mut session = Session::begin(config, place)?;
    let offer = session.offer(place).await?;
    let id = &offer.release.id;
    let Some(record) = session.store.active_record(id)? else {
        bail!("{id} was not installed by name: `linepress plugin install {place}` installs it");
    };
    session.refuse_left_out(place, &offer)?;
    session.take_over(&record, &offer, consent).await
}

/// Updates the active version from the repository that it came from.
pub(super) async fn update(
    config: &Config,
    plugin: &Reference,
    place: &OciPlace,
    consent: Consent,
) -> anyhow::Result<()> {
    let id = &plugin.id;
    let mut session = Session::begin(config, place)?;
    let record = session.store.active_record(id)?;
    let Some(record) = record.filter(|record| place_of(record).as_ref() == Some(place)) else {
        bail!("{id} has changed while the command began: repeat it");
    };
    let left_out = install::left_out(&session.store, plugin, &record.version)?;
    let repository = &mut session.repository;
    let offer = match &plugin.version {
        Some(version) => Some(repository.offer(&place.with_tag(&version.to_string())).await?),
        None => newer(repository, place, &record, &left_out).await?,
    };
    report_moved(repository, place, &record).await;
    let Some(offer) = offer else {
        let active = &record.version;
        let which = match left_out.is_empty() {
            true => "for this program",
            false => "that is not left out",
        };
        print_line!(
            "{id} {active} is active, and {} has no newer version {which}",
            place.repository()
        );
        return Ok(());
    };
    if offer.release.id != *id {
        bail!(
            "{} is now the plugin {} and no longer {id}: nothing was changed",
            offer.place,
            offer.release.id
        );
    }
    session.take_over(&record, &offer, consent).await
}

/// The version to which an update leads: the one to which the tag leads now, or, if the tag is itself a version, the
/// newest one. `None` if that is not newer or is `left_out`.
async fn newer(
    repository: &mut Repository,
    place: &OciPlace,
    record: &Record,
    left_out: &[Version],
) -> anyhow::Result<Option<Offer>> {
    match &place.pin {
        Pin::Digest(_) => bail!(
            "{place} was installed by its digest, which never changes: `linepress plugin update` with the repository and a tag \
             installs another version"
        ),
        Pin::Tag(tag) if Version::parse(tag).is_err() => {
            let offer = repository.offer(place).await?;
            Ok(Some(offer).filter(|offer| !left_out.contains(&offer.release.version)))
        }
        Pin::Tag(_) | Pin::Newest => {
            let Newest { offer, passed_over } = repository.newest(left_out).await?;
            print_passed_over(&passed_over);
            Ok(offer.filter(|offer| offer.release.version > record.version))
        }
    }
}

/// Prints the reasons why newer versions were not chosen.
fn print_passed_over(lines: &[String]) {
    for line in lines {
        print_line!("{}", printable(line));
    }
}

/// Warns if the tag of the active version, which is a version, leads to another manifest than at the installation. The
/// installed files stay.
async fn report_moved(repository: &mut Repository, place: &OciPlace, record: &Record) {
    let Pin::Tag(tag) = &place.pin else {
        return;
    };
    if Version::parse(tag).is_err() {
        return;
    }
    let pinned = record.manifest.as_deref().unwrap_or_default();
    match repository.tagged(tag).await {
        Ok(Some(now)) if now.manifest == pinned => {}
        Ok(Some(now)) => print_error_line!(
            "the tag {tag} has moved since the installation, from {pinned} to {}, although it is a version. The installed files stay \
             as they are; ask the publisher why",
            now.manifest
        ),
        Ok(None) => print_error_line!("the tag {tag} no longer exists. The installed files stay as they are"),
        Err(error) => print_error_line!("the tag {tag} cannot be compared: {}", printable(&error.to_string())),
    }
}

/// Fails if the offered version is the active one, with other files: a published version never changes.
fn refuse_other_files(active: &Record, offer: &Offer) -> anyhow::Result<()> {
    let Release {
        id, version, digest, ..
    } = &offer.release;
    if active.version == *version && active.digest != *digest {
        bail!(
            "{} leads to other files of {id} {version} than those that are installed, although a published version never changes: \
             nothing was changed. Ask the publisher for a new version; to install these files all the same, remove {id} first",
            offer.place
        );
    }
    Ok(())
}

/// A version of a repository.
#[derive(Serialize)]
struct Row {
    tag: String,
    #[serde(flatten)]
    release: search::Row,
    /// The digest of the manifest.
    manifest: String,
}

/// Lists the versions of a repository: the version tags from the newest on, then the other tags.
pub(super) async fn search(config: &Config, place: &OciPlace, format: &Format) -> anyhow::Result<()> {
    let store = Store::new(&config.plugins_dir);
    let mut repository = open(config, place)?;
    let tags = match &place.pin {
        Pin::Tag(tag) => vec![tag.clone()],
        Pin::Newest | Pin::Digest(_) => sorted(
            repository
                .tags()
                .await?
                .with_context(|| format!("there is no {place}"))?,
        ),
    };
    let mut rows = Vec::new();
    for tag in tags.iter().take(MAX_SHOWN) {
        match repository.tagged(tag).await {
            Ok(Some(offer)) => rows.push(Row {
                tag: tag.clone(),
                release: search::Row::new(&store, &offer.release)?,
                manifest: offer.manifest,
            }),
            Ok(None) => print_error_line!("there is no tag {tag}"),
            Err(error) => print_error_line!("{tag} is left out: {}", printable(&error.to_string())),
        }
    }
    if tags.len() > MAX_SHOWN {
        print_error_line!("{} more tags are not shown", tags.len() - MAX_SHOWN);
    }
    format.print(&rows, |row| {
        format!("{}\t{}", one_line(&row.tag), search::line(&row.release))
    })
}

fn sorted(tags: Vec<String>) -> Vec<String> {
    let (mut versions, mut others): (Vec<String>, Vec<String>) =
        tags.into_iter().partition(|tag| Version::parse(tag).is_ok());
    versions.sort_by_key(|tag| std::cmp::Reverse(Version::parse(tag).ok()));
    others.sort();
    versions.extend(others);
    versions
}
