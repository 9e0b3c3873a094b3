//! Changes of a static registry: a folder that any web server can serve.
use std::collections::BTreeMap;
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::Timestamp;
use linepress_plugin_host::{Preview, pack};
use semver::Version;
use sha2::{Digest as _, Sha256};

use crate::archive::{self, make_folder, replace_file};
use crate::error::{RegistryError, Result, failed, refused};
use crate::index::{Archive, FILE, Index, MAX_INDEX_BYTES, Publisher, Release};
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
    /// The publisher's key.
    pub key: &'a SigningKey,
    /// The key of the registry.
    pub index_key: &'a SigningKey,
    /// The publisher's name; that of the previous version if `None`.
    pub publisher: Option<String>,
    /// The description; that of the previous version if `None`.
    pub description: Option<String>,
    /// True if another key than that of the previous version is intended.
    pub is_new_key: bool,
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
    let work = tempfile::tempdir().map_err(failed(Path::new("the temporary folder"), "written"))?;
    let packed = pack(submission.source, work.path()).map_err(RegistryError::Refused)?;
    let preview = Preview::read(&packed.folder, &BTreeMap::new()).map_err(RegistryError::Refused)?;
    let archive = archive::pack(&packed.id, &packed.folder, &packed.files)?;
    check_archive(&archive, &preview, work.path())?;
    let release = release(submission, &index, preview, &archive)?;

    let path = registry.join(&release.archive.url);
    let published = |index: Index, has_changed| Published {
        id: packed.id.clone(),
        version: packed.version.clone(),
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
    replace_file(&path, &archive)?;
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

/// Fails if operators could not install the archive.
fn check_archive(archive: &[u8], preview: &Preview, work: &Path) -> Result<()> {
    // No plugin has this id, so the folder is not the packed one.
    let unpacked = work.join(".unpacked");
    archive::unpack(&preview.id, archive, &unpacked)?;
    let again = Preview::read(&unpacked, &BTreeMap::new()).map_err(RegistryError::Refused)?;
    if again.digest != preview.digest {
        return refused(format!(
            "the archive of {} does not contain the files of its folder: wait until nothing changes them, and publish again",
            preview.id
        ));
    }
    Ok(())
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

fn release(submission: &Submission<'_>, index: &Index, preview: Preview, archive: &[u8]) -> Result<Release> {
    let Preview {
        id,
        version,
        world,
        digest,
        ..
    } = preview;
    check_name(index, &id)?;
    let previous = index
        .plugins
        .iter()
        .filter(|release| release.id == id)
        .max_by_key(|release| &release.version);
    let key = submission.key.public();
    if let Some(previous) = previous
        && previous.publisher.key != key
        && !submission.is_new_key
    {
        return refused(format!(
            "{id} {} was published with the key {}: operators who installed it will refuse another one. Sign with that key, or \
             add --replace-key and announce the new key to them",
            previous.version, previous.publisher.key
        ));
    }
    let name = submission.publisher.clone();
    let name = name.or_else(|| previous.map(|previous| previous.publisher.name.clone()));
    let description = submission.description.clone();
    let description = description.or_else(|| previous.map(|previous| previous.description.clone()));
    let (Some(name), Some(description)) = (name, description) else {
        return refused(format!(
            "{id} is published for the first time: add --publisher and --description"
        ));
    };
    let mut release = Release {
        archive: Archive {
            url: format!("{ARCHIVES}/{id}/{id}-{version}.tar.gz"),
            bytes: archive.len() as u64,
            sha256: hex::encode(Sha256::digest(archive)),
        },
        id,
        version,
        world,
        description,
        digest,
        publisher: Publisher { name, key },
        signature: String::new(),
    };
    release.sign(submission.key);
    match release.check() {
        Ok(()) => Ok(release),
        Err(problem) => refused(format!("the index of the registry would be invalid: it {problem}")),
    }
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
