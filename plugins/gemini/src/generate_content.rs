//! The method `models/{model}:generateContent`. The API reports a refusal with status 200 and a reason in the response.

use linepress_plugin_sdk::http::{self, Response};
use linepress_plugin_sdk::image::DrawRequest;
use linepress_plugin_sdk::{Failure, data_url, picture, size, style};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::Settings;

/// Returns the URL and the body of a request.
pub(crate) fn build_request(request: &DrawRequest, settings: &Settings) -> (String, Value) {
    let url = http::join(
        &settings.base_url,
        &format!("models/{}:generateContent", settings.model),
    );
    let references = style::reference_images(request);
    let mut parts = vec![json!({"text": style::prompt(request)})];
    parts.extend(
        references.iter().map(
            |media| json!({"inlineData": {"mimeType": media.media_type, "data": data_url::to_base64(&media.bytes)}}),
        ),
    );
    let mut image_config = json!({"aspectRatio": size::ratio(request.aspect)});
    if let Some(image_size) = &settings.image_size {
        image_config["imageSize"] = json!(image_size);
    }
    let body = json!({
        "contents": [{"role": "user", "parts": parts}],
        "generationConfig": {
            "responseModalities": ["IMAGE"],
            "imageConfig": image_config,
            "seed": picture::seed(request),
        },
    });
    (url, body)
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Answer {
    #[serde(default)]
    candidates: Vec<Candidate>,
    prompt_feedback: Option<PromptFeedback>,
    model_version: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PromptFeedback {
    block_reason: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Candidate {
    content: Option<Content>,
    finish_reason: Option<String>,
    finish_message: Option<String>,
}

#[derive(Deserialize)]
struct Content {
    #[serde(default)]
    parts: Vec<Part>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Part {
    inline_data: Option<InlineData>,
    /// True for an intermediate sketch of a thinking model.
    #[serde(default)]
    thought: bool,
}

#[derive(Deserialize)]
struct InlineData {
    data: String,
}

/// Reads the picture, and the version of the model if the API reports it.
pub(crate) fn read(response: &Response) -> Result<(Vec<u8>, Option<String>), Failure> {
    let answer: Answer = response.json()?;
    if let Some(reason) = answer.prompt_feedback.and_then(|feedback| feedback.block_reason) {
        return Err(Failure::Refused(format!("the prompt was blocked: {reason}")));
    }
    let candidate = answer.candidates.into_iter().next();
    let candidate = candidate.ok_or_else(|| Failure::Other("the API returned no candidate".into()))?;
    let parts = candidate.content.map(|content| content.parts).unwrap_or_default();
    let picture = parts
        .into_iter()
        .filter(|part| !part.thought)
        .find_map(|part| part.inline_data);
    match picture {
        Some(picture) => Ok((data_url::from_base64(&picture.data)?, answer.model_version)),
        None => Err(missing_picture(
            &candidate.finish_reason.unwrap_or_default(),
            &candidate.finish_message.unwrap_or_default(),
        )),
    }
}

/// Classifies a response without a picture.
fn missing_picture(reason: &str, message: &str) -> Failure {
    let text = format!("the model stopped without a picture: {reason} {message}");
    let text = text.trim_end().to_owned();
    match reason {
        "SAFETY"
        | "IMAGE_SAFETY"
        | "PROHIBITED_CONTENT"
        | "IMAGE_PROHIBITED_CONTENT"
        | "BLOCKLIST"
        | "SPII"
        | "RECITATION"
        | "IMAGE_RECITATION"
        | "NO_IMAGE" => Failure::Refused(text),
        "LANGUAGE" => Failure::Invalid(text),
        _ => Failure::Other(text),
    }
}
