//! An image provider that uses the Images API of OpenAI or of a compatible server.

mod settings;

use linepress_plugin_sdk::http::{self, Form, Problem, Request};
use linepress_plugin_sdk::image::{Description, DrawError, DrawRequest, Drawing, Guest, Media};
use linepress_plugin_sdk::{Deadline, Failure, data_url, merge, openai, picture, style};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::settings::{Edits, Settings};

/// Maximum number of pictures that `/images/edits` accepts.
const MAX_REFERENCES: u32 = 16;

pub struct OpenAiImages;

impl Guest for OpenAiImages {
    fn describe() -> Description {
        let takes_none = linepress_plugin_sdk::settings().is_ok_and(|settings: Settings| settings.edits == Edits::None);
        let max_references = if takes_none { 0 } else { MAX_REFERENCES };
        picture::description(
            "linepress.openai-images",
            "OpenAI images",
            env!("CARGO_PKG_VERSION"),
            max_references,
        )
    }

    fn draw(request: DrawRequest) -> Result<Drawing, DrawError> {
        Ok(draw(&request)?)
    }
}

#[cfg(target_family = "wasm")]
linepress_plugin_sdk::image::export!(OpenAiImages);

#[derive(Deserialize)]
struct Images {
    #[serde(default)]
    data: Vec<Image>,
}

/// The picture in base64. Some compatible servers return its URL instead.
#[derive(Deserialize)]
struct Image {
    b64_json: Option<String>,
    url: Option<String>,
}

fn draw(request: &DrawRequest) -> Result<Drawing, Failure> {
    let settings: Settings = linepress_plugin_sdk::settings()?;
    let deadline = Deadline::after_seconds(settings.timeout_s);
    let response = build_request(request, &settings, &deadline).send()?;
    let images: Images = response.success(explain)?.json()?;
    let bytes = match images.data.into_iter().next() {
        Some(Image {
            b64_json: Some(text), ..
        }) => data_url::from_base64(&text)?,
        Some(Image { url: Some(url), .. }) => http::download(&url, &deadline)?,
        _ => return Err(Failure::Other("the API returned no picture".into())),
    };
    picture::drawing(bytes, &settings.model, None)
}

fn build_request(request: &DrawRequest, settings: &Settings, deadline: &Deadline) -> Request {
    let references = style::reference_images(request);
    let mut body = json!({
        "model": settings.model,
        "prompt": style::prompt(request),
        "n": 1,
        "size": settings.size(&request.size, !references.is_empty()),
        "output_format": "png",
    });
    if let Some(quality) = &settings.quality {
        body["quality"] = json!(quality);
    }
    let body = merge(body, &settings.parameters, &settings.omit);
    let post = |path| Request::post(http::join(&settings.base_url, path), deadline);
    match settings.edits {
        Edits::Json if !references.is_empty() => post("images/edits").json(&with_images(body, &references)),
        Edits::Multipart if !references.is_empty() => post("images/edits").form(form(&body, &references)),
        _ => post("images/generations").json(&body),
    }
}

fn with_images(mut body: Value, references: &[&Media]) -> Value {
    let images = references
        .iter()
        .map(|media| json!({"image_url": data_url::encode(media)}));
    body["images"] = images.collect();
    body
}

fn form(body: &Value, references: &[&Media]) -> Form {
    let fields = body.as_object().into_iter().flatten();
    let form = fields.fold(Form::new(), |form, (name, value)| {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        form.field(name, &text)
    });
    // A single file is sent as `image` and not as `image[]`, because some servers reject a list with one entry.
    let name = if references.len() == 1 { "image" } else { "image[]" };
    let files = references.iter().enumerate();
    files.fold(form, |form, (index, media)| {
        let ending = media.media_type.rsplit('/').next().unwrap_or("png");
        form.file(name, &format!("reference-{index}.{ending}"), media)
    })
}

/// Interprets the error types of this API, and the codes that it shares with other APIs of OpenAI.
fn explain(problem: &Problem) -> Option<Failure> {
    let is_user_error = problem.body["error"]["type"] == "image_generation_user_error";
    openai::explain(problem).or_else(|| is_user_error.then(|| Failure::Refused(problem.text())))
}

#[cfg(test)]
mod tests;
