//! A provider whose drawing has 100 MB, more than its response limit.
use linepress_plugin_sdk::image::{Description, DrawError, DrawRequest, Drawing, Guest};

pub struct Flood;

impl Guest for Flood {
    fn describe() -> Description {
        testbed_parts::describe("testbed.flood")
    }

    fn draw(request: DrawRequest) -> Result<Drawing, DrawError> {
        let mut drawing = testbed_parts::drawing(&request);
        drawing.image.bytes.resize(100_000_000, 0);
        Ok(drawing)
    }
}

#[cfg(target_family = "wasm")]
linepress_plugin_sdk::image::export!(Flood);
