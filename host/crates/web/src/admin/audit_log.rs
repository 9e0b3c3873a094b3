//! `/admin/audit-log`: the changes that operators made.
use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use serde::Deserialize;

use super::operator::Operator;
use super::{Tab, audit_words, listing};
use crate::when::When;
use linepress_http::html::{Frame, page};
use linepress_http::{Query, Reply};
use linepress_operator::administration::audit_log::{self, AuditEntry, AuditTarget};
use linepress_platform::app::App;
use linepress_platform::ids::AuditId;

#[derive(Template)]
#[template(path = "admin/audit_log.html")]
struct AuditLogPage {
    frame: Frame,
    tab: Tab,
    /// The id of the thing whose changes are shown; empty for all changes.
    target: String,
    log: Vec<AuditLine>,
    is_first: bool,
    first: String,
    next: Option<String>,
}

/// An entry of the audit log in words.
pub(super) struct AuditLine {
    pub what: String,
    pub details: String,
    pub target: String,
    /// The page of the target.
    pub link: Option<String>,
    /// The operator and the place that the change came from.
    pub who: String,
    pub when: When,
}

impl From<AuditEntry> for AuditLine {
    fn from(entry: AuditEntry) -> Self {
        let (what, details) = audit_words::change(&entry);
        let link = match entry.target_type {
            AuditTarget::Account => Some(format!("/admin/accounts/{}", entry.target_id)),
            AuditTarget::Operation => Some(format!("/admin/operations/{}", entry.target_id)),
            AuditTarget::Queue => Some("/admin/operations".into()),
            AuditTarget::Provider => Some("/admin/providers".into()),
            AuditTarget::Plugin => Some("/admin/plugins".into()),
            AuditTarget::Backups => Some("/admin/backups".into()),
            AuditTarget::ApiKey
            | AuditTarget::App
            | AuditTarget::Grant
            | AuditTarget::Secrets
            | AuditTarget::ObjectStore
            | AuditTarget::Maintenance => None,
        };
        Self {
            what,
            details,
            link,
            who: actor(&entry),
            when: When::new(entry.at),
            target: entry.target_id,
        }
    }
}

fn actor(entry: &AuditEntry) -> String {
    let Some(id) = &entry.operator_id else {
        return entry.without_operator().into();
    };
    let operator = entry.operator_email.as_deref().unwrap_or(id.as_str());
    let key = entry.key_id.as_ref().map_or("", |_| " with an API key");
    let address = entry.address.as_deref().unwrap_or_default();
    format!("{operator}{key} from {address}")
}

#[derive(Deserialize)]
pub(super) struct Place {
    #[serde(default)]
    target: String,
    after: Option<String>,
}

const PATH: &str = "/admin/audit-log";

pub(super) async fn show(State(app): State<App>, operator: Operator, Query(place): Query<Place>) -> Reply {
    let list = (PATH, AuditId::PREFIX);
    let request = match listing::request(&app, &operator, list, place.after.as_deref()) {
        Ok(request) => request,
        Err(elsewhere) => return Ok(*elsewhere),
    };
    let target = Some(place.target.trim()).filter(|target| !target.is_empty());
    let found = audit_log::list(&app, &operator.actor, target, &request).await?;
    let filters = [("target", place.target.as_str())];
    let log = AuditLogPage {
        frame: operator.frame(),
        tab: Tab::AuditLog,
        log: found.items.into_iter().map(AuditLine::from).collect(),
        is_first: place.after.is_none(),
        first: listing::address(PATH, &filters, None),
        next: found
            .next_cursor
            .map(|cursor| listing::address(PATH, &filters, Some(&cursor))),
        target: place.target,
    };
    Ok(page(StatusCode::OK, &log))
}
