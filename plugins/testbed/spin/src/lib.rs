//! A provider that computes forever.
use linepress_plugin_sdk::image::{Description, DrawError, DrawRequest, Drawing, Guest};

pub struct Spin;

impl Guest for Spin {
    fn describe() -> Description {
        testbed_parts::describe("testbed.spin")
    }

    fn draw(_request: DrawRequest) -> Result<Drawing, DrawError> {
        let mut turns = 0_u64;
        loop {
            turns = std::hint::black_box(turns.wrapping_add(1));
        }
    }
}

#[cfg(target_family = "wasm")]
linepress_plugin_sdk::image::export!(Spin);
