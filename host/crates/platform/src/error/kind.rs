//! The kinds of domain errors, as data, each with a sentence that fits every interface.
use std::net::IpAddr;
use std::time::Duration;

use linepress_model::counted;
use linepress_printers::Edition;

use super::FormatMismatch;
use crate::credit_period::CreditPeriod;
use crate::field::Field;
use crate::ids::{KeyId, OperationId};
use crate::scopes::Scopes;

/// One field of a request, or one part of a resource, and what is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Detail {
    pub field: Field,
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
    /// The client agreed to another price than the order has now.
    #[error("The price is {} now. Nothing was charged yet.", counted(*price, "credit"))]
    PriceChanged { price: i64 },
    /// The app's grant has a spending limit, and this charge would exceed it.
    #[error(
        "This needs {} and the app may spend {} more of its limit of {cap}. The person who connected it can raise the \
         limit on the page of connected apps.",
        counted(*needed, "credit"),
        (cap - spent).max(0)
    )]
    CreditCapReached { cap: i64, spent: i64, needed: i64 },
    #[error(
        "This app was not granted: {needed}. The person who connected it can connect it again and grant this as well."
    )]
    InsufficientScope { needed: Scopes },
    /// The API key has a spending limit, and this charge would exceed it.
    #[error("{}", key_cap_reached(*cap, *spent, *needed, *period))]
    KeyCapReached {
        cap: i64,
        /// In the present period, if the limit has periods.
        spent: i64,
        needed: i64,
        period: Option<CreditPeriod>,
    },
    #[error(
        "This API key does not have the scopes for this. It lacks: {missing}. Send a key that has them, or create one."
    )]
    KeyLacksScope { missing: Scopes },
    /// The key has networks, and the client's address is in none of them.
    #[error(
        "This API key may not be used from {address}. Send the request from one of the key's networks, or create a key that allows this \
         address."
    )]
    KeyOutsideNetworks { address: IpAddr },
    /// An API key that may do less than its owner was used for something that could outlive it or do more than it may.
    #[error(
        "Only a key with all scopes and without an expiry, a spending limit or networks can manage API keys and webhooks, or the access to \
         accounts. Send such a key, or use the web pages."
    )]
    UnlimitedKeyRequired,
    /// The secret of a new or rotated API key was sent before, in the response to the same request.
    #[error(
        "This request was carried out before, for the API key {key}, whose secret is shown only once. If you do not have it, revoke or \
         rotate the key."
    )]
    KeyShownBefore { key: KeyId },
    /// An app or an API key asked for something that only the owner may do.
    #[error("Only the owner of the account can do this, signed in to the web pages.")]
    OwnerRequired,
    /// The account may not administer the server, or the credential is not one of its own.
    #[error(
        "Only an operator of this server can do this, signed in to the web pages or with an API key. Ask an operator to change the role \
         of the account."
    )]
    OperatorRequired,
    /// The settings file cannot be written, or would be invalid. The cause says why.
    #[error(
        "The server could not change its settings file, so nothing was changed. Use `linepress plugin` on its machine, as a user who \
         may write the file."
    )]
    SettingsNotWritable,
    /// The grant ended while the call was running.
    #[error("The app may no longer act for this account. Connect it again.")]
    GrantRevoked,
    /// The API key was revoked or rotated, or expired, while the call was running.
    #[error("This API key was revoked or rotated, or has expired. Send another key of the account.")]
    KeyRevoked,
    /// The browser session ended while the request was running.
    #[error("Your session has ended. Sign in again.")]
    SessionEnded,
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
    /// The picture of a locked page does not change.
    #[error("This page is locked, so its picture does not change. Unlock the page first.")]
    PageLocked,
    /// The same for an order of several pages, of which those with these titles are locked.
    #[error("{}", pages_locked(titles))]
    PagesLocked { titles: Vec<String> },
    #[error("{}", first_of(.0))]
    ValidationFailed(Vec<Detail>),
    /// No loaded image provider draws with a source picture if there is one, or without if there is none.
    #[error("{}", source_picture(*.0))]
    SourcePicture(SourceMismatch),
    /// The request would exceed one of the account's limits.
    #[error("The limit of this account for {what} is {limit}, and this would be more. {advice}")]
    AccountLimitReached {
        what: &'static str,
        limit: i64,
        /// How the client can make room.
        advice: &'static str,
    },
    /// `field` is the field that leads to the file; `None` when the request body itself is the file.
    #[error("{}", too_large(field.as_ref(), *limit))]
    FileTooLarge { field: Option<Field>, limit: u64 },
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
    /// The operator has made the server read-only. `notice` says so, with the operator's own message.
    #[error("{notice} Try again later.")]
    Maintenance { notice: String, retry_after: Duration },
    /// A fault of the server. The cause is logged at the interface and never sent to the client.
    #[error("Something went wrong on our side.")]
    Internal,
}

