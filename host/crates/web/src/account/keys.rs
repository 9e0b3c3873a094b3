//! `/account/keys`: the API keys of the account.
use askama::Template;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Redirect, Response};
use serde::Deserialize;

use super::{Revocation, Tab};
use crate::when::When;
use crate::{new_key, problem};
use linepress_core::accounts::{self, ApiKey, NewKey};
use linepress_core::app::App;
use linepress_core::idempotency::IdempotencyKey;
use linepress_http::form::CsrfForm;
use linepress_http::html::{Frame, Section, internal_error_page, not_found_page, page};
use linepress_http::session::SignedIn;
use linepress_platform::error::Error;
use linepress_platform::ids::KeyId;

/// The number of revoked keys that the page shows: those that were revoked last.
const MAX_REVOKED_SHOWN: usize = 10;

#[derive(Template)]
#[template(path = "account/keys.html")]
struct KeysPage {
    frame: Frame,
    tab: Tab,
    is_business: bool,
    base_url: String,
    active: Vec<Key>,
    revoked: Vec<Key>,
    /// A key that was just created. It is shown only in this response.
    made: Option<Made>,
    /// The idempotency key for the form that creates an API key.
    request: String,
    /// The name that was typed, after it was rejected.
    name: String,
    problem: Option<String>,
}

struct Key {
    id: String,
    name: String,
    created: When,
    revoked: Option<When>,
}

struct Made {
    name: String,
    secret: String,
}

impl From<ApiKey> for Key {
    fn from(key: ApiKey) -> Self {
        Self {
            id: key.id.to_string(),
            name: key.name,
            created: When::new(key.created_at),
            revoked: key.revoked_at.map(When::new),
        }
    }
}

pub(super) async fn show(State(app): State<App>, signed_in: SignedIn) -> Response {
    respond(&app, &signed_in, StatusCode::OK, |_| {}).await
}

#[derive(Deserialize)]
pub(super) struct NewKeyForm {
    name: String,
    #[serde(default)]
    idempotency_key: String,
}

/// Shows the key in this response rather than after a redirect, because it is not stored.
pub(super) async fn create(State(app): State<App>, CsrfForm { signed_in, form }: CsrfForm<NewKeyForm>) -> Response {
    match created(&app, &signed_in, &form).await {
        Ok(NewKey::MadeBefore) => {
            let problem = "This key was already created, and it is shown only once. If you did not copy it, revoke it and create another.";
            respond(&app, &signed_in, StatusCode::CONFLICT, |page| {
                page.problem = Some(problem.into());
            })
            .await
        }
        Ok(NewKey::Made(key, secret)) => {
            let made = Made {
                name: key.name,
                secret: secret.expose().into(),
            };
            respond(&app, &signed_in, StatusCode::OK, |page| page.made = Some(made)).await
        }
        Err(error) => match problem::for_user(&error) {
            Some((status, problem)) => {
                respond(&app, &signed_in, status, |page| {
                    page.name = form.name;
                    page.problem = Some(problem);
                })
                .await
            }
            None => internal_error_page(&error),
        },
    }
}

async fn created(app: &App, signed_in: &SignedIn, form: &NewKeyForm) -> Result<NewKey, Error> {
    let request = Some(form.idempotency_key.as_str()).filter(|key| !key.is_empty());
    let request = request.map(|key| IdempotencyKey::parse(Some(key))).transpose()?;
    accounts::create_own_key(app, &signed_in.caller(), request.as_ref(), &form.name).await
}

async fn respond(app: &App, signed_in: &SignedIn, status: StatusCode, change: impl FnOnce(&mut KeysPage)) -> Response {
    let caller = signed_in.caller();
    let mut keys = match accounts::own_keys(app, &caller).await {
        Ok(keys) => keys,
        Err(error) => return internal_error_page(&error),
    };
    keys.reverse();
    let (active, mut revoked): (Vec<_>, Vec<_>) = keys.into_iter().partition(|key| key.revoked_at.is_none());
    revoked.sort_by_key(|key| std::cmp::Reverse(key.revoked_at));
    let mut keys = KeysPage {
        frame: signed_in.frame(Section::Account),
        tab: Tab::Keys,
        is_business: caller.require_plan().is_ok(),
        base_url: app.config.base_url(),
        active: active.into_iter().map(Key::from).collect(),
        revoked: revoked.into_iter().take(MAX_REVOKED_SHOWN).map(Key::from).collect(),
        made: None,
        request: new_key(app),
        name: String::new(),
        problem: None,
    };
    change(&mut keys);
    page(status, &keys)
}

#[derive(Template)]
#[template(path = "account/revoke_key.html")]
struct RevokePage {
    frame: Frame,
    tab: Tab,
    key: Key,
}

/// Shows the page on which the user confirms the revocation of a key.
pub(super) async fn ask(
    State(app): State<App>,
    signed_in: SignedIn,
    id: Result<Path<String>, PathRejection>,
) -> Response {
    let Ok(Path(id)) = id else { return not_found_page() };
    let keys = match accounts::own_keys(&app, &signed_in.caller()).await {
        Ok(keys) => keys,
        Err(error) => return internal_error_page(&error),
    };
    let is_it = |key: &ApiKey| key.id.as_str() == id && key.revoked_at.is_none();
    let Some(key) = keys.into_iter().find(is_it) else {
        return not_found_page();
    };
    let revoke = RevokePage {
        frame: signed_in.frame(Section::Account),
        tab: Tab::Keys,
        key: key.into(),
    };
    page(StatusCode::OK, &revoke)
}

pub(super) async fn revoke(
    State(app): State<App>,
    id: Result<Path<String>, PathRejection>,
    CsrfForm { signed_in, .. }: CsrfForm<Revocation>,
) -> Response {
    let Ok(Path(id)) = id else { return not_found_page() };
    match accounts::revoke_own_key(&app, &signed_in.caller(), &KeyId::from_client(&id)).await {
        Ok(true) => Redirect::to("/account/keys").into_response(),
        Ok(false) => not_found_page(),
        Err(error) => internal_error_page(&error),
    }
}
