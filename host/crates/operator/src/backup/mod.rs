//! Backups: consistent snapshots of the database, with the objects that they name, and their restore into an empty
//! server of either database.
//!
//! A backup reads the database in one transaction and copies the objects afterwards. Meanwhile no object is deleted
//! (`claim`), so every object that the snapshot names is still there. The file `snapshot.json` is written last: without
//! it, the snapshot does not exist.
mod age;
mod claim;
mod copying;
mod create;
mod dump;
mod error;
mod lines;
mod named;
mod prune;
mod request;
mod restore;
mod schedule;
mod snapshot;
mod store;
mod target;
mod verify;

use linepress_platform::app::App;
use linepress_platform::clock::Clock;
use linepress_platform::database::{Database, LeaseClock};
use linepress_platform::random::Random;
use linepress_platform::storage::Storage;

pub use age::LastBackup;
pub use create::{Backup, before_migration, create};
pub use error::BackupError;
pub(crate) use request::request;
pub use restore::{Destination, Restored, restore};
pub(crate) use schedule::back_up_if_due;
pub use schedule::{Schedule, run};
pub use snapshot::Snapshot;
pub use target::Target;
pub use verify::{Verification, verify};

/// The parts of a server that a backup reads.
#[derive(Clone, Copy)]
pub struct Origin<'a> {
    pub database: &'a Database,
    pub storage: &'a Storage,
    pub clock: &'a Clock,
    pub random: &'a Random,
}

impl<'a> Origin<'a> {
    pub fn of(app: &'a App) -> Self {
        Self {
            database: &app.database,
            storage: &app.storage,
            clock: &app.clock,
            random: &app.random,
        }
    }

    fn lease_clock(&self) -> LeaseClock<'a> {
        LeaseClock {
            database: self.database,
            clock: self.clock,
        }
    }
}
