//! The versions that are installed, side by side in the hidden folder `.registry` of the plugins folder, which the server
//! does not scan. A link in the plugins folder makes one of them the active one:
//!
//! ```text
//! plugins.d/acme.flux -> .registry/plugins/acme.flux/versions/1.2.0
//! plugins.d/.registry/plugins/acme.flux/versions/1.1.0/plugin.toml
//! plugins.d/.registry/plugins/acme.flux/installed.json
//! plugins.d/.registry/seen.json
//! ```
use std::collections::BTreeMap;
use std::fs::{self, File, TryLockError};
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use linepress_plugin_host::{Preview, find_folder};
use semver::Version;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use tempfile::TempDir;

use crate::archive::{make_folder, replace_file, unpack};
use crate::error::{RegistryError, Result, failed, refused};
use crate::index::Release;
use crate::keys::PublicKey;

const ROOT: &str = ".registry";
const PLUGINS: &str = "plugins";
const VERSIONS: &str = "versions";
const RECORDS: &str = "installed.json";
const SEEN: &str = "seen.json";
/// The prefix of temporary folders, which the next change removes if a process was killed.
const WORK_PREFIX: &str = ".work-";
/// Maximum size of a file with records.
const MAX_RECORDS_BYTES: u64 = 1 << 20;

/// The installed versions of all plugins.
#[derive(Clone, Debug)]
pub struct Store {
    plugins_dir: PathBuf,
    root: PathBuf,
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
    /// The place of the registry.
    pub index: String,
    pub installed_at: String,
}

/// The index that was read last with a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    key: PublicKey,
    mark: Mark,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
struct Mark {
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
    folder: PathBuf,
    pub preview: Preview,
    _work: TempDir,
}

impl Staged {
    pub fn folder(&self) -> &Path {
        &self.folder
    }
}

impl Store {
    /// The store in this folder of plugins. Nothing is created before a version is installed.
    pub fn new(plugins_dir: &Path) -> Self {
        Self {
            plugins_dir: plugins_dir.to_owned(),
            root: plugins_dir.join(ROOT),
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

    /// The installed versions of a plugin, in the order in which they were installed.
    pub fn records(&self, id: &str) -> Result<Vec<Record>> {
        Ok(read_json(&self.folder_of(id).join(RECORDS))?.unwrap_or_default())
    }

    /// The record of the active version. `None` if the plugin was not installed by name.
    pub fn active_record(&self, id: &str) -> Result<Option<Record>> {
        let Active::Version(version) = self.active(id)? else {
            return Ok(None);
        };
        Ok(self.records(id)?.into_iter().find(|record| record.version == version))
    }

    /// The folder of an installed version.
    pub fn version_folder(&self, id: &str, version: &Version) -> PathBuf {
        self.folder_of(id).join(VERSIONS).join(version.to_string())
    }

    fn folder_of(&self, id: &str) -> PathBuf {
        self.root.join(PLUGINS).join(id)
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

    fn seen(&self) -> Result<BTreeMap<String, Mark>> {
        Ok(read_json(&self.root.join(SEEN))?.unwrap_or_default())
    }

    /// Locks the store for a change. Fails if another command is changing it. Removes what a killed process left.
    pub fn lock(&self) -> Result<LockedStore> {
        if !self.plugins_dir.is_dir() {
            fs::create_dir_all(&self.plugins_dir).map_err(failed(&self.plugins_dir, "created"))?;
        }
        if self.root.is_symlink() {
            return refused(format!("{} is a link: remove it", self.root.display()));
        }
        make_folder(&self.root)?;
        make_folder(&self.root.join(PLUGINS))?;
        let folder = File::open(&self.root).map_err(failed(&self.root, "locked"))?;
        match folder.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return refused("another command is installing or removing plugins: wait until it has ended");
            }
            Err(TryLockError::Error(error)) => return Err(failed(&self.root, "locked")(error)),
        }
        let locked = LockedStore {
            store: self.clone(),
            _lock: folder,
        };
        locked.remove_work()?;
        Ok(locked)
    }
}

/// The store, locked for changes by one command.
pub struct LockedStore {
    store: Store,
    _lock: File,
}

impl LockedStore {
    /// Remembers the index, so that an older one is refused from now on.
    pub fn remember(&self, seen: &Seen) -> Result<()> {
        self.store.check_not_older(seen)?;
        let mut all = self.store.seen()?;
        let before = all.insert(seen.key.to_string(), seen.mark.clone());
        if before.as_ref() == Some(&seen.mark) {
            return Ok(());
        }
        write_json(&self.store.root.join(SEEN), &all)
    }

