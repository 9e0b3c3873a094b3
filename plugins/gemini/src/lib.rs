//! An image provider that uses the Gemini API of Google, either `generateContent` or the newer interactions.

/// The method `models/{model}:generateContent`.
mod generate_content;
/// The method `interactions`.
mod interactions;

use linepress_plugin_sdk::http::{Problem, Request};
use linepress_plugin_sdk::image::{Description, DrawError, DrawRequest, Drawing, Guest};
use linepress_plugin_sdk::{Deadline, Failure, merge, picture};
use serde::Deserialize;
use serde_json::{Map, Value};

pub struct Gemini;

impl Guest for Gemini {
    fn describe() -> Description {
        let settings = linepress_plugin_sdk::settings();
        let max_references = settings.map_or_else(|_| max_references(), |settings: Settings| settings.max_references);
        picture::description("linepress.gemini", "Gemini", env!("CARGO_PKG_VERSION"), max_references)
    }

    fn draw(request: DrawRequest) -> Result<Drawing, DrawError> {
        Ok(draw(&request)?)
    }
}

#[cfg(target_family = "wasm")]
linepress_plugin_sdk::image::export!(Gemini);

/// The operator's settings, which `config.json` documents.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    model: String,
    #[serde(default = "base_url")]
    base_url: String,
    #[serde(default)]
    api: Api,
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

#[derive(Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Api {
    #[default]
    GenerateContent,
    Interactions,
}

fn base_url() -> String {
    "https://generativelanguage.googleapis.com/v1beta".into()
}

fn max_references() -> u32 {
    3
}

fn timeout_s() -> u32 {
    280
}

fn draw(request: &DrawRequest) -> Result<Drawing, Failure> {
    let settings: Settings = linepress_plugin_sdk::settings()?;
    let deadline = Deadline::after_seconds(settings.timeout_s);
    let (url, body) = match settings.api {
        Api::GenerateContent => generate_content::build_request(request, &settings),
        Api::Interactions => interactions::build_request(request, &settings),
    };
    let body = merge(body, &settings.parameters, &settings.omit);
    let response = Request::post(url, &deadline).json(&body).send()?.success(explain)?;
    let (bytes, model) = match settings.api {
        Api::GenerateContent => generate_content::read(&response)?,
        Api::Interactions => interactions::read(&response)?,
    };
    picture::drawing(bytes, &model.unwrap_or(settings.model), None)
}

/// Interprets the typed details of Google's errors: the reason for a rejected key, and the time to wait.
fn explain(problem: &Problem) -> Option<Failure> {
    let details = problem.body["error"]["details"].as_array();
    let find = |name: &str| details?.iter().find_map(|detail| detail.get(name)?.as_str());
    if problem.status == 429 {
        let delay = find("retryDelay").and_then(|delay| delay.trim_end_matches('s').parse::<f64>().ok());
        return delay.map(|seconds| Failure::RateLimited(Some(seconds.ceil() as u32)));
    }
    if find("reason").is_some_and(|reason| reason.starts_with("API_KEY")) {
        return Some(problem.rejected_key());
    }
    (problem.status == 404).then(|| problem.wrong_setting("model"))
}

#[cfg(test)]
mod tests;
