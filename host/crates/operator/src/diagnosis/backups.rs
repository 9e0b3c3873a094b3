//! Checks of the backups: their age, compared with the schedule of the settings.
use std::time::Duration;

use super::Finding;
use crate::backup::LastBackup;
use linepress_platform::app::App;

const SUBJECT: &str = "backup";

/// Checks the age of the last backup.
pub async fn check(app: &App) -> Vec<Finding> {
    let last = match LastBackup::find(app).await {
        Ok(last) => last,
        Err(error) => {
            let advice = "Check `backup.dir`, and that the database is running.";
            return vec![Finding::bad(SUBJECT, error.to_string(), advice)];
        }
    };
    let place = last
        .place
        .as_deref()
        .map(|place| format!(" to {place}"))
        .unwrap_or_default();
    let finding = match last.age {
        Some(age) => format!("the last one{place} was made {} ago", in_words(age)),
        None => format!("none{place} was completed in the last 90 days"),
    };
    vec![if last.is_overdue() {
        let advice = "Look for `backup failed` in the log of the running server, or make one with `linepress backup`.";
        Finding::bad(SUBJECT, finding, advice)
    } else if last.interval.is_none() {
        let reason = "the server makes none itself, because `backup.dir` names no place";
        Finding::note(SUBJECT, format!("{finding}; {reason}"))
    } else {
        Finding::good(SUBJECT, finding)
    }]
}

/// A time in whole minutes, hours or days.
fn in_words(time: Duration) -> String {
    match time.as_secs() / 60 {
        0..=1 => "a minute".into(),
        minutes @ ..120 => format!("{minutes} minutes"),
        minutes @ ..2880 => format!("{} hours", minutes / 60),
        minutes => format!("{} days", minutes / 1440),
    }
}
