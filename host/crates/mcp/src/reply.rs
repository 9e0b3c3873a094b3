//! The outcome of a call: a result, an error, or a question to the user.
use rmcp::model::{CallToolResponse, CallToolResult, ContentBlock, InputRequiredResult};
use serde_json::{Value, json};

use super::{results, words};
use linepress_core::generation::Accepted;
use linepress_core::generation::SOURCE_FIELD;
use linepress_core::idempotency::Done;
use linepress_http::{ErrorCode, whole_seconds};
use linepress_platform::error::{Detail, Error, ErrorKind};

pub(super) type Outcome<T> = Result<T, Stop>;

/// The field of a result with the next step. The text of the result ends with the same sentence.
pub(super) const NEXT: &str = "next";

/// A result in two forms, structured and as text. Clients pass only one of the two to their model, so each is complete
/// by itself.
pub(super) struct Reply {
    /// `None` for a result that consists of a picture and text.
    structured: Option<Value>,
    text: String,
    next: String,
    image: Option<Preview>,
}

/// A small picture that accompanies the text.
pub(crate) struct Preview {
    /// Base64.
    pub data: String,
    pub media_type: &'static str,
}

impl Reply {
    /// `next` is the agent's next step, as a sentence.
    pub(super) fn new(structured: Value, text: impl Into<String>, next: impl Into<String>) -> Self {
        Self {
            structured: Some(structured),
            text: text.into(),
            next: next.into(),
            image: None,
        }
    }

    /// A picture with text, and without structured content, which a client might pass to its model in place of the
    /// picture.
    pub(super) fn picture(image: Preview, text: impl Into<String>, next: impl Into<String>) -> Self {
        Self {
            structured: None,
            text: text.into(),
            next: next.into(),
            image: Some(image),
        }
    }

    pub(super) fn with_preview(self, image: Option<Preview>) -> Self {
        Self { image, ..self }
    }

    /// The result of an order that was accepted, now or earlier with the same key.
    pub(super) fn accepted(accepted: &Accepted) -> Outcome<Self> {
        let body: Value = serde_json::from_str(&accepted.body).map_err(Error::from)?;
        Ok(Self::new(
            results::accepted(&body, accepted),
            words::accepted(&body, accepted),
            words::after_order(&body),
        ))
    }

    /// The result of a change at no cost, made now or earlier with the same key.
    pub(super) fn done(done: &Done, reply: impl FnOnce(&Value) -> Self) -> Outcome<Self> {
        let body: Value = serde_json::from_str(&done.reply.body).map_err(Error::from)?;
        Ok(reply(&body))
    }

    /// Appends a note to the result.
    pub(super) fn with_note(mut self, note: &str) -> Self {
        self.text.push(' ');
        self.text.push_str(note);
        if let Some(structured) = &mut self.structured {
            structured["note"] = note.into();
        }
        self
    }

    pub(super) fn into_result(mut self) -> CallToolResult {
        if let Some(structured) = &mut self.structured {
            structured[NEXT] = self.next.as_str().into();
        }
        let text = format!("{}\nNext: {}", self.text, self.next);
        let mut content = vec![ContentBlock::text(text)];
        content.extend(
            self.image
                .map(|image| ContentBlock::image(image.data, image.media_type)),
        );
        let mut result = CallToolResult::success(content);
        result.structured_content = self.structured;
        result
    }
}

/// The reason why a call has no result.
#[derive(Debug)]
pub(super) enum Stop {
    Failed(Error),
    /// Nothing was spent, because the caller must confirm the exact price. A rehearsal showed that the order would be
    /// accepted.
    Unconfirmed {
        credits: i64,
        available: i64,
        what: String,
    },
    /// Nothing was spent, because the user was asked and declined.
    Declined {
        credits: i64,
    },
    /// Nothing was deleted, because the user was asked and declined.
    NotDeleted,
    /// The client should ask the user.
    Ask(Box<InputRequiredResult>),
}

impl<E: Into<Error>> From<E> for Stop {
    fn from(error: E) -> Self {
        Self::Failed(error.into())
    }
}

