//! A provider that draws after a delay, and reports its progress before and after it.
//!
//! Settings, such as `{"milliseconds": 500, "busy": false, "failures": 0}`: the duration of the delay, whether the
//! provider computes or sleeps during it, and the percentage of calls that fail at random after half of it.
use linepress_plugin_sdk::image::config;
use linepress_plugin_sdk::image::{Description, DrawError, DrawRequest, Drawing, Guest, progress};
use serde::Deserialize;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::time::{Duration, Instant};

pub struct Slow;

impl Guest for Slow {
    fn describe() -> Description {
        testbed_parts::describe("testbed.slow")
    }

    fn draw(request: DrawRequest) -> Result<Drawing, DrawError> {
        let Settings {
            milliseconds,
            busy,
            failures,
        } = serde_json::from_str(&config::get()).expect("the settings match the documentation of this crate");
        progress::report(1, 2);
        let fails = RandomState::new().build_hasher().finish() % 100 < failures;
        let time = Duration::from_millis(if fails { milliseconds / 2 } else { milliseconds });
        let began = Instant::now();
        if !busy {
            std::thread::sleep(time);
        }
        while began.elapsed() < time {
            std::hint::spin_loop();
        }
        if fails {
            return Err(DrawError::Unavailable("a hiccup".into()));
        }
        progress::report(2, 2);
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
    failures: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            milliseconds: 500,
            busy: false,
            failures: 0,
        }
    }
}
