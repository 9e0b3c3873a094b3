//! A reviewer that uses the Chat Completions API of OpenAI or of a compatible server such as Ollama, vLLM or LocalAI.

use linepress_plugin_sdk::openai::{self, Completed};
use linepress_plugin_sdk::v1::reviewer::{
    Description, FinishedPicture, Guest, Media, Picture, PictureDescription, PictureReview, Prompt, PromptReview,
    ReviewError, Verdict,
};
use linepress_plugin_sdk::{Deadline, Failure, data_url, merge, reviewing};
use serde::Deserialize;
use serde_json::{Map, Value, json};

pub struct OpenAiReviewer;

impl Guest for OpenAiReviewer {
    fn describe() -> Description {
        let description = reviewing::description(
            "linepress.openai-reviewer",
            "OpenAI reviewer",
            env!("CARGO_PKG_VERSION"),
        );
        // Without settings, calls report what is missing.
        let settings: Result<Settings, Failure> = linepress_plugin_sdk::settings();
        Description {
            describes_pictures: settings.is_ok_and(|settings| settings.describes_pictures()),
            ..description
        }
    }

    fn review_prompt(prompt: Prompt) -> Result<PromptReview, ReviewError> {
        Ok(review_prompt(&prompt)?)
    }

    fn review_picture(picture: Picture) -> Result<PictureReview, ReviewError> {
        Ok(review_picture(&picture)?)
    }

    fn describe_picture(picture: FinishedPicture) -> Result<PictureDescription, ReviewError> {
        Ok(describe_picture(&picture)?)
    }
}

#[cfg(target_family = "wasm")]
linepress_plugin_sdk::v1::reviewer::export!(OpenAiReviewer);

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
    descriptions: Option<bool>,
    #[serde(default)]
    parameters: Map<String, Value>,
    #[serde(default)]
    omit: Vec<String>,
    #[serde(default = "timeout_s")]
    timeout_s: u32,
}

impl Settings {
    /// Returns true if pictures are to be described. By default, a model that sees no pictures describes none.
    fn describes_pictures(&self) -> bool {
        self.descriptions.unwrap_or(self.pictures)
    }
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
            usage: reviewing::usage(None),
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
            usage: reviewing::usage(None),
        }),
    }
}

fn review_picture(picture: &Picture) -> Result<PictureReview, Failure> {
    let settings: Settings = linepress_plugin_sdk::settings()?;
    if !settings.pictures {
        return Ok(PictureReview {
            verdict: Verdict::Pass,
            usage: reviewing::usage(None),
        });
    }
    let question = with_image(&reviewing::picture_question(picture), &picture.image);
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
            usage: reviewing::usage(None),
        }),
    }
}

fn describe_picture(picture: &FinishedPicture) -> Result<PictureDescription, Failure> {
    let settings: Settings = linepress_plugin_sdk::settings()?;
    let question = with_image(&reviewing::description_question(picture), &picture.image);
    let body = body(
        &settings,
        reviewing::DESCRIPTION_INSTRUCTIONS,
        &question,
        &reviewing::description_schema(),
    );
    match answer(settings, &body)? {
        Some(Completed { text, model }) => reviewing::read_description(&text, &model),
        None => Err(Failure::Other("the model declined to describe the picture".into())),
    }
}

/// A question next to a picture.
fn with_image(text: &str, image: &Media) -> Value {
    json!([
        {"type": "text", "text": text},
        {"type": "image_url", "image_url": {"url": data_url::encode(image)}},
    ])
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
    use linepress_plugin_sdk::testing::{self, Reply, finished_picture, picture_to_review, prompt_to_review};

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
        assert_eq!(review.usage.model.as_deref(), Some("talker-2"));
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
    fn a_picture_is_described_in_the_language_of_the_book_unless_the_settings_leave_it_out() {
        for (settings, expected) in [
            (json!({"model": "talker"}), true),
            (json!({"model": "talker", "descriptions": false}), false),
            (json!({"model": "talker", "pictures": false}), false),
            (
                json!({"model": "talker", "pictures": false, "descriptions": true}),
                true,
            ),
            (json!({}), false),
        ] {
            testing::set_settings(settings.clone());
            assert_eq!(OpenAiReviewer::describe().describes_pictures, expected, "{settings}");
        }
        testing::set_settings(json!({"model": "talker"}));
        replies(&choice(
            &json!({"alternative_text": "Ein Fuchs im Schnee.", "caption": "Brr!"}),
        ));
        let description = describe_picture(&finished_picture()).unwrap();
        assert_eq!(description.alternative_text, "Ein Fuchs im Schnee.");
        assert_eq!(description.usage.model.as_deref(), Some("talker-2"));
        let content = &sent()["messages"][1]["content"];
        assert!(content[0]["text"].as_str().unwrap().contains("(BCP 47): de"));
        replies(&json!({"message": {"refusal": "No."}}));
        assert!(matches!(describe_picture(&finished_picture()), Err(Failure::Other(_))));
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