    /// Unpacks the archive of a version into a temporary folder, and checks that it is the plugin that the index lists.
    /// `config` contains the settings of all plugins.
    pub fn stage(
        &self,
        release: &Release,
        archive: &[u8],
        config: &BTreeMap<String, serde_json::Value>,
    ) -> Result<Staged> {
        let work = self.work()?;
        let folder = work.path().join("plugin");
        unpack(&release.id, archive, &folder)?;
        let named = format!("{} {}", release.id, release.version);
        let preview = Preview::read(&folder, config)
            .map_err(|reason| RegistryError::Refused(format!("{named} cannot be installed: {reason}")))?;
        let is_listed = preview.id == release.id
            && preview.version == release.version
            && preview.world == release.world
            && preview.digest == release.digest;
        if !is_listed {
            return refused(format!(
                "the files of {named} are not those that its publisher signed: they are {} {} of {} with the digest {}. \
                 Inform the operator of the registry",
                preview.id, preview.version, preview.world, preview.digest
            ));
        }
        Ok(Staged {
            folder,
            preview,
            _work: work,
        })
    }

    /// Gives a complete folder its final place among the installed versions, and records where it came from. A version that
    /// is there already, and is not active, is replaced.
    pub fn place(&self, id: &str, folder: &Path, record: &Record) -> Result<()> {
        let store = &self.store;
        if store.active(id)? == Active::Version(record.version.clone()) {
            return refused(format!("{id} {} is active: it is not replaced", record.version));
        }
        let plugin = store.folder_of(id);
        make_folder(&plugin)?;
        make_folder(&plugin.join(VERSIONS))?;
        self.discard(&store.version_folder(id, &record.version))?;
        let place = store.version_folder(id, &record.version);
        fs::rename(folder, &place).map_err(failed(&place, "created"))?;
        sync(&plugin.join(VERSIONS))?;
        let mut records = store.records(id)?;
        records.retain(|other| other.version != record.version);
        records.push(record.clone());
        write_json(&plugin.join(RECORDS), &records)
    }

    /// Makes an installed version the active one, atomically. A running server takes it over.
    pub fn activate(&self, id: &str, version: &Version) -> Result<()> {
        let store = &self.store;
        if let Active::Folder(folder) = store.active(id)? {
            return refused(format!(
                "{} is a folder of your own: move it out of the plugins folder first",
                folder.display()
            ));
        }
        let work = self.work()?;
        let link = work.path().join("link");
        let target = Path::new(ROOT)
            .join(PLUGINS)
            .join(id)
            .join(VERSIONS)
            .join(version.to_string());
        symlink(target, &link).map_err(failed(&link, "created"))?;
        let place = store.plugins_dir.join(id);
        fs::rename(&link, &place).map_err(failed(&place, "replaced"))?;
        sync(&store.plugins_dir)
    }

    /// Removes the link of the active version; the versions stay.
    pub fn deactivate(&self, id: &str) -> Result<()> {
        let place = self.store.plugins_dir.join(id);
        match self.store.active(id)? {
            Active::Version(_) => fs::remove_file(&place).map_err(failed(&place, "removed"))?,
            Active::None | Active::Folder(_) => {}
        }
        sync(&self.store.plugins_dir)
    }

