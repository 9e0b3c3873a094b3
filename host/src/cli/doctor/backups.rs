//! Checks of the backups: their age, compared with the schedule of the settings.
use std::time::Duration;

use linepress_core::app::App;
use linepress_core::backup::LastBackup;
use linepress_terminal::Report;

const SUBJECT: &str = "backup";

pub(super) async fn check(app: &App, report: &mut Report) {
    let last = match LastBackup::find(app).await {
        Ok(last) => last,
        Err(error) => {
            report.bad(
                SUBJECT,
                &error.to_string(),
                "Check `backup.dir`, and that the database is running.",
            );
            return;
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
    if last.is_overdue() {
        let remedy = "Look for `backup failed` in the log of the running server, or make one with `linepress backup`.";
        report.bad(SUBJECT, &finding, remedy);
    } else if last.interval.is_none() {
        let advice = "the server makes none itself, because `backup.dir` names no place";
        report.note(SUBJECT, &format!("{finding}; {advice}"));
    } else {
        report.good(SUBJECT, &finding);
    }
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
