//! Changes of a static registry: a folder that any web server can serve.
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::Timestamp;
use linepress_plugin_host::Preview;
use semver::Version;

use crate::archive::{make_folder, replace_file};
use crate::authoring::{Author, Built, build, sign};
use crate::error::{Result, failed, refused};
use crate::index::{FILE, Index, MAX_INDEX_BYTES, Release};
use crate::keys::SigningKey;
use crate::lookalike::looks_like;

/// The folder of the archives in that of the registry.
const ARCHIVES: &str = "archives";

/// A version of a plugin that is to be published.
pub struct Submission<'a> {
    /// The author's folder, with `plugin.toml` and the component.
    pub source: &'a Path,
    /// The folder of the registry, created if it does not exist.
    pub registry: &'a Path,
    pub author: Author<'a>,
    /// The key of the registry.
    pub index_key: &'a SigningKey,
    /// The present time.
    pub now: Timestamp,
    /// The time for which the index is valid.
    pub validity: Duration,
}

/// A version that was published.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Published {
    pub id: String,
    pub version: Version,
    pub archive: PathBuf,
    /// The number of the index.
    pub serial: u64,
    /// The time after which the index is refused.
    pub expires_at: String,
    /// False if the index already listed exactly this version.
    pub has_changed: bool,
}

/// Packs a plugin, signs it, and adds it to the index of a static registry, which is signed again.
pub fn publish(submission: &Submission<'_>) -> Result<Published> {
    let registry = submission.registry;
    make_folder(registry)?;
    let _lock = lock(registry)?;
    let mut index = read_index(submission)?;
    let built = build(submission.source)?;
    let release = release(submission, &index, &built)?;

    let path = registry.join(&release.archive.url);
    let published = |index: Index, has_changed| Published {
        id: built.preview.id.clone(),
        version: built.preview.version.clone(),
        archive: path.clone(),
        serial: index.serial,
        expires_at: index.expires_at.unwrap_or_default(),
        has_changed,
    };
    let same = index
        .plugins
        .iter()
        .find(|other| other.id == release.id && other.version == release.version);
    if let Some(same) = same {
        let is_unchanged = same.digest == release.digest && same.publisher.key == release.publisher.key;
        if is_unchanged {
            renew(submission, &mut index)?;
            return Ok(published(index, false));
        }
        return refused(format!(
            "{} {} was already published with other files or another key: increase the version in plugin.toml and in describe()",
            release.id, release.version
        ));
    }
    make_folder(&registry.join(ARCHIVES))?;
    make_folder(&registry.join(ARCHIVES).join(&release.id))?;
    replace_file(&path, &built.archive)?;
    index.plugins.push(release);
    index
        .plugins
        .sort_by(|one, other| (&one.id, &one.version).cmp(&(&other.id, &other.version)));
    // Last, so that the index never names an archive that is not there yet.
    write_index(submission, &mut index)?;
    Ok(published(index, true))
}

/// Signs the index again if less than half of its time is left.
fn renew(submission: &Submission<'_>, index: &mut Index) -> Result<()> {
    let half = submission.now.checked_add(submission.validity / 2);
    match (index.expiry(), half) {
        (Some(expiry), Ok(half)) if expiry >= half => Ok(()),
        _ => write_index(submission, index),
    }
}

fn write_index(submission: &Submission<'_>, index: &mut Index) -> Result<()> {
    let Submission { now, validity, .. } = submission;
    let Ok(expiry) = now.checked_add(*validity) else {
        return refused("the time for which the index is valid is too long: choose a shorter one");
    };
    index.serial += 1;
    index.issued_at = format!("{now:.3}");
    index.expires_at = Some(format!("{expiry:.3}"));
    replace_file(&submission.registry.join(FILE), &index.seal(submission.index_key)?)
}

/// Locks the folder of the registry: two changes at a time would lose one of them.
fn lock(registry: &Path) -> Result<File> {
    let folder = File::open(registry).map_err(failed(registry, "locked"))?;
    match folder.try_lock() {
        Ok(()) => Ok(folder),
        Err(TryLockError::WouldBlock) => refused("another command is changing this registry: wait until it has ended"),
        Err(TryLockError::Error(error)) => Err(failed(registry, "locked")(error)),
    }
}

fn read_index(submission: &Submission<'_>) -> Result<Index> {
    let file = submission.registry.join(FILE);
    if !file.exists() {
        return Ok(Index::empty());
    }
    let bytes = linepress_files::read(&file, MAX_INDEX_BYTES)?;
    match Index::open(&bytes, &[submission.index_key.public()]) {
        Ok((index, _)) => Ok(index),
        Err(error) => refused(format!(
            "{error}. It must be signed with the key that signs it again: name that key with --index-key"
        )),
    }
}

fn release(submission: &Submission<'_>, index: &Index, built: &Built) -> Result<Release> {
    let Preview { id, version, .. } = &built.preview;
    check_name(index, id)?;
    let previous = index
        .plugins
        .iter()
        .filter(|release| release.id == *id)
        .max_by_key(|release| &release.version);
    let url = format!("{ARCHIVES}/{id}/{id}-{version}.tar.gz");
    sign(&submission.author, built, url, previous)
}

/// Fails for an id that a person could take for another one of the registry.
fn check_name(index: &Index, id: &str) -> Result<()> {
    match index.plugins.iter().find(|other| looks_like(&other.id, id)) {
        None => Ok(()),
        Some(other) => refused(format!(
            "{id} looks like {}, which the registry already has: choose another id",
            other.id
        )),
    }
}
