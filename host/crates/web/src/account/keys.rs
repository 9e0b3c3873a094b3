//! `/account/keys`: the API keys of the account.
use askama::Template;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Redirect, Response};
use serde::Deserialize;

use super::key_form::{MAX_CAP_DIGITS, NewKeyForm};
use super::key_words::Key;
use super::{Revocation, Tab};
use crate::{new_key, problem};
use linepress_accounts::accounts::{self, KeyRotation, NewKey};
use linepress_accounts::idempotency::IdempotencyKey;
use linepress_http::form::CsrfForm;
use linepress_http::html::{Frame, Section, internal_error_page, not_found_page, page};
use linepress_http::session::SignedIn;
use linepress_platform::app::App;
use linepress_platform::error::Error;
use linepress_platform::ids::KeyId;

/// The number of ended keys that the page shows: those that ended last.
const MAX_ENDED_SHOWN: usize = 10;

#[derive(Template)]
#[template(path = "account/keys.html")]
struct KeysPage {
    frame: Frame,
    tab: Tab,
    is_business: bool,
    base_url: String,
    active: Vec<Key>,
    ended: Vec<Key>,
    /// A key that was just created or rotated. Its secret is shown only in this response.
    made: Option<Made>,
    /// The idempotency key for the form that creates an API key.
    request: String,
    /// What was typed, after it was rejected.
    form: NewKeyForm,
    problem: Option<String>,
}

struct Made {
    name: String,
    secret: String,
}

pub(super) async fn show(State(app): State<App>, signed_in: SignedIn) -> Response {
    respond(&app, &signed_in, StatusCode::OK, |_| {}).await
}

const CREATED_BEFORE: &str =
    "This key was already created, and it is shown only once. If you did not copy it, revoke it and create another.";
const ROTATED_BEFORE: &str = "This key was already rotated, and its new secret is shown only once. If you did not copy it, rotate the key again.";

/// Shows the key in this response rather than after a redirect, because it is not stored.
pub(super) async fn create(State(app): State<App>, CsrfForm { signed_in, form }: CsrfForm<NewKeyForm>) -> Response {
    match created(&app, &signed_in, &form).await {
        Ok(new) => show_secret(&app, &signed_in, new, CREATED_BEFORE).await,
        Err(error) => refuse(&app, &signed_in, &error, |page| page.form = form).await,
    }
}

async fn created(app: &App, signed_in: &SignedIn, form: &NewKeyForm) -> Result<NewKey, Error> {
    let request = idempotency_key(&form.idempotency_key)?;
    accounts::create_own_key(app, &signed_in.caller(), request.as_ref(), &form.request()?).await
}

fn idempotency_key(text: &str) -> Result<Option<IdempotencyKey>, Error> {
    let given = Some(text).filter(|text| !text.is_empty());
    given.map(|text| IdempotencyKey::parse(Some(text))).transpose()
}

async fn show_secret(app: &App, signed_in: &SignedIn, new: NewKey, before: &str) -> Response {
    match new {
        NewKey::MadeBefore(_) => {
            respond(app, signed_in, StatusCode::CONFLICT, |page| {
                page.problem = Some(before.into());
            })
            .await
        }
        NewKey::Made(key, secret) => {
            let made = Made {
                name: key.name,
                secret: secret.expose().into(),
            };
            respond(app, signed_in, StatusCode::OK, |page| page.made = Some(made)).await
        }
    }
}

async fn refuse(app: &App, signed_in: &SignedIn, error: &Error, change: impl FnOnce(&mut KeysPage)) -> Response {
    match problem::for_user(error) {
        Some((status, problem)) => {
            respond(app, signed_in, status, |page| {
                change(page);
                page.problem = Some(problem);
            })
            .await
        }
        None => internal_error_page(error),
    }
}

