//! A small client of the REST API. It uses only the public API, like any other client.

use std::io::{Read, Write};
use std::time::Duration;

use anyhow::{Context as _, bail};
use serde_json::Value;
use ureq::http::Response;
use ureq::{Agent, Body};

/// A client with the API key of one account.
pub(crate) struct Client {
    agent: Agent,
    base: String,
    key: String,
}

/// A response of the server.
pub(crate) struct ApiResponse {
    pub body: Value,
    /// The credits that this request cost, if the response contains them.
    pub consumed: Option<u64>,
    pub available: Option<u64>,
}

impl Client {
    pub(crate) fn new(base: String, key: String) -> Self {
        let config = Agent::config_builder()
            .http_status_as_error(false)
            // The server makes a PDF of many pages while the client waits.
            .timeout_global(Some(Duration::from_secs(300)))
            .build();
        Self {
            agent: Agent::new_with_config(config),
            base,
            key,
        }
    }

    pub(crate) fn get(&self, path: &str) -> anyhow::Result<ApiResponse> {
        self.send_with_retries(
            || {
                self.agent
                    .get(self.url(path))
                    .header("authorization", self.bearer())
                    .call()
            },
            path,
        )
    }

    /// Sends a POST request. A generation needs an idempotency key.
    pub(crate) fn post(&self, path: &str, body: &Value, idempotency_key: Option<&str>) -> anyhow::Result<ApiResponse> {
        let send = || {
            let mut request = self.agent.post(self.url(path)).header("authorization", self.bearer());
            if let Some(key) = idempotency_key {
                request = request.header("idempotency-key", key);
            }
            request.send_json(body)
        };
        self.send_with_retries(send, path)
    }

    /// Downloads a file into `target` and returns its size in bytes.
    pub(crate) fn download(&self, path: &str, target: &mut impl Write) -> anyhow::Result<u64> {
        let response = self
            .agent
            .get(self.url(path))
            .header("authorization", self.bearer())
            .call();
        let mut response = response.with_context(|| format!("the server did not respond to GET {path}"))?;
        if !response.status().is_success() {
            bail!(error_message(&mut response, path));
        }
        // By default ureq stops at 10 MB.
        let mut reader = response.body_mut().with_config().limit(u64::MAX).reader();
        std::io::copy(&mut reader as &mut dyn Read, target).context("the download was interrupted")
    }

    /// Sends a request, and repeats it while the server responds that the client must wait.
    fn send_with_retries(
        &self,
        send: impl Fn() -> Result<Response<Body>, ureq::Error>,
        path: &str,
    ) -> anyhow::Result<ApiResponse> {
        let mut retries = 10;
        loop {
            let mut response = send().with_context(|| format!("the server did not respond to {path}"))?;
            let busy = matches!(response.status().as_u16(), 429 | 503);
            let wait = number(&response, "retry-after");
            if let (true, Some(seconds), 1..) = (busy, wait, retries) {
                retries -= 1;
                crate::interrupt::check()?;
                std::thread::sleep(Duration::from_secs(seconds.clamp(1, 10)));
                continue;
            }
            if !response.status().is_success() {
                bail!(error_message(&mut response, path));
            }
            let (consumed, available) = (
                number(&response, "x-service-credits-consumed"),
                number(&response, "x-service-credits-available"),
            );
            let body = response
                .body_mut()
                .read_json()
                .with_context(|| format!("{path} did not return JSON"))?;
            return Ok(ApiResponse {
                body,
                consumed,
                available,
            });
        }
    }

    /// Returns the URL of a path. A full URL, as responses contain it, is returned unchanged.
    fn url(&self, path: &str) -> String {
        if path.starts_with("http") {
            path.to_owned()
        } else {
            format!("{}{path}", self.base)
        }
    }

    fn bearer(&self) -> String {
        format!("Bearer {}", self.key)
    }
}

fn number(response: &Response<Body>, header: &str) -> Option<u64> {
    response.headers().get(header)?.to_str().ok()?.trim().parse().ok()
}

/// Returns the message of an error response.
fn error_message(response: &mut Response<Body>, path: &str) -> String {
    let status = response.status();
    let text = response.body_mut().read_to_string().unwrap_or_default();
    explain(status.as_u16(), &text, path)
}

fn explain(status: u16, text: &str, path: &str) -> String {
    let body: Value = serde_json::from_str(text).unwrap_or_default();
    let error = &body["error"];
    let field = |name: &str| error[name].as_str().unwrap_or_default();
    if error.is_null() {
        return format!("{path} returned {status}: {}", text.trim());
    }
    let details = if error["details"].is_null() {
        String::new()
    } else {
        format!("\n{:#}", error["details"])
    };
    format!(
        "{path} returned {status} {}: {} (request {}){details}",
        field("code"),
        field("message"),
        field("request_id")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_contains_the_message_of_the_server() {
        let text =
            r#"{"error": {"code": "insufficient_credits", "message": "8 credits are needed", "request_id": "r1"}}"#;
        let message = explain(402, text, "/books");
        assert_eq!(
            message,
            "/books returned 402 insufficient_credits: 8 credits are needed (request r1)"
        );
        assert_eq!(
            explain(502, "Bad gateway\n", "/books"),
            "/books returned 502: Bad gateway"
        );
    }
}
