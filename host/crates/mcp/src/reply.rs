//! The outcome of a call: a result, an error, or a question to the user.
use rmcp::model::{CallToolResponse, CallToolResult, ContentBlock, InputRequiredResult};
use serde::Serialize;
use serde_json::{Value, json};

use super::list::List;
use super::refusal::{Wording, error_result, refusal};
use super::{results, words};
use linepress_core::generation::Accepted;
use linepress_core::idempotency::Done;
use linepress_http::ErrorCode;
use linepress_platform::database::{PageOf, PageRequest};
use linepress_platform::error::Error;

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
