//! The cookies of a browser: its session, its pending sign-in at an OpenID Connect provider, and its sign-in that
//! awaits a code.
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::Response;
use cookie::{Cookie, SameSite};

use linepress_accounts::sign_in::{self, NewSession, second_factor};
use linepress_platform::app::App;
use linepress_platform::secrets::Secret;

/// The session token from the request's cookie, if it has one.
pub fn session_token(app: &App, headers: &HeaderMap) -> Option<String> {
    cookie_value(headers, cookie_name(app))
}

fn cookie_value(headers: &HeaderMap, name: &str) -> Option<String> {
    headers
        .get_all(header::COOKIE)
        .iter()
        .filter_map(|line| line.to_str().ok())
        .flat_map(Cookie::split_parse)
        .filter_map(Result::ok)
        .find(|cookie| cookie.name() == name)
        .map(|cookie| cookie.value().to_owned())
}

/// Sets the cookie of a new session.
pub fn set_session_cookie(app: &App, session: &NewSession, mut response: Response) -> Response {
    // The request log reads the account from here.
    response.extensions_mut().insert(session.caller.account_id().clone());
    let longest = sign_in::MAX_SESSION_LIFETIME.as_secs();
    let cookie = cookie(
        app,
        cookie_name(app),
        session.token.expose().to_owned(),
        i64::try_from(longest).unwrap_or(i64::MAX),
    );
    with_cookie(response, &cookie)
}

/// Deletes the session cookie.
pub fn clear_session_cookie(app: &App, response: Response) -> Response {
    with_cookie(response, &cookie(app, cookie_name(app), String::new(), 0))
}

/// The lifetime of the cookie for a sign-in at a provider. The browser returns from another site, which `SameSite=Lax`
/// allows.
const JOURNEY_SECONDS: i64 = 600;

fn journey_name(app: &App) -> &'static str {
    if is_secure(app) {
        "__Host-linepress-provider"
    } else {
        "linepress-provider"
    }
}

/// The token from the cookie of a browser that returns from a provider.
pub fn journey_token(app: &App, headers: &HeaderMap) -> Option<String> {
    cookie_value(headers, journey_name(app))
}

pub fn keep_journey(app: &App, browser: &Secret, response: Response) -> Response {
    let cookie = cookie(app, journey_name(app), browser.expose().to_owned(), JOURNEY_SECONDS);
    with_cookie(response, &cookie)
}

pub fn forget_journey(app: &App, response: Response) -> Response {
    with_cookie(response, &cookie(app, journey_name(app), String::new(), 0))
}

fn pending_sign_in_name(app: &App) -> &'static str {
    if is_secure(app) {
        "__Host-linepress-code"
    } else {
        "linepress-code"
    }
}

/// The token from the cookie of a browser whose sign-in awaits a code.
pub fn pending_sign_in_token(app: &App, headers: &HeaderMap) -> Option<String> {
    cookie_value(headers, pending_sign_in_name(app))
}

pub fn keep_pending_sign_in(app: &App, token: &Secret, response: Response) -> Response {
    let lifetime = i64::try_from(second_factor::PENDING_LIFETIME.as_secs()).unwrap_or(i64::MAX);
    let cookie = cookie(app, pending_sign_in_name(app), token.expose().to_owned(), lifetime);
    with_cookie(response, &cookie)
}

pub fn forget_pending_sign_in(app: &App, response: Response) -> Response {
    with_cookie(response, &cookie(app, pending_sign_in_name(app), String::new(), 0))
}

fn with_cookie(mut response: Response, cookie: &Cookie<'_>) -> Response {
    if let Ok(value) = HeaderValue::from_str(&cookie.to_string()) {
        response.headers_mut().append(header::SET_COOKIE, value);
    }
    response
}

fn cookie(app: &App, name: &'static str, value: String, seconds: i64) -> Cookie<'static> {
    Cookie::build((name, value))
        .path("/")
        .http_only(true)
        .same_site(SameSite::Lax)
        .secure(is_secure(app))
        .max_age(cookie::time::Duration::seconds(seconds))
        .build()
}

/// The name of the session cookie. With the prefix `__Host-`, a browser accepts the cookie only from this host and only
/// over TLS.
fn cookie_name(app: &App) -> &'static str {
    if is_secure(app) {
        "__Host-linepress"
    } else {
        "linepress"
    }
}

pub(crate) fn is_secure(app: &App) -> bool {
    app.config.public_url.starts_with("https://")
}