    /// Removes one version that is not active. Returns false if it is not installed.
    pub fn remove_version(&self, id: &str, version: &Version) -> Result<bool> {
        if self.store.active(id)? == Active::Version(version.clone()) {
            return refused(format!(
                "{id} {version} is active: `linepress plugin rollback {id}` activates the version before it"
            ));
        }
        let mut records = self.store.records(id)?;
        let before = records.len();
        records.retain(|record| record.version != *version);
        if records.len() == before {
            return Ok(false);
        }
        write_json(&self.store.folder_of(id).join(RECORDS), &records)?;
        self.discard(&self.store.version_folder(id, version))?;
        Ok(true)
    }

    /// Removes all versions of a plugin that is not active.
    pub fn remove_all(&self, id: &str) -> Result<()> {
        self.discard(&self.store.folder_of(id))
    }

    /// Removes the versions that were installed first until `keep` are left; the active one is never removed. Returns the
    /// removed ones.
    pub fn prune(&self, id: &str, keep: usize) -> Result<Vec<Version>> {
        let active = self.store.active(id)?;
        let records = self.store.records(id)?;
        let surplus = records.len().saturating_sub(keep);
        let others = records.into_iter().map(|record| record.version);
        let old: Vec<Version> = others
            .filter(|version| active != Active::Version(version.clone()))
            .take(surplus)
            .collect();
        for version in &old {
            self.remove_version(id, version)?;
        }
        Ok(old)
    }

    fn work(&self) -> Result<TempDir> {
        let root = &self.store.root;
        let work = tempfile::Builder::new().prefix(WORK_PREFIX).tempdir_in(root);
        work.map_err(failed(root, "written"))
    }

    /// Deletes a folder. It loses its name first, so that an interruption leaves no half of it.
    fn discard(&self, folder: &Path) -> Result<()> {
        let work = self.work()?;
        match fs::rename(folder, work.path().join("old")) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            renamed => renamed.map_err(failed(folder, "removed")),
        }
    }

    fn remove_work(&self) -> Result<()> {
        let root = &self.store.root;
        for entry in fs::read_dir(root).map_err(failed(root, "read"))? {
            let entry = entry.map_err(failed(root, "read"))?;
            if entry.file_name().to_string_lossy().starts_with(WORK_PREFIX) {
                let path = entry.path();
                fs::remove_dir_all(&path).map_err(failed(&path, "removed"))?;
            }
        }
        Ok(())
    }
}

/// The version to which a link of the plugins folder leads.
fn version_of(target: &Path, id: &str) -> Option<Version> {
    let versions = Path::new(ROOT).join(PLUGINS).join(id).join(VERSIONS);
    let version = target.strip_prefix(versions).ok()?;
    Version::parse(version.to_str()?).ok()
}

fn read_json<T: DeserializeOwned>(file: &Path) -> Result<Option<T>> {
    if !file.exists() {
        return Ok(None);
    }
    let bytes = linepress_files::read(file, MAX_RECORDS_BYTES)?;
    match serde_json::from_slice(&bytes) {
        Ok(read) => Ok(Some(read)),
        Err(error) => refused(format!("{} is damaged: {error}", file.display())),
    }
}

fn write_json(file: &Path, content: &impl Serialize) -> Result<()> {
    let text = serde_json::to_vec_pretty(content).map_err(|error| RegistryError::Refused(error.to_string()))?;
    replace_file(file, &text)
}

