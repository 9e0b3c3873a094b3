//! The single domain error: its kind as data, with a sentence that fits every interface. Each interface maps the kind
//! to its error code and adds how its clients can continue.
use std::fmt;
use std::time::Duration;

use serde::Serialize;

use linepress_model::counted;
use linepress_printers::{Edition, Unprintable};

use crate::ids::OperationId;
use crate::scopes::Scopes;

/// One field of a request, or one part of a resource, and what is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct Detail {
    /// A path into the request body, such as `page.title`.
    #[schema(example = "page.title")]
    pub field: String,
    /// The reason why the value is rejected.
    #[schema(example = "must not be blank")]
    pub message: String,
}

/// The kind of a domain error. `Display` is safe to show to clients.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ErrorKind {
    /// The parameters of a list request are out of bounds or belong to another list.
    #[error("{0}")]
    InvalidPagination(InvalidPagination),
    #[error(
        "This costs credits and needs an idempotency key: a new unique value, so that a retry cannot charge twice."
    )]
    IdempotencyKeyMissing,
    #[error("An idempotency key is 1 to {max_chars} visible ASCII characters.")]
    IdempotencyKeyMalformed { max_chars: usize },
    #[error("This idempotency key was used for another request. Send a new key, or the same request again.")]
    IdempotencyConflict,
    #[error("This needs {} and the account has {available}. The operator of this server can add some.", counted(*needed, "credit"))]
    InsufficientCredits { needed: i64, available: i64 },
    /// The app's grant has a spending limit, and this charge would exceed it.
    #[error(
        "This needs {} and the app may spend {} more of its limit of {cap}. The person who connected it can connect it again with a \
         higher limit.",
        counted(*needed, "credit"),
        (cap - spent).max(0)
    )]
    CreditCapReached { cap: i64, spent: i64, needed: i64 },
    #[error(
        "This app was not granted: {needed}. The person who connected it can connect it again and grant this as well."
    )]
    InsufficientScope { needed: Scopes },
    /// An app or an API key asked for something that only the owner may do.
    #[error("Only the owner of the account can do this, signed in to the web pages.")]
    OwnerRequired,
    /// The grant ended while the call was running.
    #[error("The app may no longer act for this account. Connect it again.")]
    GrantRevoked,
    /// The API key was revoked while the call was running.
    #[error("This API key was revoked. Send another key of the account.")]
    KeyRevoked,
    #[error("This needs an active Business plan. The operator of this server can change the plan.")]
    PlanRequired,
    /// The same error for resources that do not exist, that belong to another account, and that are archived.
    #[error("There is no such {what}.")]
    NotFound { what: &'static str },
    /// The requested image has not been drawn yet, or its drawing failed.
    #[error("{}", no_image(what, *being_drawn))]
    NoImage { what: &'static str, being_drawn: bool },
    #[error("{}", generation_active(what, operation.as_ref()))]
    GenerationActive {
        what: &'static str,
        operation: Option<OperationId>,
    },
    #[error("{}", first_of(.0))]
    ValidationFailed(Vec<Detail>),
    /// The request would exceed one of the account's limits.
    #[error("The limit of this account for {what} is {limit}, and this would be more. {advice}")]
    AccountLimitReached {
        what: &'static str,
        limit: i64,
        /// How the client can make room.
        advice: &'static str,
    },
    /// `field` is empty when the request body itself is the file.
    #[error("{}", too_large(field, *limit))]
    FileTooLarge { field: &'static str, limit: u64 },
    #[error("{0}")]
    UnsupportedImage(String),
    /// `known` lists the formats of the book; `edition` is set when the client sent the name of an edition as the
    /// format.
    #[error("{}", unknown_print_format(known, *edition))]
    UnknownPrintFormat {
        known: Vec<String>,
        edition: Option<Edition>,
    },
    #[error("{0}")]
    FormatMismatch(FormatMismatch),
    #[error("{}", not_ready(.0))]
    BookNotReady(Vec<Detail>),
    /// `what` completes the sentence, and includes the period or the scope of the limit.
    #[error("Too many {what}.")]
    RateLimited { what: &'static str, retry_after: Duration },
    #[error("Book planning is temporarily unavailable. Try again later.")]
    PlanningUnavailable { retry_after: Duration },
    /// None of the image providers in the settings is loaded.
    #[error("Nothing can be drawn at the moment, and nothing was charged. Try again later.")]
    GenerationUnavailable { retry_after: Duration },
    #[error("The PDF is not ready yet. The server continues to make it; ask for it again later.")]
    PrintingUnavailable { retry_after: Duration },
    #[error("The server could not respond in time. Try again later.")]
    Overloaded { retry_after: Duration },
    /// The database or the object store is down, unreachable, full or read-only.
    #[error("The server is temporarily unavailable. Try again later.")]
    Unavailable { retry_after: Duration },
    /// A fault of the server. The cause is logged at the interface and never sent to the client.
    #[error("Something went wrong on our side.")]
    Internal,
}

/// The list parameter that is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidPagination {
    #[error("limit must be a whole number from 1 to {most}.")]
    Limit { most: i64 },
    #[error("after must be the meta.next_cursor of an earlier page of this list.")]
    Cursor,
}

/// The reason why a book cannot be printed in a format. Aspects and formats are given by name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FormatMismatch {
    #[error("This server has no print format for {aspect} books.")]
    NoFormat { aspect: &'static str },
    /// The layout plugin declines the combination.
    #[error("{format} cannot print this book as it is. This server prints: {}.", known.join(", "))]
    Declined { format: String, known: Vec<String> },
    #[error(
        "{format} is for {format_aspect} books and this one is {book_aspect}. It can be printed as: {}.", known.join(", ")
    )]
    OtherAspect {
        format: String,
        format_aspect: &'static str,
        book_aspect: &'static str,
        known: Vec<String>,
    },
    /// `fitting` lists the formats in which the printer accepts this book.
    #[error("{reason}. {}", other_formats(reason, fitting))]
    Unprintable { reason: Unprintable, fitting: Vec<String> },
    /// `texts` lists the texts of the book that contain these characters.
    #[error("{}", missing_characters(characters))]
    MissingCharacters {
        characters: Vec<char>,
        texts: Vec<UnprintableText>,
    },
    #[error("The cover is printed from its drawing, and this book has none. Draw or upload a cover first.")]
    NoCoverDrawing,
    #[error("The layout of {format} has no wraparound cover. Choose another format.")]
    NoWraparound { format: String },
    #[error(
        "{printer} binds books on the left, and this one is read from right to left. Ask for edition=kdp or edition=home."
    )]
    ReadFromRight { printer: &'static str },
    #[error("A printer at home prints no wraparound cover. Ask for edition=kdp or edition=lulu.")]
    NoCoverAtHome,
    #[error("{printer} takes a book as two files. Ask for part=interior and for part=cover.")]
    TwoFiles { printer: &'static str },
}

/// A text of a book with characters that no font of this server has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnprintableText {
    /// The path of the text in the book, such as `pages[2].title`.
    pub field: String,
    /// The characters of this text without a font.
    pub characters: Vec<char>,
}

