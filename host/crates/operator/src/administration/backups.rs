//! The backups that the server makes itself, and the request for one.
use std::collections::BTreeMap;
use std::time::Duration;

use serde::Serialize;

use super::audit_log::{Change, Target};
use super::{Actor, begin, finish};
use crate::backup::{self, BackupError, LastBackup, Schedule, Snapshot};
use linepress_platform::app::App;
use linepress_platform::clock::Timestamp;
use linepress_platform::error::{Error, Result};

/// The maximum number of snapshots in a list: the description of each is read from the place of backups.
pub const MAX_LISTED_SNAPSHOTS: usize = 50;

/// The time limit for reading the place of backups: a network share whose server is gone never responds.
const LISTING_TIMEOUT: Duration = Duration::from_secs(10);

/// The backups of the server.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
pub struct Backups {
    /// The folder or the bucket of the settings; null if the server makes no backups itself.
    #[schema(required, example = "/mnt/backups")]
    pub place: Option<String>,
    /// The time since the beginning of the last completed backup; null if there was none within 90 days.
    #[schema(required, minimum = 0)]
    pub last_age_seconds: Option<u64>,
    /// True if two backups in a row are missing.
    pub is_overdue: bool,
    /// True while a backup is being made.
    pub is_running: bool,
    /// The time at which the next one is due, in the past if a worker is about to make one; null without a place.
    #[schema(value_type = Option<String>, format = DateTime, required)]
    pub next_due_at: Option<Timestamp>,
    /// The newest snapshots, the newest first.
    pub snapshots: Vec<ListedSnapshot>,
    /// The reasons why the place, or snapshots in it, cannot be read.
    pub problems: Vec<String>,
}

/// A snapshot of the server: one state of it, from which it can be restored.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
pub struct ListedSnapshot {
    pub name: String,
    /// The time at which the database was read.
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
    /// The version of the program that made it.
    pub program: String,
    /// The number of rows of all tables.
    #[schema(minimum = 0)]
    pub rows: u64,
    /// The number of rows of each table.
    pub tables: BTreeMap<String, u64>,
    /// The number of objects.
    #[schema(minimum = 0)]
    pub objects: u64,
    /// The size of the objects.
    #[schema(minimum = 0)]
    pub object_bytes: u64,
    /// The number of objects that were missing in the object store when it was made.
    #[schema(minimum = 0)]
    pub missing_objects: usize,
}

impl From<Snapshot> for ListedSnapshot {
    fn from(snapshot: Snapshot) -> Self {
        Self {
            rows: snapshot.rows(),
            name: snapshot.name,
            created_at: snapshot.created_at,
            program: snapshot.program,
            tables: snapshot.tables,
            objects: snapshot.objects.count,
            object_bytes: snapshot.objects.size,
            missing_objects: snapshot.objects.missing.len(),
        }
    }
}

/// The backups to the place of the settings.
pub async fn state(app: &App, actor: &Actor) -> Result<Backups> {
    actor.require_operator()?;
    let last = LastBackup::find(app).await.map_err(Error::internal)?;
    let schedule = Schedule::find(app).await.map_err(Error::internal)?;
    let (snapshots, problems) = match &last.place {
        Some(place) => listed(app, place, last.age.is_some()).await,
        None => (Vec::new(), Vec::new()),
    };
    Ok(Backups {
        last_age_seconds: last.age.map(|age| age.as_secs()),
        is_overdue: last.is_overdue(),
        place: last.place,
        is_running: schedule.as_ref().is_some_and(|schedule| schedule.is_running),
        next_due_at: schedule.map(|schedule| schedule.next_due_at),
        snapshots,
        problems,
    })
}

/// Requests a backup, which a worker begins within a minute. None if the settings name no place for backups.
pub async fn request(app: &App, actor: &Actor) -> Result<Option<Backups>> {
    actor.require_operator()?;
    let place = LastBackup::find(app).await.map_err(Error::internal)?.place;
    let Some(place) = place else { return Ok(None) };
    let mut tx = begin(app, actor).await?;
    backup::request(app, &mut tx).await?;
    finish(app, tx, actor, Target::Backups, Change::RequestBackup { place: &place }).await?;
    state(app, actor).await.map(Some)
}

/// The newest snapshots, the newest first, and what cannot be read. `is_used` is true if a backup to the place was
/// completed.
async fn listed(app: &App, place: &str, is_used: bool) -> (Vec<ListedSnapshot>, Vec<String>) {
    let config = app.config.clone();
    let read = async move {
        let target = backup::Target::open_on_thread(&config.backup.dir, &config).await?;
        target.list_newest(MAX_LISTED_SNAPSHOTS).await
    };
    let problem = match app.backup_listing.within(LISTING_TIMEOUT, read).await {
        Some(Ok((snapshots, problems))) if !snapshots.is_empty() || !problems.is_empty() => {
            let newest_first = snapshots.into_iter().rev().map(ListedSnapshot::from);
            return (
                newest_first.collect(),
                problems.iter().map(ToString::to_string).collect(),
            );
        }
        // Another node may have made it: this one sees the folder below a mount point.
        Some(Ok(_) | Err(BackupError::NoBackup(_))) if is_used => {
            format!(
                "this node does not reach {place}: backups were made there, but it finds none. Mount the disk or the share here"
            )
        }
        // There is none yet.
        Some(Ok(_) | Err(BackupError::NoBackup(_))) => return (Vec::new(), Vec::new()),
        Some(Err(error)) => error.to_string(),
        None => format!("the place does not respond within {} s", LISTING_TIMEOUT.as_secs()),
    };
    (Vec::new(), vec![problem])
}
