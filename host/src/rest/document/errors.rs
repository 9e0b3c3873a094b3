//! Error responses: which codes an operation may answer, under which status and why.
use std::collections::BTreeMap;

use serde_json::{Value, json};
use utoipa::IntoResponses;
use utoipa::openapi::example::{Example, ExampleBuilder};
use utoipa::openapi::schema::{AllOfBuilder, Type};
use utoipa::openapi::{ContentBuilder, ObjectBuilder, Ref, RefOr, Response, ResponseBuilder};

use crate::error::ErrorCode;
use crate::rest::reply::status_of;

type Responses = BTreeMap<String, RefOr<Response>>;

/// Sets of errors that several operations share. Of two sets with the same status the later one in a handler's list counts.
macro_rules! error_responses {
    ($($(#[$doc:meta])* $name:ident { $($code:ident,)* })*) => {$(
        $(#[$doc])*
        pub struct $name;

        impl IntoResponses for $name {
            fn responses() -> Responses {
                responses(&[$(ErrorCode::$code),*])
            }
        }
    )*};
}

error_responses! {
    /// What every operation may answer.
    Refusals { Unauthorized, PlanRequired, InternalError, }
    /// Operations on one resource.
    Missing { NotFound, }
    /// Lists.
    PaginationErrors { InvalidPagination, InvalidRequest, }
    /// Imports.
    ImportErrors {
        InvalidRequest, PayloadTooLarge, UnsupportedMediaType, ValidationFailed, UnsupportedImage, AccountLimitReached,
    }
    /// Replacing a page's image.
    ReplaceErrors {
        InvalidRequest, PayloadTooLarge, UnsupportedMediaType, ValidationFailed, UnsupportedImage, GenerationActive,
    }
    /// Operations that may meet an account limit.
    LimitErrors { AccountLimitReached, }
    /// Pages of a book; attaching one costs nothing and starts nothing.
    BookPageErrors {
        InvalidRequest, IdempotencyKeyRequired, InsufficientCredits, IdempotencyConflict, GenerationActive, PayloadTooLarge,
        UnsupportedMediaType, ValidationFailed, AccountLimitReached,
    }
    /// Operations with a JSON body.
    BodyErrors { InvalidRequest, PayloadTooLarge, UnsupportedMediaType, ValidationFailed, }
    /// Generations.
    Generation {
        InvalidRequest, IdempotencyKeyRequired, InsufficientCredits, IdempotencyConflict, PayloadTooLarge,
        UnsupportedMediaType, ValidationFailed, AccountLimitReached,
    }
    /// Generations for what exists already; stands after `Generation`.
    Regeneration { IdempotencyConflict, GenerationActive, }
    /// Planning.
    PlanningErrors { RateLimited, PlanningUnavailable, }
    /// Printing.
    PdfErrors { InvalidRequest, FormatMismatch, BookNotReady, }
}

/// One response for each status, with all of its codes.
fn responses(codes: &[ErrorCode]) -> Responses {
    let mut by_status: BTreeMap<u16, Vec<ErrorCode>> = BTreeMap::new();
    for code in codes {
        by_status.entry(status_of(*code).as_u16()).or_default().push(*code);
    }
    let responses = by_status.into_iter();
    responses
        .map(|(status, codes)| (status.to_string(), response(&codes).into()))
        .collect()
}

fn response(codes: &[ErrorCode]) -> Response {
    let description: Vec<String> = codes
        .iter()
        .map(|code| format!("`{}`: {}", word(*code), meaning(*code)))
        .collect();
    let code = ObjectBuilder::new()
        .schema_type(Type::String)
        .enum_values(Some(codes.iter().map(|code| word(*code))));
    let error = ObjectBuilder::new().property("code", code);
    let schema = AllOfBuilder::new()
        .item(Ref::from_schema_name("Error"))
        .item(ObjectBuilder::new().property("error", error));
    let mut content = ContentBuilder::new().schema(Some(schema));
    for code in codes {
        content = content.examples_from_iter([(word(*code), RefOr::T(example(*code)))]);
    }
    ResponseBuilder::new()
        .description(description.join("\n\n"))
        .content("application/json", content.build())
        .build()
}

fn example(code: ErrorCode) -> Example {
    let mut error = json!({
        "code": code,
        "message": message(code),
        "request_id": "req_01KAFMYG00000000000000000A",
    });
    if let Some(details) = details(code) {
        error["details"] = details;
    }
    ExampleBuilder::new().value(Some(json!({"error": error}))).build()
}

/// The code as it stands on the wire.
fn word(code: ErrorCode) -> String {
    match json!(code) {
        Value::String(word) => word,
        _ => unreachable!("a code is written as a word"),
    }
}

/// When a code is answered.
fn meaning(code: ErrorCode) -> &'static str {
    match code {
        ErrorCode::InvalidRequest => "the body is not JSON, or a parameter cannot be read",
        ErrorCode::InvalidPagination => "`limit` is out of bounds, or `after` is no cursor of this list",
        ErrorCode::IdempotencyKeyRequired => {
            "the `Idempotency-Key` is missing, or is not 1 to 255 visible ASCII characters"
        }
        ErrorCode::Unauthorized => "the API key is missing or not valid",
        ErrorCode::InsufficientCredits => "the balance does not cover the price; nothing is created or charged",
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
        ErrorCode::BookNotReady => "a page is not ready; `details` names each",
        ErrorCode::RateLimited => "too many requests in a short time; try again after `Retry-After`",
        ErrorCode::InternalError => "something went wrong on the server; `request_id` leads to its log",
        ErrorCode::PlanningUnavailable => "the planner cannot work now; try again after `Retry-After`",
    }
}

/// A message as it is really sent with a code.
fn message(code: ErrorCode) -> &'static str {
    match code {
        ErrorCode::InvalidRequest => "The body is not valid JSON: EOF while parsing an object at line 1 column 1.",
        ErrorCode::InvalidPagination => "limit must be a whole number from 1 to 100.",
        ErrorCode::IdempotencyKeyRequired => {
            "Send an Idempotency-Key header with a new unique value, so that a retry cannot charge twice."
        }
        ErrorCode::Unauthorized => "The API key is not valid. It may have been revoked.",
        ErrorCode::InsufficientCredits => "This needs 8 credits and the account has 3.",
        ErrorCode::PlanRequired => {
            "This needs an active Business plan. The operator of this server can change the plan."
        }
        ErrorCode::NotFound => "There is no such page.",
        ErrorCode::MethodNotAllowed => "PUT is not allowed here; the Allow header lists what is.",
        ErrorCode::IdempotencyConflict => {
            "This Idempotency-Key was used for another request. Send a new key, or the same method, path and body."
        }
        ErrorCode::GenerationActive => {
            "This page already has a generation under way. Wait until its operation has ended."
        }
        ErrorCode::PayloadTooLarge => "The body is larger than 4194304 bytes.",
        ErrorCode::UnsupportedMediaType => "Send JSON, with Content-Type: application/json.",
        ErrorCode::ValidationFailed => "page.title: must not be blank.",
        ErrorCode::AccountLimitReached => "The account has as many pages as it may have.",
        ErrorCode::UnsupportedImage => "The image is not a PNG, JPEG or WebP file.",
        ErrorCode::FormatMismatch => {
            "square is for square books and this one is portrait. It can be printed as: us_letter, a4."
        }
        ErrorCode::BookNotReady => {
            "Not every page of the book is ready. Wait for, regenerate or replace those in `details`."
        }
        ErrorCode::RateLimited => "Too many plans in a short time. Try again later.",
        ErrorCode::InternalError => "Something went wrong on our side. The request id leads to the log.",
        ErrorCode::PlanningUnavailable => "Book planning is temporarily unavailable. Try again later.",
    }
}

fn details(code: ErrorCode) -> Option<Value> {
    match code {
        ErrorCode::ValidationFailed => Some(json!([{"field": "page.title", "message": "must not be blank"}])),
        ErrorCode::BookNotReady => Some(json!([
            {"field": "pages[2]", "message": "page_01KAFMYG00000000000000000C is generating"},
        ])),
        _ => None,
    }
}