impl UnprintableText {
    /// The first characters as a comma-separated list, followed by the number of the others.
    pub fn listed(&self) -> String {
        list_characters(&self.characters)
    }
}

impl FormatMismatch {
    /// The request parameter that the client has to change.
    fn field(&self) -> &'static str {
        match self {
            Self::NoFormat { .. } | Self::Declined { .. } | Self::OtherAspect { .. } | Self::NoWraparound { .. } => {
                "format"
            }
            Self::Unprintable { fitting, .. } if !fitting.is_empty() => "format",
            Self::Unprintable { .. } | Self::ReadFromRight { .. } => "edition",
            Self::MissingCharacters { .. } => "language",
            Self::NoCoverDrawing | Self::NoCoverAtHome | Self::TwoFiles { .. } => "part",
        }
    }
}

fn unknown_print_format(known: &[String], edition: Option<Edition>) -> String {
    let known = known.join(", ");
    match edition {
        Some(edition) => format!(
            "{edition} is an edition. Ask for edition={edition}, and leave out the format or choose one of: {known}."
        ),
        None => format!("There is no such print format. This book can be printed as: {known}."),
    }
}

fn other_formats(reason: &Unprintable, fitting: &[String]) -> String {
    let printer = reason.edition().name();
    if fitting.is_empty() {
        return format!("{printer} accepts this book in none of this server's formats.");
    }
    format!("{printer} accepts this book as: {}.", fitting.join(", "))
}

