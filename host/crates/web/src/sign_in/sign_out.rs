//! `/sign-out`: ends the session of this browser.
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::{IntoResponse as _, Redirect, Response};
use serde::Deserialize;

use linepress_accounts::sign_in;
use linepress_http::form::CsrfForm;
use linepress_http::html::internal_error_page;
use linepress_http::return_to::local_path;
use linepress_http::session_cookie::{clear_session_cookie, session_token};
use linepress_platform::app::App;

#[derive(Deserialize)]
pub(super) struct Form {
    /// The page for the next account that signs in.
    #[serde(default)]
    return_to: String,
}

pub(super) async fn submit(State(app): State<App>, headers: HeaderMap, sent: CsrfForm<Form>) -> Response {
    if let Some(token) = session_token(&app, &headers)
        && let Err(error) = sign_in::end(&app, &token).await
    {
        return internal_error_page(&error);
    }
    let to = match local_path(&app, &sent.form.return_to) {
        Some(path) => {
            let path: String = url::form_urlencoded::byte_serialize(path.as_bytes()).collect();
            format!("/sign-in?return_to={path}")
        }
        None => "/sign-in".into(),
    };
    clear_session_cookie(&app, Redirect::to(&to).into_response())
}
