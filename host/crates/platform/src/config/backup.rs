//! Backups that the server makes itself.
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::object_store::{ObjectPlace, S3};

/// The table `[backup]`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct BackupSettings {
    /// The folder for backups, or the URL of a bucket. The server makes none when it is empty.
    pub dir: String,
    /// The S3 server of a bucket for backups; that of the table `s3` when `None`.
    pub s3: Option<S3>,
    /// The hours between two backups.
    pub every_hours: u64,
    /// The time of day in UTC at which a daily backup begins, such as `03:30`. When empty, only `every_hours` counts.
    pub at: String,
    /// The largest number of snapshots; older ones are deleted.
    pub keep: usize,
}

impl Default for BackupSettings {
    fn default() -> Self {
        Self {
            dir: String::new(),
            s3: None,
            every_hours: 24,
            at: String::new(),
            keep: 14,
        }
    }
}

impl BackupSettings {
    /// Checks each setting; an error is the name of the invalid setting and the problem.
    pub(super) fn check(&self) -> Result<(), (&'static str, String)> {
        if let Err(problem) = Self::place_of(&self.dir) {
            return Err(("backup.dir", format!("is a URL, and {problem}")));
        }
        if let Some(Err((setting, problem))) = self.s3.as_ref().map(S3::check) {
            let setting = setting.trim_start_matches("s3.");
            return Err(("backup.s3", format!("its {setting} {problem}")));
        }
        if !(1..=720).contains(&self.every_hours) {
            return Err(("backup.every_hours", "must be 1 to 720".into()));
        }
        if !(1..=10_000).contains(&self.keep) {
            return Err(("backup.keep", "must be 1 to 10000".into()));
        }
        if !self.at.is_empty() && self.time_of_day().is_none() {
            return Err(("backup.at", "must be a time in UTC, such as 03:30".into()));
        }
        if !self.at.is_empty() && self.every_hours != Self::default().every_hours {
            let problem = "cannot be combined with every_hours: a backup at a time of day is made daily";
            return Err(("backup.at", problem.into()));
        }
        Ok(())
    }

    /// The place of backups that a text names: a URL, or the path of a folder. The error says what to change.
    pub fn place_of(text: &str) -> Result<ObjectPlace, &'static str> {
        match text.contains("://") {
            true => ObjectPlace::parse(text),
            false => Ok(ObjectPlace::Folder(text.into())),
        }
    }

    /// The time since midnight at which a daily backup begins; `None` when only the interval counts.
    pub fn time_of_day(&self) -> Option<Duration> {
        let (hours, minutes) = self.at.split_once(':')?;
        let number = |text: &str, end: u64| {
            let is_valid = text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_digit());
            text.parse::<u64>().ok().filter(|number| is_valid && *number < end)
        };
        let minutes = number(hours, 24)? * 60 + number(minutes, 60)?;
        Some(Duration::from_secs(minutes * 60))
    }

    pub fn interval(&self) -> Duration {
        Duration::from_secs(self.every_hours * 3600)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_a_folder_or_a_url() {
        let place_of = |dir: &str| BackupSettings::place_of(dir).map(|place| place.to_string());
        assert_eq!(place_of("backups").unwrap(), "backups");
        assert_eq!(place_of("file:///mnt/backups").unwrap(), "/mnt/backups");
        assert_eq!(place_of("s3://books/backups/").unwrap(), "s3://books/backups");
        let wrong = BackupSettings {
            dir: "ftp://host/backups".into(),
            ..BackupSettings::default()
        };
        assert_eq!(wrong.check().unwrap_err().0, "backup.dir");
    }

    #[test]
    fn a_wrong_server_of_backups_is_named() {
        let wrong = BackupSettings {
            s3: Some(S3 {
                endpoint: "http://s3.example.com".into(),
                ..S3::default()
            }),
            ..BackupSettings::default()
        };
        let (setting, problem) = wrong.check().unwrap_err();
        assert_eq!(setting, "backup.s3");
        assert!(
            problem.starts_with("its endpoint must start with https://"),
            "{problem}"
        );
    }

    #[test]
    fn a_time_of_day_has_hours_and_minutes() {
        let at = |text: &str| BackupSettings {
            at: text.into(),
            ..BackupSettings::default()
        };
        assert_eq!(at("03:30").time_of_day(), Some(Duration::from_secs(12_600)));
        assert_eq!(at("00:00").time_of_day(), Some(Duration::ZERO));
        for wrong in ["3:30", "24:00", "03:60", "0330", "03:30:00", "+3:30", "noon"] {
            assert!(at(wrong).check().is_err(), "{wrong}");
        }
        let both = BackupSettings {
            every_hours: 6,
            ..at("03:30")
        };
        assert_eq!(both.check().unwrap_err().0, "backup.at");
    }
}
