//! What comes back, and what a bad status means for the server.

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{Error, retry_after};
use crate::Failure;

/// How much of an API's own words goes into the log.
const MESSAGE_LETTERS: usize = 500;

/// A whole response.
#[derive(Clone, Debug)]
pub struct Response {
    pub status: u16,
    /// With lowercase names.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
    /// Method and address of the request, for the log.
    pub request: String,
}

impl Response {
    pub fn header(&self, name: &str) -> Option<&str> {
        let is_it = |(found, _): &&(String, String)| found.eq_ignore_ascii_case(name);
        self.headers.iter().find(is_it).map(|(_, value)| value.as_str())
    }

    pub fn json<T: DeserializeOwned>(&self) -> Result<T, Error> {
        let mut json = serde_json::Deserializer::from_slice(&self.body);
        serde_path_to_error::deserialize(&mut json).map_err(|error| Error::Json {
            request: self.request.clone(),
            reason: if self.body.is_empty() {
                "it is empty".into()
            } else {
                error.to_string()
            },
        })
    }

    /// The response if its status is good, or else the failure it stands for. `explain` knows the API's own codes: what
    /// it explains comes first.
    pub fn success(self, explain: impl FnOnce(&Problem) -> Option<Failure>) -> Result<Self, Failure> {
        if (200..300).contains(&self.status) {
            return Ok(self);
        }
        Err(explain(&self.problem()).unwrap_or_else(|| self.failure()))
    }

    /// How many seconds the API wants to be left alone.
    pub fn retry_after(&self) -> Option<u32> {
        retry_after::seconds(self.header("retry-after")?, self.header("date"))
    }

    /// What a bad status stands for, whichever API it is.
    pub fn failure(&self) -> Failure {
        let problem = self.problem();
        let text = format!("{}: status {}: {}", self.request, self.status, problem.message);
        match self.status {
            429 => Failure::RateLimited(self.retry_after()),
            401 | 403 => refused_key(&text),
            402 => no_credit(&text),
            404 | 405 => Failure::Unavailable(format!("the API has no such address or model: {text}")),
            // Those two are the customer's request, unless the API's own code says something else.
            400 | 413 | 422 => Failure::Invalid(text),
            408 | 409 | 425 | 500.. => Failure::Unavailable(text),
            _ => Failure::Other(text),
        }
    }

    fn problem(&self) -> Problem {
        Problem::read(self.status, &self.body)
    }
}

/// What an API says about a failure.
#[derive(Clone, Debug)]
pub struct Problem {
    pub status: u16,
    /// Its own code, where it has one: `moderation_blocked`.
    pub code: String,
    pub message: String,
    /// All it said; null if that is no JSON.
    pub body: Value,
}

impl Problem {
    /// The forms in which APIs wrap it: `{"error": {"code", "type", "message"}}`, `{"error": "...", "message": "..."}`,
    /// `{"detail": "..."}`, `{"detail": [{"type", "msg"}]}`.
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
            message: message.chars().take(MESSAGE_LETTERS).collect(),
            body,
        }
    }

    /// The operator's key is wrong, or may not do this.
    pub fn refused_key(&self) -> Failure {
        refused_key(&self.text())
    }

    /// The operator's account has to be filled up.
    pub fn no_credit(&self) -> Failure {
        no_credit(&self.text())
    }

    /// One of the operator's settings is wrong, and only the API could tell.
    pub fn wrong_setting(&self, name: &str) -> Failure {
        Failure::Unavailable(format!("the setting `{name}` of this plugin is wrong: {}", self.text()))
    }

    /// What the API said, for the log.
    pub fn text(&self) -> String {
        if self.code.is_empty() || self.code == self.message {
            self.message.clone()
        } else {
            format!("{}: {}", self.code, self.message)
        }
    }
}

fn refused_key(text: &str) -> Failure {
    Failure::Unavailable(format!("the API refuses the plugin's key: {text}"))
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
    fn a_status_is_a_failure_of_the_worlds() {
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
    fn the_forms_of_a_problem_are_read() {
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
            MESSAGE_LETTERS
        );
    }

    #[test]
    fn what_the_api_explains_comes_first() {
        let body = json!({"error": {"code": "moderation_blocked", "message": "no"}});
        let explain =
            |problem: &Problem| (problem.code == "moderation_blocked").then(|| Failure::Refused(problem.text()));
        let refused = Failure::Refused("moderation_blocked: no".into());
        assert_eq!(response(400, &body).success(explain).unwrap_err(), refused);
        assert!(matches!(response(400, "{}").success(explain), Err(Failure::Invalid(_))));
        assert!(response(200, &body).success(explain).is_ok());
    }

    #[test]
    fn wrong_json_names_the_place() {
        let error = response(200, json!({"a": [{"b": 1}]}))
            .json::<std::collections::HashMap<String, Vec<std::collections::HashMap<String, String>>>>()
            .unwrap_err();
        assert!(error.to_string().contains("a[0]"), "{error}");
        let error = response(200, "").json::<Value>().unwrap_err();
        assert!(error.to_string().contains("it is empty"), "{error}");
    }
}
