//! Pages for visitors who are not signed in yet, and the sign-out.
mod code;
mod first_account;
mod forgot_password;
mod password;
mod provider;
mod reset;
mod sign_out;
mod sign_up;
mod verify;

use axum::Router;
use axum::http::HeaderMap;
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse as _, Redirect, Response};
use axum::routing::{get, post};

use linepress_accounts::sign_in::second_factor::PasswordSignIn;
use linepress_accounts::sign_in::{self, NewSession};
use linepress_http::handler::handler;
use linepress_http::html::internal_error_page;
use linepress_http::{maintenance, session_cookie, session_cookie::session_token};
use linepress_platform::app::App;

/// The page after sign-in if no other was requested.
const START: &str = "/";

pub(super) fn router(app: &App) -> Router<App> {
    // Links that store the journey to the provider and the session.
    let provider = Router::new()
        .route("/sign-in/provider", get(handler(provider::leave)))
        .route("/sign-in/provider/callback", get(handler(provider::come_back)))
        .layer(from_fn_with_state(app.clone(), maintenance::refuse_everything));
    Router::new()
        .merge(provider)
        .route("/sign-in", get(handler(password::show)).post(handler(password::submit)))
        .route("/sign-in/code", get(handler(code::show)).post(handler(code::submit)))
        .route("/sign-up", get(handler(sign_up::show)).post(handler(sign_up::submit)))
        .route("/sign-out", post(handler(sign_out::submit)))
        .route(
            "/forgot-password",
            get(handler(forgot_password::show)).post(handler(forgot_password::submit)),
        )
        .route(
            "/verify/{token}",
            get(handler(verify::show)).post(handler(verify::submit)),
        )
        .route("/reset/{token}", get(handler(reset::show)).post(handler(reset::submit)))
        .route(
            "/first-account/{token}",
            get(handler(first_account::show)).post(handler(first_account::submit)),
        )
}

/// Completes the sign-in with a right password, or asks for a code if the account has a second factor.
async fn proceed(app: &App, headers: &HeaderMap, signed_in: &PasswordSignIn, to: &str) -> Response {
    match signed_in {
        PasswordSignIn::Complete(session) => welcome(app, headers, session, to).await,
        PasswordSignIn::AwaitsCode(pending) => code::ask(app, pending, to),
    }
}

/// Sets the new session and redirects. An earlier session of the browser ends, so that an attacker who had planted it
/// cannot use it later.
async fn welcome(app: &App, headers: &HeaderMap, session: &NewSession, to: &str) -> Response {
    if let Some(before) = session_token(app, headers)
        && let Err(error) = sign_in::end(app, &before).await
    {
        return internal_error_page(&error);
    }
    let to = if to.is_empty() { START } else { to };
    session_cookie::set_session_cookie(app, session, Redirect::to(to).into_response())
}
