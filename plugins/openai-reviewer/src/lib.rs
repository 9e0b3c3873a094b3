//! A reviewer that uses the Chat Completions API of OpenAI or of a compatible server such as Ollama, vLLM or LocalAI.

use linepress_plugin_sdk::openai::{self, Completed};
use linepress_plugin_sdk::reviewer::{
    Description, Guest, Picture, PictureReview, Prompt, PromptReview, ReviewError, Verdict,
};
use linepress_plugin_sdk::{Deadline, Failure, data_url, merge, reviewing};
use serde::Deserialize;
use serde_json::{Map, Value, json};

pub struct OpenAiReviewer;

impl Guest for OpenAiReviewer {
    fn describe() -> Description {
        reviewing::description(
            "linepress.openai-reviewer",
            "OpenAI reviewer",
            env!("CARGO_PKG_VERSION"),
        )
    }

    fn review_prompt(prompt: Prompt) -> Result<PromptReview, ReviewError> {
        Ok(review_prompt(&prompt)?)
    }

    fn review_picture(picture: Picture) -> Result<PictureReview, ReviewError> {
        Ok(review_picture(&picture)?)
    }
}

#[cfg(target_family = "wasm")]
linepress_plugin_sdk::reviewer::export!(OpenAiReviewer);

/// The operator's settings, which `config.json` documents.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    model: String,
    #[serde(default = "base_url")]
    base_url: String,
    #[serde(default)]
    rules: String,
    #[serde(default = "yes")]
    prompts: bool,
    #[serde(default = "yes")]
    pictures: bool,
    #[serde(default)]
    parameters: Map<String, Value>,
    #[serde(default)]
    omit: Vec<String>,
    #[serde(default = "timeout_s")]
    timeout_s: u32,
}

fn base_url() -> String {
    "https://api.openai.com/v1".into()
}

fn yes() -> bool {
    true
}

fn timeout_s() -> u32 {
    60
}

fn review_prompt(prompt: &Prompt) -> Result<PromptReview, Failure> {
    let settings: Settings = linepress_plugin_sdk::settings()?;
    if !settings.prompts {
        return Ok(PromptReview {
            refusal: None,
            extra: Vec::new(),
        });
    }
    let question = json!(reviewing::prompt_question(prompt));
    let body = body(
        &settings,
        reviewing::PROMPT_INSTRUCTIONS,
        &question,
        &reviewing::prompt_schema(),
    );
    match answer(settings, &body)? {
        Some(Completed { text, model }) => reviewing::read_prompt_review(&text, &model),
        // The server has a sentence for the customer.
        None => Ok(PromptReview {
            refusal: Some(String::new()),
            extra: Vec::new(),
        }),
    }
}

fn review_picture(picture: &Picture) -> Result<PictureReview, Failure> {
    let settings: Settings = linepress_plugin_sdk::settings()?;
    if !settings.pictures {
        return Ok(PictureReview {
            verdict: Verdict::Pass,
            extra: Vec::new(),
        });
    }
    let question = json!([
        {"type": "text", "text": reviewing::picture_question(picture)},
        {"type": "image_url", "image_url": {"url": data_url::encode(&picture.image)}},
    ]);
    let body = body(
        &settings,
        reviewing::PICTURE_INSTRUCTIONS,
        &question,
        &reviewing::picture_schema(),
    );
    match answer(settings, &body)? {
        Some(Completed { text, model }) => reviewing::read_picture_review(&text, &model),
        None => Ok(PictureReview {
            verdict: Verdict::Refuse(String::new()),
            extra: Vec::new(),
        }),
    }
}

/// The answer of the model; `None` if the API or the model declined to look.
fn answer(settings: Settings, body: &Value) -> Result<Option<Completed>, Failure> {
    let deadline = Deadline::after_seconds(settings.timeout_s);
    match openai::complete_chat(&settings.base_url, body, settings.model, "verdict", &deadline) {
        Ok(completed) => Ok(Some(completed)),
        Err(Failure::Refused(_)) => Ok(None),
        Err(failure) => Err(failure),
    }
}

