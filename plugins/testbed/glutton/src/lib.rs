//! A provider that allocates memory until it fails.
use linepress_plugin_sdk::image::{Description, DrawError, DrawRequest, Drawing, Guest};

pub struct Glutton;

impl Guest for Glutton {
    fn describe() -> Description {
        testbed_parts::describe("testbed.glutton")
    }

    fn draw(_request: DrawRequest) -> Result<Drawing, DrawError> {
        let mut eaten = Vec::new();
        loop {
            eaten.push(std::hint::black_box(vec![1_u8; 1 << 20]));
        }
    }
}

#[cfg(target_family = "wasm")]
linepress_plugin_sdk::image::export!(Glutton);
