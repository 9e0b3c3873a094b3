//! Changes of the installed versions, which one command at a time makes.
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, TryLockError};
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use linepress_plugin_host::{ChangingPlugin, Preview, stored_plugins, stored_versions};
use semver::Version;
use tempfile::TempDir;

use crate::archive::{WORK_PREFIX, make_folder, unpack};
use crate::error::{RegistryError, Result, failed, refused};
use crate::index::Release;
use crate::store::{Active, RECORDS, Record, SEEN, Seen, Staged, Store, sync, write_json};

/// The name of a folder that was set aside.
const OLD: &str = "old";

/// The store, locked for changes by one command.
pub struct LockedStore {
    pub(crate) store: Store,
    _lock: File,
}

impl Store {
    /// Locks the store for a change. Fails if another command is changing it. Removes what a killed process left.
    pub fn lock(&self) -> Result<LockedStore> {
        if !self.plugins_dir.is_dir() {
            fs::create_dir_all(&self.plugins_dir).map_err(failed(&self.plugins_dir, "created"))?;
        }
        if self.root.is_symlink() {
            return refused(format!("{} is a link: remove it", self.root.display()));
        }
        make_folder(&self.root)?;
        make_folder(&self.plugins_dir.join(stored_plugins()))?;
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
        Ok(Staged { folder, preview, work })
    }

    /// Gives a complete folder its final place among the installed versions, and records where it came from. A version
    /// that is there already, and is not active, is replaced. After an error, everything is as before.
    pub fn place(&self, id: &str, folder: &Path, record: &Record) -> Result<()> {
        let store = &self.store;
        if store.active(id)? == Active::Version(record.version.clone()) {
            return refused(format!("{id} {} is active: it is not replaced", record.version));
        }
        make_folder(&store.folder_of(id))?;
        make_folder(&store.versions_folder(id))?;
        let place = store.version_folder(id, &record.version);
        let old = self.set_aside(&place)?;
        let placed = self.move_in(id, folder, &place, record);
        if placed.is_err() {
            // Both renames work on a full disk as well. The folder returns to the temporary one that it came from.
            drop(fs::rename(&place, folder));
            drop(fs::rename(old.path().join(OLD), &place));
        }
        placed
    }

    fn move_in(&self, id: &str, folder: &Path, place: &Path, record: &Record) -> Result<()> {
        fs::rename(folder, place).map_err(failed(place, "created"))?;
        sync(&self.store.versions_folder(id))?;
        let mut records = self.store.records(id)?;
        records.retain(|other| other.version != record.version);
        records.push(record.clone());
        write_json(&self.store.folder_of(id).join(RECORDS), &records)
    }

    /// Begins a change of a plugin in several steps, which a running server sees only as a whole.
    pub fn begin_change(&self, id: &str) -> Result<ChangingPlugin> {
        let folder = self.store.folder_of(id);
        make_folder(&folder)?;
        ChangingPlugin::begin(&folder).map_err(failed(&folder, "locked"))
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
        let target = stored_versions(id).join(version.to_string());
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

    /// Removes one version that is not active, and the folder of the plugin with its last version. Returns false if it
    /// is not installed.
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
        if records.is_empty() {
            self.remove_all(id)?;
            return Ok(true);
        }
        write_json(&self.store.folder_of(id).join(RECORDS), &records)?;
        self.discard(&self.store.version_folder(id, version))?;
        Ok(true)
    }

    /// Removes all versions of a plugin that is not active.
    pub fn remove_all(&self, id: &str) -> Result<()> {
        self.discard(&self.store.folder_of(id))
    }

