//! A provider that draws nothing. It uses the server's store and cache as its settings say, and fails with a JSON list
//! of the outcomes.
//!
//! `{"steps": [{"do": "set", "key": "a", "value": "1"}]}`: `do` is `get`, `set`, `delete` or `list` for the store, and
//! `cached` or `cache` for the cache. `size` replaces the value with that number of letters. `count` repeats the step
//! with keys that end with a number, and reports how many times it succeeded. `max_age` is in seconds.
//! `id` replaces the id in the description.
use std::time::Duration;

use linepress_plugin_sdk::image::{Aspect, Description, DrawError, DrawRequest, Drawing, Guest, config};
use linepress_plugin_sdk::store::StoreError;
use linepress_plugin_sdk::{cache, store};
use serde::Deserialize;

pub struct Keeper;

impl Guest for Keeper {
    fn describe() -> Description {
        Description {
            id: settings().id.unwrap_or_else(|| "testbed.keeper".into()),
            name: "Keeper".into(),
            version: env!("CARGO_PKG_VERSION").into(),
            aspects: vec![Aspect::Square, Aspect::Portrait, Aspect::Landscape],
            max_references: 0,
            extra: vec![("store".into(), outcome(store::get("a").map(|_| String::new())))],
        }
    }

    fn draw(_: DrawRequest) -> Result<Drawing, DrawError> {
        let outcomes: Vec<String> = settings().steps.iter().map(Step::run).collect();
        Err(DrawError::Other(serde_json::json!(outcomes).to_string()))
    }
}

#[cfg(target_family = "wasm")]
linepress_plugin_sdk::image::export!(Keeper);

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    pub id: Option<String>,
    pub steps: Vec<Step>,
}

/// One use of the store or of the cache.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Step {
    #[serde(rename = "do")]
    pub action: String,
    pub key: String,
    pub value: String,
    pub size: Option<usize>,
    pub count: Option<u32>,
    pub max_age: u64,
}

fn settings() -> Settings {
    serde_json::from_str(&config::get()).expect("the settings match the documentation of this crate")
}

impl Step {
    fn run(&self) -> String {
        let Some(count) = self.count else {
            return outcome(self.once(&self.key));
        };
        let outcomes = (0..count).map(|number| self.once(&format!("{}{number}", self.key)));
        let (done, failed): (Vec<_>, Vec<_>) = outcomes.partition(Result::is_ok);
        match failed.into_iter().next() {
            None => format!("{} done", done.len()),
            Some(first) => format!("{} done, {}", done.len(), outcome(first)),
        }
    }

    fn once(&self, key: &str) -> Result<String, StoreError> {
        let value = self.size.map_or_else(|| self.value.clone(), |size| "x".repeat(size));
        match self.action.as_str() {
            "get" => store::get(key).map(shown),
            "set" => store::set(key, &value).map(|()| "done".into()),
            "delete" => store::delete(key).map(|()| "done".into()),
            "list" => store::list_keys(key).map(|keys| keys.join(" ")),
            "cached" => Ok(shown(cache::get(key, Duration::from_secs(self.max_age)))),
            "cache" => {
                cache::set(key, &value);
                Ok("done".into())
            }
            other => panic!("{other} is not a step"),
        }
    }
}

/// A value, or the size of a long one: the reason of a failure is short.
fn shown(value: Option<String>) -> String {
    match value {
        None => "none".into(),
        Some(value) if value.len() > 100 => format!("{} bytes", value.len()),
        Some(value) => value,
    }
}

fn outcome(done: Result<String, StoreError>) -> String {
    match done {
        Ok(value) => value,
        Err(StoreError::Invalid(reason)) => format!("invalid: {reason}"),
        Err(StoreError::Full) => "full".into(),
        Err(StoreError::Unavailable(reason)) => format!("unavailable: {reason}"),
        Err(StoreError::Other(reason)) => format!("other: {reason}"),
    }
}
