//! A provider that creates a thousand timers in the host before it draws, and releases none of them.
use linepress_plugin_sdk::image::{Description, DrawError, DrawRequest, Drawing, Guest};
use wasi::clocks::monotonic_clock::subscribe_duration;

pub struct Hoarder;

impl Guest for Hoarder {
    fn describe() -> Description {
        testbed_parts::describe("testbed.hoarder")
    }

    fn draw(request: DrawRequest) -> Result<Drawing, DrawError> {
        let timers: Vec<_> = (0..1000).map(subscribe_duration).collect();
        let mut drawing = testbed_parts::drawing(&request);
        drawing.extra.push(("timers".into(), timers.len().to_string()));
        Ok(drawing)
    }
}

#[cfg(target_family = "wasm")]
linepress_plugin_sdk::image::export!(Hoarder);

wit_bindgen::generate!({
    inline: "
        package testbed:hoarder;
        world collector { import wasi:clocks/monotonic-clock@0.2.3; }

        package wasi:io@0.2.3 {
            interface poll { resource pollable; }
        }

        package wasi:clocks@0.2.3 {
            interface monotonic-clock {
                use wasi:io/poll@0.2.3.{pollable};
                type duration = u64;
                subscribe-duration: func(when: duration) -> pollable;
            }
        }
    ",
    generate_all,
});
