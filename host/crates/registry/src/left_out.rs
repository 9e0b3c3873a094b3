//! The versions that an update leaves out because the server or the operator went back from them. They are remembered
//! apart from the records, because an update must not offer one again after its files were removed.
use std::collections::BTreeMap;
use std::fmt;

use semver::Version;

use crate::error::Result;
use crate::locked::LockedStore;
use crate::store::{Store, read_json, write_json};

/// The file in the folder of a plugin with the versions from which the server went back, and the problem of each.
const FAILED_FILE: &str = "failed.json";
/// The file with the versions from which the operator went back, and the time of each.
const ROLLED_BACK_FILE: &str = "rolled-back.json";

/// The reason why an update leaves a version out. It continues a sentence about the version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LeftOut {
    /// The server went back from it by itself because of this problem.
    Failed(String),
    /// The operator went back from it at this time, in RFC 3339.
    ByOperator(String),
}

impl fmt::Display for LeftOut {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failed(problem) => write!(
                formatter,
                "the server went back from it because its first calls failed ({problem})"
            ),
            Self::ByOperator(time) => write!(formatter, "it was rolled back by the operator at {time}"),
        }
    }
}

impl Store {
    /// The versions that an update leaves out. A failure is also the reason for one that the operator rolled back.
    pub fn left_out(&self, id: &str) -> Result<BTreeMap<Version, LeftOut>> {
        let by_operator = self.noted(id, ROLLED_BACK_FILE)?.into_iter();
        let failed = self.noted(id, FAILED_FILE)?.into_iter();
        let by_operator = by_operator.map(|(version, time)| (version, LeftOut::ByOperator(time)));
        Ok(by_operator
            .chain(failed.map(|(version, problem)| (version, LeftOut::Failed(problem))))
            .collect())
    }

    fn noted(&self, id: &str, file: &str) -> Result<BTreeMap<Version, String>> {
        Ok(read_json(&self.folder_of(id).join(file))?.unwrap_or_default())
    }
}

impl LockedStore {
    /// Remembers that the server went back from a version by itself.
    pub fn note_failure(&self, id: &str, version: &Version, problem: &str) -> Result<()> {
        self.note(id, FAILED_FILE, version, problem)
    }

    /// Remembers that the operator went back from a version at this time.
    pub fn note_rollback(&self, id: &str, version: &Version, time: &str) -> Result<()> {
        self.note(id, ROLLED_BACK_FILE, version, time)
    }

    /// Forgets why a version was left out that is active again: the operator named it, or the server returned to it.
    pub fn forget_left_out(&self, id: &str, version: &Version) -> Result<()> {
        for file in [FAILED_FILE, ROLLED_BACK_FILE] {
            let mut noted = self.store.noted(id, file)?;
            if noted.remove(version).is_some() {
                write_json(&self.store.folder_of(id).join(file), &noted)?;
            }
        }
        Ok(())
    }

    fn note(&self, id: &str, file: &str, version: &Version, note: &str) -> Result<()> {
        let mut noted = self.store.noted(id, file)?;
        noted.insert(version.clone(), note.to_owned());
        write_json(&self.store.folder_of(id).join(file), &noted)
    }
}
