//! Making a backup.
use std::path::Path;
use std::time::Duration;

use super::claim::Claim;
use super::copying::{Copied, copy_objects};
use super::snapshot::{FORMAT, Snapshot};
use super::target::{Target, database_file};
use super::{BackupError, Origin, dump, prune};
use linepress_platform::secrets;

/// A backup that was made.
#[derive(Debug)]
pub struct Backup {
    pub snapshot: Snapshot,
    /// The objects whose content was not in the target yet.
    pub copied: Copied,
    /// The snapshots that were deleted because they exceeded the number that the caller asked for.
    pub deleted: Vec<String>,
}

/// Makes a backup, and deletes the oldest snapshots beyond `keep`. Temporary files are written to the folder `scratch`.
pub async fn create(
    origin: Origin<'_>,
    target: &Target,
    keep: Option<usize>,
    scratch: &Path,
) -> Result<Backup, BackupError> {
    let name = new_name(origin).await?;
    let claim = Claim::take(origin, &name, target.place()).await?;
    let claim = claim.ok_or(BackupError::Running)?;
    create_claimed(origin, target, keep, scratch, (&name, claim)).await
}

/// A name that sorts by time.
pub(super) async fn new_name(origin: Origin<'_>) -> sqlx::Result<String> {
    let now = origin.database.shared_time_now(origin.clock).await?;
    let mut bytes = [0; 2];
    origin.random.fill(&mut bytes);
    Ok(format!("{}-{}", now.to_string().replace(':', "-"), hex::encode(bytes)))
}

/// Makes the backup that this process has claimed.
pub(super) async fn create_claimed(
    origin: Origin<'_>,
    target: &Target,
    keep: Option<usize>,
    scratch: &Path,
    (name, claim): (&str, Claim),
) -> Result<Backup, BackupError> {
    let work = async {
        let (snapshot, copied) = write(origin, target, scratch, name).await?;
        // If the claim expired meanwhile, an object may be missing.
        claim.renew(origin).await?;
        target.put_snapshot(&snapshot).await?;
        let deleted = prune::prune(target, keep).await.unwrap_or_else(|error| {
            tracing::warn!(snapshot = snapshot.name, %error, "backup completed, but old ones were not deleted");
            Vec::new()
        });
        claim.complete(origin).await?;
        Ok::<_, BackupError>(Backup {
            snapshot,
            copied,
            deleted,
        })
    };
    let made = tokio::select! {
        made = work => made,
        lost = claim.hold(origin) => Err(lost),
    };
    if made.is_err() {
        // A claim that is not given up expires by itself.
        if let Err(error) = claim.give_up(origin).await {
            tracing::warn!(%error, "claim of a failed backup not given up; it expires");
        }
    }
    made
}

/// Writes everything but the description of the snapshot.
async fn write(
    origin: Origin<'_>,
    target: &Target,
    scratch: &Path,
    name: &str,
) -> Result<(Snapshot, Copied), BackupError> {
    let object_store = secrets::store_mark(origin.database).await?;
    refuse_another_server(target, object_store.as_deref()).await?;
    let dump = dump::dump(origin, scratch).await?;
    let (objects, copied) = copy_objects(origin, target, name, dump.objects, scratch).await?;
    let database = dump.file.store(&target.storage, &database_file(name)).await?;
    let snapshot = Snapshot {
        format: FORMAT,
        name: name.into(),
        created_at: dump.taken_at,
        program: env!("CARGO_PKG_VERSION").into(),
        migrations: dump.migrations,
        tables: dump.tables,
        database,
        objects,
        object_store,
    };
    Ok((snapshot, copied))
}

/// Fails when the target has snapshots of a server with another object store: each server would delete the other's.
async fn refuse_another_server(target: &Target, object_store: Option<&str>) -> Result<(), BackupError> {
    let newest = match target.find(None).await {
        Ok(newest) => newest,
        Err(BackupError::NoBackup(_) | BackupError::Damaged(_)) => return Ok(()),
        Err(error) => return Err(error),
    };
    let is_same = newest.object_store.is_none() || newest.object_store.as_deref() == object_store;
    if is_same {
        Ok(())
    } else {
        Err(BackupError::AnotherServer(target.place().into()))
    }
}

/// The delay before a starting node looks again whether the backup of another one has ended.
const RETRY_DELAY: Duration = Duration::from_secs(1);

/// Makes a backup of a database that is about to be migrated, unless it is new or up to date. Its tables are those of
/// an earlier version, which may lack the table of backups. Then there can be neither a claim nor a server.
pub async fn before_migration(
    origin: Origin<'_>,
    target: &Target,
    scratch: &Path,
) -> Result<Option<Snapshot>, BackupError> {
    let mut tx = origin.database.begin_snapshot().await?;
    let tables = tx.tables(origin.database.dialect).await?;
    tx.rollback().await?;
    let has_claims = tables.iter().any(|table| table.name == "backups");
    let mut is_waiting = false;
    while origin.database.awaits_migration().await? {
        let name = new_name(origin).await?;
        if !has_claims {
            let (snapshot, _) = write(origin, target, scratch, &name).await?;
            target.put_snapshot(&snapshot).await?;
            return Ok(Some(snapshot));
        }
        if let Some(claim) = Claim::take(origin, &name, target.place()).await? {
            let made = create_claimed(origin, target, None, scratch, (&name, claim)).await?;
            return Ok(Some(made.snapshot));
        }
        // The other backup may be that of another starting node, which then migrates the database.
        if !is_waiting {
            tracing::info!("the migration waits until the running backup of this database has ended");
            is_waiting = true;
        }
        tokio::time::sleep(RETRY_DELAY).await;
    }
    Ok(None)
}
