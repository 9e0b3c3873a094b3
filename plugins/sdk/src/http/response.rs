//! Responses, and the failures that error statuses stand for.

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{Error, retry_after};
use crate::Failure;

/// Maximum length of an API's message in the log.
const MAX_MESSAGE_CHARS: usize = 500;

/// A complete response.
#[derive(Clone, Debug)]
pub struct Response {
    pub status: u16,
    /// Headers with lowercase names.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
    /// Method and URL of the request, for the log.
    pub request: String,
}

impl Response {
    /// Returns the first header with this name.
    pub fn header(&self, name: &str) -> Option<&str> {
        let has_name = |(found, _): &&(String, String)| found.eq_ignore_ascii_case(name);
        self.headers.iter().find(has_name).map(|(_, value)| value.as_str())
    }

    /// Parses the body as JSON.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T, Error> {
        let mut json = serde_json::Deserializer::from_slice(&self.body);
        serde_path_to_error::deserialize(&mut json).map_err(|error| Error::Json {
            request: self.request.clone(),
            reason: if self.body.is_empty() {
                "the body is empty".into()
            } else {
                error.to_string()
            },
        })
    }

    /// Returns the response if its status is 2xx, and otherwise the failure. `explain` can interpret the API's own
    /// error codes; if it returns `None`, the status decides.
    pub fn success(self, explain: impl FnOnce(&Problem) -> Option<Failure>) -> Result<Self, Failure> {
        if (200..300).contains(&self.status) {
            return Ok(self);
        }
        Err(explain(&self.problem()).unwrap_or_else(|| self.failure()))
    }

    /// The pause in seconds that the API asks for with `Retry-After`.
    pub fn retry_after(&self) -> Option<u32> {
        retry_after::seconds(self.header("retry-after")?, self.header("date"))
    }

    /// The failure that an error status stands for with any API.
    pub fn failure(&self) -> Failure {
        let problem = self.problem();
        let text = format!("{}: status {}: {}", self.request, self.status, problem.message);
        match self.status {
            429 => Failure::RateLimited(self.retry_after()),
            401 | 403 => rejected_key(&text),
            402 => no_credit(&text),
            404 | 405 => Failure::Unavailable(format!("the API has no such URL or model: {text}")),
            // Caused by the customer's request, unless the API's own code says otherwise.
            400 | 413 | 422 => Failure::Invalid(text),
            408 | 409 | 425 | 500.. => Failure::Unavailable(text),
            _ => Failure::Other(text),
        }
    }

    fn problem(&self) -> Problem {
        Problem::read(self.status, &self.body)
    }
}

/// An API's error message.
#[derive(Clone, Debug)]
pub struct Problem {
    pub status: u16,
    /// The API's own code, such as `moderation_blocked`. Empty if there is none.
    pub code: String,
    pub message: String,
    /// The whole body; null if it is not JSON.
    pub body: Value,
}

impl Problem {
    /// Reads the usual forms of error messages: `{"error": {"code", "type", "message"}}`, `{"error": "...", "message":
    /// "..."}`, `{"detail": "..."}`, `{"detail": [{"type", "msg"}]}`.
    fn read(status: u16, bytes: &[u8]) -> Self {
        let body: Value = serde_json::from_slice(bytes).unwrap_or_default();
        let first = |value: &Value, names: &[&str]| {
            let found = names.iter().find_map(|name| value.get(name)?.as_str());
            found.unwrap_or_default().to_owned()
        };
        let inner = ["error", "detail"]
            .iter()
            .find_map(|name| body.get(name))
            .unwrap_or(&body);
        let inner = inner.get(0).unwrap_or(inner);
        let mut message = first(inner, &["message", "msg", "detail"]);
        let mut code = first(inner, &["code", "status", "type"]);
        if let Some(text) = inner.as_str() {
            message = first(&body, &["message"]);
            if message.is_empty() {
                message = text.to_owned();
            }
            code = text.to_owned();
        }
        if message.is_empty() {
            message = String::from_utf8_lossy(bytes).into_owned();
        }
        Self {
            status,
            code,
            message: message.chars().take(MAX_MESSAGE_CHARS).collect(),
            body,
        }
    }