    /// Removes the versions that were installed first until `keep` are left, but neither the active one nor the one
    /// that was active before it. Returns the removed ones. Folders of versions that no record lists are removed as
    /// well.
    pub fn prune(&self, id: &str, keep: usize) -> Result<Vec<Version>> {
        let active = self.store.active(id)?;
        let before = self.store.record_before(id)?.map(|record| record.version);
        let records = self.store.records(id)?;
        let surplus = records.len().saturating_sub(keep);
        let others = records.into_iter().map(|record| record.version);
        let old: Vec<Version> = others
            .filter(|version| active != Active::Version(version.clone()) && before.as_ref() != Some(version))
            .take(surplus)
            .collect();
        for version in &old {
            self.remove_version(id, version)?;
        }
        self.discard_unrecorded(id, &active)?;
        Ok(old)
    }

    /// Removes what a killed command left among the versions.
    fn discard_unrecorded(&self, id: &str, active: &Active) -> Result<()> {
        let records = self.store.records(id)?;
        let mut known: BTreeSet<PathBuf> = records
            .iter()
            .map(|record| self.store.version_folder(id, &record.version))
            .collect();
        if let Active::Version(version) = active {
            known.insert(self.store.version_folder(id, version));
        }
        let stored = entries(&self.store.versions_folder(id))?;
        for unknown in stored.into_iter().filter(|folder| !known.contains(folder)) {
            self.discard(&unknown)?;
        }
        Ok(())
    }

    fn work(&self) -> Result<TempDir> {
        let root = &self.store.root;
        let work = tempfile::Builder::new().prefix(WORK_PREFIX).tempdir_in(root);
        work.map_err(failed(root, "written"))
    }

    /// Deletes a folder. It loses its name first, so that an interruption leaves no half of it.
    fn discard(&self, folder: &Path) -> Result<()> {
        self.set_aside(folder).map(drop)
    }

    /// Moves a folder, if it exists, into a temporary one, which is deleted with the returned value.
    fn set_aside(&self, folder: &Path) -> Result<TempDir> {
        let work = self.work()?;
        match fs::rename(folder, work.path().join(OLD)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            renamed => renamed.map_err(failed(folder, "removed"))?,
        }
        Ok(work)
    }

    /// Removes the temporary files and folders of killed commands.
    fn remove_work(&self) -> Result<()> {
        let root = &self.store.root;
        let mut folders = entries(&self.store.plugins_dir.join(stored_plugins()))?;
        folders.retain(|folder| folder.is_dir());
        folders.push(root.clone());
        for folder in folders {
            for path in entries(&folder)? {
                let name = path.file_name().unwrap_or_default();
                if !name.to_string_lossy().starts_with(WORK_PREFIX) {
                    continue;
                }
                let removed = match path.is_symlink() || !path.is_dir() {
                    true => fs::remove_file(&path),
                    false => fs::remove_dir_all(&path),
                };
                removed.map_err(failed(&path, "removed"))?;
            }
        }
        Ok(())
    }
}

