//! An image provider that uses the API of Black Forest Labs: the response to a request contains a URL to poll, which
//! finally returns the URL of the picture.

use std::time::Duration;

use linepress_plugin_sdk::http::{self, Problem, Request};
use linepress_plugin_sdk::image::{Description, DrawError, DrawRequest, Drawing, Guest};
use linepress_plugin_sdk::size::Bounds;
use linepress_plugin_sdk::{Deadline, Failure, data_url, merge, picture, poll, progress, style};
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// The pause between the first two polls.
const POLL_PAUSE: Duration = Duration::from_secs(1);

/// Picture sizes that FLUX.2 supports.
const SIZES: Bounds = Bounds {
    step: 16,
    min_side: 256,
    max_side: 2048,
    min_pixels: 256 * 256,
    max_pixels: 4_000_000,
};

/// One credit costs one US cent.
const CREDITS_PER_DOLLAR: f64 = 100.0;

pub struct Flux;

impl Guest for Flux {
    fn describe() -> Description {
        let settings = linepress_plugin_sdk::settings();
        let max_references = settings.map_or_else(|_| max_references(), |settings: Settings| settings.max_references);
        picture::description("linepress.flux", "FLUX", env!("CARGO_PKG_VERSION"), max_references)
    }

    fn draw(request: DrawRequest) -> Result<Drawing, DrawError> {
        Ok(draw(&request)?)
    }
}

#[cfg(target_family = "wasm")]
linepress_plugin_sdk::image::export!(Flux);

/// The operator's settings, which `config.json` documents.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    model: String,
    #[serde(default = "base_url")]
    base_url: String,
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
    "https://api.bfl.ai/v1".into()
}

fn max_references() -> u32 {
    8
}

fn timeout_s() -> u32 {
    280
}

#[derive(Deserialize)]
struct Task {
    polling_url: String,
    cost: Option<f64>,
}

#[derive(Deserialize)]
struct State {
    status: String,
    result: Option<Value>,
    details: Option<Value>,
    /// The completed fraction, from 0 to 1.
    progress: Option<f64>,
}

fn draw(request: &DrawRequest) -> Result<Drawing, Failure> {
    let settings: Settings = linepress_plugin_sdk::settings()?;
    let deadline = Deadline::after_seconds(settings.timeout_s);
    let url = http::join(&settings.base_url, &settings.model);
    let response = Request::post(url, &deadline).json(&body(request, &settings)).send()?;
    let task: Task = response.success(explain)?.json()?;
    let sample = poll::until(&deadline, POLL_PAUSE, || poll_result(&task.polling_url, &deadline))?;
    let bytes = http::download(&sample, &deadline)?;
    picture::drawing(
        bytes,
        &settings.model,
        task.cost.map(|credits| credits / CREDITS_PER_DOLLAR),
    )
}

fn body(request: &DrawRequest, settings: &Settings) -> Value {
    let size = SIZES.fit(&request.size);
    let mut body = json!({
        "prompt": style::prompt(request),
        "width": size.width,
        "height": size.height,
        "seed": picture::seed(request),
        // The default format is JPEG, which blurs lines.
        "output_format": "png",
    });
    for (index, media) in style::reference_images(request).into_iter().enumerate() {
        let name = if index == 0 {
            "input_image".into()
        } else {
            format!("input_image_{}", index + 1)
        };
        body[name] = data_url::to_base64(&media.bytes).into();
    }
    merge(body, &settings.parameters, &settings.omit)
}

/// Returns the URL of the picture once it is ready. An unknown status counts as pending, because the API may add new
/// ones.
fn poll_result(polling_url: &str, deadline: &Deadline) -> Result<Option<String>, Failure> {
    let response = Request::get(polling_url, deadline)
        .header("accept", "application/json")
        .send()?;
    let state: State = response.success(explain)?.json()?;
    let details = state.details.unwrap_or_default();
    let text = format!("{}: {details}", state.status);
    match state.status.as_str() {
        "Ready" => {
            let sample = state.result.as_ref().and_then(|result| result["sample"].as_str());
            let sample =
                sample.ok_or_else(|| Failure::Other("the API reports success but returned no picture".into()))?;
            Ok(Some(sample.to_owned()))
        }
        "Request Moderated" | "Content Moderated" => Err(Failure::Refused(text)),
        "Error" | "Failed" | "Task not found" => Err(Failure::Other(text)),
        _ => {
            if let Some(share) = state.progress {
                progress::report((share * 100.0) as u32, 100);
            }
            Ok(None)
        }
    }
}

