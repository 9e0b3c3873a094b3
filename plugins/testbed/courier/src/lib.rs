//! A provider that draws nothing: it makes the requests that its settings list, without any care, and fails with a JSON
//! list of what became of each.
//!
//! `{"requests": [{"method": "GET", "scheme": "https", "authority": "pictures.test", "path": "/", "headers": [["a", "b"]],
//! "body": "text"}]}`: all may be left out. `follow` sends the request on to wherever a redirect leads, and `unsent` makes so
//! many requests, writes a body for each, and keeps them without sending any; with `long` each has an authority of so many
//! bytes. `connect_timeout` is in milliseconds. `say` is written to the log, to standard error and to the list.
#[cfg(target_family = "wasm")]
mod wire;

#[cfg(target_family = "wasm")]
use linepress_plugin_sdk::image::log;
use linepress_plugin_sdk::image::{Description, DrawError, DrawRequest, Drawing, Guest};
use serde::Deserialize;

pub struct Courier;

impl Guest for Courier {
    fn describe() -> Description {
        Description {
            id: "testbed.courier".into(),
            name: "Courier".into(),
            version: env!("CARGO_PKG_VERSION").into(),
            aspects: vec![linepress_plugin_sdk::image::Aspect::Square],
            max_references: 0,
            extra: Vec::new(),
        }
    }

    #[cfg(target_family = "wasm")]
    fn draw(_: DrawRequest) -> Result<Drawing, DrawError> {
        let settings = linepress_plugin_sdk::image::config::get();
        let Settings {
            requests,
            unsent,
            long,
            say,
            ..
        } = serde_json::from_str(&settings).expect("the settings are as the head of this file says");
        let _kept: Vec<_> = (0..unsent).map(|_| wire::unsent(long)).collect();
        let mut outcomes: Vec<String> = requests.iter().map(wire::outcome).collect();
        if let Some(text) = say {
            log::write(log::Level::Info, &text);
            eprintln!("{text}");
            outcomes.push(text);
        }
        Err(DrawError::Other(serde_json::json!(outcomes).to_string()))
    }

    #[cfg(not(target_family = "wasm"))]
    fn draw(_: DrawRequest) -> Result<Drawing, DrawError> {
        Err(DrawError::Other("there is no network outside of a component".into()))
    }
}

#[cfg(target_family = "wasm")]
linepress_plugin_sdk::image::export!(Courier with_types_in linepress_plugin_sdk::image);

/// What to try.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Request {
    pub method: String,
    pub scheme: Option<String>,
    pub authority: String,
    pub path: Option<String>,
    pub headers: Vec<(String, String)>,
    pub body: Option<String>,
    pub follow: bool,
    pub connect_timeout: Option<u64>,
}

impl Default for Request {
    fn default() -> Self {
        Self {
            method: "GET".into(),
            scheme: Some("https".into()),
            authority: "pictures.test".into(),
            path: Some("/".into()),
            headers: Vec::new(),
            body: None,
            follow: false,
            connect_timeout: None,
        }
    }
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    pub requests: Vec<Request>,
    pub unsent: usize,
    pub long: usize,
    /// An origin to ask for.
    pub mirror: Option<String>,
    pub say: Option<String>,
}
