//! A well-behaved provider, which returns a simple drawing at once. The same seed gives the same drawing.
use linepress_plugin_sdk::image::{Description, DrawError, DrawRequest, Drawing, Guest};

pub struct Plain;

impl Guest for Plain {
    fn describe() -> Description {
        testbed_parts::describe("testbed.plain")
    }

    fn draw(request: DrawRequest) -> Result<Drawing, DrawError> {
        Ok(testbed_parts::drawing(&request))
    }
}

#[cfg(target_family = "wasm")]
linepress_plugin_sdk::image::export!(Plain);
