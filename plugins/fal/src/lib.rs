//! Draws with one of the models of fal, through its queue: a request gives the addresses of its status and its result.

mod settings;

use std::time::Duration;

use linepress_plugin_sdk::http::{self, Problem, Request, Response};
use linepress_plugin_sdk::image::{Description, DrawError, DrawRequest, Drawing, Guest};
use linepress_plugin_sdk::size::{self, Bounds};
use linepress_plugin_sdk::{Deadline, Failure, data_url, merge, picture, poll, style};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::settings::{ReferencesAs, Settings, SizeAs};

/// The pause before the first asking.
const PAUSE: Duration = Duration::from_secs(1);

/// What nearly every model takes.
const SIZES: Bounds = Bounds {
    step: 16,
    shortest_side: 512,
    longest_side: 2048,
    fewest_pixels: 512 * 512,
    most_pixels: 4_000_000,
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

/// A request in the queue. Its addresses are never put together here: they leave out a part of the model's name.
#[derive(Deserialize)]
struct Queued {
    status_url: String,
    response_url: String,
}

#[derive(Deserialize)]
struct Status {
    status: String,
}

/// Most models put out several pictures, some one.
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
        // Its ten retries would come on top of the server's.
        .header("x-fal-no-retry", "1")
        .json(&input)
        .send()?;
    let queued: Queued = response.success(explain)?.json()?;
    poll::until(&deadline, PAUSE, || {
        let response = get(&queued.status_url, &deadline)?;
        let status: Status = response.success(explain)?.json()?;
        // Whether it went well is said by the result.
        Ok((status.status == "COMPLETED").then_some(()))
    })?;
    let output: Output = result(get(&queued.response_url, &deadline)?)?.json()?;
    if output.has_nsfw_concepts.first() == Some(&true) {
        return Err(Failure::Refused(
            "the model's safety checker blackened the picture".into(),
        ));
    }
    let image = output.images.into_iter().next().or(output.image);
    let image = image.ok_or_else(|| Failure::Other("the model answered without a picture".into()))?;
    let bytes = match data_url::decode(&image.url) {
        Some(media) => media?.bytes,
        None => http::download(&image.url, &deadline)?,
    };
    picture::drawing(bytes, model, None)
}

fn get(url: &str, deadline: &Deadline) -> Result<Response, http::Error> {
    Request::get(url, deadline).header("accept", "application/json").send()
}

/// The model, and what it is given.
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

/// The result, or what became of the request. What failed on fal's side says that it may be tried again.
fn result(response: Response) -> Result<Response, Failure> {
    let is_retryable = response.header("x-fal-retryable") == Some("true");
    let kind = response.header("x-fal-error-type").unwrap_or_default().to_owned();
    response.success(|problem| {
        let text = format!("{kind} {}", problem.text());
        let is_ours = matches!(problem.status, 400 | 422);
        explain(problem).or_else(|| (is_retryable && is_ours).then_some(Failure::Other(text)))
    })
}

/// The types of the errors in `detail`.
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
