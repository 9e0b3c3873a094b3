//! An image provider that uses a model of OpenRouter, through chat completions that return a picture.

use linepress_plugin_sdk::http::{self, Problem, Request, Response};
use linepress_plugin_sdk::image::{Description, DrawError, DrawRequest, Drawing, Guest};
use linepress_plugin_sdk::{Deadline, Failure, data_url, merge, openai, picture, size, style};
use serde::Deserialize;
use serde_json::{Map, Value, json};

pub struct OpenRouter;

impl Guest for OpenRouter {
    fn describe() -> Description {
        let settings = linepress_plugin_sdk::settings();
        let max_references = settings.map_or_else(|_| max_references(), |settings: Settings| settings.max_references);
        picture::description(
            "linepress.openrouter",
            "OpenRouter",
            env!("CARGO_PKG_VERSION"),
            max_references,
        )
    }

    fn draw(request: DrawRequest) -> Result<Drawing, DrawError> {
        Ok(draw(&request)?)
    }
}

#[cfg(target_family = "wasm")]
linepress_plugin_sdk::image::export!(OpenRouter);

/// The operator's settings, which `config.json` documents.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    model: String,
    #[serde(default = "base_url")]
    base_url: String,
    #[serde(default = "modalities")]
    modalities: Vec<String>,
    image_size: Option<String>,
    #[serde(default = "max_references")]
    max_references: u32,
    #[serde(default)]
    parameters: Map<String, Value>,
    #[serde(default)]
    omit: Vec<String>,
    #[serde(default = "timeout_s")]
    timeout_s: u32,
}

fn base_url() -> String {
    "https://openrouter.ai/api/v1".into()
}

fn modalities() -> Vec<String> {
    vec!["image".into(), "text".into()]
}

fn max_references() -> u32 {
    3
}

fn timeout_s() -> u32 {
    280
}

#[derive(Deserialize)]
struct Completion {
    model: Option<String>,
    #[serde(default)]
    choices: Vec<Choice>,
    usage: Option<Usage>,
}

#[derive(Deserialize)]
struct Choice {
    message: Option<Message>,
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct Message {
    #[serde(default)]
    images: Vec<Image>,
    refusal: Option<String>,
}

#[derive(Deserialize)]
struct Image {
    image_url: ImageUrl,
}

#[derive(Deserialize)]
struct ImageUrl {
    url: String,
}

/// The cost in credits. One credit is one US dollar.
#[derive(Deserialize)]
struct Usage {
    cost: Option<f64>,
}

fn draw(request: &DrawRequest) -> Result<Drawing, Failure> {
    let settings: Settings = linepress_plugin_sdk::settings()?;
    let deadline = Deadline::after_seconds(settings.timeout_s);
    let url = http::join(&settings.base_url, "chat/completions");
    let response = Request::post(url, &deadline).json(&body(request, &settings)).send()?;
    let response = with_error_status(response).success(explain)?;
    let completion: Completion = response.json()?;
    let choice = completion.choices.into_iter().next();
    let choice = choice.ok_or_else(|| Failure::Other("the API returned no choice".into()))?;
    let image = choice.message.as_ref().and_then(|message| message.images.first());
    let Some(image) = image else {
        return Err(without_picture(&choice));
    };
    let picture = data_url::decode(&image.image_url.url)
        .unwrap_or_else(|| Err(Failure::Other("the API's picture is not a data URL in base64".into())))?;
    let cost = completion.usage.and_then(|usage| usage.cost);
    picture::drawing(picture.bytes, &completion.model.unwrap_or(settings.model), cost)
}

fn body(request: &DrawRequest, settings: &Settings) -> Value {
    let references = style::reference_images(request);
    let mut content = vec![json!({"type": "text", "text": style::prompt(request)})];
    let image = |url: String| json!({"type": "image_url", "image_url": {"url": url}});
    content.extend(references.iter().map(|media| image(data_url::encode(media))));
    let mut image_config = json!({"aspect_ratio": size::ratio(request.aspect)});
    if let Some(image_size) = &settings.image_size {
        image_config["image_size"] = json!(image_size);
    }
    let body = json!({
        "model": settings.model,
        "messages": [{"role": "user", "content": content}],
        "modalities": settings.modalities,
        "image_config": image_config,
        "seed": picture::seed(request),
        "usage": {"include": true},
    });
    merge(body, &settings.parameters, &settings.omit)
}

/// Sets the status of the response to that of the error it contains. If a model fails after it has started, the API
/// returns status 200 with an error in the response or in its choice, and the error's code is the actual status.
fn with_error_status(mut response: Response) -> Response {
    let body: Value = response.json().unwrap_or_default();
    let error = body.get("error").or_else(|| body["choices"][0].get("error"));
    if let Some(error) = error.filter(|error| error.is_object() && response.status == 200) {
        let code = error["code"].as_u64().and_then(|code| u16::try_from(code).ok());
        response.status = code.filter(|code| *code >= 400).unwrap_or(502);
        response.body = json!({"error": error}).to_string().into_bytes();
    }
    response
}

/// Distinguishes a flagged prompt from a rejected key. Both have status 403, but only a flagged prompt has reasons.
fn explain(problem: &Problem) -> Option<Failure> {
    let metadata = &problem.body["error"]["metadata"];
    let is_flagged = metadata.get("reasons").is_some() || metadata.get("flagged_input").is_some();
    if is_flagged {
        return Some(Failure::Refused(format!("{} {}", problem.text(), metadata["reasons"])));
    }
    openai::explain(problem)
}

fn without_picture(choice: &Choice) -> Failure {
    let refusal = choice.message.as_ref().and_then(|message| message.refusal.as_deref());
    match (
        refusal.filter(|refusal| !refusal.is_empty()),
        choice.finish_reason.as_deref(),
    ) {
        (Some(refusal), _) => Failure::Refused(refusal.into()),
        (None, Some("content_filter")) => Failure::Refused("the model's content filter stopped the drawing".into()),
        _ => Failure::Other("the model returned no picture".into()),
    }
}

#[cfg(test)]
mod tests;
