//! `/sign-in/provider`: sign-in through an OpenID Connect provider.
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Redirect, Response};
use serde::Deserialize;

use super::welcome;
use crate::problem;
use linepress_accounts::sign_in::provider::{self, Answer, Refusal};
use linepress_http::client_address::ClientAddress;
use linepress_http::html::{error_page, internal_error_page, not_found_page};
use linepress_http::return_to::local_path;
use linepress_http::session_cookie::{forget_journey, journey_token, keep_journey};
use linepress_platform::app::App;
use linepress_platform::error::Error;

#[derive(Deserialize)]
pub(super) struct Way {
    #[serde(default)]
    return_to: String,
}

/// Redirects to the provider. This is a link rather than a form, because the `form-action` policy blocks redirects of
/// forms to other sites.
pub(super) async fn leave(
    State(app): State<App>,
    client: ClientAddress,
    headers: HeaderMap,
    way: Result<Query<Way>, QueryRejection>,
) -> Response {
    if app.config.sign_in.oidc.is_none() {
        return not_found_page();
    }
    // A page of another site that embeds this address as a picture could sign no account in, but it would use up
    // sign-in attempts.
    if headers.get("sec-fetch-mode").is_some_and(|mode| mode != "navigate") {
        return error_page(
            StatusCode::FORBIDDEN,
            "You are not signed in",
            "Open this address directly in a browser window.",
        );
    }
    let wanted = way.map(|Query(way)| way.return_to).unwrap_or_default();
    let return_to = local_path(&app, &wanted).unwrap_or_default();
    match provider::depart(&app, return_to, &client.subject()).await {
        Ok(Ok(departure)) => keep_journey(&app, &departure.browser, Redirect::to(&departure.url).into_response()),
        Ok(Err(refusal)) => not_signed_in(refusal),
        Err(error) => explained(&error),
    }
}

#[derive(Deserialize)]
pub(super) struct Brought {
    #[serde(default)]
    state: String,
    code: Option<String>,
    error: Option<String>,
    iss: Option<String>,
}

/// Receives a browser that returns from the provider.
pub(super) async fn come_back(
    State(app): State<App>,
    headers: HeaderMap,
    brought: Result<Query<Brought>, QueryRejection>,
) -> Response {
    if app.config.sign_in.oidc.is_none() {
        return not_found_page();
    }
    let Ok(Query(brought)) = brought else {
        return not_signed_in(Refusal::UnknownJourney);
    };
    let answer = Answer {
        state: brought.state,
        code: brought.code,
        error: brought.error,
        issuer: brought.iss,
    };
    let browser = journey_token(&app, &headers).unwrap_or_default();
    let response = match provider::arrive(&app, &browser, &answer).await {
        Ok(Ok(arrival)) => welcome(&app, &headers, &arrival.session, &arrival.return_to).await,
        // The browser may have another sign-in in progress, so do not forget that.
        Ok(Err(refusal @ Refusal::UnknownJourney)) => return not_signed_in(refusal),
        Ok(Err(refusal)) => not_signed_in(refusal),
        Err(error) => explained(&error),
    };
    forget_journey(&app, response)
}

fn not_signed_in(refusal: Refusal) -> Response {
    let status = match refusal {
        Refusal::UnknownJourney | Refusal::Declined => StatusCode::BAD_REQUEST,
        Refusal::UnverifiedAddress | Refusal::NoAccount | Refusal::AnotherPerson | Refusal::LockedOut => {
            StatusCode::FORBIDDEN
        }
        Refusal::Failed => StatusCode::BAD_GATEWAY,
    };
    error_page(status, "You are not signed in", &refusal.to_string())
}

fn explained(error: &Error) -> Response {
    match problem::for_user(error) {
        Some((status, problem)) => error_page(status, "You are not signed in", &problem),
        None => internal_error_page(error),
    }
}
