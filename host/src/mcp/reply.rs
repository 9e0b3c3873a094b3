//! What a call ends with: a result, an error, or a question to the person.
use rmcp::model::{CallToolResponse, CallToolResult, ContentBlock, InputRequiredResult};
use serde_json::{Value, json};

use super::{results, words};
use crate::error::{Detail, Error, ErrorKind};
use crate::generation::Accepted;
use crate::http::{ErrorCode, whole_seconds};
use crate::idempotency::Done;
use crate::pages;

pub(super) type Outcome<T> = Result<T, Stop>;

/// The field of a result that says what to do next, in the words with which the text ends.
pub(super) const NEXT: &str = "next";

/// A result, said twice: as a structure and as a text. Clients hand their model either of the two, so each is complete enough to
/// act on alone.
pub(super) struct Reply {
    /// Nothing for what is only to be seen.
    structured: Option<Value>,
    text: String,
    next: String,
    image: Option<Preview>,
}

/// A small picture beside the text.
pub(super) struct Preview {
    /// Base64.
    pub data: String,
    pub media_type: &'static str,
}

impl Reply {
    /// `next` is what the agent should do now, as a sentence.
    pub(super) fn new(structured: Value, text: impl Into<String>, next: impl Into<String>) -> Self {
        Self {
            structured: Some(structured),
            text: text.into(),
            next: next.into(),
            image: None,
        }
    }

    /// A picture with words, and nothing that a client could show its model in place of it.
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

    /// A generation that was accepted, now or before with the same key.
    pub(super) fn accepted(accepted: &Accepted) -> Outcome<Self> {
        let body: Value = serde_json::from_str(&accepted.body).map_err(Error::from)?;
        Ok(Self::new(
            results::accepted(&body, accepted),
            words::accepted(&body, accepted),
            words::after_order(&body),
        ))
    }

    /// What was done at no cost, now or before with the same key.
    pub(super) fn done(done: &Done, reply: impl FnOnce(&Value) -> Self) -> Outcome<Self> {
        let body: Value = serde_json::from_str(&done.reply.body).map_err(Error::from)?;
        Ok(reply(&body))
    }

    /// The same with further words.
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

/// Why a call has no result.
#[derive(Debug)]
pub(super) enum Stop {
    Failed(Error),
    /// Nothing was spent: the caller has to say the exact price. The order was found to be one that would be accepted.
    Unconfirmed {
        credits: i64,
        available: i64,
        what: String,
    },
    /// Nothing was spent: the person was asked and said no.
    Declined {
        credits: i64,
    },
    /// Nothing was deleted: the person was asked and said no.
    NotDeleted,
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
            Self::Declined { .. } | Self::NotDeleted => Some("confirmation_declined"),
            Self::Ask(_) => None,
        }
    }

    /// `envelope` is what the fields of this tool's arguments stand in when they are sent over REST.
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
                    "{what} costs {price}; the account has {available}. Nothing was spent. If your person agrees, call again with the same arguments and confirm_credits: {credits}."
                );
                let more = json!({"credits_required": credits, "credits_available": available});
                refusal("confirmation_required", &message, more).into()
            }
            Self::Declined { credits } => {
                let message = "The person did not agree. Nothing was spent.";
                refusal("confirmation_declined", message, json!({"credits_required": credits})).into()
            }
            Self::NotDeleted => {
                let message = "The person did not agree. Nothing was deleted.";
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

/// A domain error, with the code that it has over REST.
pub(super) fn error_result(error: &Error, envelope: &str) -> CallToolResult {
    let details: Vec<Value> = error
        .details()
        .into_iter()
        .map(|detail| {
            let (field, message) = in_words_of_tools(envelope, detail);
            json!({"field": field, "message": message})
        })
        .collect();
    let mut text = message(&error.kind, &details);
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
        ErrorKind::UnknownPrintFormat { .. } => format!("{kind} list_print_formats shows each."),
        ErrorKind::NotFound { what } => match words::list_of(what) {
            Some(tool) => format!("{kind} {tool} shows those there are."),
            None => kind.to_string(),
        },
        kind => kind.to_string(),
    }
}

/// What is wrong with a field, by the names that tools have, and with the tool that helps.
fn in_words_of_tools(envelope: &str, detail: Detail) -> (String, String) {
    let Detail { field, message } = detail;
    match without(envelope, &field) {
        // Where REST takes the file itself.
        "image" => (
            "upload_id".into(),
            "or an https image_url is needed, one of the two: create_artwork_upload makes an upload_id".into(),
        ),
        "image_url" => {
            let remedy = "create_artwork_upload takes a file that has no public https address";
            ("image_url".into(), format!("{message}; {remedy}"))
        }
        // Of a tool that draws several pages.
        SOURCE_FIELD => ("pages".into(), format!("source_upload_id {message}")),
        field => (field.into(), message),
    }
}

fn without<'a>(envelope: &str, field: &'a str) -> &'a str {
    field
        .strip_prefix(envelope)
        .and_then(|rest| rest.strip_prefix('.'))
        .filter(|_| !envelope.is_empty())
        .unwrap_or(field)
}
