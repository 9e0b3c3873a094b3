//! `/admin/backups`: the backups that the server makes itself, and the request for one.
use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use serde::Deserialize;

use super::operator::{Operator, OperatorForm};
use super::{Tab, words};
use crate::library::accepted;
use crate::numbers::{grouped, megabytes};
use crate::when::When;
use linepress_http::html::{Frame, page};
use linepress_http::{Query, Reply};
use linepress_model::counted;
use linepress_operator::administration::backups::{self, Backups, ListedSnapshot};
use linepress_platform::app::App;
use linepress_platform::clock::Timestamp;
use linepress_platform::error::Error;

#[derive(Template)]
#[template(path = "admin/backups.html")]
struct BackupsPage {
    frame: Frame,
    tab: Tab,
    done: Option<&'static str>,
    place: Option<String>,
    /// The age of the last backup in words.
    last: String,
    is_overdue: bool,
    is_running: bool,
    /// The time at which the next one is due; `None` if a worker is about to make one.
    next: Option<When>,
    snapshots: Vec<SnapshotRow>,
    problems: Vec<String>,
}

/// A snapshot in words.
struct SnapshotRow {
    name: String,
    created: When,
    program: String,
    rows: String,
    objects: String,
    size: String,
    /// The number of objects that were missing; `None` if there was none.
    missing: Option<String>,
}

impl From<ListedSnapshot> for SnapshotRow {
    fn from(snapshot: ListedSnapshot) -> Self {
        let shown = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
        Self {
            name: snapshot.name,
            created: When::new(snapshot.created_at),
            program: snapshot.program,
            rows: grouped(shown(snapshot.rows)),
            objects: grouped(shown(snapshot.objects)),
            size: megabytes(shown(snapshot.object_bytes)),
            missing: (snapshot.missing_objects > 0).then(|| counted(snapshot.missing_objects, "object")),
        }
    }
}

impl BackupsPage {
    fn new(frame: Frame, backups: Backups, now: Timestamp, done: Option<&'static str>) -> Self {
        Self {
            frame,
            tab: Tab::Backups,
            done,
            place: backups.place,
            last: last(backups.last_age_seconds),
            is_overdue: backups.is_overdue,
            is_running: backups.is_running,
            next: backups.next_due_at.filter(|due| *due > now).map(When::new),
            snapshots: backups.snapshots.into_iter().map(SnapshotRow::from).collect(),
            problems: backups.problems,
        }
    }
}

fn last(age_seconds: Option<u64>) -> String {
    let Some(seconds) = age_seconds else {
        return "None was completed in the last 90 days.".into();
    };
    let age = match seconds / 3600 {
        _ if seconds < 60 => "less than a minute".into(),
        0 => counted(seconds / 60, "minute"),
        hours @ ..48 => counted(hours, "hour"),
        hours => counted(hours / 24, "day"),
    };
    format!("The last one was made {age} ago.")
}

const PATH: &str = "/admin/backups";

#[derive(Deserialize)]
pub(super) struct Done {
    done: Option<String>,
}

pub(super) async fn show(State(app): State<App>, operator: Operator, Query(done): Query<Done>) -> Reply {
    let backups = backups::state(&app, &operator.actor).await?;
    let done = words::done(done.done.as_deref());
    let view = BackupsPage::new(operator.frame(), backups, app.clock.now(), done);
    Ok(page(StatusCode::OK, &view))
}

pub(super) async fn request(State(app): State<App>, form: OperatorForm) -> Reply {
    match backups::request(&app, &form.operator.actor).await? {
        Some(_) => Ok(accepted::to(PATH, "backup-requested")),
        None => Err(Error::not_found("place for backups").into()),
    }
}
