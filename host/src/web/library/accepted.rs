//! What a form leads to.
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Redirect, Response};
use serde_json::Value;

use super::form::Complaints;
use crate::error::{Error, Result};
use crate::generation::Accepted;
use crate::http::Reply;
use crate::idempotency::Done;

/// The id of what a generation made, the first time or when the form is sent again.
pub(super) fn id(accepted: &Accepted, kind: &str) -> Result<String> {
    id_in(&accepted.body, kind)
}

/// The same of what cost nothing.
pub(super) fn id_of_done(done: &Done, kind: &str) -> Result<String> {
    id_in(&done.reply.body, kind)
}

fn id_in(body: &str, kind: &str) -> Result<String> {
    let body: Value = serde_json::from_str(body)?;
    let id = body[kind]["id"].as_str().map(str::to_owned);
    id.ok_or_else(|| Error::internal(format!("a saved reply names no {kind}")))
}

/// To a page, with a word about what was done.
pub(super) fn to(path: &str, done: &str) -> Response {
    Redirect::to(&format!("{path}?done={done}")).into_response()
}

/// The same, to the part of the page that was changed.
pub(super) fn to_part(path: &str, done: &str, part: &str) -> Response {
    Redirect::to(&format!("{path}?done={done}#{part}")).into_response()
}

/// What a form leads to that changes the `what` at `path`: back there, or what the form's page is to be shown again with.
pub(super) fn changed<T>(
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