fn body(settings: &Settings, instructions: &str, question: &Value, schema: &Value) -> Value {
    let rules = settings.rules.trim();
    let instructions = match rules.is_empty() {
        true => instructions.to_owned(),
        false => format!("{instructions}\n\nFurther rules of the printer: {rules}"),
    };
    let body = openai::chat_body(&settings.model, &instructions, question, ("review", schema));
    merge(body, &settings.parameters, &settings.omit)
}

#[cfg(test)]
mod tests {
    use linepress_plugin_sdk::testing::{self, Reply, picture_to_review, prompt_to_review};

    use super::*;

    fn choice(verdict: &Value) -> Value {
        json!({"finish_reason": "stop", "message": {"content": verdict.to_string()}})
    }

    fn replies(choice: &Value) {
        testing::reply(Reply::json(200, json!({"model": "talker-2", "choices": [choice]})));
    }

    fn sent() -> Value {
        serde_json::from_slice(&testing::requests().pop().unwrap().body).unwrap()
    }

    #[test]
    fn a_prompt_is_sent_with_the_operators_rules_and_a_schema() {
        testing::set_settings(json!({"model": "talker", "rules": "No dragons."}));
        replies(&choice(
            &json!({"verdict": "refuse", "sentence": "No dragons, please."}),
        ));
        let review = review_prompt(&prompt_to_review()).unwrap();
        assert_eq!(review.refusal.as_deref(), Some("No dragons, please."));
        assert_eq!(review.extra, [("model".to_owned(), "talker-2".to_owned())]);
        let body = sent();
        assert!(
            body["messages"][0]["content"]
                .as_str()
                .unwrap()
                .ends_with("No dragons.")
        );
        assert!(body["messages"][1]["content"].as_str().unwrap().contains("A fox finds"));
        assert_eq!(body["response_format"]["json_schema"]["strict"], true);
    }

    #[test]
    fn a_picture_is_sent_next_to_its_prompt() {
        testing::set_settings(json!({"model": "talker"}));
        replies(&choice(
            &json!({"verdict": "redraw", "hint": "Four legs.", "sentence": ""}),
        ));
        let review = review_picture(&picture_to_review()).unwrap();
        assert!(matches!(review.verdict, Verdict::Redraw(hint) if hint == "Four legs."));
        let content = &sent()["messages"][1]["content"];
        assert_eq!(content[0]["type"], "text");
        let url = content[1]["image_url"]["url"].as_str().unwrap();
        assert!(url.starts_with("data:image/png;base64,"), "{url}");
    }

    #[test]
    fn whatever_the_model_declines_to_see_is_refused() {
        for choice in [
            json!({"message": {"refusal": "No."}}),
            json!({"finish_reason": "content_filter", "message": {}}),
        ] {
            testing::set_settings(json!({"model": "talker"}));
            replies(&choice);
            assert_eq!(review_prompt(&prompt_to_review()).unwrap().refusal.as_deref(), Some(""));
            replies(&choice);
            let review = review_picture(&picture_to_review()).unwrap();
            assert!(matches!(review.verdict, Verdict::Refuse(sentence) if sentence.is_empty()));
        }
        replies(&json!({"finish_reason": "length", "message": {"content": "{"}}));
        assert!(matches!(review_prompt(&prompt_to_review()), Err(Failure::Other(reason)) if reason.contains("tokens")));
    }

    #[test]
    fn what_the_settings_leave_out_passes_without_a_request() {
        testing::set_settings(json!({"model": "talker", "prompts": false, "pictures": false}));
        assert_eq!(review_prompt(&prompt_to_review()).unwrap().refusal, None);
        let review = review_picture(&picture_to_review()).unwrap();
        assert!(matches!(review.verdict, Verdict::Pass));
        assert!(testing::requests().is_empty());
    }
}
