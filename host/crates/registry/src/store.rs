//! The versions that are installed, side by side in the hidden folder `.registry` of the plugins folder, which the
//! server does not scan. A link in the plugins folder makes one of them the active one:
//!
//! ```text
//! plugins.d/acme.flux -> .registry/plugins/acme.flux/versions/1.2.0
//! plugins.d/.registry/plugins/acme.flux/versions/1.1.0/plugin.toml
//! plugins.d/.registry/plugins/acme.flux/installed.json
//! plugins.d/.registry/plugins/acme.flux/failed.json
//! plugins.d/.registry/plugins/acme.flux/rolled-back.json
//! plugins.d/.registry/seen.json
//! ```
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use linepress_plugin_host::{Preview, STORE_FOLDER, find_folder, stored_plugin, stored_versions};
use semver::Version;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use tempfile::TempDir;

use crate::archive::replace_file;
use crate::error::{RegistryError, Result, failed, refused};
use crate::keys::PublicKey;

pub(crate) const RECORDS: &str = "installed.json";
pub(crate) const SEEN: &str = "seen.json";
/// Maximum size of a file with records.
const MAX_RECORDS_BYTES: u64 = 1 << 20;

/// The installed versions of all plugins.
#[derive(Clone, Debug)]
pub struct Store {
    pub(crate) plugins_dir: PathBuf,
    pub(crate) root: PathBuf,
}

/// The plugin that the plugins folder has under an id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Active {
    None,
    /// A version that was installed by name.
    Version(Version),
    /// A folder of the operator.
    Folder(PathBuf),
}

/// An installed version and the place that it came from.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Record {
    pub version: Version,
    /// The SHA-256 of the folder.
    pub digest: String,
    pub publisher: String,
    pub key: PublicKey,
    /// The place of the registry, or the repository with its tag or digest.
    pub index: String,
    /// The digest of the manifest in a repository. `None` for a version from an index.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub manifest: Option<String>,
    /// The time of the installation, in RFC 3339. Empty if the program that installed the version did not record it.
    #[serde(default)]
    pub installed_at: String,
    /// The version that was active when this one was installed. `None` for the first installation.
    #[serde(default)]
    pub before: Option<Version>,
}

/// The index that was read last with a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    pub(crate) key: PublicKey,
    pub(crate) mark: Mark,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub(crate) struct Mark {
    serial: u64,
    sha256: String,
}

impl Seen {
    pub(crate) fn new(key: PublicKey, serial: u64, bytes: &[u8]) -> Self {
        let sha256 = hex::encode(Sha256::digest(bytes));
        Self {
            key,
            mark: Mark { serial, sha256 },
        }
    }
}

/// A plugin that was unpacked and checked, and is not installed yet. It is deleted with this value.
pub struct Staged {
    pub(crate) folder: PathBuf,
    pub preview: Preview,
    pub(crate) work: TempDir,
}

impl Staged {
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// A folder for other temporary files, which are deleted with this value.
    pub fn scratch(&self) -> &Path {
        self.work.path()
    }
}

impl Store {
    /// The store in this folder of plugins. Nothing is created before it is locked.
    pub fn new(plugins_dir: &Path) -> Self {
        Self {
            plugins_dir: plugins_dir.to_owned(),
            root: plugins_dir.join(STORE_FOLDER),
        }
    }

    /// The plugin that has this id now.
    pub fn active(&self, id: &str) -> Result<Active> {
        let place = self.plugins_dir.join(id);
        match fs::read_link(&place) {
            Ok(target) => Ok(match version_of(&target, id) {
                Some(version) => Active::Version(version),
                None => Active::Folder(place),
            }),
            // It is no link.
            Err(error) if error.kind() == io::ErrorKind::InvalidInput => Ok(Active::Folder(place)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let other = find_folder(&[&self.plugins_dir], id);
                Ok(other.map_or(Active::None, Active::Folder))
            }
            Err(error) => Err(failed(&place, "read")(error)),
        }
    }

