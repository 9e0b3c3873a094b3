//! The parts that all HTTP interfaces share: failures and their envelope, request ids, authentication, browser
//! sessions, time limits, health checks, and the rendering of web pages. This module does not depend on any interface.

// The templates of the shared pages are compiled into other crates, too, and name this one.
extern crate self as linepress_http;

mod activity;
pub mod appearance;
pub mod assets;
pub mod authentication;
pub mod body;
pub mod byte_range;
pub mod client_address;
pub mod compression;
mod connections;
pub mod csv;
pub mod error_code;
pub mod failure;
pub mod failure_page;
pub mod file_form;
pub mod following;
pub mod form;
pub mod handler;
pub mod health;
pub mod html;
/// JSON as clients send it.
pub mod json;
pub mod listener;
pub mod maintenance;
pub mod metrics;
pub mod outage_log;
mod paced;
mod path_id;
pub mod protection;
pub mod proxy_advice;
mod query;
mod rate_limit;
pub mod request_id;
pub mod request_log;
mod rest_of_body;
pub mod return_to;
pub mod same_origin;
pub mod session;
pub mod session_cookie;
pub mod statement_tables;
pub mod time_limit;
mod wording;

pub use error_code::ErrorCode;
pub use failure::whole_seconds;
pub use failure::{Failure, Reply};
pub use path_id::PathId;
pub use query::Query;

use axum::body::Body;
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use axum::response::{IntoResponse, Response};

use url::form_urlencoded::byte_serialize;

use linepress_platform::app::App;
use linepress_platform::file_name::FileName;
use linepress_platform::storage::StoredObject;

/// A response whose body is read from storage while it is sent; for a `HEAD` request nothing is read.
pub fn object_response(object: StoredObject) -> Response {
    let length = [(header::CONTENT_LENGTH, HeaderValue::from(object.size))];
    (length, Body::from_stream(object.chunks)).into_response()
}

/// Returns true if the `Content-Type` is `kind`, ignoring its parameters.
pub fn is_of_kind(headers: &HeaderMap, kind: &str) -> bool {
    let line = headers.get(header::CONTENT_TYPE).and_then(|line| line.to_str().ok());
    let essence = line.and_then(|line| line.split(';').next());
    essence.is_some_and(|essence| essence.trim().eq_ignore_ascii_case(kind))
}

/// The media type of forms from browsers and OAuth clients.
pub const FORM: &str = "application/x-www-form-urlencoded";

/// The `Content-Disposition` of a file: `how` is `attachment` (save) or `inline` (show). Clients that support RFC 6266
/// use the full name.
pub fn disposition(how: &str, name: &FileName) -> String {
    let plain = &name.plain;
    match &name.full {
        None => format!("{how}; filename=\"{plain}\""),
        Some(full) => {
            // The name contains no spaces, so form encoding leaves only characters that RFC 8187 allows.
            let full: String = byte_serialize(full.as_bytes()).collect();
            format!("{how}; filename=\"{plain}\"; filename*=UTF-8''{full}")
        }
    }
}

/// The headers of a file: its media type and its `Content-Disposition`.
pub fn file_headers(media_type: impl Into<String>, how: &str, name: &FileName) -> [(HeaderName, String); 2] {
    [
        (header::CONTENT_TYPE, media_type.into()),
        (header::CONTENT_DISPOSITION, disposition(how, name)),
    ]
}

/// The header `X-<brand>-<name>`.
pub(crate) fn brand_header(app: &App, name: &str) -> HeaderName {
    let name = format!("x-{}-{name}", app.config.brand).to_ascii_lowercase();
    HeaderName::try_from(name).expect("the configuration checked the brand")
}
