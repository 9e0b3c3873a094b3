//! Requests to web APIs with JSON, forms or bytes, and with limits of time and size.
//!
//! The server sends the requests: it refuses origins that the plugin was not granted, adds the credentials that the
//! plugin's manifest names, and does not follow redirects.

/// The double of the API in unit tests.
#[cfg(not(target_family = "wasm"))]
pub(crate) mod double;
/// Errors of requests without a response.
mod error;
/// Bodies with fields and files.
mod form;
/// Responses.
mod response;
/// The header `Retry-After`.
mod retry_after;
/// Sending over `wasi:http`.
#[cfg(target_family = "wasm")]
mod wasi;

use std::time::Duration;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Serialize;

pub use self::error::Error;
pub use self::form::Form;
pub use self::response::{Problem, Response};
use crate::{Deadline, Failure};

/// Default limit of a response body in bytes.
const DEFAULT_RESPONSE_LIMIT: usize = 48 << 20;

/// An HTTP method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    Get,
    Post,
}

impl Method {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
        }
    }
}

/// Time limits for the parts of an exchange.
#[derive(Clone, Copy, Debug)]
pub struct Timeouts {
    /// Time limit for establishing the connection.
    pub connect: Duration,
    /// Time limit from the request to the first byte of its response, which includes the model's work.
    pub first_byte: Duration,
    /// Time limit for a pause between two bytes of the response.
    pub between_bytes: Duration,
    /// Time limit for the whole exchange, which ends a response that arrives too slowly.
    pub total: Duration,
}

/// A request that can be sent once.
#[derive(Clone, Debug)]
pub struct Request {
    pub method: Method,
    pub url: String,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
    pub timeouts: Timeouts,
    /// Maximum size of the response body in bytes.
    pub limit: usize,
}

impl Request {
    pub fn new(method: Method, url: impl Into<String>, deadline: &Deadline) -> Self {
        let total = deadline.remaining();
        Self {
            method,
            url: url.into(),
            headers: Vec::new(),
            body: Vec::new(),
            timeouts: Timeouts {
                connect: total.min(Duration::from_secs(15)),
                first_byte: total,
                between_bytes: total.min(Duration::from_secs(60)),
                total,
            },
            limit: DEFAULT_RESPONSE_LIMIT,
        }
    }

    pub fn get(url: impl Into<String>, deadline: &Deadline) -> Self {
        Self::new(Method::Get, url, deadline)
    }

    pub fn post(url: impl Into<String>, deadline: &Deadline) -> Self {
        Self::new(Method::Post, url, deadline)
    }

    /// Adds a header.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Sets the body and its media type.
    #[must_use]
    pub fn body(mut self, media_type: &str, body: Vec<u8>) -> Self {
        self.body = body;
        self.header("content-type", media_type)
    }

    /// Sets a JSON body, and accepts JSON.
    #[must_use]
    pub fn json(self, body: &impl Serialize) -> Self {
        let body = serde_json::to_vec(body).expect("the maps of a request body have text keys");
        self.header("accept", "application/json").body("application/json", body)
    }

    /// Sets a form as the body, and accepts JSON.
    #[must_use]
    pub fn form(self, form: Form) -> Self {
        let (media_type, body) = form.encode();
        self.header("accept", "application/json").body(&media_type, body)
    }

    /// Changes the time limits.
    #[must_use]
    pub fn timeouts(mut self, change: impl FnOnce(&mut Timeouts)) -> Self {
        change(&mut self.timeouts);
        self
    }

    /// Sets the maximum size of the response body.
    #[must_use]
    pub fn limit(mut self, bytes: usize) -> Self {
        self.limit = bytes;
        self
    }

    /// Sends the request and reads the whole response, regardless of its status.
    pub fn send(self) -> Result<Response, Error> {
        #[cfg(target_family = "wasm")]
        return wasi::send(self);
        #[cfg(not(target_family = "wasm"))]
        return double::answer(self);
    }

    /// Method and URL for the log. The query is left out, because it may contain a signature.
    pub(crate) fn name(&self) -> String {
        let address = self.url.split(['?', '#']).next().unwrap_or_default();
        format!("{} {address}", self.method.as_str())
    }
}

/// Downloads a result from a URL that an API returned. Such URLs expire within minutes; an expired URL is
/// [`Failure::Other`], because the next attempt gets a new one.
pub fn download(url: &str, deadline: &Deadline) -> Result<Vec<u8>, Failure> {
    let response = Request::get(url, deadline).send()?;
    match response.status {
        200..=299 => Ok(response.body),
        401 | 403 | 404 | 410 => Err(Failure::Other(format!(
            "{}: the URL of the result has expired (status {})",
            response.request, response.status
        ))),
        _ => Err(response.failure()),
    }
}

/// Joins a base URL and a path, with exactly one slash between them.
pub fn join(base: &str, path: &str) -> String {
    format!("{}/{}", base.trim_end_matches('/'), path.trim_start_matches('/'))
}

/// Encodes names and values as a query such as `a=1&b=2`.
pub fn query(pairs: &[(&str, &str)]) -> String {
    /// All characters except the unreserved ones of RFC 3986.
    const RESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');
    let pair = |(name, value): &(&str, &str)| {
        let value = utf8_percent_encode(value, RESERVED);
        format!("{}={value}", utf8_percent_encode(name, RESERVED))
    };
    pairs.iter().map(pair).collect::<Vec<_>>().join("&")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_and_queries_are_joined() {
        assert_eq!(
            join("http://localhost:1/v1/", "/images"),
            "http://localhost:1/v1/images"
        );
        assert_eq!(join("http://localhost:1", "view"), "http://localhost:1/view");
        assert_eq!(query(&[("a", "b c&d"), ("é", "/")]), "a=b%20c%26d&%C3%A9=%2F");
    }

    #[test]
    fn no_timeout_exceeds_the_deadline() {
        let request = Request::get("http://localhost", &Deadline::after_seconds(5));
        let Timeouts {
            connect,
            first_byte,
            between_bytes,
            total,
        } = request.timeouts;
        assert!(
            [connect, first_byte, between_bytes, total]
                .into_iter()
                .all(|time| time <= Duration::from_secs(5))
        );
    }

    #[test]
    fn a_signature_is_not_logged() {
        let request = Request::get(
            "https://example.com/a.png?signature=secret",
            &Deadline::after_seconds(1),
        );
        assert_eq!(request.name(), "GET https://example.com/a.png");
    }
}
