//! Scheduled backups. Each worker checks every minute whether one is due; the first to claim it makes it.
use std::time::Duration;

use super::claim::{Claim, Earlier};
use super::create::{Backup, create_claimed, new_name};
use super::target::place_name;
use super::{BackupError, Origin, Target, request, store};
use linepress_core::objects;
use linepress_platform::app::App;
use linepress_platform::clock::Timestamp;
use linepress_platform::config::BackupSettings;

const CHECK_INTERVAL: Duration = Duration::from_secs(60);

/// The time after the beginning of a failed backup before the next attempt.
const RETRY_DELAY: Duration = Duration::from_secs(15 * 60);

const DAY: Duration = Duration::from_secs(24 * 3600);

/// Makes scheduled backups until the future is dropped.
pub async fn run(app: &App) {
    loop {
        match back_up_if_due(app).await {
            Ok(None) => {}
            Ok(Some(Backup {
                snapshot,
                copied,
                deleted,
            })) => {
                let (name, rows, objects) = (&snapshot.name, snapshot.rows(), snapshot.objects.count);
                let (copied, deleted) = (copied.objects, deleted.len());
                tracing::info!(snapshot = name, rows, objects, copied, deleted, "backup completed");
                if !snapshot.objects.missing.is_empty() {
                    let missing = snapshot.objects.missing.len();
                    tracing::warn!(
                        snapshot = name,
                        missing,
                        "backup lacks objects that are missing in the object store"
                    );
                }
            }
            Err(error) => {
                tracing::error!(%error, "backup failed");
            }
        }
        tokio::time::sleep(CHECK_INTERVAL).await;
    }
}

/// Makes a backup if the settings ask for one now; returns `None` if not, or if another node makes it.
pub(crate) async fn back_up_if_due(app: &App) -> Result<Option<Backup>, BackupError> {
    let settings = &app.config.backup;
    if settings.dir.is_empty() {
        return Ok(None);
    }
    let origin = Origin::of(app);
    let target = Target::create_on_thread(&settings.dir, &app.config).await?;
    let requested = request::requested_at(app).await?;
    let name = new_name(origin).await?;
    let mut has_completed = false;
    let claim = Claim::take_if(origin, &name, target.place(), |earlier| {
        has_completed = earlier.completed.is_some();
        is_due(settings, earlier, requested)
    });
    let Some(claim) = claim.await? else { return Ok(None) };
    if has_completed && let Err(error) = refuse_emptied(&target).await {
        claim.give_up(origin).await?;
        return Err(error);
    }
    let scratch = app.config.incoming_dir();
    let made = create_claimed(origin, &target, Some(settings.keep), &scratch, (&name, claim)).await?;
    Ok(Some(made))
}

/// Fails when the place to which earlier backups were made contains none: its disk is probably not mounted, and a
/// backup would be written below the mount point.
async fn refuse_emptied(target: &Target) -> Result<(), BackupError> {
    if target.listing().await?.complete.is_empty() {
        return Err(BackupError::Emptied(target.place().into()));
    }
    Ok(())
}

/// The state of the scheduled backups.
#[derive(Clone, Debug)]
pub struct Schedule {
    /// True while a backup is being made, to this or to another place.
    pub is_running: bool,
    /// The time at which the next one is due; in the past if one is due.
    pub next_due_at: Timestamp,
}

impl Schedule {
    /// Reads the state of the backups to the place of the settings. None if they name no place.
    pub async fn find(app: &App) -> Result<Option<Self>, BackupError> {
        let settings = &app.config.backup;
        if settings.dir.is_empty() {
            return Ok(None);
        }
        let place = place_name(&settings.dir)?;
        let requested = request::requested_at(app).await?;
        let mut tx = app.database.begin_read().await?;
        let earlier = Earlier {
            now: app.database.shared_time(&mut tx, &app.clock).await?,
            completed: store::last_completed(&mut tx, &place).await?,
            begun: store::last_begun(&mut tx, &place, "").await?,
        };
        tx.rollback().await?;
        Ok(Some(Self {
            is_running: objects::is_backup_running(app).await?,
            next_due_at: next_due(settings, earlier, requested),
        }))
    }
}

