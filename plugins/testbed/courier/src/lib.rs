//! A provider that draws nothing. It sends the requests in its settings without any checks, and fails with a JSON list
//! of their outcomes.
//!
//! `{"requests": [{"method": "GET", "scheme": "https", "authority": "pictures.test", "path": "/", "headers": [["a",
//! "b"]], "body": "text"}]}`: every field is optional. `follow` follows a redirect. `unsent` is the number of requests
//! to create with a body and to hold without sending them; with `long`, each has an authority of that number of bytes.
//! `connect_timeout` is in milliseconds. `say` is a text to write to the log, to standard error and to the list of
//! outcomes.
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
        } = serde_json::from_str(&settings).expect("the settings match the documentation of this crate");
        let _unsent: Vec<_> = (0..unsent).map(|_| wire::unsent(long)).collect();
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
        Err(DrawError::Other("the network is only available in a component".into()))
    }
}

#[cfg(target_family = "wasm")]
linepress_plugin_sdk::image::export!(Courier with_types_in linepress_plugin_sdk::image);

/// A request to send.
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
    /// An origin that the manifest asks for.
    pub mirror: Option<String>,
    pub say: Option<String>,
}
