//! A provider that takes its time, and then draws.
//!
//! `{"milliseconds": 500, "busy": false}`: how long, and whether it computes or sleeps meanwhile.
use linepress_plugin_sdk::image::config;
use linepress_plugin_sdk::image::{Description, DrawError, DrawRequest, Drawing, Guest};
use serde::Deserialize;
use std::time::{Duration, Instant};

pub struct Slow;

impl Guest for Slow {
    fn describe() -> Description {
        testbed_parts::describe("testbed.slow")
    }

    fn draw(request: DrawRequest) -> Result<Drawing, DrawError> {
        let Settings { milliseconds, busy } =
            serde_json::from_str(&config::get()).expect("the settings are as the head of this file says");
        let time = Duration::from_millis(milliseconds);
        let began = Instant::now();
        if !busy {
            std::thread::sleep(time);
        }
        while began.elapsed() < time {
            std::hint::spin_loop();
        }
        Ok(testbed_parts::drawing(&request))
    }
}

#[cfg(target_family = "wasm")]
linepress_plugin_sdk::image::export!(Slow);

#[derive(Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Settings {
    milliseconds: u64,
    busy: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            milliseconds: 500,
            busy: false,
        }
    }
}
