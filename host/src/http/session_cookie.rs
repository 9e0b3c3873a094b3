//! The cookie that holds a session.
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::Response;
use cookie::{Cookie, SameSite};

use crate::app::App;
use crate::sign_in::{self, NewSession};

/// The session that a browser shows, if it shows one.
pub(crate) fn session_token(app: &App, headers: &HeaderMap) -> Option<String> {
    let name = cookie_name(app);
    headers
        .get_all(header::COOKIE)
        .iter()
        .filter_map(|line| line.to_str().ok())
        .flat_map(Cookie::split_parse)
        .filter_map(Result::ok)
        .find(|cookie| cookie.name() == name)
        .map(|cookie| cookie.value().to_owned())
}

/// Lets the browser keep a session that has just begun.
pub(crate) fn begun(app: &App, session: &NewSession, mut response: Response) -> Response {
    // For the log.
    response.extensions_mut().insert(session.account.id.clone());
    let longest = sign_in::LONGEST_SESSION.as_secs();
    let cookie = cookie(
        app,
        session.token.expose().to_owned(),
        i64::try_from(longest).unwrap_or(i64::MAX),
    );
    with_cookie(response, &cookie)
}

/// Has the browser forget its session.
pub(crate) fn ended(app: &App, response: Response) -> Response {
    with_cookie(response, &cookie(app, String::new(), 0))
}

fn with_cookie(mut response: Response, cookie: &Cookie<'_>) -> Response {
    if let Ok(value) = HeaderValue::from_str(&cookie.to_string()) {
        response.headers_mut().append(header::SET_COOKIE, value);
    }
    response
}

fn cookie(app: &App, value: String, seconds: i64) -> Cookie<'static> {
    Cookie::build((cookie_name(app), value))
        .path("/")
        .http_only(true)
        .same_site(SameSite::Lax)
        .secure(is_secure(app))
        .max_age(cookie::time::Duration::seconds(seconds))
        .build()
}

/// With the prefix a browser takes the cookie from this very host alone, and only over TLS.
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
