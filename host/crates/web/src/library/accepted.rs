//! Responses to forms that were accepted or rejected.
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Redirect, Response};

use super::form::Complaints;
use linepress_http::Reply;
use linepress_platform::error::{Error, Result};

/// Redirects to a page with a message about what was done.
pub(crate) fn to(path: &str, done: &str) -> Response {
    Redirect::to(&format!("{path}?done={done}")).into_response()
}

/// Redirects in the same way, to a part of the page.
pub(crate) fn to_part(path: &str, done: &str, part: &str) -> Response {
    Redirect::to(&format!("{path}?done={done}#{part}")).into_response()
}

/// The response to a form that changes the `what` at `path`: a redirect to `path`, or the status and the complaints
/// with which to show the form again.
pub(crate) fn changed<T>(
    outcome: Result<Option<T>>,
    what: &'static str,
    path: &str,
    done: &str,
) -> Reply<Result<Response, (StatusCode, Complaints)>> {
    match outcome {
        Ok(Some(_)) => Ok(Ok(to(path, done))),
        Ok(None) => Err(Error::not_found(what).into()),
        Err(error) => Ok(Err(Complaints::with_status(error)?)),
    }
}
