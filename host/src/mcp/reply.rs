//! What a call ends with: a result, an error, or a question to the person.
use rmcp::model::{CallToolResponse, CallToolResult, ContentBlock, InputRequiredResult};
use serde_json::{Value, json};

use super::words;
use crate::error::{Error, ErrorKind};
use crate::generation::Accepted;
use crate::http::ErrorCode;
use crate::idempotency::Done;

pub(super) type Outcome<T> = Result<T, Stop>;

/// A result: what programs read, and a short text that tells an agent what it is and what to do next.
pub(super) struct Reply {
    structured: Value,
    text: String,
    image: Option<Preview>,
}

/// A small picture beside the text.
pub(super) struct Preview {
    /// Base64.
    pub data: String,
    pub media_type: &'static str,
}

impl Reply {
    pub(super) fn new(structured: Value, text: impl Into<String>) -> Self {
        Self {
            structured,
            text: text.into(),
            image: None,
        }
    }

    pub(super) fn with_preview(self, image: Option<Preview>) -> Self {
        Self { image, ..self }
    }

    /// A generation that was accepted, now or before with the same key.
    pub(super) fn accepted(accepted: &Accepted) -> Outcome<Self> {
        let structured: Value = serde_json::from_str(&accepted.body).map_err(Error::from)?;
        let text = words::accepted(&structured, accepted);
        Ok(Self::new(structured, text))
    }

    /// What was done at no cost, now or before with the same key.
    pub(super) fn done(done: &Done, text: impl FnOnce(&Value) -> String) -> Outcome<Self> {
        let structured: Value = serde_json::from_str(&done.reply.body).map_err(Error::from)?;
        let text = text(&structured);
        Ok(Self::new(structured, text))
    }

    pub(super) fn into_result(self) -> CallToolResult {
        let mut content = vec![ContentBlock::text(self.text)];
        content.extend(
            self.image
                .map(|image| ContentBlock::image(image.data, image.media_type)),
        );
        let mut result = CallToolResult::success(content);
        result.structured_content = Some(self.structured);
        result
    }
}

/// Why a call has no result.
#[derive(Debug)]
pub(super) enum Stop {
    Failed(Error),
    /// Nothing was spent: the caller has to say the exact price.
    Unconfirmed {
        credits: i64,
        what: String,
    },
    /// Nothing was spent: the person was asked and said no.
    Declined {
        credits: i64,
    },
    /// The person is to be asked.
    Ask(Box<InputRequiredResult>),
}

impl<E: Into<Error>> From<E> for Stop {
    fn from(error: E) -> Self {
        Self::Failed(error.into())
    }
}

impl Stop {
    /// The code under which the call is logged; none for a question.
    pub(super) fn code(&self) -> Option<&'static str> {
        match self {
            Self::Failed(error) => Some(ErrorCode::from(error).as_str()),
            Self::Unconfirmed { .. } => Some("confirmation_required"),
            Self::Declined { .. } => Some("confirmation_declined"),
            Self::Ask(_) => None,
        }
    }

    /// `envelope` is what the fields of this tool's arguments stand in when they are sent over REST.
    pub(super) fn into_response(self, envelope: &str) -> CallToolResponse {
        match self {
            Self::Ask(question) => CallToolResponse::InputRequired(*question),
            Self::Failed(error) => error_result(&error, envelope).into(),
            Self::Unconfirmed { credits, what } => {
                let message = format!(
                    "{what} costs {credits} credits. Nothing was spent. If your person agrees, call again with confirm_credits: {credits}."
                );
                refusal("confirmation_required", &message, credits).into()
            }
            Self::Declined { credits } => {
                let message = "The person did not agree. Nothing was spent.";
                refusal("confirmation_declined", message, credits).into()
            }
        }
    }
}

fn refusal(code: &str, message: &str, credits: i64) -> CallToolResult {
    let error = json!({"code": code, "message": message});
    error_with(json!({"error": error, "credits_required": credits}), message)
}

fn error_with(structured: Value, message: impl Into<String>) -> CallToolResult {
    let mut result = CallToolResult::error(vec![ContentBlock::text(message)]);
    result.structured_content = Some(structured);
    result
}

/// A domain error, with the code that it has over REST.
pub(super) fn error_result(error: &Error, envelope: &str) -> CallToolResult {
    let details: Vec<Value> = error
        .details()
        .into_iter()
        .map(|detail| json!({"field": without(envelope, &detail.field), "message": detail.message}))
        .collect();
    let mut text = message(&error.kind, &details);
    let mut body = json!({"code": ErrorCode::from(error).as_str()});
    if let Some(retry_after) = error.retry_after() {
        let seconds = retry_after.as_secs().max(1);
        text.push_str(&format!(" Try again in {seconds} seconds."));
        body["retry_after_seconds"] = seconds.into();
    }
    body["message"] = text.as_str().into();
    if !details.is_empty() {
        body["details"] = details.into();
    }
    error_with(json!({"error": body}), text)
}

/// The error's own sentence, with what an agent can do about it.
fn message(kind: &ErrorKind, details: &[Value]) -> String {
    match kind {
        ErrorKind::ValidationFailed(_) => {
            let each = details.iter().map(|detail| {
                let text = |name: &str| detail[name].as_str().unwrap_or_default().to_owned();
                format!("{}: {}.", text("field"), text("message"))
            });
            each.collect::<Vec<_>>().join(" ")
        }
        ErrorKind::BookNotReady(_) => {
            let each = details.iter().filter_map(|detail| detail["message"].as_str());
            format!("{kind} {}", each.collect::<Vec<_>>().join("; "))
        }
        ErrorKind::AccountLimitReached { .. } => format!("{kind} get_account shows every limit and its use."),
        ErrorKind::UnknownPrintFormat { .. } => format!("{kind} list_print_formats tells more."),
        kind => kind.to_string(),
    }
}

fn without<'a>(envelope: &str, field: &'a str) -> &'a str {
    field
        .strip_prefix(envelope)
        .and_then(|rest| rest.strip_prefix('.'))
        .filter(|_| !envelope.is_empty())
        .unwrap_or(field)
}