/// The paths in a folder.
fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let read = || -> io::Result<Vec<PathBuf>> { fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect() };
    read().map_err(failed(folder, "read"))
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
                manifest: None,
                installed_at: String::new(),
                before: self.active(),
            };
            locked.place("acme.flux", &fresh, &record).unwrap();
            locked.activate("acme.flux", &version).unwrap();
        }

        fn active(&self) -> Option<Version> {
            match self.store.active("acme.flux").unwrap() {
                Active::Version(version) => Some(version),
                Active::None | Active::Folder(_) => None,
            }
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

    #[test]
    fn the_version_before_is_the_one_that_was_active() {
        let fixture = Fixture::new();
        let locked = fixture.store.lock().unwrap();
        let before = || {
            let record = fixture.store.record_before("acme.flux").unwrap();
            record.map(|record| record.version.to_string())
        };
        fixture.install(&locked, "1.0.0");
        assert_eq!(before(), None);
        fixture.install(&locked, "1.1.0");
        assert_eq!(before().as_deref(), Some("1.0.0"));
        // 1.1.0 is broken, and so is 1.2.0.
        locked.activate("acme.flux", &Version::new(1, 0, 0)).unwrap();
        assert_eq!(before(), None);
        fixture.install(&locked, "1.2.0");
        assert_eq!(before().as_deref(), Some("1.0.0"));
        assert_eq!(locked.prune("acme.flux", 2).unwrap(), [Version::new(1, 1, 0)]);
        assert_eq!(fixture.versions(), ["1.0.0", "1.2.0"]);
        assert_eq!(before().as_deref(), Some("1.0.0"));
    }

    #[test]
    fn a_record_of_an_earlier_program_has_no_version_before() {
        let fixture = Fixture::new();
        let locked = fixture.store.lock().unwrap();
        fixture.install(&locked, "1.0.0");
        let file = fixture.store.folder_of("acme.flux").join(RECORDS);
        let mut records: serde_json::Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
        records[0].as_object_mut().unwrap().remove("before").unwrap();
        records[0]["installed_at"] = "2026-11-25".into();
        fs::write(&file, records.to_string()).unwrap();
        assert_eq!(fixture.store.records("acme.flux").unwrap()[0].before, None);
    }

    #[test]
    fn a_failed_placement_changes_nothing() {
        let fixture = Fixture::new();
        let locked = fixture.store.lock().unwrap();
        fixture.install(&locked, "1.0.0");
        fixture.install(&locked, "1.1.0");
        let records = fixture.store.folder_of("acme.flux").join(RECORDS);
        let good = fs::read(&records).unwrap();
        let record = fixture.store.records("acme.flux").unwrap().remove(0);
        let fresh = fixture.folder.path().join(".fresh");
        for version in ["1.0.0", "1.2.0"] {
            fs::create_dir(&fresh).unwrap();
            fs::write(fresh.join("plugin.toml"), "fresh").unwrap();
            fs::write(&records, "damaged").unwrap();
            let version = Version::parse(version).unwrap();
            let record = Record {
                version: version.clone(),
                ..record.clone()
            };
            assert!(locked.place("acme.flux", &fresh, &record).is_err());
            fs::write(&records, &good).unwrap();
            let left = fs::read_to_string(fixture.store.version_folder("acme.flux", &version).join("plugin.toml"));
            assert_eq!(left.ok(), (version.minor == 0).then(|| "1.0.0".to_owned()), "{version}");
            fs::remove_dir_all(&fresh).unwrap();
        }
        assert_eq!(fixture.content().as_deref(), Some("1.1.0"));
    }

    #[test]
    fn folders_and_files_that_no_record_lists_are_removed() {
        let fixture = Fixture::new();
        let locked = fixture.store.lock().unwrap();
        fixture.install(&locked, "1.0.0");
        let stray = fixture.store.version_folder("acme.flux", &Version::new(9, 0, 0));
        fs::create_dir(&stray).unwrap();
        assert!(locked.prune("acme.flux", 2).unwrap().is_empty());
        assert!(!stray.exists());
        assert_eq!(fixture.content().as_deref(), Some("1.0.0"));
        // A process that was killed while it replaced a file.
        let halves = [fixture.store.root.clone(), fixture.store.folder_of("acme.flux")]
            .map(|folder| folder.join(format!("{WORK_PREFIX}half")));
        halves.iter().for_each(|half| fs::write(half, "[").unwrap());
        drop(locked);
        drop(fixture.store.lock().unwrap());
        assert!(!halves.iter().any(|half| half.exists()));
        assert_eq!(fixture.versions(), ["1.0.0"]);
    }

    #[test]
    fn nothing_remains_of_a_plugin_without_versions() {
        let fixture = Fixture::new();
        let locked = fixture.store.lock().unwrap();
        fixture.install(&locked, "1.0.0");
        locked.deactivate("acme.flux").unwrap();
        assert!(locked.remove_version("acme.flux", &Version::new(1, 0, 0)).unwrap());
        assert!(!fixture.store.folder_of("acme.flux").exists());
    }
}