impl ErrorKind {
    /// Returns true for an error of the request itself: an accepted request has never had one. Other errors say nothing
    /// about that: a missing permission, too few credits, a conflict, a rate limit, or trouble of the server.
    pub fn is_rejection(&self) -> bool {
        match self {
            Self::InvalidPagination(_)
            | Self::IdempotencyKeyMissing
            | Self::IdempotencyKeyMalformed { .. }
            | Self::NotFound { .. }
            | Self::NoImage { .. }
            | Self::ValidationFailed(_)
            | Self::SourcePicture(_)
            | Self::AccountLimitReached { .. }
            | Self::FileTooLarge { .. }
            | Self::UnsupportedImage(_)
            | Self::UnknownPrintFormat { .. }
            | Self::FormatMismatch(_)
            | Self::BookNotReady(_) => true,
            Self::IdempotencyConflict
            | Self::InsufficientCredits { .. }
            | Self::PriceChanged { .. }
            | Self::CreditCapReached { .. }
            | Self::InsufficientScope { .. }
            | Self::KeyCapReached { .. }
            | Self::KeyLacksScope { .. }
            | Self::KeyOutsideNetworks { .. }
            | Self::UnlimitedKeyRequired
            | Self::KeyShownBefore { .. }
            | Self::OwnerRequired
            | Self::OperatorRequired
            | Self::SettingsNotWritable
            | Self::GrantRevoked
            | Self::KeyRevoked
            | Self::SessionEnded
            | Self::PlanRequired
            | Self::GenerationActive { .. }
            | Self::PageLocked
            | Self::PagesLocked { .. }
            | Self::RateLimited { .. }
            | Self::PlanningUnavailable { .. }
            | Self::GenerationUnavailable { .. }
            | Self::PrintingUnavailable { .. }
            | Self::Overloaded { .. }
            | Self::Unavailable { .. }
            | Self::Maintenance { .. }
            | Self::Internal => false,
        }
    }
}

/// The list parameter that is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidPagination {
    #[error("limit must be a whole number from 1 to {most}.")]
    Limit { most: i64 },
    #[error("The cursor does not belong to this list. Begin without one.")]
    Cursor,
}

/// The mismatch between a drawing and the loaded image providers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SourceMismatch {
    /// The drawing has no source picture, and every loaded provider requires one.
    #[error("is required: this server draws from pictures only; send the id of an upload")]
    Required,
    /// The drawing has a source picture, and every loaded provider draws from text only.
    #[error("cannot be used: this server draws from text only; leave it out")]
    Unusable,
}

fn key_cap_reached(cap: i64, spent: i64, needed: i64, period: Option<CreditPeriod>) -> String {
    let (each, advice) = match period {
        None => ("", "Send a key with a higher limit."),
        Some(CreditPeriod::Day) => (
            " a day",
            "Wait until the next day begins, in UTC, or send a key with a higher limit.",
        ),
        Some(CreditPeriod::Month) => (
            " a month",
            "Wait until the next month begins, in UTC, or send a key with a higher limit.",
        ),
    };
    format!(
        "This needs {} and the API key may spend {} more of its limit of {cap}{each}. {advice}",
        counted(needed, "credit"),
        (cap - spent).max(0)
    )
}

fn first_of(details: &[Detail]) -> String {
    match details.first() {
        Some(detail) => format!("{}: {}.", detail.field, detail.message),
        None => "The request is not valid.".into(),
    }
}

fn source_picture(mismatch: SourceMismatch) -> String {
    format!("{}: {mismatch}.", Field::source_upload_id())
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

/// Maximum number of locked pages that an error names.
const MAX_NAMED_PAGES: usize = 8;

fn pages_locked(titles: &[String]) -> String {
    let named = titles.iter().take(MAX_NAMED_PAGES);
    let mut named: Vec<String> = named.map(|title| format!("“{title}”")).collect();
    if titles.len() > MAX_NAMED_PAGES {
        named.push(format!("and {} more", titles.len() - MAX_NAMED_PAGES));
    }
    let named = named.join(", ");
    if titles.len() == 1 {
        return format!("This page is locked, so nothing is drawn again: {named}. Unlock it first, or leave it out.");
    }
    format!("These pages are locked, so nothing is drawn again: {named}. Unlock them first, or leave them out.")
}

fn too_large(field: Option<&Field>, limit: u64) -> String {
    match field {
        None => format!("The file is larger than {limit} bytes."),
        Some(field) => format!("{field}: leads to a file larger than {limit} bytes."),
    }
}

fn unknown_print_format(known: &[String], edition: Option<Edition>) -> String {
    let known = known.join(", ");
    match edition {
        Some(edition) => format!("{edition} is an edition, not a print format. This book can be printed as: {known}."),
        None => format!("There is no such print format. This book can be printed as: {known}."),
    }
}

fn not_ready(details: &[Detail]) -> &'static str {
    if details.is_empty() {
        "The book has no pages."
    } else {
        "Not every page of the book is ready."
    }
}
