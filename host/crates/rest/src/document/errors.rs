//! Error responses: the codes that an operation may respond with, their statuses and meanings.
use std::collections::BTreeMap;
use std::time::Duration;

use axum::http::Method;
use linepress_imaging::ArtworkError;
use linepress_model::Aspect;
use serde_json::{Value, json};
use utoipa::openapi::example::{Example, ExampleBuilder};
use utoipa::openapi::schema::Type;
use utoipa::openapi::{ContentBuilder, ObjectBuilder, Ref, RefOr, Response, ResponseBuilder};
use utoipa::{IntoResponses, ToSchema};

use super::headers::header;
use super::with_limits;
use crate::extract::{self, MAX_BODY_BYTES, NOT_JSON};
use linepress_core::pages::NewPage;
use linepress_http::failure::ErrorEnvelope;
use linepress_http::{ErrorCode, Failure};
use linepress_platform::credit_period::CreditPeriod;
use linepress_platform::database::PageRequest;
use linepress_platform::error::{Detail, Error, ErrorKind, FormatMismatch, InvalidPagination};
use linepress_platform::field::Field;
use linepress_platform::ids::OperationId;
use linepress_platform::scopes::{Scope, Scopes};
use linepress_platform::validation;

/// Codes of every operation with an API key, in addition to those in its class.
const AUTHENTICATED: [ErrorCode; 5] = [
    ErrorCode::Unauthorized,
    ErrorCode::InsufficientScope,
    ErrorCode::PlanRequired,
    ErrorCode::InternalError,
    ErrorCode::Overloaded,
];

/// Codes of every operation without an API key, in addition to those in its class.
const ANONYMOUS: [ErrorCode; 2] = [ErrorCode::InternalError, ErrorCode::Overloaded];

