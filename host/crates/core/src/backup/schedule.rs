//! Scheduled backups. Each worker checks every minute whether one is due; the first to claim it makes it.
use std::time::Duration;

use super::claim::{Claim, Earlier};
use super::create::{Backup, create_claimed, new_name};
use super::{BackupError, Origin, Target};
use crate::app::App;
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
    let target = Target::create(&settings.dir, &app.config)?;
    let name = new_name(origin).await?;
    let mut has_completed = false;
    let claim = Claim::take_if(origin, &name, target.place(), |earlier| {
        has_completed = earlier.completed.is_some();
        is_due(settings, earlier)
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

/// Fails when the place to which earlier backups were made contains none: its disk is probably not mounted, and a backup
/// would be written below the mount point.
async fn refuse_emptied(target: &Target) -> Result<(), BackupError> {
    if target.listing().await?.complete.is_empty() {
        return Err(BackupError::Emptied(target.place().into()));
    }
    Ok(())
}

fn is_due(settings: &BackupSettings, earlier: Earlier) -> bool {
    let Earlier { now, completed, begun } = earlier;
    let has_failed = begun > completed;
    if has_failed && begun.is_some_and(|begun| now.since(begun) < RETRY_DELAY) {
        return false;
    }
    let Some(completed) = completed else { return true };
    match settings.time_of_day() {
        None => now.since(completed) >= settings.interval(),
        Some(time) => completed < last_time(now, time),
    }
}

/// The last moment with this time of day.
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
        is_due(settings, earlier)
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
}
