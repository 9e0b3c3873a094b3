//! The claim of a backup in the database. There is one at a time, and while it is valid, no node deletes an object.
use std::time::Duration;

use tokio::time::Instant;

use super::error::BackupError;
use super::{Origin, store};
use linepress_platform::clock::{Timestamp, microseconds};
use linepress_platform::error::Result;

/// The time after which the backup of a process that disappeared no longer holds back deletions.
const CLAIM_LIFETIME: Duration = Duration::from_secs(120);

const RENEWAL_INTERVAL: Duration = Duration::from_secs(20);

/// The age at which the rows of earlier backups are deleted: longer than any interval between two backups.
const ROW_RETENTION: Duration = Duration::from_secs(90 * 24 * 3600);

/// A claim that this process holds.
#[derive(Debug)]
pub(super) struct Claim {
    id: String,
    target: String,
}

impl Claim {
    /// Claims the backup `id`. Returns `None` when another backup is running.
    pub(super) async fn take(origin: Origin<'_>, id: &str, target: &str) -> sqlx::Result<Option<Self>> {
        Self::take_if(origin, id, target, |_| true).await
    }

    /// Claims the backup `id` if the earlier backups to the same target call for one. No other node can begin one
    /// between this decision and the claim.
    pub(super) async fn take_if(
        origin: Origin<'_>,
        id: &str,
        target: &str,
        is_due: impl FnOnce(Earlier) -> bool,
    ) -> sqlx::Result<Option<Self>> {
        let clock = origin.lease_clock();
        let mut tx = origin.database.begin().await?;
        store::end_expired(clock, &mut tx).await?;
        let is_first = store::begin(clock, &mut tx, id, target, microseconds(CLAIM_LIFETIME)).await?;
        // Read after the claim, so that a backup which another node has just completed is seen.
        let earlier = Earlier {
            now: origin.database.shared_time(&mut tx, origin.clock).await?,
            completed: store::last_completed(&mut tx, target).await?,
            begun: store::last_begun(&mut tx, target, id).await?,
        };
        if !is_first || !is_due(earlier) {
            tx.rollback().await?;
            return Ok(None);
        }
        tx.commit().await?;
        Ok(Some(Self {
            id: id.to_owned(),
            target: target.to_owned(),
        }))
    }

    /// Renews the claim until the future is dropped; returns only when the claim is lost.
    pub(super) async fn hold(&self, origin: Origin<'_>) -> BackupError {
        let mut renewed = Instant::now();
        // Another process may begin a backup once the claim has expired, whether this one can reach the database or
        // not.
        while renewed.elapsed() + RENEWAL_INTERVAL < CLAIM_LIFETIME {
            tokio::time::sleep(RENEWAL_INTERVAL).await;
            match self.renew(origin).await {
                Ok(()) => renewed = Instant::now(),
                Err(BackupError::Sql(error)) => tracing::warn!(%error, "backup claim not renewed; trying again"),
                Err(lost) => return lost,
            }
        }
        BackupError::Interrupted
    }

    /// Fails when the claim has expired.
    pub(super) async fn renew(&self, origin: Origin<'_>) -> Result<(), BackupError> {
        let mut tx = origin.database.begin().await?;
        let lifetime = microseconds(CLAIM_LIFETIME);
        let is_held = store::renew(origin.lease_clock(), &mut tx, &self.id, lifetime).await?;
        tx.commit().await?;
        if is_held { Ok(()) } else { Err(BackupError::Interrupted) }
    }

    pub(super) async fn complete(&self, origin: Origin<'_>) -> sqlx::Result<()> {
        let mut tx = origin.database.begin().await?;
        store::complete(origin.lease_clock(), &mut tx, &self.id).await?;
        let now = origin.database.shared_time(&mut tx, origin.clock).await?;
        store::forget(&mut tx, &self.target, now.minus(ROW_RETENTION)).await?;
        tx.commit().await
    }

    /// Gives up the claim of a failed backup.
    pub(super) async fn give_up(&self, origin: Origin<'_>) -> sqlx::Result<()> {
        let mut tx = origin.database.begin().await?;
        store::give_up(&mut tx, &self.id).await?;
        tx.commit().await
    }
}

/// The times of the earlier backups to a target, on the clock that all nodes share.
#[derive(Clone, Copy, Debug)]
pub(super) struct Earlier {
    pub now: Timestamp,
    /// The beginning of the last one that was completed.
    pub completed: Option<Timestamp>,
    /// The beginning of the last one.
    pub begun: Option<Timestamp>,
}