/// Defines classes of operations, by the codes that they may respond with. A handler lists exactly one class. Codes
/// with the same status are described in this order.
macro_rules! error_classes {
    ($($(#[$doc:meta])* $name:ident = $callers:ident [$($code:ident),*];)*) => {$(
        $(#[$doc])*
        pub(crate) struct $name;

        impl IntoResponses for $name {
            fn responses() -> BTreeMap<String, RefOr<Response>> {
                responses([$(ErrorCode::$code),*].into_iter().chain($callers))
            }
        }
    )*};
}

error_classes! {
    /// Errors of reading what every account has.
    CommonErrors = AUTHENTICATED [InvalidRequest];
    /// Errors of lists.
    ListErrors = AUTHENTICATED [InvalidPagination, InvalidRequest];
    /// Errors of lists that belong to one resource.
    ResourceListErrors = AUTHENTICATED [InvalidPagination, InvalidRequest, NotFound];
    /// Errors of choosing an attempt.
    AttemptErrors = AUTHENTICATED [InvalidRequest, NotFound, GenerationActive, Maintenance];
    /// Errors of choosing an attempt of a page.
    PageAttemptErrors = AUTHENTICATED [InvalidRequest, NotFound, GenerationActive, PageLocked, Maintenance];
    /// Errors of reading one resource.
    ResourceErrors = AUTHENTICATED [InvalidRequest, NotFound];
    /// Errors of deleting, archiving or detaching one resource.
    DeletionErrors = AUTHENTICATED [InvalidRequest, NotFound, Maintenance];
    /// Errors of a change without a body.
    StateChangeErrors = AUTHENTICATED [InvalidRequest, Maintenance];
    /// Errors of changing one resource.
    ChangeErrors = AUTHENTICATED [
        InvalidRequest, NotFound, PayloadTooLarge, UnsupportedMediaType, ValidationFailed, Maintenance
    ];
    /// Errors of creating a resource that costs nothing.
    CreationErrors = AUTHENTICATED [
        InvalidRequest, PayloadTooLarge, UnsupportedMediaType, ValidationFailed, AccountLimitReached, RateLimited,
        Maintenance
    ];
    /// Errors of creating what belongs to one resource and costs nothing.
    ResourceCreationErrors = AUTHENTICATED [
        InvalidRequest, NotFound, PayloadTooLarge, UnsupportedMediaType, ValidationFailed, AccountLimitReached,
        RateLimited, Maintenance
    ];
    /// Errors of an action on one resource that has no body and depends on the resource's state.
    ActionErrors = AUTHENTICATED [InvalidRequest, NotFound, ValidationFailed, RateLimited, Maintenance];
    /// Errors of restoring a resource.
    RestoreErrors = AUTHENTICATED [InvalidRequest, NotFound, AccountLimitReached, Maintenance];
    /// Errors of image downloads.
    DownloadErrors = AUTHENTICATED [InvalidRequest, NotFound, RateLimited];
    /// Errors of printing.
    PdfErrors = AUTHENTICATED [InvalidRequest, NotFound, FormatMismatch, BookNotReady, RateLimited, PrintingUnavailable];
    /// Errors of planning.
    PlanningErrors = AUTHENTICATED [
        InvalidRequest, PayloadTooLarge, UnsupportedMediaType, ValidationFailed, AccountLimitReached, RateLimited,
        PlanningUnavailable
    ];
    /// Errors of generations of new resources, which may be drawn from a picture.
    GenerationErrors = AUTHENTICATED [
        InvalidRequest, IdempotencyKeyRequired, InsufficientCredits, CreditCapReached, IdempotencyConflict, PayloadTooLarge,
        UnsupportedMediaType, ValidationFailed, AccountLimitReached, UnsupportedImage, RateLimited,
        GenerationUnavailable, Maintenance
    ];
    /// Errors of generations for existing resources.
    RegenerationErrors = AUTHENTICATED [
        InvalidRequest, IdempotencyKeyRequired, InsufficientCredits, CreditCapReached, NotFound, IdempotencyConflict,
        GenerationActive, PayloadTooLarge, UnsupportedMediaType, ValidationFailed, AccountLimitReached, RateLimited,
        GenerationUnavailable, Maintenance
    ];
    /// Errors of generations for existing resources, which may be drawn from a picture.
    SourceRegenerationErrors = AUTHENTICATED [
        InvalidRequest, IdempotencyKeyRequired, InsufficientCredits, CreditCapReached, NotFound, IdempotencyConflict,
        GenerationActive, PayloadTooLarge, UnsupportedMediaType, ValidationFailed, AccountLimitReached,
        UnsupportedImage, RateLimited, GenerationUnavailable, Maintenance
    ];
    /// Errors of generations for existing pages, which may be drawn from a picture.
    PageRegenerationErrors = AUTHENTICATED [
        InvalidRequest, IdempotencyKeyRequired, InsufficientCredits, CreditCapReached, NotFound, IdempotencyConflict,
        GenerationActive, PageLocked, PayloadTooLarge, UnsupportedMediaType, ValidationFailed, AccountLimitReached,
        UnsupportedImage, RateLimited, GenerationUnavailable, Maintenance
    ];
    /// Errors of generations for existing pages, which may be locked.
    RefinementErrors = AUTHENTICATED [
        InvalidRequest, IdempotencyKeyRequired, InsufficientCredits, CreditCapReached, NotFound, IdempotencyConflict,
        GenerationActive, PageLocked, PayloadTooLarge, UnsupportedMediaType, ValidationFailed, AccountLimitReached,
        RateLimited, GenerationUnavailable, Maintenance
    ];
    /// Errors of imports of new pages.
    ImportErrors = AUTHENTICATED [
        InvalidRequest, IdempotencyKeyRequired, IdempotencyConflict, PayloadTooLarge, UnsupportedMediaType,
        ValidationFailed, UnsupportedImage, AccountLimitReached, RateLimited, Maintenance
    ];
    /// Errors of replacing an image.
    ReplaceErrors = AUTHENTICATED [
        InvalidRequest, IdempotencyKeyRequired, NotFound, IdempotencyConflict, GenerationActive, PayloadTooLarge,
        UnsupportedMediaType, ValidationFailed, UnsupportedImage, AccountLimitReached, RateLimited, Maintenance
    ];
    /// Errors of copying a resource.
    CopyErrors = AUTHENTICATED [
        InvalidRequest, IdempotencyKeyRequired, NotFound, IdempotencyConflict, GenerationActive, PayloadTooLarge,
        UnsupportedMediaType, ValidationFailed, AccountLimitReached, RateLimited, Maintenance
    ];
    /// Errors of creating an API key.
    KeyErrors = AUTHENTICATED [
        InvalidRequest, IdempotencyKeyRequired, IdempotencyConflict, PayloadTooLarge, UnsupportedMediaType,
        ValidationFailed, AccountLimitReached, RateLimited, Maintenance
    ];
    /// Errors of rotating an API key.
    KeyRotationErrors = AUTHENTICATED [
        InvalidRequest, IdempotencyKeyRequired, NotFound, IdempotencyConflict, PayloadTooLarge, UnsupportedMediaType,
        ValidationFailed, RateLimited, Maintenance
    ];
    /// Errors of replacing the image of a page.
    PageReplaceErrors = AUTHENTICATED [
        InvalidRequest, IdempotencyKeyRequired, NotFound, IdempotencyConflict, GenerationActive, PageLocked,
        PayloadTooLarge, UnsupportedMediaType, ValidationFailed, UnsupportedImage, AccountLimitReached, RateLimited,
        Maintenance
    ];
    /// Errors of creating an upload.
    UploadErrors = AUTHENTICATED [InvalidRequest, AccountLimitReached, Maintenance];
    /// Errors of lists for operators.
    AdminListErrors = AUTHENTICATED [OperatorRequired, InvalidPagination, InvalidRequest];
    /// Errors of reading one resource for operators.
    AdminResourceErrors = AUTHENTICATED [OperatorRequired, InvalidRequest, NotFound];
    /// Errors of a change of one resource without a body for operators.
    AdminActionErrors = AUTHENTICATED [OperatorRequired, InvalidRequest, NotFound, Maintenance];
    /// Errors of a change of the server's state without a body for operators.
    AdminStateChangeErrors = AUTHENTICATED [OperatorRequired, InvalidRequest, Maintenance];
    /// Errors of reading the server's state for operators.
    AdminStateErrors = AUTHENTICATED [OperatorRequired, InvalidRequest];
    /// Errors of creating a resource for operators.
    AdminErrors = AUTHENTICATED [
        OperatorRequired, InvalidRequest, PayloadTooLarge, UnsupportedMediaType, ValidationFailed, Maintenance
    ];
    /// Errors of changing one resource for operators.
    AdminChangeErrors = AUTHENTICATED [
        OperatorRequired, InvalidRequest, NotFound, PayloadTooLarge, UnsupportedMediaType, ValidationFailed, Maintenance
    ];
    /// Errors of approving, using or configuring a plugin.
    AdminApprovalErrors = AUTHENTICATED [
        OperatorRequired, InvalidRequest, NotFound, SettingsNotWritable, PayloadTooLarge, UnsupportedMediaType,
        ValidationFailed, Maintenance
    ];
    /// Errors of withdrawing the approval of a plugin.
    AdminDisapprovalErrors = AUTHENTICATED [OperatorRequired, InvalidRequest, NotFound, SettingsNotWritable, Maintenance];
    /// Errors of taking an image provider out of use.
    AdminDisuseErrors = AUTHENTICATED [
        OperatorRequired, InvalidRequest, NotFound, SettingsNotWritable, ValidationFailed, Maintenance
    ];
    /// Errors of changing the credits of an account.
    AdminCreditErrors = AUTHENTICATED [
        OperatorRequired, InvalidRequest, IdempotencyKeyRequired, NotFound, IdempotencyConflict, PayloadTooLarge,
        UnsupportedMediaType, ValidationFailed, RateLimited, Maintenance
    ];
    /// Errors of sending a file to an upload.
    FileErrors = ANONYMOUS [
        InvalidRequest, NotFound, PayloadTooLarge, UnsupportedImage, AccountLimitReached, RateLimited, Maintenance
    ];
}

/// Builds one response for each status, with all of its codes.
fn responses(codes: impl Iterator<Item = ErrorCode>) -> BTreeMap<String, RefOr<Response>> {
    let mut by_status: BTreeMap<String, Vec<ErrorCode>> = BTreeMap::new();
    for code in codes {
        by_status
            .entry(code.status().as_str().to_owned())
            .or_default()
            .push(code);
    }
    let responses = by_status.into_iter();
    responses
        .map(|(status, codes)| (status, response(&codes).build().into()))
        .collect()
}

fn response(codes: &[ErrorCode]) -> ResponseBuilder {
    let description: Vec<String> = codes
        .iter()
        .map(|code| format!("`{}`: {}", code.as_str(), with_limits(meaning(*code))))
        .collect();
    let mut content = ContentBuilder::new().schema(Some(Ref::from_schema_name(ErrorEnvelope::name())));
    for code in codes {
        let example = Ref::new(format!("#/components/examples/{}", code.as_str()));
        content = content.examples_from_iter([(code.as_str(), RefOr::<Example>::Ref(example))]);
    }
    ResponseBuilder::new()
        .description(description.join("\n\n"))
        .content("application/json", content.build())
}

/// An example of each code, which the responses refer to.
pub(super) fn examples() -> BTreeMap<String, RefOr<Example>> {
    let examples = ErrorCode::ALL.iter().map(|code| {
        let example = ExampleBuilder::new().value(Some(example(*code)));
        (code.as_str().to_owned(), example.into())
    });
    examples.collect()
}

/// The response to methods that an address does not support, which no operation lists.
pub(super) fn method_not_allowed() -> Response {
    let schema = ObjectBuilder::new()
        .schema_type(Type::String)
        .examples(["GET,HEAD,POST"])
        .build();
    let allow = header("The methods that the address supports.", schema, true);
    response(&[ErrorCode::MethodNotAllowed]).header("Allow", allow).build()
}

/// The body of a failure, with the message that the server sends for the code.
fn example(code: ErrorCode) -> Value {
    let body = sample(code);
    json!(body.envelope("req_01KAFMYG00000000000000000A"))
}

/// The meaning of a code.
fn meaning(code: ErrorCode) -> &'static str {
    match code {
        ErrorCode::InvalidRequest => "the body is not JSON, or a parameter cannot be read",
        ErrorCode::InvalidPagination => "`limit` is out of bounds, or `after` is not a cursor of this list",
        ErrorCode::IdempotencyKeyRequired => {
            "the `Idempotency-Key` is missing, or is not 1 to {max_key_chars} visible ASCII characters"
        }
        ErrorCode::Unauthorized => "the API key is missing or not valid",
        ErrorCode::InsufficientCredits => "the balance does not cover the price; nothing is created or charged",
        ErrorCode::CreditCapReached => {
            "the price exceeds what may still be spent with the API key, or by the app; nothing is created or charged"
        }
        ErrorCode::InsufficientScope => {
            "the API key or the app lacks a scope, which the message names, or the key may not be used from this address"
        }
        ErrorCode::OperatorRequired => "the account is not an operator's",
        ErrorCode::PlanRequired => "the account has no active Business plan",
        ErrorCode::NotFound => "the resource does not exist, or belongs to another account",
        ErrorCode::MethodNotAllowed => "the address does not support the method",
        ErrorCode::IdempotencyConflict => {
            "the key was used for a different request, or for this one, whose response cannot be repeated"
        }
        ErrorCode::GenerationActive => "a generation of the resource is in progress",
        ErrorCode::PageLocked => "the page is locked, so its picture does not change; unlock it first",
        ErrorCode::SettingsNotWritable => "the server may not write its settings file; nothing was changed",
        ErrorCode::PayloadTooLarge => "the body is too large",
        ErrorCode::UnsupportedMediaType => "the operation does not accept this content type",
        ErrorCode::ValidationFailed => "a field is not valid; `details` lists each",
        ErrorCode::AccountLimitReached => "the account has reached one of its limits",
        ErrorCode::UnsupportedImage => {
            "the image has an unsupported format (export a HEIC photo as JPEG) or the wrong aspect ratio"
        }
        ErrorCode::FormatMismatch => "the print format is for books of another aspect",
        ErrorCode::BookNotReady => "a page, or the cover, is not ready; `details` lists each",
        ErrorCode::RateLimited => "too many requests in a short time; try again after `Retry-After`",
        ErrorCode::InternalError => {
            "something went wrong on the server; the operator can find the cause in the log by `request_id`"
        }
        ErrorCode::PlanningUnavailable => "the planner is not available; try again after `Retry-After`",
        ErrorCode::GenerationUnavailable => "no image provider is loaded; nothing was charged",
        ErrorCode::PrintingUnavailable => {
            "the PDF was not ready in time; it continues to be made; try again after `Retry-After`"
        }
        ErrorCode::Maintenance => {
            "the server is read-only for a while, and nothing was changed; try again after `Retry-After`"
        }
        ErrorCode::Overloaded => "the response took too long, or the database is down; try again after `Retry-After`",
    }
}

/// Creates a failure with this code in the same way as the server does.
fn sample(code: ErrorCode) -> Failure {
    let kind = match code {
        ErrorCode::InvalidRequest => return broken_json(),
        ErrorCode::Unauthorized => return Failure::invalid_key(),
        ErrorCode::MethodNotAllowed => return Failure::method_not_allowed(&Method::PUT),
        ErrorCode::PayloadTooLarge => return Failure::too_large("The body", MAX_BODY_BYTES as u64),
        ErrorCode::UnsupportedMediaType => return Failure::unsupported_media_type(NOT_JSON),
        ErrorCode::InvalidPagination => ErrorKind::InvalidPagination(InvalidPagination::Limit {
            most: PageRequest::MAX_LIMIT,
        }),
        ErrorCode::IdempotencyKeyRequired => ErrorKind::IdempotencyKeyMissing,
        ErrorCode::InsufficientCredits => ErrorKind::InsufficientCredits {
            needed: 8,
            available: 3,
        },
        ErrorCode::CreditCapReached => ErrorKind::KeyCapReached {
            cap: 20,
            spent: 15,
            needed: 8,
            period: Some(CreditPeriod::Day),
        },
        ErrorCode::InsufficientScope => ErrorKind::KeyLacksScope {
            missing: Scopes::of(&[Scope::BooksWrite, Scope::CreditsSpend]),
        },
        ErrorCode::PlanRequired => ErrorKind::PlanRequired,
        ErrorCode::OperatorRequired => ErrorKind::OperatorRequired,
        ErrorCode::SettingsNotWritable => ErrorKind::SettingsNotWritable,
        ErrorCode::NotFound => ErrorKind::NotFound { what: "page" },
        ErrorCode::IdempotencyConflict => ErrorKind::IdempotencyConflict,
        ErrorCode::GenerationActive => ErrorKind::GenerationActive {
            what: "page",
            operation: Some(OperationId::from_text("op_01KAFMYG00000000000000000E")),
        },
        ErrorCode::PageLocked => ErrorKind::PageLocked,
        ErrorCode::ValidationFailed => ErrorKind::ValidationFailed(blank_title()),
        ErrorCode::AccountLimitReached => ErrorKind::AccountLimitReached {
            what: "pages",
            limit: 10_000,
            advice: "Delete some.",
        },
        ErrorCode::UnsupportedImage => return Error::from(ArtworkError::NotAnImage).into(),
        ErrorCode::FormatMismatch => ErrorKind::FormatMismatch(FormatMismatch::OtherAspect {
            format: "square".into(),
            format_aspect: Aspect::Square.as_str(),
            book_aspect: Aspect::Portrait.as_str(),
            known: vec!["us_letter".into(), "a4".into()],
        }),
        ErrorCode::BookNotReady => ErrorKind::BookNotReady(vec![Detail {
            field: Field::pages().at(2),
            message: "page_01KAFMYG00000000000000000C is generating, by op_01KAFMYG00000000000000000E".into(),
        }]),
        ErrorCode::RateLimited => ErrorKind::RateLimited {
            what: "requests in a short time",
            retry_after: Duration::from_secs(12),
        },
        ErrorCode::PlanningUnavailable => ErrorKind::PlanningUnavailable {
            retry_after: Duration::from_secs(30),
        },
        ErrorCode::GenerationUnavailable => ErrorKind::GenerationUnavailable {
            retry_after: Duration::from_secs(30),
        },
        ErrorCode::PrintingUnavailable => ErrorKind::PrintingUnavailable {
            retry_after: Duration::from_secs(10),
        },
        ErrorCode::Overloaded => ErrorKind::Overloaded {
            retry_after: Duration::from_secs(5),
        },
        ErrorCode::Maintenance => ErrorKind::Maintenance {
            notice: "The server is under maintenance and cannot be changed for now. Back at 14:00 UTC.".into(),
            retry_after: Duration::from_secs(60),
        },
        ErrorCode::InternalError => ErrorKind::Internal,
    };
    kind.into()
}

fn broken_json() -> Failure {
    match extract::parse::<NewPage>(b"{") {
        Err(failure) => failure,
        Ok(_) => unreachable!("half an object is not JSON"),
    }
}

fn blank_title() -> Vec<Detail> {
    let page = NewPage {
        title: " ".into(),
        ..NewPage::default()
    };
    let refusal = validation::check(&page).expect_err("a blank title is refused");
    refusal.within(&Field::page()).details()
}
