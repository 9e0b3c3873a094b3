//! `/account/requests`: the requests of the account's programs and apps in the last days.
use std::collections::HashMap;

use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Redirect};
use serde::Deserialize;
use url::form_urlencoded::Serializer;

use super::Tab;
use crate::when::When;
use linepress_accounts::accounts;
use linepress_accounts::caller::Caller;
use linepress_accounts::grants;
use linepress_accounts::requests::{self, LOG_RETENTION, LoggedRequest, RequestFilter, StatusClass};
use linepress_http::html::{Frame, Section, page};
use linepress_http::session::SignedIn;
use linepress_http::{Query, Reply};
use linepress_platform::app::App;
use linepress_platform::database::PageRequest;
use linepress_platform::error::{ErrorKind, Result};
use linepress_platform::ids::LoggedRequestId;

/// The number of requests on a page.
const PAGE_LIMIT: &str = "50";

const PATH: &str = "/account/requests";

#[derive(Template)]
#[template(path = "account/requests.html")]
struct RequestsPage {
    frame: Frame,
    tab: Tab,
    days: u64,
    requests: Vec<RequestLine>,
    choices: Vec<Choice>,
    is_first: bool,
    first: String,
    next: Option<String>,
}

/// A part of the log that can be shown.
struct Choice {
    words: &'static str,
    address: String,
    is_shown: bool,
}

/// A request in the list.
struct RequestLine {
    status: i64,
    is_success: bool,
    /// The method and the route, or the tool.
    what: String,
    code: Option<String>,
    /// The key or the app that sent it.
    sender: String,
    when: When,
    milliseconds: i64,
    request_id: String,
}

/// The names of the account's keys and apps, by id.
struct Names(HashMap<String, String>);

impl Names {
    async fn of(app: &App, caller: &Caller) -> Result<Self> {
        let keys = accounts::own_keys(app, caller).await?;
        let keys = keys.into_iter().map(|key| (key.id.to_string(), key.name));
        let apps = grants::list_for(app, caller).await?;
        let apps = apps.into_iter().map(|app| (app.grant_id.to_string(), app.client_name));
        Ok(Self(keys.chain(apps).collect()))
    }

    /// The sender of a request in words. Apps that were disconnected since have no name.
    fn sender(&self, request: &LoggedRequest) -> String {
        let name = |id: &str| self.0.get(id).cloned();
        match (&request.key_id, &request.grant_id) {
            (Some(key), _) => name(key.as_str()).map_or_else(|| "an API key".into(), |name| format!("API key {name}")),
            (None, Some(grant)) => name(grant.as_str()).unwrap_or_else(|| "a disconnected app".into()),
            (None, None) => String::new(),
        }
    }

    fn line(&self, request: LoggedRequest) -> RequestLine {
        let sender = self.sender(&request);
        let route = request.route.as_deref().unwrap_or("an address that does not exist");
        RequestLine {
            status: request.status,
            is_success: request.status < 400 && request.code.is_none(),
            what: match &request.tool {
                Some(tool) => format!("Tool {tool}"),
                None => format!("{} {route}", request.method),
            },
            code: request.code,
            sender,
            when: When::to_the_second(request.created_at),
            milliseconds: request.duration_ms,
            request_id: request.request_id,
        }
    }
}

#[derive(Deserialize)]
pub(super) struct Place {
    #[serde(default)]
    status: String,
    after: Option<String>,
}

pub(super) async fn show(State(app): State<App>, signed_in: SignedIn, Query(place): Query<Place>) -> Reply {
    let caller = signed_in.caller();
    let scope = app.cursors.scope(caller.account_id(), LoggedRequestId::PREFIX);
    let request = match PageRequest::parse(Some(PAGE_LIMIT), place.after.as_deref(), scope) {
        Ok(request) => request,
        // The cursor may come from an old bookmark.
        Err(error) if matches!(error.kind, ErrorKind::InvalidPagination(_)) => {
            return Ok(Redirect::to(PATH).into_response());
        }
        Err(error) => return Err(error.into()),
    };
    let status = StatusClass::parse(&place.status);
    let filter = RequestFilter { status, code: None };
    let found = requests::list(&app, &caller, filter, &request).await?;
    let names = Names::of(&app, &caller).await?;
    let shown = RequestsPage {
        frame: signed_in.frame(Section::Account),
        tab: Tab::Requests,
        days: LOG_RETENTION.as_secs() / (24 * 3600),
        requests: found.items.into_iter().map(|request| names.line(request)).collect(),
        choices: choices(status),
        is_first: place.after.is_none(),
        first: address(status, None),
        next: found.next_cursor.map(|cursor| address(status, Some(&cursor))),
    };
    Ok(page(StatusCode::OK, &shown))
}

fn choices(shown: Option<StatusClass>) -> Vec<Choice> {
    let choices = [
        (None, "All"),
        (Some(StatusClass::ClientError), "Refused (4xx)"),
        (Some(StatusClass::ServerError), "Failed (5xx)"),
    ];
    let choices = choices.into_iter().map(|(status, words)| Choice {
        words,
        address: address(status, None),
        is_shown: status == shown,
    });
    choices.collect()
}

/// The address of the list: its first page, or the page that follows a cursor.
fn address(status: Option<StatusClass>, after: Option<&str>) -> String {
    let status = status.map(|status| ("status", status.as_str()));
    let given = status.into_iter().chain(after.map(|after| ("after", after)));
    let query = Serializer::new(String::new()).extend_pairs(given).finish();
    format!("{PATH}?{query}").trim_end_matches('?').to_owned()
}
