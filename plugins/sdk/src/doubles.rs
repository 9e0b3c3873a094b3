//! The doubles of the server's functions and of the clock in unit tests.
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::Value;

use crate::bindings::shared::linepress::host::log::Level;

#[derive(Default)]
struct Doubles {
    settings: Option<Value>,
    progress: Vec<(u32, u32)>,
    log: Vec<(Level, String)>,
    slept: Duration,
    stored: BTreeMap<String, String>,
    cached: BTreeMap<String, String>,
}

thread_local! {
    static DOUBLES: RefCell<Doubles> = RefCell::default();
}

fn with<T>(change: impl FnOnce(&mut Doubles) -> T) -> T {
    DOUBLES.with(|doubles| change(&mut doubles.borrow_mut()))
}

/// Sets the operator's settings.
pub fn set_settings(settings: Value) {
    with(|doubles| doubles.settings = Some(settings));
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

pub(crate) fn record_progress(done: u32, total: u32) {
    with(|doubles| doubles.progress.push((done, total)));
}

pub(crate) fn write_log(level: Level, message: &str) {
    eprintln!("{level:?}: {message}");
    with(|doubles| doubles.log.push((level, message.to_owned())));
}

pub(crate) fn stored(key: &str) -> Option<String> {
    with(|doubles| doubles.stored.get(key).cloned())
}

pub(crate) fn store(key: &str, value: &str) {
    with(|doubles| drop(doubles.stored.insert(key.to_owned(), value.to_owned())));
}

pub(crate) fn delete_stored(key: &str) {
    with(|doubles| drop(doubles.stored.remove(key)));
}

pub(crate) fn stored_keys(prefix: &str) -> Vec<String> {
    with(|doubles| {
        let keys = doubles.stored.keys().filter(|key| key.starts_with(prefix));
        keys.cloned().collect()
    })
}

pub(crate) fn cached(key: &str) -> Option<String> {
    with(|doubles| doubles.cached.get(key).cloned())
}

pub(crate) fn cache(key: &str, value: &str) {
    with(|doubles| drop(doubles.cached.insert(key.to_owned(), value.to_owned())));
}

pub(crate) fn sleep(time: Duration) {
    with(|doubles| doubles.slept += time);
}
