//! A provider that fails when its settings say so, and draws otherwise.
//!
//! `{"fail": "unavailable", "seeds": "odd", "prompt": "storm"}`: `fail` is `unavailable` (which is also
//! what is taken without settings), `refused`, `invalid`, `rate-limited`, `other` or `trap`; `seeds` is
//! `odd` (the usual), `even` or `all`; with `prompt`, only requests whose prompt holds that text fail.
//! A component remembers nothing between calls, so who wants the second attempt to succeed gives it
//! another seed.
use linepress_plugin_sdk::image::config;
use linepress_plugin_sdk::image::{Description, DrawError, DrawRequest, Drawing, Guest};
use serde::Deserialize;

pub struct Flaky;

impl Guest for Flaky {
    fn describe() -> Description {
        testbed_parts::describe("testbed.flaky")
    }

    fn draw(request: DrawRequest) -> Result<Drawing, DrawError> {
        let settings = Settings::read();
        if settings.concern(&request) {
            Err(settings.failure())
        } else {
            Ok(testbed_parts::drawing(&request))
        }
    }
}

#[cfg(target_family = "wasm")]
linepress_plugin_sdk::image::export!(Flaky);

#[derive(Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Settings {
    fail: String,
    seeds: String,
    prompt: String,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            fail: "unavailable".into(),
            seeds: "odd".into(),
            prompt: String::new(),
        }
    }
}

impl Settings {
    fn read() -> Self {
        serde_json::from_str(&config::get()).expect("the settings are as the head of this file says")
    }

    fn concern(&self, request: &DrawRequest) -> bool {
        let seed = match self.seeds.as_str() {
            "odd" => request.seed % 2 == 1,
            "even" => request.seed.is_multiple_of(2),
            "all" => true,
            other => panic!("seeds are odd, even or all, not {other}"),
        };
        seed && request.prompt.contains(&self.prompt)
    }

    fn failure(&self) -> DrawError {
        match self.fail.as_str() {
            "unavailable" => DrawError::Unavailable("down for the night".into()),
            "refused" => DrawError::Refused("not a picture for children".into()),
            "invalid" => DrawError::Invalid("nothing to draw".into()),
            "rate-limited" => DrawError::RateLimited(Some(7)),
            "other" => DrawError::Other("the pencil broke".into()),
            other => panic!("a provider that is told to fail by {other} traps"),
        }
    }
}
