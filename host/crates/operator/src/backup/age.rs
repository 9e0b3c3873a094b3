//! The age of the last backup, for `doctor` and the metrics.
use std::time::Duration;

use super::target::place_name;
use super::{BackupError, store};
use linepress_platform::app::App;

/// The last backup that was completed: to the place of the settings, or to any place if they name none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LastBackup {
    /// The place of the settings.
    pub place: Option<String>,
    /// The time since the beginning of the last completed backup; `None` when there was none within 90 days.
    pub age: Option<Duration>,
    /// The time between two backups of the settings; `None` when they name no place.
    pub interval: Option<Duration>,
}

impl LastBackup {
    /// Finds the last backup.
    pub async fn find(app: &App) -> Result<Self, BackupError> {
        let settings = &app.config.backup;
        let clock = app.lease_clock();
        if settings.dir.is_empty() {
            return Ok(Self {
                place: None,
                age: store::age(clock).await?,
                interval: None,
            });
        }
        let place = place_name(&settings.dir)?;
        Ok(Self {
            age: store::age_at(clock, &place).await?,
            interval: Some(settings.interval()),
            place: Some(place),
        })
    }

    /// Returns true when backups of the settings are missing: one may fail and be repeated, two in a row may not.
    pub fn is_overdue(&self) -> bool {
        let limit = self.interval.map(|interval| interval * 2);
        limit.is_some_and(|limit| self.age.is_none_or(|age| age > limit))
    }
}
