//! The outcome of a call: a result, an error, or a question to the user.
use rmcp::model::{CallToolResponse, CallToolResult, ContentBlock, InputRequiredResult};
use serde::Serialize;
use serde_json::{Value, json};

use super::list::List;
use super::{results, words};
use linepress_core::generation::{Accepted, SOURCE_REQUIRED};
use linepress_core::idempotency::Done;
use linepress_http::{ErrorCode, whole_seconds};
use linepress_platform::database::{PageOf, PageRequest};
use linepress_platform::error::{Detail, Error, ErrorKind, InvalidPagination};

pub(super) type Outcome<T> = Result<T, Stop>;

/// The field of a result with the next step. The text of the result ends with the same sentence.
pub(super) const NEXT: &str = "next";

/// The most pages that the error for an unready book lists.
const MAX_UNREADY: usize = 10;

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

    /// A list, cut after the last item that fits. `then` is the next step after its end.
    pub(super) fn list<T: Serialize>(
        name: &str,
        page: &PageOf<T>,
        request: &PageRequest,
        short: fn(&Value) -> Value,
        then: &str,
    ) -> Self {
        let list = List::new(page, request, short);
        let text = words::list_text(&list.lines, name);
        let next = words::after_list(list.next_cursor.as_deref(), then);
        let body = json!({name: list.items, "meta": {"next_cursor": list.next_cursor}});
        Self::new(body, text, next)
    }

    pub(super) fn with_preview(self, image: Option<Preview>) -> Self {
        Self { image, ..self }
    }

    /// The result of an order that was accepted, now or earlier with the same key.
    pub(super) fn accepted<T: Serialize>(accepted: &Accepted<T>) -> Outcome<Self> {
        let body = serde_json::to_value(&accepted.reply).map_err(Error::from)?;
        Ok(Self::new(
            results::accepted(&body, accepted),
            words::accepted(&body, accepted),
            words::after_order(&body),
        ))
    }

    /// The result of a change at no cost, made now or earlier with the same key.
    pub(super) fn done<T: Serialize>(done: &Done<T>, reply: impl FnOnce(&Value) -> Self) -> Outcome<Self> {
        let body = serde_json::to_value(&done.reply).map_err(Error::from)?;
        Ok(reply(&body))
    }

    /// Appends a note to the result.
    pub(super) fn with_note(self, note: &str) -> Self {
        self.with_field("note", note.into(), note)
    }

    /// Adds a field to the structured half, and a line with the same content to the text.
    pub(super) fn with_field(mut self, name: &str, value: Value, sentence: &str) -> Self {
        self.text.push('\n');
        self.text.push_str(sentence);
        if let Some(structured) = &mut self.structured {
            structured[name] = value;
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

/// The properties of a tool that its errors depend on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wording {
    /// The field that wraps the tool's arguments in REST bodies.
    pub envelope: &'static str,
    /// True if the tool draws from a picture that it is given.
    pub takes_source: bool,
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

    pub(super) fn into_response(self, wording: Wording) -> CallToolResponse {
        match self {
            Self::Ask(question) => CallToolResponse::InputRequired(*question),
            Self::Failed(error) => error_result(&error, wording).into(),
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
pub(super) fn error_result(error: &Error, wording: Wording) -> CallToolResult {
    let (details, left_out) = details_of(error, wording);
    let mut text = message_for(&error.kind, &details, left_out);
    let mut body = json!({"code": ErrorCode::from(error).as_str()});
    if let Some(retry_after) = error.retry_after() {
        let seconds = whole_seconds(retry_after);
        text = format!(
            "{} Try again in {seconds} seconds.",
            text.trim_end_matches(" Try again later.")
        );
        body["retry_after_seconds"] = seconds.into();
    }
    body["message"] = text.as_str().into();
    if !details.is_empty() {
        body["details"] = details.into();
    }
    if left_out > 0 {
        body["details_left_out"] = left_out.into();
    }
    error_with(json!({"error": body}), text)
}

/// The details of an error in the words of a tool, and the number of those that are left out.
fn details_of(error: &Error, wording: Wording) -> (Vec<Value>, usize) {
    let details = error.details();
    let shown = match error.kind {
        ErrorKind::BookNotReady(_) => details.len().min(MAX_UNREADY),
        _ => details.len(),
    };
    let left_out = details.len() - shown;
    let translated = details.into_iter().take(shown).map(|detail| {
        let (field, message) = for_tools(wording, detail);
        json!({"field": field, "message": message})
    });
    (translated.collect(), left_out)
}

/// The message of an error, with the advice that only agents need. `left_out` is the number of further details.
fn message_for(kind: &ErrorKind, details: &[Value], left_out: usize) -> String {
    match kind {
        ErrorKind::ValidationFailed(_) => {
            let each = details.iter().map(|detail| {
                let text = |name: &str| detail[name].as_str().unwrap_or_default().to_owned();
                format!("{}: {}.", text("field"), text("message"))
            });
            each.collect::<Vec<_>>().join(" ")
        }
        ErrorKind::BookNotReady(_) if !details.is_empty() => not_ready(details, left_out),
        ErrorKind::InvalidPagination(InvalidPagination::Cursor) => {
            "after must be the cursor that `next` of an earlier result of this list names. Leave it out to begin with the newest.".into()
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

/// The message for a book of which these parts are not ready, and this number of others.
fn not_ready(details: &[Value], left_out: usize) -> String {
    let each = details.iter().map(|detail| match words::text(detail, "field") {
        "cover" => format!("the cover {}", words::text(detail, "message")),
        _ => words::text(detail, "message").to_owned(),
    });
    let mut parts: Vec<String> = each.collect();
    if left_out > 0 {
        parts.push(format!("and {left_out} more"));
    }
    format!(
        "The book is not ready. Wait for, regenerate or replace these: {}.",
        parts.join("; ")
    )
}

/// Translates the error of a field: removes the envelope, and names the tool that helps.
fn for_tools(wording: Wording, detail: Detail) -> (String, String) {
    let Detail { field, message } = detail;
    if message == SOURCE_REQUIRED && !wording.takes_source {
        return (
            "arguments".into(),
            "this server draws from pictures only, and this tool draws from text; create_artwork_upload and then create_page with source_upload_id draw from a picture".into(),
        );
    }
    match strip_envelope(wording.envelope, &field) {
        // REST accepts the file itself here.
        "image" => (
            "upload_id".into(),
            "or an https image_url is required, one of the two: create_artwork_upload returns an upload_id".into(),
        ),
        "image_url" => {
            let remedy = "for a file without a public https address use create_artwork_upload";
            ("image_url".into(), format!("{message}; {remedy}"))
        }
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
