//! The outcome of a call: a result, an error, or a question to the user.
use rmcp::model::{CallToolResponse, CallToolResult, ContentBlock, InputRequiredResult, MetaObject};
use serde::Serialize;

use super::refusal::{Price, Wording, error_result, refusal};
use super::{file_link, words};
use linepress_core::downloads::Link;
use linepress_core::operations::Operation;
use linepress_http::ErrorCode;
use linepress_platform::error::{Error, Result};

pub(super) type Outcome<T> = Result<T, Stop>;

/// A result in two forms, structured and as text. Clients pass only one of the two to their model, so each is complete
/// by itself.
pub(super) struct Reply<T> {
    result: T,
    text: String,
    note: Option<String>,
    next: String,
    image: Option<Preview>,
    /// The file that the text links to.
    file: Option<ContentBlock>,
    /// The operation that the call ordered.
    operation: Option<Operation>,
    /// For apps. Clients do not pass it to their model.
    meta: Option<MetaObject>,
}

/// An order that was accepted, and the sentences about it.
pub(super) struct AcceptedOrder {
    pub operation: Operation,
    pub text: String,
}

/// The structured form of a reply. Its text ends with the same sentences.
#[derive(Serialize)]
struct Structured<'a, T> {
    #[serde(flatten)]
    result: T,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<&'a str>,
    next: &'a str,
}

/// The properties of a client that its results depend on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Client {
    /// True since the protocol revision 2025-06-18. Clients of earlier ones reject results with content of another
    /// type.
    pub knows_resource_links: bool,
}

/// A small picture that accompanies the text.
pub(crate) struct Preview {
    /// Base64.
    pub data: String,
    pub media_type: &'static str,
}

impl<T> Reply<T> {
    /// `next` is the agent's next step, as a sentence.
    pub(super) fn new(result: T, text: impl Into<String>, next: impl Into<String>) -> Self {
        Self {
            result,
            text: text.into(),
            note: None,
            next: next.into(),
            image: None,
            file: None,
            operation: None,
            meta: None,
        }
    }

    /// Names the operation that the call ordered, which some clients follow as a task.
    pub(super) fn with_operation(self, operation: &Operation) -> Self {
        Self {
            operation: Some(operation.clone()),
            ..self
        }
    }

    /// The order that the call placed; `None` for a call that draws nothing.
    pub(super) fn order(&self) -> Option<AcceptedOrder> {
        self.operation.clone().map(|operation| AcceptedOrder {
            operation,
            text: self.text_with_note(),
        })
    }

    fn text_with_note(&self) -> String {
        match &self.note {
            Some(note) => format!("{}\n{note}", self.text),
            None => self.text.clone(),
        }
    }

    /// Appends the file as a resource link, for clients that know such links.
    pub(super) fn with_file(self, link: &Link) -> Self {
        Self {
            file: Some(file_link::content(link)),
            ..self
        }
    }

    pub(super) fn with_preview(self, image: Option<Preview>) -> Self {
        Self { image, ..self }
    }

    pub(super) fn with_meta(self, meta: MetaObject) -> Self {
        Self {
            meta: Some(meta),
            ..self
        }
    }

    /// Appends a note to the result.
    pub(super) fn with_note(self, note: impl Into<String>) -> Self {
        Self {
            note: Some(note.into()),
            ..self
        }
    }
}

impl<T: Serialize> Reply<T> {
    pub(super) fn into_result(self, client: Client) -> Result<CallToolResult> {
        let text = self.text_with_note();
        let Self {
            result,
            text: _,
            note,
            next,
            image,
            file,
            operation: _,
            meta,
        } = self;
        let structured = serde_json::to_value(Structured {
            result,
            note: note.as_deref(),
            next: &next,
        })?;
        let mut content = content(&text, &next, image);
        content.extend(file.filter(|_| client.knows_resource_links));
        let mut result = CallToolResult::success(content);
        result.structured_content = Some(structured);
        result.meta = meta;
        Ok(result)
    }
}

/// A picture with text, and without structured content, which a client might pass to its model in place of the picture.
pub(super) struct Picture {
    image: Preview,
    text: String,
    next: String,
}

impl Picture {
    pub(super) fn new(image: Preview, text: impl Into<String>, next: impl Into<String>) -> Self {
        Self {
            image,
            text: text.into(),
            next: next.into(),
        }
    }

