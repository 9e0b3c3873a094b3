//! An image provider that runs a workflow in the operator's own ComfyUI.

mod workflow;

use std::time::Duration;

use linepress_plugin_sdk::http::{self, Form, Problem, Request};
use linepress_plugin_sdk::image::{Description, DrawError, DrawRequest, Drawing, Guest, Media};
use linepress_plugin_sdk::{Deadline, Failure, picture, poll, style};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::workflow::Values;

pub struct ComfyUi;

impl Guest for ComfyUi {
    fn describe() -> Description {
        let settings = linepress_plugin_sdk::settings();
        let max_references = settings.map_or(0, |settings: Settings| settings.max_references());
        picture::description(
            "linepress.comfyui",
            "ComfyUI",
            env!("CARGO_PKG_VERSION"),
            max_references as u32,
        )
    }

    fn draw(request: DrawRequest) -> Result<Drawing, DrawError> {
        Ok(draw(&request)?)
    }
}

#[cfg(target_family = "wasm")]
linepress_plugin_sdk::image::export!(ComfyUi);

/// The operator's settings, which `config.json` documents.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    workflow: Value,
    workflow_with_references: Option<Value>,
    #[serde(default = "model")]
    model: String,
    #[serde(default = "base_url")]
    base_url: String,
    #[serde(default = "poll_s")]
    poll_s: u32,
    #[serde(default = "timeout_s")]
    timeout_s: u32,
}

fn model() -> String {
    "comfyui".into()
}

fn base_url() -> String {
    "http://127.0.0.1:8188".into()
}

fn poll_s() -> u32 {
    2
}

fn timeout_s() -> u32 {
    1780
}

impl Settings {
    fn max_references(&self) -> usize {
        self.workflow_with_references.as_ref().map_or(0, workflow::references)
    }

    fn url(&self, path: &str) -> String {
        http::join(&self.base_url, path)
    }
}

#[derive(Deserialize)]
struct Queued {
    prompt_id: String,
}

/// A file on the ComfyUI server.
#[derive(Deserialize)]
struct File {
    #[serde(alias = "name")]
    filename: String,
    #[serde(default)]
    subfolder: String,
    #[serde(default, rename = "type")]
    kind: String,
}

fn draw(request: &DrawRequest) -> Result<Drawing, Failure> {
    let settings: Settings = linepress_plugin_sdk::settings()?;
    let deadline = Deadline::after_seconds(settings.timeout_s);
    let references = style::reference_images(request);
    let uploads = references.iter().take(settings.max_references());
    let uploads = uploads
        .map(|media| upload(media, &settings, &deadline))
        .collect::<Result<Vec<_>, _>>()?;
    let workflow = match &settings.workflow_with_references {
        Some(workflow) if !uploads.is_empty() => workflow,
        _ => &settings.workflow,
    };
    let prompt = Values::new(request, &uploads, settings.max_references()).fill(workflow);
    let response = Request::post(settings.url("prompt"), &deadline)
        .json(&json!({"prompt": prompt}))
        .send()?;
    let queued: Queued = response.success(explain)?.json()?;
    let pause = Duration::from_secs(settings.poll_s.into());
    let file = poll::until(&deadline, pause, || {
        poll_result(&queued.prompt_id, &settings, &deadline)
    })?;
    let query = http::query(&[
        ("filename", &file.filename),
        ("subfolder", &file.subfolder),
        ("type", &file.kind),
    ]);
    let bytes = http::download(&settings.url(&format!("view?{query}")), &deadline)?;
    picture::drawing(bytes, &settings.model, None)
}

/// Uploads a picture for the workflow, and returns its name on the ComfyUI server. The name is a hash of the picture,
/// so that repeated uploads of the same picture do not fill the folder.
fn upload(media: &Media, settings: &Settings, deadline: &Deadline) -> Result<String, Failure> {
    let ending = media.media_type.rsplit('/').next().unwrap_or("png");
    let name = format!("{:016x}.{ending}", fnv1a(&media.bytes));
    let form = Form::new()
        .file("image", &name, media)
        .field("type", "input")
        .field("subfolder", "linepress")
        .field("overwrite", "true");
    let response = Request::post(settings.url("upload/image"), deadline)
        .form(form)
        .send()?;
    let file: File = response.success(explain)?.json()?;
    Ok(if file.subfolder.is_empty() {
        file.filename
    } else {
        format!("{}/{}", file.subfolder, file.filename)
    })
}

fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// Returns the picture after the workflow has finished. Until then the history does not contain the workflow.
fn poll_result(prompt_id: &str, settings: &Settings, deadline: &Deadline) -> Result<Option<File>, Failure> {
    let response = Request::get(settings.url(&format!("history/{prompt_id}")), deadline).send()?;
    let history: Value = response.success(explain)?.json()?;
    let Some(entry) = history.get(prompt_id) else {
        return Ok(None);
    };
    if entry["status"]["status_str"] == "error" {
        return Err(Failure::Other(format!("the workflow failed: {}", failed_node(entry))));
    }
    let outputs = entry["outputs"]
        .as_object()
        .into_iter()
        .flatten()
        .map(|(_, output)| &output["images"]);
    let images = outputs.filter_map(Value::as_array).flatten();
    let mut files: Vec<File> = images
        .filter_map(|image| serde_json::from_value(image.clone()).ok())
        .collect();
    // Previews are temporary files, so saved outputs come first.
    files.sort_by_key(|file| file.kind != "output");
    let file = files.into_iter().next();
    file.map(Some)
        .ok_or_else(|| Failure::Other("the workflow ended without a picture: add a node that saves the picture".into()))
}

/// Returns the type and the error message of the node that failed.
fn failed_node(entry: &Value) -> String {
    let messages = entry["status"]["messages"].as_array();
    let error = messages
        .into_iter()
        .flatten()
        .find(|message| message[0] == "execution_error");
    error.map_or_else(String::new, |error| {
        format!("{} {}", error[1]["node_type"], error[1]["exception_message"])
    })
}

/// Interprets a 400 as a wrong workflow. The rest of the request is always valid, and only the operator can correct the
/// workflow.
fn explain(problem: &Problem) -> Option<Failure> {
    let nodes = &problem.body["node_errors"];
    (problem.status == 400)
        .then(|| Failure::Unavailable(format!("ComfyUI rejects the workflow: {} {nodes}", problem.text())))
}

#[cfg(test)]
mod tests;
