//! `/account/apps`: the apps that the account has connected.
use askama::Template;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Redirect, Response};

use super::{Revocation, Tab};
use crate::when::When;
use linepress_accounts::grants::{self, ConnectedApp};
use linepress_http::form::CsrfForm;
use linepress_http::html::{Frame, Section, internal_error_page, not_found_page, page};
use linepress_http::session::SignedIn;
use linepress_platform::app::App;
use linepress_platform::error::Result as Done;
use linepress_platform::ids::GrantId;
use linepress_platform::scopes::Scope;

#[derive(Template)]
#[template(path = "account/apps.html")]
struct AppsPage {
    frame: Frame,
    tab: Tab,
    is_business: bool,
    mcp_url: String,
    apps: Vec<Connected>,
}

struct Connected {
    id: String,
    name: String,
    host: Option<String>,
    allowed: Vec<&'static str>,
    /// The credits that the app has spent and may spend; `None` if it may spend none.
    spending: Option<String>,
    since: When,
    last_used: Option<When>,
}

impl From<ConnectedApp> for Connected {
    fn from(app: ConnectedApp) -> Self {
        let may_spend = app.scopes.contains(Scope::CreditsSpend);
        let spent = app.credits_spent;
        let spending = match app.credit_cap {
            Some(cap) if may_spend => Some(format!("{spent} of at most {cap} credits spent")),
            None if may_spend => Some(format!("{spent} credits spent, without a limit")),
            _ => None,
        };
        Self {
            id: app.grant_id.to_string(),
            name: app.client_name,
            host: app.client_host,
            allowed: app.scopes.iter().map(words).collect(),
            spending,
            since: When::new(app.created_at),
            last_used: app.last_used_at.map(When::new),
        }
    }
}

pub(super) fn words(scope: Scope) -> &'static str {
    match scope {
        Scope::BooksRead => "see your books, pages and characters, and plan books",
        Scope::BooksWrite => "change and delete them, and import artwork",
        Scope::CreditsSpend => "have pages and characters drawn, for your credits",
    }
}

pub(super) async fn show(State(app): State<App>, signed_in: SignedIn) -> Response {
    let apps = match connected(&app, &signed_in).await {
        Ok(apps) => apps,
        Err(error) => return internal_error_page(&error),
    };
    let apps = AppsPage {
        frame: signed_in.frame(Section::Account),
        tab: Tab::Apps,
        is_business: signed_in.caller().require_plan().is_ok(),
        mcp_url: app.config.mcp_url(),
        apps,
    };
    page(StatusCode::OK, &apps)
}

async fn connected(app: &App, signed_in: &SignedIn) -> Done<Vec<Connected>> {
    let apps = grants::list_for(app, &signed_in.caller()).await?;
    Ok(apps.into_iter().map(Connected::from).collect())
}

#[derive(Template)]
#[template(path = "account/revoke_app.html")]
struct RevokePage {
    frame: Frame,
    tab: Tab,
    app: Connected,
}

/// Shows the page on which the user confirms the disconnection of an app.
pub(super) async fn ask(
    State(app): State<App>,
    signed_in: SignedIn,
    id: Result<Path<String>, PathRejection>,
) -> Response {
    let Ok(Path(id)) = id else { return not_found_page() };
    let apps = match connected(&app, &signed_in).await {
        Ok(apps) => apps,
        Err(error) => return internal_error_page(&error),
    };
    let Some(app) = apps.into_iter().find(|app| app.id == id) else {
        return not_found_page();
    };
    let revoke = RevokePage {
        frame: signed_in.frame(Section::Account),
        tab: Tab::Apps,
        app,
    };
    page(StatusCode::OK, &revoke)
}

pub(super) async fn revoke(
    State(app): State<App>,
    id: Result<Path<String>, PathRejection>,
    CsrfForm { signed_in, .. }: CsrfForm<Revocation>,
) -> Response {
    let Ok(Path(id)) = id else { return not_found_page() };
    match grants::revoke(&app, &signed_in.caller(), &GrantId::from_client(&id)).await {
        Ok(true) => Redirect::to("/account/apps").into_response(),
        Ok(false) => not_found_page(),
        Err(error) => internal_error_page(&error),
    }
}
