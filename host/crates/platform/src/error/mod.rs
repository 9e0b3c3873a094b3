//! The single domain error: its kind as data, with a sentence that fits every interface. Each interface maps the kind
//! to its error code and adds how its clients can continue.
mod format_mismatch;
mod kind;

use std::fmt;
use std::time::Duration;

use crate::field::Field;
use crate::ids::OperationId;

pub use format_mismatch::{FormatMismatch, MissingCharacters, Remedy, UnprintableText};
pub use kind::{Detail, ErrorKind, InvalidPagination, SourceMismatch};

/// A domain error. Its kind may be shown to clients; its cause is only logged.
#[derive(Debug)]
pub struct Error {
    pub kind: ErrorKind,
    cause: Option<Box<dyn std::error::Error + Send + Sync>>,
}

pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    pub fn not_found(what: &'static str) -> Self {
        ErrorKind::NotFound { what }.into()
    }

    pub fn invalid_field(field: Field, message: impl Into<String>) -> Self {
        Self::validation(vec![Detail {
            field,
            message: message.into(),
        }])
    }

    pub fn no_image(what: &'static str, being_drawn: bool) -> Self {
        ErrorKind::NoImage { what, being_drawn }.into()
    }

    pub fn validation(details: Vec<Detail>) -> Self {
        ErrorKind::ValidationFailed(details).into()
    }

    /// `operation` is the operation to wait for; `None` when it ended in the meantime.
    pub fn generation_active(what: &'static str, operation: Option<OperationId>) -> Self {
        ErrorKind::GenerationActive { what, operation }.into()
    }

    pub fn internal(cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::from(ErrorKind::Internal).with_cause(cause)
    }

    /// A resource that the server depends on, such as its database or its disk, does not work at the moment.
    pub fn unavailable(cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        let retry_after = OUTAGE_RETRY_DELAY;
        Self::from(ErrorKind::Unavailable { retry_after }).with_cause(cause)
    }

    pub fn with_cause(self, cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self {
            cause: Some(cause.into()),
            ..self
        }
    }

    /// Returns true for a fault of the server, after which it is unknown what has been done.
    pub fn is_internal(&self) -> bool {
        matches!(self.kind, ErrorKind::Internal | ErrorKind::Unavailable { .. })
    }

    /// The message for the operator: the cause of an internal error, in place of the generic sentence that clients get.
    pub fn for_operator(&self) -> String {
        match (self.cause(), self.is_internal()) {
            (Some(cause), true) => cause,
            (Some(cause), false) => format!("{self} {cause}"),
            (None, _) => self.to_string(),
        }
    }

    /// The fields or parts that caused the error; empty when there are none.
    pub fn details(&self) -> Vec<Detail> {
        let detail = |field, message: String| vec![Detail { field, message }];
        match &self.kind {
            ErrorKind::ValidationFailed(details) | ErrorKind::BookNotReady(details) => details.clone(),
            ErrorKind::SourcePicture(mismatch) => detail(Field::source_upload_id(), mismatch.to_string()),
            ErrorKind::FileTooLarge {
                field: Some(field),
                limit,
            } => detail(field.clone(), format!("leads to a file larger than {limit} bytes")),
            ErrorKind::FormatMismatch(FormatMismatch::MissingCharacters(missing)) => unprintable(&missing.texts),
            ErrorKind::FormatMismatch(mismatch) => detail(mismatch.field(), mismatch.to_string()),
            _ => Vec::new(),
        }
    }

    /// Adds `outer` in front of the invalid fields, for an interface whose requests contain the concept's request in
    /// this field.
    pub fn within(self, outer: &Field) -> Self {
        self.map_fields(|field| outer.clone().then(field))
    }

    /// Removes `outer` from the front of the invalid fields, for an interface whose requests contain the fields of
    /// `outer` directly.
    pub fn without(self, outer: &Field) -> Self {
        self.map_fields(|field| field.below(outer).unwrap_or(field))
    }

    fn map_fields(mut self, change: impl Fn(Field) -> Field) -> Self {
        if let ErrorKind::ValidationFailed(details) = &mut self.kind {
            for detail in details {
                detail.field = change(std::mem::take(&mut detail.field));
            }
        }
        self
    }

    /// The time after which the client may retry; `None` when a retry does not help.
    pub fn retry_after(&self) -> Option<Duration> {
        match self.kind {
            ErrorKind::RateLimited { retry_after, .. }
            | ErrorKind::PlanningUnavailable { retry_after }
            | ErrorKind::GenerationUnavailable { retry_after }
            | ErrorKind::PrintingUnavailable { retry_after }
            | ErrorKind::Overloaded { retry_after }
            | ErrorKind::Unavailable { retry_after }
            | ErrorKind::Maintenance { retry_after, .. } => Some(retry_after),
            _ => None,
        }
    }

    /// The cause and its chain of sources, for the log.
    pub fn cause(&self) -> Option<String> {
        let text = chain(self.cause.as_deref()?);
        (!text.is_empty()).then_some(text)
    }
}

fn unprintable(texts: &[UnprintableText]) -> Vec<Detail> {
    let detail = |text: &UnprintableText| Detail {
        field: text.field.clone(),
        message: format!("has characters that no font of this server has: {}", text.listed()),
    };
    texts.iter().map(detail).collect()
}

/// An error and its chain of sources, for the log. Many libraries repeat the source in the error's own text, so a text
/// that is already included is skipped.
pub fn chain(error: &(dyn std::error::Error + 'static)) -> String {
    let mut text = String::new();
    let mut next = Some(error);
    while let Some(error) = next {
        let words = error.to_string();
        let words = without_source_line(&words);
        if !text.contains(words) {
            if !text.is_empty() {
                text.push_str(": ");
            }
            text.push_str(words);
        }
        next = error.source();
    }
    text
}

/// Removes the line of PostgreSQL's own source that its errors end with, such as `at line 768`.
fn without_source_line(words: &str) -> &str {
    match words.rsplit_once(" at line ") {
        Some((message, line)) if line.bytes().all(|digit| digit.is_ascii_digit()) => message,
        _ => words,
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kind.fmt(formatter)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.cause.as_deref().map(|cause| cause as _)
    }
}

impl From<ErrorKind> for Error {
    fn from(kind: ErrorKind) -> Self {
        Self { kind, cause: None }
    }
}

/// The delay before a client may retry while the database or the object store is unavailable.
const OUTAGE_RETRY_DELAY: Duration = Duration::from_secs(5);

impl From<serde_json::Error> for Error {
    fn from(error: serde_json::Error) -> Self {
        Self::internal(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interface_moves_invalid_fields_into_its_own_requests() {
        let title = || Error::invalid_field(Field::title(), "must not be blank");
        let moved = title().within(&Field::page());
        assert_eq!(moved.to_string(), "page.title: must not be blank.");
        assert_eq!(moved.without(&Field::page()).kind, title().kind);
        let whole = Error::invalid_field(Field::page(), "is required");
        assert_eq!(whole.without(&Field::page()).to_string(), "page: is required.");
    }

    #[test]
    fn an_error_of_postgresql_is_shown_without_the_line_of_its_source() {
        let error = std::io::Error::other("password authentication failed for user \"ada\" at line 321");
        assert_eq!(chain(&error), "password authentication failed for user \"ada\"");
        let error = std::io::Error::other("expected a value at line 1 column 2");
        assert_eq!(chain(&error), "expected a value at line 1 column 2");
    }
}
