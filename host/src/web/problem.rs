//! What a form says about itself when it was refused.
use axum::http::StatusCode;

use crate::error::{Error, ErrorKind};
use crate::http::ErrorCode;

/// What was wrong, for the top of the form, and the status of the page; nothing where something of ours broke.
pub(super) fn for_user(error: &Error) -> Option<(StatusCode, String)> {
    let message = match &error.kind {
        ErrorKind::Internal => return None,
        ErrorKind::ValidationFailed(details) => details
            .iter()
            .map(|detail| format!("{} {}.", subject(&detail.field), detail.message))
            .collect::<Vec<_>>()
            .join(" "),
        ErrorKind::RateLimited { .. } => format!("{error} Please wait a while and try again."),
        _ => error.to_string(),
    };
    Some((ErrorCode::from(error).status(), message))
}

fn subject(field: &str) -> String {
    match field {
        "email" => "The e-mail address:".into(),
        "password" => "The password".into(),
        "name" => "The name".into(),
        "credits" => "The number of credits".into(),
        field => format!("{field}:"),
    }
}