fn is_due(settings: &BackupSettings, earlier: Earlier, requested: Option<Timestamp>) -> bool {
    next_due(settings, earlier, requested) <= earlier.now
}

/// The time at which the next backup is due: at once if an operator requested one. A request counts until a backup that
/// began after it has been completed.
fn next_due(settings: &BackupSettings, earlier: Earlier, requested: Option<Timestamp>) -> Timestamp {
    let Earlier { now, completed, begun } = earlier;
    let unmet = requested.filter(|_| requested > completed);
    let failed = begun.filter(|_| begun > completed);
    let due = match (unmet, completed, settings.time_of_day()) {
        (Some(requested), _, _) => requested,
        (None, None, _) => now,
        (None, Some(completed), None) => completed.plus(settings.interval()),
        (None, Some(completed), Some(time)) => last_time(completed, time).plus(DAY),
    };
    match failed {
        // A request after the failed attempt does not wait: the operator may have removed the cause.
        Some(failed) if unmet.is_none_or(|requested| requested <= failed) => due.max(failed.plus(RETRY_DELAY)),
        _ => due,
    }
}

/// The last moment with this time of day, at or before `now`.
fn last_time(now: Timestamp, time: Duration) -> Timestamp {
    let since_epoch = now.since(Timestamp::from_microseconds(0));
    let since_midnight = Duration::from_micros(u64::try_from(since_epoch.as_micros() % DAY.as_micros()).unwrap_or(0));
    let today = now.minus(since_midnight).plus(time);
    if today <= now { today } else { today.minus(DAY) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(hours: u64) -> Timestamp {
        Timestamp::from_microseconds(1_795_219_200_000_000).plus(Duration::from_secs(hours * 3600))
    }

    fn is_due_after(settings: &BackupSettings, completed: Option<u64>, begun: Option<u64>, now: u64) -> bool {
        let earlier = Earlier {
            now: at(now),
            completed: completed.map(at),
            begun: begun.or(completed).map(at),
        };
        is_due(settings, earlier, None)
    }

    #[test]
    fn an_interval_begins_with_the_last_backup() {
        let settings = BackupSettings {
            every_hours: 6,
            ..BackupSettings::default()
        };
        assert!(is_due_after(&settings, None, None, 0));
        assert!(!is_due_after(&settings, Some(1), None, 6));
        assert!(is_due_after(&settings, Some(1), None, 7));
    }

    #[test]
    fn a_daily_backup_begins_at_its_time() {
        // The first hour is midnight in UTC.
        let settings = BackupSettings {
            at: "03:00".into(),
            ..BackupSettings::default()
        };
        assert!(is_due_after(&settings, None, None, 1));
        assert!(!is_due_after(&settings, Some(1), None, 2));
        assert!(is_due_after(&settings, Some(1), None, 3));
        assert!(!is_due_after(&settings, Some(3), None, 26));
        assert!(is_due_after(&settings, Some(3), None, 27));
        assert!(is_due_after(&settings, Some(3), None, 70));
    }

    #[test]
    fn a_failed_backup_is_tried_again_after_a_while() {
        let settings = BackupSettings::default();
        assert!(!is_due_after(&settings, Some(1), Some(30), 30));
        assert!(is_due_after(&settings, Some(1), Some(30), 31));
        assert!(!is_due_after(&settings, None, Some(30), 30));
    }

    #[test]
    fn a_requested_backup_is_due_until_one_is_completed() {
        let settings = BackupSettings::default();
        let is_due_at = |minutes: u64, requested: u64, completed: u64, begun: u64| {
            let earlier = Earlier {
                now: at(0).plus(Duration::from_secs(minutes * 60)),
                completed: Some(at(completed)),
                begun: Some(at(begun)),
            };
            is_due(&settings, earlier, Some(at(requested)))
        };
        assert!(is_due_at(180, 3, 1, 1));
        // The last attempt failed before the request.
        assert!(is_due_at(180, 3, 1, 2));
        // The attempt that began after the request failed.
        assert!(!is_due_at(134, 2, 1, 2));
        assert!(is_due_at(135, 2, 1, 2));
        // The one after the request is completed.
        assert!(!is_due_at(180, 2, 2, 2));
        assert!(!is_due_at(180, 1, 2, 2));
    }
}