impl Stop {
    /// The code with which the call is logged; `None` for a question.
    pub(super) fn code(&self) -> Option<&'static str> {
        match self {
            Self::Failed(error) => Some(ErrorCode::from(error).as_str()),
            Self::Unconfirmed { .. } => Some("confirmation_required"),
            Self::Declined { .. } | Self::NotDeleted => Some("confirmation_declined"),
            Self::Ask(_) => None,
        }
    }

    /// `envelope` is the field that wraps this tool's arguments in REST bodies.
    pub(super) fn into_response(self, envelope: &str) -> CallToolResponse {
        match self {
            Self::Ask(question) => CallToolResponse::InputRequired(*question),
            Self::Failed(error) => error_result(&error, envelope).into(),
            Self::Unconfirmed {
                credits,
                available,
                what,
            } => {
                let price = words::credits(credits);
                let message = format!(
                    "{what} costs {price}; the account has {available}. Nothing was spent. If the user agrees, call again with the same arguments and confirm_credits: {credits}."
                );
                let more = json!({"credits_required": credits, "credits_available": available});
                refusal("confirmation_required", &message, more).into()
            }
            Self::Declined { credits } => {
                let message = "The user did not agree. Nothing was spent.";
                refusal("confirmation_declined", message, json!({"credits_required": credits})).into()
            }
            Self::NotDeleted => {
                let message = "The user did not agree. Nothing was deleted.";
                refusal("confirmation_declined", message, json!({})).into()
            }
        }
    }
}

fn refusal(code: &str, message: &str, mut more: Value) -> CallToolResult {
    more["error"] = json!({"code": code, "message": message});
    error_with(more, message)
}

fn error_with(structured: Value, message: impl Into<String>) -> CallToolResult {
    let mut result = CallToolResult::error(vec![ContentBlock::text(message)]);
    result.structured_content = Some(structured);
    result
}

/// The result for a domain error, with the same code as over REST.
pub(super) fn error_result(error: &Error, envelope: &str) -> CallToolResult {
    let details: Vec<Value> = error
        .details()
        .into_iter()
        .map(|detail| {
            let (field, message) = for_tools(envelope, detail);
            json!({"field": field, "message": message})
        })
        .collect();
    let mut text = message_for(&error.kind, &details);
    let mut body = json!({"code": ErrorCode::from(error).as_str()});
    if let Some(retry_after) = error.retry_after() {
        let seconds = whole_seconds(retry_after);
        text.push_str(&format!(" Try again in {seconds} seconds."));
        body["retry_after_seconds"] = seconds.into();
    }
    body["message"] = text.as_str().into();
    if !details.is_empty() {
        body["details"] = details.into();
    }
    error_with(json!({"error": body}), text)
}

/// The message of an error, with the advice that only agents need.
fn message_for(kind: &ErrorKind, details: &[Value]) -> String {
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
        ErrorKind::UnknownPrintFormat { .. } => format!("{kind} list_print_formats shows each."),
        ErrorKind::NotFound { what } => match words::listing_tool(what) {
            Some(tool) => format!("{kind} {tool} lists what exists."),
            None => kind.to_string(),
        },
        kind => kind.to_string(),
    }
}

/// Translates the error of a field: removes the envelope, and names the tool that helps.
fn for_tools(envelope: &str, detail: Detail) -> (String, String) {
    let Detail { field, message } = detail;
    match strip_envelope(envelope, &field) {
        // REST accepts the file itself here.
        "image" => (
            "upload_id".into(),
            "or an https image_url is required, one of the two: create_artwork_upload returns an upload_id".into(),
        ),
        "image_url" => {
            let remedy = "for a file without a public https address use create_artwork_upload";
            ("image_url".into(), format!("{message}; {remedy}"))
        }
        // The tool draws several pages.
        SOURCE_FIELD => ("pages".into(), format!("source_upload_id {message}")),
        field => (field.into(), message),
    }
}

fn strip_envelope<'a>(envelope: &str, field: &'a str) -> &'a str {
    field
        .strip_prefix(envelope)
        .and_then(|rest| rest.strip_prefix('.'))
        .filter(|_| !envelope.is_empty())
        .unwrap_or(field)
}