    pub(super) fn into_result(self) -> CallToolResult {
        CallToolResult::success(content(&self.text, &self.next, Some(self.image)))
    }
}

fn content(text: &str, next: &str, image: Option<Preview>) -> Vec<ContentBlock> {
    let mut content = vec![ContentBlock::text(format!("{text}\nNext: {next}"))];
    content.extend(image.map(|image| ContentBlock::image(image.data, image.media_type)));
    content
}

/// An error with the next step, and without structured content.
pub(super) fn error_text(text: &str, next: &str) -> CallToolResult {
    CallToolResult::error(content(text, next, None))
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
    /// Nothing was spent, because the app has reached its limit. The user can raise the limit on this page.
    LimitReached {
        error: Box<Error>,
        page: String,
    },
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
            Self::LimitReached { error, .. } => Some(ErrorCode::from(&**error).as_str()),
            Self::Unconfirmed { .. } => Some(CONFIRMATION_REQUIRED),
            Self::Declined { .. } | Self::NotDeleted => Some(CONFIRMATION_DECLINED),
            Self::Ask(_) => None,
        }
    }

    pub(super) fn into_response(self, wording: Wording) -> CallToolResponse {
        match self {
            Self::Ask(question) => CallToolResponse::InputRequired(*question),
            Self::Failed(error) => error_result(&error, wording).into(),
            Self::LimitReached { error, page } => {
                let code = ErrorCode::from(&*error).as_str();
                refusal(code, &format!("{error} It is at {page}"), Price::default()).into()
            }
            Self::Unconfirmed {
                credits,
                available,
                what,
            } => {
                let price = words::credits(credits);
                let message = format!(
                    "{what} costs {price}; the account has {available}. Nothing was spent. If the user agrees, call again with the same arguments and confirm_credits: {credits}."
                );
                let price = Price {
                    credits_required: Some(credits),
                    credits_available: Some(available),
                };
                refusal(CONFIRMATION_REQUIRED, &message, price).into()
            }
            Self::Declined { credits } => {
                let price = Price {
                    credits_required: Some(credits),
                    ..Price::default()
                };
                let message = "The user did not agree. Nothing was spent.";
                refusal(CONFIRMATION_DECLINED, message, price).into()
            }
            Self::NotDeleted => {
                let message = "The user did not agree. Nothing was deleted.";
                refusal(CONFIRMATION_DECLINED, message, Price::default()).into()
            }
        }
    }
}

const CONFIRMATION_REQUIRED: &str = "confirmation_required";
const CONFIRMATION_DECLINED: &str = "confirmation_declined";

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::samples;

    #[derive(Serialize)]
    struct Deleted {
        deleted: bool,
    }

    const NEW: Client = Client {
        knows_resource_links: true,
    };

    #[test]
    fn a_file_is_shown_to_clients_that_know_resource_links() {
        let old = Client {
            knows_resource_links: false,
        };
        for (client, blocks) in [(old, 1), (NEW, 2)] {
            let reply = Reply::new(Deleted { deleted: true }, "A PDF.", "get_book.").with_file(&samples::link("Woods"));
            let result = reply.into_result(client).unwrap();
            assert_eq!(result.content.len(), blocks);
            assert_eq!(
                result.structured_content,
                Some(json!({"deleted": true, "next": "get_book."}))
            );
        }
    }

    #[test]
    fn both_forms_of_a_result_end_with_the_note_and_the_next_step() {
        let reply = Reply::new(Deleted { deleted: true }, "It was deleted.", "list_pages.").with_note("For good.");
        let result = reply.into_result(NEW).unwrap();
        assert_eq!(
            result.content,
            [ContentBlock::text("It was deleted.\nFor good.\nNext: list_pages.")]
        );
        assert_eq!(
            result.structured_content,
            Some(json!({"deleted": true, "note": "For good.", "next": "list_pages."}))
        );
    }

    #[test]
    fn a_picture_has_no_structured_content() {
        let image = Preview {
            data: "AAAA".into(),
            media_type: "image/png",
        };
        let result = Picture::new(image, "A fox.", "get_page.").into_result();
        assert_eq!(result.structured_content, None);
        assert_eq!(result.content.len(), 2);
    }
}
