//! The method `interactions`, which Google recommends since June 2026. The response is a list of steps.

use linepress_plugin_sdk::http::{self, Response};
use linepress_plugin_sdk::image::DrawRequest;
use linepress_plugin_sdk::{Failure, data_url, picture, size, style};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::Settings;

/// Returns the URL and the body of a request.
pub(crate) fn build_request(request: &DrawRequest, settings: &Settings) -> (String, Value) {
    let references = style::reference_images(request);
    let mut input = vec![json!({"type": "text", "text": style::prompt(request)})];
    input.extend(references.iter().map(
        |media| json!({"type": "image", "mime_type": media.media_type, "data": data_url::to_base64(&media.bytes)}),
    ));
    // No media type is requested: the only one that can be requested is JPEG, which blurs lines.
    let mut format = json!({"type": "image", "aspect_ratio": size::ratio(request.aspect), "delivery": "inline"});
    if let Some(image_size) = &settings.image_size {
        format["image_size"] = json!(image_size);
    }
    let body = json!({
        "model": settings.model,
        "input": input,
        "response_format": [format],
        "generation_config": {"seed": picture::seed(request)},
        // Google does not store the request, because it contains the customer's texts.
        "store": false,
    });
    (http::join(&settings.base_url, "interactions"), body)
}

#[derive(Deserialize)]
struct Interaction {
    status: String,
    model: Option<String>,
    #[serde(default)]
    steps: Vec<Step>,
    #[serde(default)]
    errors: Vec<Fault>,
}

#[derive(Deserialize)]
struct Step {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    content: Vec<Content>,
    error: Option<Fault>,
}

#[derive(Deserialize)]
struct Content {
    #[serde(rename = "type")]
    kind: String,
    data: Option<String>,
}

#[derive(Deserialize)]
struct Fault {
    code: Option<Value>,
    message: Option<String>,
}

/// Reads the picture, and the name of the model if the API reports it.
pub(crate) fn read(response: &Response) -> Result<(Vec<u8>, Option<String>), Failure> {
    let interaction: Interaction = response.json()?;
    let outputs = interaction.steps.iter().filter(|step| step.kind == "model_output");
    let mut contents = outputs.clone().flat_map(|step| &step.content);
    let picture = contents.find_map(|content| content.data.as_ref().filter(|_| content.kind == "image"));
    if let Some(data) = picture {
        return Ok((data_url::from_base64(data)?, interaction.model));
    }
    let faults = interaction
        .errors
        .iter()
        .chain(outputs.filter_map(|step| step.error.as_ref()));
    let faults: Vec<_> = faults.map(Fault::text).collect();
    Err(missing_picture(&interaction.status, &faults.join("; ")))
}

impl Fault {
    fn text(&self) -> String {
        let code = self.code.as_ref().map(Value::to_string).unwrap_or_default();
        format!("{code} {}", self.message.as_deref().unwrap_or_default())
    }
}

/// Classifies a response without a picture. The codes are URLs whose last part names the reason.
fn missing_picture(status: &str, faults: &str) -> Failure {
    let text = format!("the interaction is {status} without a picture: {faults}");
    let words = faults.to_ascii_lowercase();
    let refusals = ["safety", "prohibited", "blocklist", "blocked", "recitation", "policy"];
    if refusals.iter().any(|refusal| words.contains(refusal)) {
        Failure::Refused(text)
    } else if status == "budget_exceeded" {
        Failure::Unavailable(text)
    } else {
        Failure::Other(text)
    }
}
