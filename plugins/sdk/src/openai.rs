//! The Chat Completions API and the error codes of OpenAI, which compatible servers use as well.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::http::{self, Problem, Request};
use crate::{Deadline, Failure};

/// The text that a model wrote.
#[derive(Debug)]
pub struct Completed {
    pub text: String,
    /// The model that answered, which may be more specific than the requested one.
    pub model: String,
}

#[derive(Deserialize)]
struct Completion {
    model: Option<String>,
    #[serde(default)]
    choices: Vec<Choice>,
}

#[derive(Deserialize)]
struct Choice {
    message: Message,
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct Message {
    content: Option<String>,
    refusal: Option<String>,
}

/// The body of a request for a text in JSON that follows the schema. The question is a text or a list of parts.
pub fn chat_body(model: &str, instructions: &str, question: &Value, (name, schema): (&str, &Value)) -> Value {
    json!({
        "model": model,
        "messages": [
            {"role": "system", "content": instructions},
            {"role": "user", "content": question},
        ],
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": name, "strict": true, "schema": schema},
        },
    })
}

/// Requests the completion of a chat from the server at `base_url`. `subject` names the text in messages, such as
/// `plan`, and `model` is the requested one. A text that the API or the model declines to write is
/// [`Failure::Refused`].
pub fn complete_chat(
    base_url: &str,
    body: &Value,
    model: String,
    subject: &str,
    deadline: &Deadline,
) -> Result<Completed, Failure> {
    let response = Request::post(http::join(base_url, "chat/completions"), deadline)
        .json(body)
        .send()?;
    let completion: Completion = response.success(explain)?.json()?;
    let choice = completion.choices.into_iter().next();
    let choice = choice.ok_or_else(|| Failure::Other("the API returned no choice".into()))?;
    if let Some(refusal) = choice.message.refusal.filter(|refusal| !refusal.is_empty()) {
        return Err(Failure::Refused(refusal));
    }
    match choice.finish_reason.as_deref() {
        Some("content_filter") => Err(Failure::Refused(format!(
            "the API's content filter stopped the {subject}"
        ))),
        Some("length") => Err(Failure::Other(format!(
            "the {subject} exceeds the model's output limit: raise the number of tokens in the setting `parameters`"
        ))),
        _ => Ok(Completed {
            text: choice.message.content.unwrap_or_default(),
            model: completion.model.unwrap_or(model),
        }),
    }
}

/// Returns the failure for an error code whose meaning differs from the HTTP status.
pub fn explain(problem: &Problem) -> Option<Failure> {
    match problem.code.as_str() {
        "moderation_blocked" | "content_policy_violation" | "content_filter" | "contentFilter" => {
            Some(Failure::Refused(problem.text()))
        }
        // The API sends these codes with status 429, but waiting does not help.
        "insufficient_quota" | "billing_hard_limit_reached" => Some(problem.no_credit()),
        "model_not_found" | "invalid_model" => Some(problem.wrong_setting("model")),
        _ => None,
    }
}
