//! The description of a snapshot: its contents, with the digests of its files.
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::error::BackupError;
use linepress_platform::clock::Timestamp;
use linepress_platform::storage::Digest;

/// The version of the format of backups. It grows when an older program could not read a new backup.
pub(super) const FORMAT: u32 = 1;

/// A snapshot of a server, as its file `snapshot.json` describes it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Snapshot {
    pub(super) format: u32,
    pub name: String,
    /// The time at which the database was read.
    pub created_at: Timestamp,
    /// The version of the program.
    pub program: String,
    /// The migrations of the database.
    pub migrations: Vec<i64>,
    /// The number of rows of each table.
    pub tables: BTreeMap<String, u64>,
    /// The file with the rows, compressed.
    pub database: Digest,
    pub objects: Objects,
    /// The mark of the object store, which the restored store gets as well.
    pub object_store: Option<String>,
}

/// The objects of a snapshot.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Objects {
    pub count: u64,
    /// The size of all of them in bytes.
    pub size: u64,
    /// The keys that the database names and that were already missing in the object store.
    pub missing: Vec<String>,
    /// The file with the list of objects, compressed.
    pub list: Digest,
}

/// An object of a snapshot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Entry {
    pub key: String,
    #[serde(flatten)]
    pub digest: Digest,
}

impl Snapshot {
    /// The number of rows of all tables.
    pub fn rows(&self) -> u64 {
        self.tables.values().sum()
    }

    pub(super) fn to_bytes(&self) -> Vec<u8> {
        serde_json::to_vec_pretty(self).expect("the keys of its map are strings")
    }

    /// Reads the description of the snapshot with this name; `None` when it is damaged.
    pub(super) fn parse(name: &str, bytes: &[u8]) -> Result<Option<Self>, BackupError> {
        #[derive(Deserialize)]
        struct Version {
            format: u32,
        }
        match serde_json::from_slice::<Version>(bytes) {
            Ok(Version { format }) if format > FORMAT => return Err(BackupError::Newer(name.into())),
            Ok(_) => {}
            Err(_) => return Ok(None),
        }
        let snapshot = serde_json::from_slice::<Self>(bytes).ok();
        Ok(snapshot.filter(|snapshot| snapshot.name == name))
    }
}