/// Interprets 404 and 405 as an unknown model, because each model has its own URL.
fn explain(problem: &Problem) -> Option<Failure> {
    let is_model = problem.status == 404 || problem.status == 405;
    is_model.then(|| problem.wrong_setting("model"))
}

#[cfg(test)]
mod tests {
    use linepress_plugin_sdk::testing::{self, Reply, draw_request, refine_request};

    use super::*;

    const PICTURE: &[u8] = b"\x89PNG\r\n\x1a\n";

    /// Draws while the API returns these states of the task, and then this picture.
    fn states(states: &[Value], picture: Reply) -> Result<Drawing, Failure> {
        testing::set_settings(json!({"model": "flux-2-pro"}));
        let task = json!({"id": "1", "polling_url": "https://api.eu1.bfl.ai/v1/get_result?id=1", "cost": 4.5});
        testing::reply(Reply::json(200, task));
        for state in states {
            testing::reply(Reply::json(200, state.clone()));
        }
        if states.last() == Some(&ready()) {
            testing::reply(picture);
        }
        draw(&draw_request(2))
    }

    fn ready() -> Value {
        json!({"status": "Ready", "result": {"sample": "https://delivery-eu1.bfl.ai/1.png?signature=2"}})
    }

    #[test]
    fn a_drawing_is_polled_at_the_url_in_the_response() {
        let pending = json!({"status": "Pending", "progress": 0.25});
        let unknown = json!({"status": "Reasoning", "result": null});
        let drawing = states(&[pending, unknown, ready()], Reply::new(200, PICTURE)).unwrap();
        assert_eq!(drawing.extra[1], ("cost-usd".to_owned(), "0.045".to_owned()));
        let requests = testing::requests();
        let urls: Vec<_> = requests.iter().map(|request| request.url.as_str()).collect();
        assert_eq!(urls[0], "https://api.bfl.ai/v1/flux-2-pro");
        assert_eq!(urls[3], "https://api.eu1.bfl.ai/v1/get_result?id=1");
        assert_eq!(urls[4], "https://delivery-eu1.bfl.ai/1.png?signature=2");
        let body: Value = serde_json::from_slice(&requests[0].body).unwrap();
        assert_eq!((&body["width"], &body["height"]), (&json!(1152), &json!(1536)));
        assert_eq!(body["output_format"], "png");
        assert_eq!(body["input_image_2"], "iVBORw0KGgoC");
        assert_eq!(testing::progress(), [(25, 100)]);
    }

    #[test]
    fn a_picture_to_change_is_the_first_input() {
        testing::set_settings(json!({"model": "flux-kontext-pro"}));
        let settings = linepress_plugin_sdk::settings().unwrap();
        let body = body(&refine_request(1), &settings);
        assert_eq!(body["input_image"], "/9j/");
        assert_eq!(body["input_image_2"], "iVBORw0KGgoB");
        assert!(
            body["prompt"]
                .as_str()
                .unwrap()
                .contains("Change it as follows: Remove the key.")
        );
    }

    #[test]
    fn a_moderated_drawing_is_refused() {
        for status in ["Request Moderated", "Content Moderated"] {
            let refused = states(
                &[json!({"status": status, "details": {"reasons": ["x"]}})],
                Reply::new(200, ""),
            );
            assert!(matches!(refused, Err(Failure::Refused(_))), "{status}");
        }
    }

    #[test]
    fn a_failed_task_is_retried() {
        let failed = states(&[json!({"status": "Error"})], Reply::new(200, ""));
        assert!(matches!(failed, Err(Failure::Other(_))));
    }

    #[test]
    fn an_expired_url_is_retried() {
        let expired = states(&[ready()], Reply::new(403, "<Error>AccessDenied</Error>"));
        assert!(matches!(expired, Err(Failure::Other(reason)) if reason.contains("expired")));
    }
}
