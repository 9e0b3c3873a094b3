//! Responses of an API, and the requests that it received.
use std::time::Duration;

use serde_json::Value;

use crate::test_app::Page;

/// A response with a length, so that a truncated one is detected.
#[derive(Clone)]
pub(super) struct Reply {
    status: u16,
    headers: Vec<(&'static str, &'static str)>,
    body: Vec<u8>,
    /// The number of bytes of the body that are sent before the connection ends.
    cut: Option<usize>,
}

impl Reply {
    pub(super) fn bytes(status: u16, body: &[u8]) -> Self {
        Self {
            status,
            headers: Vec::new(),
            body: body.into(),
            cut: None,
        }
    }

    pub(super) fn json(status: u16, body: &Value) -> Self {
        Self::bytes(status, body.to_string().as_bytes()).header("Content-Type", "application/json")
    }

    pub(super) fn header(mut self, name: &'static str, value: &'static str) -> Self {
        self.headers.push((name, value));
        self
    }

    /// Ends the connection in the middle of the body.
    pub(super) fn cut(mut self) -> Self {
        self.cut = Some(self.body.len() / 2);
        self
    }

    pub(super) fn page(self) -> Page {
        let mut response = format!(
            "HTTP/1.1 {} Reason\r\nContent-Length: {}\r\n",
            self.status,
            self.body.len()
        );
        for (name, value) in self.headers {
            response.push_str(&format!("{name}: {value}\r\n"));
        }
        response.push_str("\r\n");
        let mut response = response.into_bytes();
        response.extend(&self.body[..self.cut.unwrap_or(self.body.len())]);
        Page::Whole(response)
    }
}

/// Accepts the request and never responds.
pub(super) fn silence() -> Page {
    Page::Endless {
        beginning: String::new(),
        again: String::new(),
        pause: Duration::from_millis(50),
    }
}

/// Ends the connection without a response.
pub(super) fn no_response() -> Page {
    Page::Whole(Vec::new())
}

/// A picture: the server checks only its first bytes.
pub(super) const PICTURE: &[u8] = b"\x89PNG\r\n\x1a\n and the rest of a picture";

/// Encodes bytes in base64.
pub(super) fn base64(bytes: &[u8]) -> String {
    use base64::Engine as _;
    base64::engine::general_purpose::STANDARD.encode(bytes)
}

/// A request as the API received it.
pub(super) struct Received {
    pub(super) method: String,
    /// The path with the query.
    pub(super) path: String,
    headers: Vec<(String, String)>,
    pub(super) body: String,
}

impl Received {
    pub(super) fn parse(text: &str) -> Self {
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        let mut lines = head.lines();
        let mut first = lines.next().unwrap().split(' ').map(str::to_owned);
        let header = |line: &str| {
            let (name, value) = line.split_once(": ").unwrap();
            (name.to_lowercase(), value.to_owned())
        };
        Self {
            method: first.next().unwrap(),
            path: first.next().unwrap(),
            headers: lines.map(header).collect(),
            body: body.to_owned(),
        }
    }

    /// Returns the method and the path.
    pub(super) fn line(&self) -> String {
        format!("{} {}", self.method, self.path)
    }

    pub(super) fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }

    pub(super) fn json(&self) -> Value {
        assert_eq!(self.header("content-type"), Some("application/json"));
        serde_json::from_str(&self.body).unwrap()
    }
}

/// Fails unless `actual` contains everything in `expected`; lists are compared up to the length of the expected one.
#[track_caller]
pub(super) fn assert_includes(actual: &Value, expected: &Value) {
    match (actual, expected) {
        (Value::Object(actual), Value::Object(expected)) => {
            for (name, value) in expected {
                let found = actual
                    .get(name)
                    .unwrap_or_else(|| panic!("{name} is missing: {actual:?}"));
                assert_includes(found, value);
            }
        }
        (Value::Array(actual), Value::Array(expected)) => {
            assert!(actual.len() >= expected.len(), "{actual:?}");
            for (actual, expected) in actual.iter().zip(expected) {
                assert_includes(actual, expected);
            }
        }
        _ => assert_eq!(actual, expected),
    }
}
