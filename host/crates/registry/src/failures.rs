//! The versions from which the server went back by itself. They are remembered apart from the records, because an
//! update must not offer one again after its files were removed.
use std::collections::BTreeMap;

use semver::Version;

use crate::error::Result;
use crate::locked::LockedStore;
use crate::store::{Store, read_json, write_json};

/// The file in the folder of a plugin.
const FILE: &str = "failed.json";

impl Store {
    /// The versions from which the server went back by itself, with the problem of each.
    pub fn failures(&self, id: &str) -> Result<BTreeMap<Version, String>> {
        Ok(read_json(&self.folder_of(id).join(FILE))?.unwrap_or_default())
    }
}

impl LockedStore {
    /// Remembers that the server went back from a version by itself.
    pub fn note_failure(&self, id: &str, version: &Version, problem: &str) -> Result<()> {
        let mut failures = self.store.failures(id)?;
        failures.insert(version.clone(), problem.to_owned());
        write_json(&self.store.folder_of(id).join(FILE), &failures)
    }

    /// Forgets the failure of a version that was installed again, which only an operator who names it can do.
    pub fn forget_failure(&self, id: &str, version: &Version) -> Result<()> {
        let mut failures = self.store.failures(id)?;
        match failures.remove(version) {
            Some(_) => write_json(&self.store.folder_of(id).join(FILE), &failures),
            None => Ok(()),
        }
    }
}
