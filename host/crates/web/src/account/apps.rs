//! `/account/apps`: the apps that the account has connected.
use askama::Template;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Redirect, Response};
use serde::Deserialize;

use super::{Revocation, Tab};
use crate::when::When;
use linepress_accounts::grants::{self, ConnectedApp, MAX_CAP_DIGITS};
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
    /// The spending limit; `None` without one.
    credit_cap: Option<i64>,
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
            credit_cap: app.credit_cap,
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

async fn find(app: &App, signed_in: &SignedIn, id: &str) -> Done<Option<Connected>> {
    let apps = connected(app, signed_in).await?;
    Ok(apps.into_iter().find(|app| app.id == id))
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
    let app = match find(&app, &signed_in, &id).await {
        Ok(Some(app)) => app,
        Ok(None) => return not_found_page(),
        Err(error) => return internal_error_page(&error),
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

#[derive(Template)]
#[template(path = "account/app_limit.html")]
struct LimitPage {
    frame: Frame,
    tab: Tab,
    app: Connected,
    form: LimitForm,
    is_wrong: bool,
}

/// The form for the spending limit of an app, as it was filled in.
#[derive(Deserialize)]
pub(super) struct LimitForm {
    #[serde(default)]
    credit_cap: String,
    /// Present if the user checked "No limit".
    no_limit: Option<String>,
}

impl LimitForm {
    fn current(app: &Connected) -> Self {
        Self {
            credit_cap: app.credit_cap.map(|cap| cap.to_string()).unwrap_or_default(),
            no_limit: app.credit_cap.is_none().then(|| "yes".into()),
        }
    }

    /// The limit in credits, or `None` if the user chose none; nothing if the form is filled in wrongly.
    fn cap(&self) -> Option<Option<i64>> {
        if self.no_limit.is_some() {
            return Some(None);
        }
        grants::cap_from_text(&self.credit_cap).map(Some)
    }
}

/// Shows the form for the spending limit of an app.
pub(super) async fn ask_for_limit(
    State(app): State<App>,
    signed_in: SignedIn,
    id: Result<Path<String>, PathRejection>,
) -> Response {
    let Ok(Path(id)) = id else { return not_found_page() };
    limit_page(&app, &signed_in, &id, None).await
}

pub(super) async fn change_limit(
    State(app): State<App>,
    id: Result<Path<String>, PathRejection>,
    CsrfForm { signed_in, form }: CsrfForm<LimitForm>,
) -> Response {
    let Ok(Path(id)) = id else { return not_found_page() };
    let Some(cap) = form.cap() else {
        return limit_page(&app, &signed_in, &id, Some(form)).await;
    };
    match grants::change_cap(&app, &signed_in.caller(), &GrantId::from_client(&id), cap).await {
        Ok(true) => Redirect::to("/account/apps").into_response(),
        Ok(false) => not_found_page(),
        Err(error) => internal_error_page(&error),
    }
}

/// The page with the form. `wrong` is the form that cannot be accepted.
async fn limit_page(app: &App, signed_in: &SignedIn, id: &str, wrong: Option<LimitForm>) -> Response {
    let app = match find(app, signed_in, id).await {
        Ok(Some(app)) if app.spending.is_some() => app,
        Ok(_) => return not_found_page(),
        Err(error) => return internal_error_page(&error),
    };
    let is_wrong = wrong.is_some();
    let status = if is_wrong {
        StatusCode::UNPROCESSABLE_ENTITY
    } else {
        StatusCode::OK
    };
    let limit = LimitPage {
        frame: signed_in.frame(Section::Account),
        tab: Tab::Apps,
        form: wrong.unwrap_or_else(|| LimitForm::current(&app)),
        app,
        is_wrong,
    };
    page(status, &limit)
}

#[cfg(test)]
mod tests {
    use linepress_accounts::grants::MAX_CAP_CREDITS;

    use super::*;

    #[test]
    fn a_limit_is_a_whole_number_of_credits_or_none() {
        for (credit_cap, no_limit, expected) in [
            ("50", None, Some(Some(50))),
            (" 0 ", None, Some(Some(0))),
            ("1000000000", None, Some(Some(MAX_CAP_CREDITS))),
            ("1000000001", None, None),
            ("", None, None),
            ("-1", None, None),
            ("2.5", None, None),
            ("many", Some("yes"), Some(None)),
        ] {
            let form = LimitForm {
                credit_cap: credit_cap.into(),
                no_limit: no_limit.map(str::to_owned),
            };
            assert_eq!(form.cap(), expected, "{credit_cap}");
        }
    }
}
