//! An image provider that uses a model of fal through its queue: the response to a request contains the URLs of its
//! status and result.

mod settings;

use std::time::Duration;

use linepress_plugin_sdk::http::{self, Problem, Request, Response};
use linepress_plugin_sdk::image::{Description, DrawError, DrawRequest, Drawing, Guest};
use linepress_plugin_sdk::size::{self, Bounds};
use linepress_plugin_sdk::{Deadline, Failure, data_url, merge, picture, poll, style};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::settings::{ReferencesAs, Settings, SizeAs};

/// The pause between the first two polls.
const POLL_PAUSE: Duration = Duration::from_secs(1);

/// Picture sizes that nearly every model supports.
const SIZES: Bounds = Bounds {
    step: 16,
    min_side: 512,
    max_side: 2048,
    min_pixels: 512 * 512,
    max_pixels: 4_000_000,
};

pub struct Fal;

impl Guest for Fal {
    fn describe() -> Description {
        let settings = linepress_plugin_sdk::settings();
        let max_references = settings.map_or(0, |settings: Settings| settings.max_references());
        picture::description("linepress.fal", "fal", env!("CARGO_PKG_VERSION"), max_references)
    }

    fn draw(request: DrawRequest) -> Result<Drawing, DrawError> {
        Ok(draw(&request)?)
    }
}

#[cfg(target_family = "wasm")]
linepress_plugin_sdk::image::export!(Fal);

/// A request in the queue. Its URLs are taken from the response and never constructed, because they omit part of the
/// model's name.
#[derive(Deserialize)]
struct Queued {
    status_url: String,
    response_url: String,
}

#[derive(Deserialize)]
struct Status {
    status: String,
}

/// A model's output. Most models return a list of pictures, some a single one.
#[derive(Deserialize)]
struct Output {
    #[serde(default)]
    images: Vec<Image>,
    image: Option<Image>,
    #[serde(default)]
    has_nsfw_concepts: Vec<bool>,
}

#[derive(Deserialize)]
struct Image {
    url: String,
}

fn draw(request: &DrawRequest) -> Result<Drawing, Failure> {
    let settings: Settings = linepress_plugin_sdk::settings()?;
    let deadline = Deadline::after_seconds(settings.timeout_s);
    let (model, input) = input(request, &settings);
    let response = Request::post(http::join(&settings.base_url, model), &deadline)
        // Disables fal's own ten retries, which would multiply with the server's attempts.
        .header("x-fal-no-retry", "1")
        .json(&input)
        .send()?;
    let queued: Queued = response.success(explain)?.json()?;
    poll::until(&deadline, POLL_PAUSE, || {
        let response = get(&queued.status_url, &deadline)?;
        let status: Status = response.success(explain)?.json()?;
        // The status does not distinguish success from failure; the result does.
        Ok((status.status == "COMPLETED").then_some(()))
    })?;
    let output: Output = result(get(&queued.response_url, &deadline)?)?.json()?;
    if output.has_nsfw_concepts.first() == Some(&true) {
        return Err(Failure::Refused(
            "the model's safety checker blacked out the picture".into(),
        ));
    }
    let image = output.images.into_iter().next().or(output.image);
    let image = image.ok_or_else(|| Failure::Other("the model returned no picture".into()))?;
    let bytes = match data_url::decode(&image.url) {
        Some(media) => media?.bytes,
        None => http::download(&image.url, &deadline)?,
    };
    picture::drawing(bytes, model, None)
}

fn get(url: &str, deadline: &Deadline) -> Result<Response, http::Error> {
    Request::get(url, deadline).header("accept", "application/json").send()
}

/// Returns the model and its input.
fn input<'a>(request: &DrawRequest, settings: &'a Settings) -> (&'a str, Value) {
    let mut input = json!({
        "prompt": style::prompt(request),
        "num_images": 1,
        "output_format": "png",
        "seed": picture::seed(request),
    });
    match settings.size_as {
        SizeAs::ImageSize => {
            let size = SIZES.fit(&request.size);
            input["image_size"] = json!({"width": size.width, "height": size.height});
        }
        SizeAs::AspectRatio => input["aspect_ratio"] = size::ratio(request.aspect).into(),
    }
    let references: Vec<_> = style::reference_images(request)
        .into_iter()
        .map(data_url::encode)
        .collect();
    let mut model = &settings.model;
    if let (Some(edit_model), [first, ..]) = (&settings.edit_model, &references[..]) {
        model = edit_model;
        match settings.references_as {
            ReferencesAs::ImageUrl => input["image_url"] = json!(first),
            ReferencesAs::ImageUrls => input["image_urls"] = json!(references),
        }
    }
    (model, merge(input, &settings.parameters, &settings.omit))
}

/// Returns the result, or the failure of the request. fal marks its own failures as retryable, even with status 400 or
/// 422.
fn result(response: Response) -> Result<Response, Failure> {
    let is_retryable = response.header("x-fal-retryable") == Some("true");
    let kind = response.header("x-fal-error-type").unwrap_or_default().to_owned();
    response.success(|problem| {
        let text = format!("{kind} {}", problem.text());
        let is_client_error = matches!(problem.status, 400 | 422);
        explain(problem).or_else(|| (is_retryable && is_client_error).then_some(Failure::Other(text)))
    })
}

/// Interprets the error types in `detail`.
fn explain(problem: &Problem) -> Option<Failure> {
    let details = problem.body["detail"].as_array();
    let mut kinds = details
        .into_iter()
        .flatten()
        .filter_map(|detail| detail["type"].as_str());
    if kinds.any(|kind| kind == "content_policy_violation") {
        Some(Failure::Refused(problem.text()))
    } else if problem.message.contains("Exhausted balance") {
        Some(problem.no_credit())
    } else {
        (problem.status == 404).then(|| problem.wrong_setting("model"))
    }
}

#[cfg(test)]
mod tests;