fn missing_characters(characters: &[char]) -> String {
    let is_east_asian = |&character: &char| matches!(character, '\u{1100}'..='\u{11FF}' | '\u{2E80}'..='\u{D7FF}' | '\u{F900}'..='\u{FAFF}' | '\u{FF00}'..='\u{FFEF}' | '\u{20000}'..='\u{3FFFF}');
    let package = if characters.iter().any(is_east_asian) {
        "fonts-noto-cjk"
    } else {
        "fonts-noto-core"
    };
    format!(
        "No font of this server has the characters {}. Change the texts in `details`, or have the operator install a font \
         with them, such as those of Debian's package {package}.",
        list_characters(characters)
    )
}

/// The first characters as a comma-separated list, followed by the number of the others.
fn list_characters(characters: &[char]) -> String {
    const MAX_LISTED: usize = 20;
    let mut listed: Vec<String> = characters.iter().take(MAX_LISTED).map(char::to_string).collect();
    if characters.len() > MAX_LISTED {
        listed.push(format!("and {} more", characters.len() - MAX_LISTED));
    }
    listed.join(", ")
}

fn first_of(details: &[Detail]) -> String {
    match details.first() {
        Some(detail) => format!("{}: {}.", detail.field, detail.message),
        None => "The request is not valid.".into(),
    }
}

fn no_image(what: &str, being_drawn: bool) -> String {
    if being_drawn {
        return format!("The image of this {what} is still being drawn. Wait until its operation has ended.");
    }
    format!("This {what} has no image: it could not be drawn. Regenerate it.")
}

fn generation_active(what: &str, operation: Option<&OperationId>) -> String {
    let operation = operation.map(|id| format!(" {id}")).unwrap_or_default();
    format!("This {what} already has a generation under way. Wait until its operation{operation} has ended.")
}

fn too_large(field: &str, limit: u64) -> String {
    match field {
        "" => format!("The file is larger than {limit} bytes."),
        field => format!("{field}: leads to a file larger than {limit} bytes."),
    }
}

fn not_ready(details: &[Detail]) -> &'static str {
    if details.is_empty() {
        "The book has no pages."
    } else {
        "Not every page of the book is ready. Wait for, regenerate or replace those in `details`."
    }
}

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

    pub fn invalid_field(field: impl Into<String>, message: impl Into<String>) -> Self {
        Self::validation(vec![Detail {
            field: field.into(),
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
        match &self.kind {
            ErrorKind::ValidationFailed(details) | ErrorKind::BookNotReady(details) => details.clone(),
            ErrorKind::FileTooLarge { field, limit } if !field.is_empty() => vec![Detail {
                field: (*field).into(),
                message: format!("leads to a file larger than {limit} bytes"),
            }],
            ErrorKind::FormatMismatch(FormatMismatch::MissingCharacters { texts, .. }) => texts
                .iter()
                .map(|text| Detail {
                    field: text.field.clone(),
                    message: format!("has characters that no font of this server has: {}", text.listed()),
                })
                .collect(),
            ErrorKind::FormatMismatch(mismatch) => vec![Detail {
                field: mismatch.field().into(),
                message: mismatch.to_string(),
            }],
            _ => Vec::new(),
        }
    }

    /// The time after which the client may retry; `None` when a retry does not help.
    pub fn retry_after(&self) -> Option<Duration> {
        match self.kind {
            ErrorKind::RateLimited { retry_after, .. }
            | ErrorKind::PlanningUnavailable { retry_after }
            | ErrorKind::GenerationUnavailable { retry_after }
            | ErrorKind::PrintingUnavailable { retry_after }
            | ErrorKind::Overloaded { retry_after }
            | ErrorKind::Unavailable { retry_after } => Some(retry_after),
            _ => None,
        }
    }

    /// The cause and its chain of sources, for the log.
    pub fn cause(&self) -> Option<String> {
        let text = chain(self.cause.as_deref()?);
        (!text.is_empty()).then_some(text)
    }
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
    fn an_error_of_postgresql_is_shown_without_the_line_of_its_source() {
        let error = std::io::Error::other("password authentication failed for user \"ada\" at line 321");
        assert_eq!(chain(&error), "password authentication failed for user \"ada\"");
        let error = std::io::Error::other("expected a value at line 1 column 2");
        assert_eq!(chain(&error), "expected a value at line 1 column 2");
    }
}