fn sync(folder: &Path) -> Result<()> {
    let synced = File::open(folder).and_then(|folder| folder.sync_all());
    synced.map_err(failed(folder, "synced"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::key;

    struct Fixture {
        folder: TempDir,
        store: Store,
    }

    impl Fixture {
        fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            let store = Store::new(folder.path());
            Self { folder, store }
        }

        fn install(&self, locked: &LockedStore, version: &str) {
            let fresh = self.folder.path().join(".fresh");
            fs::create_dir(&fresh).unwrap();
            fs::write(fresh.join("plugin.toml"), version).unwrap();
            let version = Version::parse(version).unwrap();
            let record = Record {
                version: version.clone(),
                digest: "a".repeat(64),
                publisher: "Acme".into(),
                key: key().public(),
                index: "/mnt/plugins".into(),
                installed_at: String::new(),
            };
            locked.place("acme.flux", &fresh, &record).unwrap();
            locked.activate("acme.flux", &version).unwrap();
        }

        fn content(&self) -> Option<String> {
            fs::read_to_string(self.folder.path().join("acme.flux/plugin.toml")).ok()
        }

        fn versions(&self) -> Vec<String> {
            let records = self.store.records("acme.flux").unwrap();
            records.into_iter().map(|record| record.version.to_string()).collect()
        }
    }

    #[test]
    fn versions_are_side_by_side_and_one_is_active() {
        let fixture = Fixture::new();
        let locked = fixture.store.lock().unwrap();
        assert_eq!(fixture.store.active("acme.flux").unwrap(), Active::None);
        for version in ["1.0.0", "1.1.0", "1.2.0"] {
            fixture.install(&locked, version);
            assert_eq!(fixture.content().as_deref(), Some(version));
        }
        let one = Version::new(1, 0, 0);
        locked.activate("acme.flux", &one).unwrap();
        assert_eq!(fixture.content().as_deref(), Some("1.0.0"));
        assert_eq!(fixture.store.active("acme.flux").unwrap(), Active::Version(one.clone()));
        let refusal = locked.remove_version("acme.flux", &one).unwrap_err().to_string();
        assert!(refusal.contains("rollback"), "{refusal}");
        // The active one is the oldest, and stays.
        assert_eq!(locked.prune("acme.flux", 2).unwrap(), [Version::new(1, 1, 0)]);
        assert_eq!(fixture.versions(), ["1.0.0", "1.2.0"]);
        locked.deactivate("acme.flux").unwrap();
        assert_eq!(fixture.content(), None);
        locked.remove_all("acme.flux").unwrap();
        assert!(fixture.versions().is_empty());
    }

    #[test]
    fn a_folder_of_the_operator_is_not_replaced() {
        let fixture = Fixture::new();
        let own = fixture.folder.path().join("acme.flux");
        fs::create_dir(&own).unwrap();
        let locked = fixture.store.lock().unwrap();
        assert_eq!(fixture.store.active("acme.flux").unwrap(), Active::Folder(own.clone()));
        let refusal = locked.activate("acme.flux", &Version::new(1, 0, 0)).unwrap_err();
        assert!(refusal.to_string().contains("of your own"), "{refusal}");
        locked.deactivate("acme.flux").unwrap();
        assert!(own.is_dir());
    }

    #[test]
    fn the_rest_of_a_killed_command_is_removed() {
        let fixture = Fixture::new();
        let locked = fixture.store.lock().unwrap();
        fixture.install(&locked, "1.0.0");
        assert!(fixture.store.lock().is_err(), "one command at a time");
        let left = locked.work().unwrap().keep();
        fs::write(left.join("plugin.toml"), "half").unwrap();
        drop(locked);
        drop(fixture.store.lock().unwrap());
        assert!(!left.exists());
        assert_eq!(fixture.content().as_deref(), Some("1.0.0"));
    }

    #[test]
    fn an_older_index_is_refused() {
        let fixture = Fixture::new();
        let (one, other) = (key().public(), key().public());
        let locked = fixture.store.lock().unwrap();
        locked.remember(&Seen::new(one, 7, b"seven")).unwrap();
        for (seen, is_accepted) in [
            (Seen::new(one, 6, b"six"), false),
            (Seen::new(one, 7, b"seven"), true),
            (Seen::new(one, 7, b"another seven"), false),
            (Seen::new(one, 8, b"eight"), true),
            (Seen::new(other, 1, b"one"), true),
        ] {
            assert_eq!(fixture.store.check_not_older(&seen).is_ok(), is_accepted, "{seen:?}");
            assert_eq!(locked.remember(&seen).is_ok(), is_accepted, "{seen:?}");
        }
        assert!(locked.remember(&Seen::new(one, 7, b"seven")).is_err());
    }
}
