//! Requests to web APIs: JSON, forms and bytes there and back, within limits of time and size.
//!
//! The server carries them out: it asks for no address that the plugin was not granted, adds the credentials of the
//! plugin's manifest, and follows no redirect.

/// What can keep a request from an answer.
mod error;
/// Files and fields in one body.
mod form;
/// What comes back.
mod response;
/// How long an API wants to be left alone.
mod retry_after;
/// Over `wasi:http`.
#[cfg(target_family = "wasm")]
mod wasi;

use std::time::Duration;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Serialize;

pub use self::error::Error;
pub use self::form::Form;
pub use self::response::{Problem, Response};
use crate::{Deadline, Failure};

/// What is read of a response at most, unless a request says otherwise.
const RESPONSE_BYTES: usize = 48 << 20;

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

/// How long each part of an exchange may take.
#[derive(Clone, Copy, Debug)]
pub struct Timeouts {
    pub connect: Duration,
    /// From the request to the first byte of its response: the time a model thinks.
    pub first_byte: Duration,
    pub between_bytes: Duration,
    /// All of it together, which ends a response that drips.
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
    /// How many bytes of the response's body are read before it counts as too large.
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
            limit: RESPONSE_BYTES,
        }
    }

    pub fn get(url: impl Into<String>, deadline: &Deadline) -> Self {
        Self::new(Method::Get, url, deadline)
    }

    pub fn post(url: impl Into<String>, deadline: &Deadline) -> Self {
        Self::new(Method::Post, url, deadline)
    }

    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// With bytes of a media type as its body.
    #[must_use]
    pub fn body(mut self, media_type: &str, body: Vec<u8>) -> Self {
        self.body = body;
        self.header("content-type", media_type)
    }

    /// With JSON as its body, and asking for JSON.
    #[must_use]
    pub fn json(self, body: &impl Serialize) -> Self {
        let body = serde_json::to_vec(body).expect("what a plugin sends has text keys");
        self.header("accept", "application/json").body("application/json", body)
    }

    /// With a form as its body, and asking for JSON.
    #[must_use]
    pub fn form(self, form: Form) -> Self {
        let (media_type, body) = form.encode();
        self.header("accept", "application/json").body(&media_type, body)
    }

    #[must_use]
    pub fn timeouts(mut self, change: impl FnOnce(&mut Timeouts)) -> Self {
        change(&mut self.timeouts);
        self
    }

    #[must_use]
    pub fn limit(mut self, bytes: usize) -> Self {
        self.limit = bytes;
        self
    }

    /// Sends it and reads the whole response, whatever its status is.
    pub fn send(self) -> Result<Response, Error> {
        #[cfg(target_family = "wasm")]
        return wasi::send(self);
        #[cfg(not(target_family = "wasm"))]
        return crate::testing::answer(self);
    }

    /// Method and address, for the log. A query may be a signature, so it stays out.
    pub(crate) fn name(&self) -> String {
        let address = self.url.split(['?', '#']).next().unwrap_or_default();
        format!("{} {address}", self.method.as_str())
    }
}

/// Fetches a result that an API gave the address of. Such addresses expire within minutes, and the next attempt gets
/// another one.
pub fn download(url: &str, deadline: &Deadline) -> Result<Vec<u8>, Failure> {
    let response = Request::get(url, deadline).send()?;
    match response.status {
        200..=299 => Ok(response.body),
        401 | 403 | 404 | 410 => Err(Failure::Other(format!(
            "{}: the address of the result has expired (status {})",
            response.request, response.status
        ))),
        _ => Err(response.failure()),
    }
}

/// The address of something under a base address, however that ends.
pub fn join(base: &str, path: &str) -> String {
    format!("{}/{}", base.trim_end_matches('/'), path.trim_start_matches('/'))
}

/// A query from names and values: `a=1&b=2`.
pub fn query(pairs: &[(&str, &str)]) -> String {
    /// All but what RFC 3986 calls unreserved.
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
    fn addresses_are_put_together() {
        assert_eq!(
            join("http://localhost:1/v1/", "/images"),
            "http://localhost:1/v1/images"
        );
        assert_eq!(join("http://localhost:1", "view"), "http://localhost:1/view");
        assert_eq!(query(&[("a", "b c&d"), ("é", "/")]), "a=b%20c%26d&%C3%A9=%2F");
    }

    #[test]
    fn no_timeout_reaches_beyond_the_deadline() {
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
    fn a_signature_stays_out_of_the_log() {
        let request = Request::get(
            "https://example.com/a.png?signature=secret",
            &Deadline::after_seconds(1),
        );
        assert_eq!(request.name(), "GET https://example.com/a.png");
    }
}
