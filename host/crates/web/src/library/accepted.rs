//! Responses to forms that were accepted or rejected.
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Redirect, Response};

use super::form::{Complaints, Fields, Refused};
use linepress_http::Reply;
use linepress_platform::error::{Error, Result};

/// Redirects to a page with a message about what was done.
pub(crate) fn to(path: &str, done: &str) -> Response {
    to_undoable(path, done, &[], None)
}

/// Redirects to a list after a book or page of it was deleted, which the list offers to restore.
pub(crate) fn deleted(path: &str, id: &str) -> Response {
    Redirect::to(&format!("{path}?done=deleted&deleted={id}")).into_response()
}

/// Redirects to a page with a message about what was done, and with what can take it back: parameters of the address.
pub(crate) fn to_undoable(path: &str, done: &str, undo: &[(&str, String)], part: Option<&str>) -> Response {
    let undo: String = undo.iter().map(|(name, value)| format!("&{name}={value}")).collect();
    let part = part.map(|part| format!("#{part}")).unwrap_or_default();
    // The address may name the place from which the user came.
    let separator = if path.contains('?') { '&' } else { '?' };
    Redirect::to(&format!("{path}{separator}done={done}{undo}{part}")).into_response()
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

/// The same for a form on a page that may contain several forms: a rejected one has its name and its fields.
pub(crate) fn changed_by<'a, T>(
    (form, fields): (&'static str, &'a Fields),
    outcome: Result<Option<T>>,
    what: &'static str,
    path: &str,
    done: &str,
) -> Reply<Result<Response, Refused<'a>>> {
    let changed = changed(outcome, what, path, done)?;
    Ok(changed.map_err(|(status, complaints)| Refused {
        form,
        fields,
        status,
        complaints,
    }))
}
