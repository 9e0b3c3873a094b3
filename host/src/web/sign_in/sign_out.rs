//! `/sign-out`: ends the session of this browser.
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::{IntoResponse as _, Redirect, Response};
use serde::Deserialize;

use crate::app::App;
use crate::http::html::failed;
use crate::http::session::CsrfForm;
use crate::http::session_cookie::{ended, session_token};
use crate::sign_in;

/// Nothing beside the token.
#[derive(Deserialize)]
pub(super) struct Form {}

pub(super) async fn submit(State(app): State<App>, headers: HeaderMap, _: CsrfForm<Form>) -> Response {
    if let Some(token) = session_token(&app, &headers)
        && let Err(error) = sign_in::end(&app, &token).await
    {
        return failed(&error);
    }
    ended(&app, Redirect::to("/sign-in").into_response())
}