    /// The version that is active, if the plugin was installed by name.
    pub fn active_version(&self, id: &str) -> Result<Option<Version>> {
        let place = self.plugins_dir.join(id);
        match fs::read_link(&place) {
            Ok(target) => Ok(version_of(&target, id)),
            Err(error) if matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::NotFound) => Ok(None),
            Err(error) => Err(failed(&place, "read")(error)),
        }
    }

    /// The installed versions of a plugin, in the order in which they were installed.
    pub fn records(&self, id: &str) -> Result<Vec<Record>> {
        Ok(read_json(&self.folder_of(id).join(RECORDS))?.unwrap_or_default())
    }

    /// The record of the active version. `None` if the plugin was not installed by name.
    pub fn active_record(&self, id: &str) -> Result<Option<Record>> {
        let Some(version) = self.active_version(id)? else {
            return Ok(None);
        };
        Ok(self.records(id)?.into_iter().find(|record| record.version == version))
    }

    /// The record of the version that was active when the active one was installed. `None` if there was none, or if it
    /// is no longer stored.
    pub fn record_before(&self, id: &str) -> Result<Option<Record>> {
        let before = self.active_record(id)?.and_then(|active| active.before);
        let records = self.records(id)?;
        Ok(before.and_then(|before| records.into_iter().find(|record| record.version == before)))
    }

    /// The folder of an installed version.
    pub fn version_folder(&self, id: &str, version: &Version) -> PathBuf {
        self.versions_folder(id).join(version.to_string())
    }

    /// The folder of all installed versions of a plugin.
    pub(crate) fn versions_folder(&self, id: &str) -> PathBuf {
        self.plugins_dir.join(stored_versions(id))
    }

    pub(crate) fn folder_of(&self, id: &str) -> PathBuf {
        self.plugins_dir.join(stored_plugin(id))
    }

    /// Fails for an index that is older than the last one with the same key, or differs from it with the same number.
    pub fn check_not_older(&self, seen: &Seen) -> Result<()> {
        let Some(last) = self.seen()?.remove(&seen.key.to_string()) else {
            return Ok(());
        };
        let (serial, last_serial) = (seen.mark.serial, last.serial);
        if serial < last_serial {
            return refused(format!(
                "the index of the registry is number {serial}, and number {last_serial} was read before: an older index may hide \
                 a version that fixes a fault. Try again later, and inform the operator of the registry if that does not help"
            ));
        }
        if serial == last_serial && seen.mark.sha256 != last.sha256 {
            return refused(format!(
                "there are two different indexes with the number {serial}: inform the operator of the registry"
            ));
        }
        Ok(())
    }

    pub(crate) fn seen(&self) -> Result<BTreeMap<String, Mark>> {
        Ok(read_json(&self.root.join(SEEN))?.unwrap_or_default())
    }
}

/// The version to which a link of the plugins folder leads.
fn version_of(target: &Path, id: &str) -> Option<Version> {
    let version = target.strip_prefix(stored_versions(id)).ok()?;
    Version::parse(version.to_str()?).ok()
}

pub(crate) fn read_json<T: DeserializeOwned>(file: &Path) -> Result<Option<T>> {
    if !file.exists() {
        return Ok(None);
    }
    let bytes = linepress_files::read(file, MAX_RECORDS_BYTES)?;
    match serde_json::from_slice(&bytes) {
        Ok(read) => Ok(Some(read)),
        Err(error) => refused(format!("{} is damaged: {error}", file.display())),
    }
}

pub(crate) fn write_json(file: &Path, content: &impl Serialize) -> Result<()> {
    let text = serde_json::to_vec_pretty(content).map_err(|error| RegistryError::Refused(error.to_string()))?;
    replace_file(file, &text)
}

pub(crate) fn sync(folder: &Path) -> Result<()> {
    let synced = File::open(folder).and_then(|folder| folder.sync_all());
    synced.map_err(failed(folder, "synced"))
}