async fn respond(app: &App, signed_in: &SignedIn, status: StatusCode, change: impl FnOnce(&mut KeysPage)) -> Response {
    let caller = signed_in.caller();
    let mut keys = match accounts::own_keys(app, &caller).await {
        Ok(keys) => keys,
        Err(error) => return internal_error_page(&error),
    };
    keys.reverse();
    let (active, mut ended): (Vec<_>, Vec<_>) = keys.into_iter().partition(accounts::ApiKey::is_active);
    ended.sort_by_key(|key| std::cmp::Reverse(key.revoked_at.or(key.expires_at)));
    let mut keys = KeysPage {
        frame: signed_in.frame(Section::Account),
        tab: Tab::Keys,
        is_business: caller.require_plan().is_ok(),
        base_url: app.config.base_url(),
        active: active.into_iter().map(Key::from).collect(),
        ended: ended.into_iter().take(MAX_ENDED_SHOWN).map(Key::from).collect(),
        made: None,
        request: new_key(app),
        form: NewKeyForm::empty(),
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

#[derive(Template)]
#[template(path = "account/rotate_key.html")]
struct RotatePage {
    frame: Frame,
    tab: Tab,
    key: Key,
    /// The idempotency key of the form.
    request: String,
    overlaps: &'static [(i64, &'static str)],
    chosen: i64,
}

/// The overlaps that the form offers, in hours.
const OVERLAPS: &[(i64, &str)] = &[
    (0, "at once"),
    (1, "in an hour"),
    (KeyRotation::DEFAULT_OVERLAP_HOURS, "in a day"),
    (7 * 24, "in a week"),
    (KeyRotation::MAX_OVERLAP_HOURS, "in 30 days"),
];

/// The active key in the address of a page.
async fn active_key(app: &App, signed_in: &SignedIn, id: Result<Path<String>, PathRejection>) -> Result<Key, Response> {
    let Path(id) = id.map_err(|_| not_found_page())?;
    let key = accounts::own_key(app, &signed_in.caller(), &KeyId::from_client(&id)).await;
    let key = key.map_err(|error| internal_error_page(&error))?;
    key.filter(accounts::ApiKey::is_active)
        .map(Key::from)
        .ok_or_else(not_found_page)
}

/// Shows the page on which the user confirms the revocation of a key.
pub(super) async fn ask(
    State(app): State<App>,
    signed_in: SignedIn,
    id: Result<Path<String>, PathRejection>,
) -> Response {
    let key = match active_key(&app, &signed_in, id).await {
        Ok(key) => key,
        Err(response) => return response,
    };
    let revoke = RevokePage {
        frame: signed_in.frame(Section::Account),
        tab: Tab::Keys,
        key,
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

/// Shows the page on which the user rotates a key.
pub(super) async fn ask_to_rotate(
    State(app): State<App>,
    signed_in: SignedIn,
    id: Result<Path<String>, PathRejection>,
) -> Response {
    let key = match active_key(&app, &signed_in, id).await {
        Ok(key) => key,
        Err(response) => return response,
    };
    let rotate = RotatePage {
        frame: signed_in.frame(Section::Account),
        tab: Tab::Keys,
        key,
        request: new_key(&app),
        overlaps: OVERLAPS,
        chosen: KeyRotation::DEFAULT_OVERLAP_HOURS,
    };
    page(StatusCode::OK, &rotate)
}

#[derive(Deserialize)]
pub(super) struct RotationForm {
    #[serde(default)]
    overlap_hours: Option<i64>,
    #[serde(default)]
    idempotency_key: String,
}

/// Shows the new secret in this response, as for a new key.
pub(super) async fn rotate(
    State(app): State<App>,
    id: Result<Path<String>, PathRejection>,
    CsrfForm { signed_in, form }: CsrfForm<RotationForm>,
) -> Response {
    let Ok(Path(id)) = id else { return not_found_page() };
    match rotated(&app, &signed_in, &KeyId::from_client(&id), &form).await {
        Ok(Some(new)) => show_secret(&app, &signed_in, new, ROTATED_BEFORE).await,
        Ok(None) => not_found_page(),
        Err(error) => refuse(&app, &signed_in, &error, |_| {}).await,
    }
}

async fn rotated(app: &App, signed_in: &SignedIn, id: &KeyId, form: &RotationForm) -> Result<Option<NewKey>, Error> {
    let request = idempotency_key(&form.idempotency_key)?;
    let rotation = KeyRotation {
        overlap_hours: form.overlap_hours,
    };
    accounts::rotate_own_key(app, &signed_in.caller(), request.as_ref(), id, rotation).await
}