    /// A failure because the operator's key is wrong, or lacks a permission.
    pub fn rejected_key(&self) -> Failure {
        rejected_key(&self.text())
    }

    /// A failure because the operator's account at the API has no credit.
    pub fn no_credit(&self) -> Failure {
        no_credit(&self.text())
    }

    /// A failure because one of the operator's settings is wrong, which only the API can detect.
    pub fn wrong_setting(&self, name: &str) -> Failure {
        Failure::Unavailable(format!("the setting `{name}` of this plugin is wrong: {}", self.text()))
    }

    /// The API's code and message, for the log.
    pub fn text(&self) -> String {
        if self.code.is_empty() || self.code == self.message {
            self.message.clone()
        } else {
            format!("{}: {}", self.code, self.message)
        }
    }
}

fn rejected_key(text: &str) -> Failure {
    Failure::Unavailable(format!("the API rejects the plugin's key: {text}"))
}

fn no_credit(text: &str) -> Failure {
    Failure::Unavailable(format!("the account at the API has no credit left: {text}"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn response(status: u16, body: impl ToString) -> Response {
        Response {
            status,
            headers: vec![("retry-after".into(), "9".into())],
            body: body.to_string().into_bytes(),
            request: "POST https://api.example.com/draw".into(),
        }
    }

    #[test]
    fn an_error_status_is_classified_as_a_failure() {
        let failure = |status| response(status, "words").failure();
        assert_eq!(failure(429), Failure::RateLimited(Some(9)));
        for status in [401, 403] {
            assert!(matches!(failure(status), Failure::Unavailable(text) if text.contains("key")));
        }
        for status in [402, 404, 408, 409, 500, 502, 503, 504, 529] {
            assert!(matches!(failure(status), Failure::Unavailable(_)), "{status}");
        }
        for status in [400, 413, 422] {
            assert!(matches!(failure(status), Failure::Invalid(_)), "{status}");
        }
        for status in [302, 418] {
            assert!(matches!(failure(status), Failure::Other(_)), "{status}");
        }
        let text = "POST https://api.example.com/draw: status 500: words";
        assert_eq!(failure(500), Failure::Unavailable(text.into()));
    }

    #[test]
    fn the_usual_forms_of_error_messages_are_read() {
        for (body, code, message) in [
            (json!({"error": {"code": "a", "type": "b", "message": "c"}}), "a", "c"),
            (json!({"error": {"code": 400, "status": "b", "message": "c"}}), "b", "c"),
            (json!({"error": "a", "message": "c"}), "a", "c"),
            (json!({"error": "a"}), "a", "a"),
            (json!({"detail": "c"}), "c", "c"),
            (json!({"detail": [{"type": "a", "msg": "c"}, {"type": "x"}]}), "a", "c"),
            (json!({"message": "c"}), "", "c"),
        ] {
            let problem = response(400, &body).problem();
            assert_eq!(
                (problem.code.as_str(), problem.message.as_str()),
                (code, message),
                "{body}"
            );
        }
        assert_eq!(response(500, "<html>").problem().text(), "<html>");
        assert_eq!(
            response(500, "é".repeat(900)).problem().message.chars().count(),
            MAX_MESSAGE_CHARS
        );
    }

    #[test]
    fn an_explained_code_takes_precedence_over_the_status() {
        let body = json!({"error": {"code": "moderation_blocked", "message": "no"}});
        let explain =
            |problem: &Problem| (problem.code == "moderation_blocked").then(|| Failure::Refused(problem.text()));
        let refused = Failure::Refused("moderation_blocked: no".into());
        assert_eq!(response(400, &body).success(explain).unwrap_err(), refused);
        assert!(matches!(response(400, "{}").success(explain), Err(Failure::Invalid(_))));
        assert!(response(200, &body).success(explain).is_ok());
    }

    #[test]
    fn an_error_in_json_names_its_path() {
        let error = response(200, json!({"a": [{"b": 1}]}))
            .json::<std::collections::HashMap<String, Vec<std::collections::HashMap<String, String>>>>()
            .unwrap_err();
        assert!(error.to_string().contains("a[0]"), "{error}");
        let error = response(200, "").json::<Value>().unwrap_err();
        assert!(error.to_string().contains("the body is empty"), "{error}");
    }
}
