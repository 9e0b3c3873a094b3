//! What every interface shares that speaks HTTP: failures and their envelope, request ids, authentication, time limits,
//! health. It knows no interface.

pub mod authentication;
pub mod error_code;
pub mod failure;
pub mod health;
pub mod listener;
pub mod request_id;
pub mod time_limit;

pub use error_code::ErrorCode;
pub use failure::{Failure, Reply};

use axum::body::Body;
use axum::http::{HeaderName, HeaderValue, header};
use axum::response::{IntoResponse, Response};

use url::form_urlencoded::byte_serialize;

use crate::app::App;
use crate::file_name::FileName;
use crate::storage::StoredObject;

/// The body of a response that is read from storage while it is sent; where nobody wants it, nothing is read.
pub fn sent(object: StoredObject) -> Response {
    let length = [(header::CONTENT_LENGTH, HeaderValue::from(object.size))];
    (length, Body::from_stream(object.chunks)).into_response()
}

/// How a file is called, and whether it is to be kept (`attachment`) or shown (`inline`). A client that knows RFC 6266 takes
/// the full name.
pub(crate) fn disposition(how: &str, name: &FileName) -> String {
    let plain = &name.plain;
    match &name.full {
        None => format!("{how}; filename=\"{plain}\""),
        Some(full) => {
            // It holds no space, so this leaves nothing that RFC 8187 does not let stand.
            let full: String = byte_serialize(full.as_bytes()).collect();
            format!("{how}; filename=\"{plain}\"; filename*=UTF-8''{full}")
        }
    }
}

/// `X-<brand>-<name>`.
pub fn brand_header(app: &App, name: &str) -> HeaderName {
    let name = format!("x-{}-{name}", app.config.brand).to_ascii_lowercase();
    HeaderName::try_from(name).expect("the configuration checked the brand")
}
