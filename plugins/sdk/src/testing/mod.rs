//! Doubles for unit tests, which run natively. A test sets everything that a component would receive from the server.
//!
//! ```
//! use linepress_plugin_sdk::testing::{self, Reply};
//! use linepress_plugin_sdk::{Deadline, http::Request};
//! use serde_json::json;
//!
//! testing::set_settings(json!({"model": "pencil-2"}));
//! testing::reply(Reply::json(429, json!({})).header("retry-after", "7"));
//! let response = Request::post("https://api.example.com/draw", &Deadline::after_seconds(60)).send().unwrap();
//! assert_eq!(response.retry_after(), Some(7));
//! assert_eq!(testing::requests()[0].url, "https://api.example.com/draw");
//! ```
//!
//! All state is local to the thread, so tests that run in parallel do not affect each other.

/// Example requests.
mod requests;

use std::cell::RefCell;
use std::collections::VecDeque;
use std::time::Duration;

use serde_json::Value;

pub use self::requests::{book, draw_request, plan_request};
use crate::http::{self, Request, Response};
use crate::log::Level;

#[derive(Default)]
struct Doubles {
    settings: Option<Value>,
    replies: VecDeque<Result<Reply, http::Error>>,
    requests: Vec<Request>,
    progress: Vec<(u32, u32)>,
    log: Vec<(Level, String)>,
    slept: Duration,
}

thread_local! {
    static DOUBLES: RefCell<Doubles> = RefCell::default();
}

fn with<T>(change: impl FnOnce(&mut Doubles) -> T) -> T {
    DOUBLES.with(|doubles| change(&mut doubles.borrow_mut()))
}

/// A response of an API.
#[derive(Clone, Debug)]
pub struct Reply {
    status: u16,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

impl Reply {
    pub fn new(status: u16, body: impl Into<Vec<u8>>) -> Self {
        Self {
            status,
            headers: Vec::new(),
            body: body.into(),
        }
    }

    pub fn json(status: u16, body: Value) -> Self {
        Self::new(status, body.to_string()).header("content-type", "application/json")
    }

    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_ascii_lowercase(), value.to_owned()));
        self
    }
}

/// Sets the operator's settings.
pub fn set_settings(settings: Value) {
    with(|doubles| doubles.settings = Some(settings));
}

/// Sets the response for the next request that has none yet.
pub fn reply(reply: Reply) {
    with(|doubles| doubles.replies.push_back(Ok(reply)));
}

/// Makes the next request that has no response yet fail with an error.
pub fn fail(error: http::Error) {
    with(|doubles| doubles.replies.push_back(Err(error)));
}

/// Returns the requests that were sent so far.
pub fn requests() -> Vec<Request> {
    with(|doubles| doubles.requests.clone())
}

/// Returns the progress reports so far, as pairs of `done` and `total`.
pub fn progress() -> Vec<(u32, u32)> {
    with(|doubles| doubles.progress.clone())
}

/// Returns the lines that were logged so far.
pub fn log() -> Vec<(Level, String)> {
    with(|doubles| doubles.log.clone())
}

/// Returns the total time of all pauses so far. Tests do not actually wait.
pub fn slept() -> Duration {
    with(|doubles| doubles.slept)
}

pub(crate) fn settings_text() -> String {
    with(|doubles| doubles.settings.as_ref().map_or_else(|| "{}".into(), Value::to_string))
}

pub(crate) fn answer(request: Request) -> Result<Response, http::Error> {
    let name = request.name();
    let reply = with(|doubles| {
        doubles.requests.push(request);
        doubles.replies.pop_front()
    });
    let reply = reply.unwrap_or_else(|| panic!("no reply is set for {name}: call testing::reply first"))?;
    Ok(Response {
        status: reply.status,
        headers: reply.headers,
        body: reply.body,
        request: name,
    })
}

pub(crate) fn record_progress(done: u32, total: u32) {
    with(|doubles| doubles.progress.push((done, total)));
}

pub(crate) fn write_log(level: Level, message: &str) {
    eprintln!("{level:?}: {message}");
    with(|doubles| doubles.log.push((level, message.to_owned())));
}

pub(crate) fn sleep(time: Duration) {
    with(|doubles| doubles.slept += time);
}
