//! A provider that panics in every call of `draw`.
use linepress_plugin_sdk::image::{Description, DrawError, DrawRequest, Drawing, Guest};

pub struct Trap;

impl Guest for Trap {
    fn describe() -> Description {
        testbed_parts::describe("testbed.trap")
    }

    fn draw(request: DrawRequest) -> Result<Drawing, DrawError> {
        panic!("this provider panics over {}", request.title)
    }
}

#[cfg(target_family = "wasm")]
linepress_plugin_sdk::image::export!(Trap);
