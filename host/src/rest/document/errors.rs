//! Error responses: which codes an operation may respond with, under which status and why.
use std::collections::BTreeMap;
use std::time::Duration;

use axum::http::Method;
use linepress_imaging::ArtworkError;
use linepress_model::Aspect;
use serde_json::{Map, Value, json};
use utoipa::IntoResponses;
use utoipa::openapi::example::Example;
use utoipa::openapi::{ContentBuilder, Ref, RefOr, Response, ResponseBuilder};

use crate::database::PageRequest;
use crate::error::{Detail, Error, ErrorKind, FormatMismatch, InvalidPagination};
use crate::http::{ErrorCode, Failure};
use crate::ids::OperationId;
use crate::pages::NewPage;
use crate::rest::extract::{self, MAX_BODY, NOT_JSON};
use crate::scopes::{Scope, Scopes};
use crate::validation;

type Responses = BTreeMap<String, RefOr<Response>>;

/// Sets of errors that several operations share. Of two sets with the same status the later one in a handler's list counts.
macro_rules! error_responses {
    ($($(#[$doc:meta])* $name:ident { $($code:ident,)* })*) => {$(
        $(#[$doc])*
        pub(crate) struct $name;

        impl IntoResponses for $name {
            fn responses() -> Responses {
                responses(&[$(ErrorCode::$code),*])
            }
        }
    )*};
}

error_responses! {
    /// What every operation may respond with.
    CommonErrors { InvalidRequest, Unauthorized, PlanRequired, InternalError, Overloaded, }
    /// Operations on one resource.
    NotFoundErrors { NotFound, }
    /// Lists.
    PaginationErrors { InvalidPagination, InvalidRequest, }
    /// Imports.
    ImportErrors {
        InvalidRequest, IdempotencyKeyRequired, IdempotencyConflict, PayloadTooLarge, UnsupportedMediaType, ValidationFailed,
        UnsupportedImage, AccountLimitReached, RateLimited,
    }
    /// Replacing a page's image.
    ReplaceErrors {
        InvalidRequest, IdempotencyKeyRequired, IdempotencyConflict, PayloadTooLarge, UnsupportedMediaType, ValidationFailed,
        UnsupportedImage, AccountLimitReached, GenerationActive, RateLimited,
    }
    /// Operations that may meet an account limit.
    LimitErrors { AccountLimitReached, }
    /// Pages of a book; attaching one costs nothing and starts nothing.
    BookPageErrors {
        InvalidRequest, IdempotencyKeyRequired, InsufficientCredits, IdempotencyConflict, GenerationActive, PayloadTooLarge,
        UnsupportedMediaType, ValidationFailed, AccountLimitReached, RateLimited, GenerationUnavailable, Overloaded,
    }
    /// Operations with a JSON body.
    BodyErrors { InvalidRequest, PayloadTooLarge, UnsupportedMediaType, ValidationFailed, }
    /// Generations.
    GenerationErrors {
        InvalidRequest, IdempotencyKeyRequired, InsufficientCredits, IdempotencyConflict, PayloadTooLarge,
        UnsupportedMediaType, ValidationFailed, AccountLimitReached, RateLimited, GenerationUnavailable, Overloaded,
    }
    /// Generations for what exists already; stands after `GenerationErrors`.
    RegenerationErrors { IdempotencyConflict, GenerationActive, }
    /// Generations from a picture; stands after `GenerationErrors`.
    SourceErrors { ValidationFailed, AccountLimitReached, UnsupportedImage, }
    /// Planning.
    PlanningErrors { ValidationFailed, AccountLimitReached, RateLimited, PlanningUnavailable, Overloaded, }
    /// Printing.
    PdfErrors { InvalidRequest, FormatMismatch, BookNotReady, RateLimited, PrintingUnavailable, Overloaded, }
    /// Images.
    DownloadErrors { RateLimited, }
    /// Files of uploads.
    UploadErrors { InvalidRequest, PayloadTooLarge, UnsupportedImage, AccountLimitReached, RateLimited, InternalError, Overloaded, }
}

/// One response for each status, with all of its codes.
fn responses(codes: &[ErrorCode]) -> Responses {
    let mut by_status: BTreeMap<u16, Vec<ErrorCode>> = BTreeMap::new();
    for code in codes {
        by_status.entry(code.status().as_u16()).or_default().push(*code);
    }
    let responses = by_status.into_iter();
    responses
        .map(|(status, codes)| (status.to_string(), response(&codes).into()))
        .collect()
}

fn response(codes: &[ErrorCode]) -> Response {
    let description: Vec<String> = codes
        .iter()
        .map(|code| format!("`{}`: {}", code.as_str(), meaning(*code)))
        .collect();
    let mut content = ContentBuilder::new().schema(Some(Ref::from_schema_name("Error")));
    for code in codes {
        let example = Ref::new(format!("#/components/examples/{}", code.as_str()));
        content = content.examples_from_iter([(code.as_str(), RefOr::<Example>::Ref(example))]);
    }
    ResponseBuilder::new()
        .description(description.join("\n\n"))
        .content("application/json", content.build())
        .build()
}

/// Adds an example of each code, which the responses refer to, and the response that no operation has: it is for methods
/// that have none.
pub(super) fn describe(document: &mut Value) {
    let examples: Map<_, _> = ErrorCode::ALL
        .iter()
        .map(|code| (code.as_str().to_owned(), json!({"value": example(*code)})))
        .collect();
    document["components"]["examples"] = examples.into();
    let mut refused = json!(response(&[ErrorCode::MethodNotAllowed]));
    refused["headers"] = json!({"Allow": {
        "description": "The methods that the address knows.",
        "required": true,
        "schema": {"type": "string", "examples": ["GET,HEAD,POST"]},
    }});
    document["components"]["responses"] = json!({"MethodNotAllowed": refused});
}

/// The body of a failure that is really sent with a code.
fn example(code: ErrorCode) -> Value {
    let body = sample(code);
    json!(body.envelope("req_01KAFMYG00000000000000000A"))
}

/// When a code is sent.
fn meaning(code: ErrorCode) -> &'static str {
    match code {
        ErrorCode::InvalidRequest => "the body is not JSON, or a parameter cannot be read",
        ErrorCode::InvalidPagination => "`limit` is out of bounds, or `after` is no cursor of this list",
        ErrorCode::IdempotencyKeyRequired => {
            "the `Idempotency-Key` is missing, or is not 1 to 255 visible ASCII characters"
        }
        ErrorCode::Unauthorized => "the API key is missing or not valid",
        ErrorCode::InsufficientCredits => "the balance does not cover the price; nothing is created or charged",
        ErrorCode::CreditCapReached => {
            "of apps alone: the price is more than the app may still spend; nothing is created or charged"
        }
        ErrorCode::InsufficientScope => "of apps alone: this was not granted to the app",
        ErrorCode::PlanRequired => "the account has no active Business plan",
        ErrorCode::NotFound => "there is no such resource, or it is not the account's",
        ErrorCode::MethodNotAllowed => "the address does not know the method",
        ErrorCode::IdempotencyConflict => "the key was used for another request",
        ErrorCode::GenerationActive => "the resource already has a generation under way",
        ErrorCode::PayloadTooLarge => "the body is too large",
        ErrorCode::UnsupportedMediaType => "the body is of a kind that is not taken here",
        ErrorCode::ValidationFailed => "a field is not valid; `details` names each",
        ErrorCode::AccountLimitReached => "the account has as many as it may have",
        ErrorCode::UnsupportedImage => "the image is of no supported kind, or has the wrong shape",
        ErrorCode::FormatMismatch => "the print format is for books of another aspect",
        ErrorCode::BookNotReady => "a page, or the cover, is not ready; `details` names each",
        ErrorCode::RateLimited => "too many requests in a short time; try again after `Retry-After`",
        ErrorCode::InternalError => "something went wrong on the server; `request_id` leads to its log",
        ErrorCode::PlanningUnavailable => "the planner cannot work now; try again after `Retry-After`",
        ErrorCode::GenerationUnavailable => "no image provider is loaded; nothing was charged",
        ErrorCode::PrintingUnavailable => {
            "the PDF was not made in time, and goes on being made; try again after `Retry-After`"
        }
        ErrorCode::Overloaded => "the response took too long, or the database is down; try again after `Retry-After`",
    }
}

/// A failure with a code, made as the server makes it.
fn sample(code: ErrorCode) -> Failure {
    let kind = match code {
        ErrorCode::InvalidRequest => return broken_json(),
        ErrorCode::Unauthorized => return Failure::invalid_key(),
        ErrorCode::MethodNotAllowed => return Failure::method_not_allowed(&Method::PUT),
        ErrorCode::PayloadTooLarge => return Failure::too_large("The body", MAX_BODY as u64),
        ErrorCode::UnsupportedMediaType => return Failure::unsupported_media_type(NOT_JSON),
        ErrorCode::InvalidPagination => ErrorKind::InvalidPagination(InvalidPagination::Limit {
            most: PageRequest::MAX_LIMIT,
        }),
        ErrorCode::IdempotencyKeyRequired => ErrorKind::IdempotencyKeyMissing,
        ErrorCode::InsufficientCredits => ErrorKind::InsufficientCredits {
            needed: 8,
            available: 3,
        },
        ErrorCode::CreditCapReached => ErrorKind::CreditCapReached {
            cap: 20,
            spent: 15,
            needed: 8,
        },
        ErrorCode::InsufficientScope => ErrorKind::InsufficientScope {
            needed: Scopes::of(&[Scope::BooksWrite, Scope::CreditsSpend]),
        },
        ErrorCode::PlanRequired => ErrorKind::PlanRequired,
        ErrorCode::NotFound => ErrorKind::NotFound { what: "page" },
        ErrorCode::IdempotencyConflict => ErrorKind::IdempotencyConflict,
        ErrorCode::GenerationActive => ErrorKind::GenerationActive {
            what: "page",
            operation: Some(OperationId::from_text("op_01KAFMYG00000000000000000E")),
        },
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
            field: "pages[2]".into(),
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
        ErrorCode::InternalError => ErrorKind::Internal,
    };
    kind.into()
}

fn broken_json() -> Failure {
    match extract::parse::<NewPage>(b"{") {
        Err(failure) => failure,
        Ok(_) => unreachable!("half an object is no JSON"),
    }
}

fn blank_title() -> Vec<Detail> {
    let page = NewPage {
        title: " ".into(),
        ..NewPage::default()
    };
    let refusal = validation::check("page", &page).expect_err("a blank title is refused");
    refusal.details()
}
