//! The words of domain errors for clients over HTTP: their paths of fields, headers and query strings.
use linepress_platform::error::{
    Detail, Error, ErrorKind, FormatMismatch, InvalidPagination, MissingCharacters, Remedy,
};
use linepress_platform::field::Field;

/// The message of an error, with the advice that only HTTP clients need.
pub(super) fn message_for(kind: &ErrorKind) -> String {
    match kind {
        ErrorKind::InvalidPagination(InvalidPagination::Cursor) => {
            "after must be the meta.next_cursor of an earlier page of this list.".into()
        }
        ErrorKind::AccountLimitReached { .. } => format!("{kind} GET /me shows every limit and its use."),
        ErrorKind::RateLimited { .. } => format!("{kind} The Retry-After header says when to send the next."),
        ErrorKind::IdempotencyKeyMissing => {
            "Send an Idempotency-Key header with a new unique value, so that a retry cannot charge twice.".into()
        }
        ErrorKind::IdempotencyKeyMalformed { max_chars } => {
            format!("An Idempotency-Key is 1 to {max_chars} visible ASCII characters.")
        }
        ErrorKind::IdempotencyConflict => {
            "This Idempotency-Key was used for another request. Send a new key, or the same method, path and body."
                .into()
        }
        ErrorKind::SourcePicture(mismatch) => format!("{}: {mismatch}.", source_field()),
        ErrorKind::UnknownPrintFormat { known, edition: None } => format!(
            "There is no such print format. GET /print_formats lists them; for this book: {}.",
            known.join(", ")
        ),
        ErrorKind::UnknownPrintFormat {
            known,
            edition: Some(edition),
        } => format!(
            "{edition} is an edition. Ask for edition={edition}, and leave out the format or choose one of: {}.",
            known.join(", ")
        ),
        ErrorKind::FormatMismatch(mismatch) => format_mismatch(mismatch),
        ErrorKind::BookNotReady(details) if !details.is_empty() => {
            format!("{kind} Wait for, regenerate or replace those in `details`.")
        }
        ErrorKind::Internal => format!("{kind} The operator can find the cause in the log by the request id."),
        kind => kind.to_string(),
    }
}

/// The details of an error, with the paths and the advice of the HTTP interfaces.
pub(super) fn details_for(error: &Error) -> Vec<Detail> {
    let mut details = error.details();
    for detail in &mut details {
        match &error.kind {
            ErrorKind::SourcePicture(_) => detail.field = source_field(),
            ErrorKind::FormatMismatch(FormatMismatch::MissingCharacters(_)) => {}
            ErrorKind::FormatMismatch(mismatch) => detail.message = format_mismatch(mismatch),
            _ => {}
        }
    }
    details
}

/// The field that names the source picture of a page. The requests for characters translate the error themselves; of
/// the others, only those for pages have the field, whatever the request draws.
fn source_field() -> Field {
    Field::page().then(Field::source_upload_id())
}

fn format_mismatch(mismatch: &FormatMismatch) -> String {
    match (mismatch, mismatch.remedy()) {
        (FormatMismatch::MissingCharacters(missing), _) => missing_characters(missing),
        (_, None) => mismatch.to_string(),
        (_, Some(Remedy::Editions([one, other]))) => {
            format!("{mismatch} Ask for edition={one} or edition={other}.")
        }
        (_, Some(Remedy::Parts([one, other]))) => format!("{mismatch} Ask for part={one} and for part={other}."),
    }
}

fn missing_characters(missing: &MissingCharacters) -> String {
    format!(
        "No font of this server has the characters {}. Change the texts in `details`, or {}.",
        missing.listed(),
        missing.font_advice()
    )
}
