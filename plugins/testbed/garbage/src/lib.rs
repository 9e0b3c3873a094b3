//! A provider whose drawing claims to be a PNG but is not, and costs 0.04 dollars.
use linepress_plugin_sdk::image::Media;
use linepress_plugin_sdk::image::{Description, DrawError, DrawRequest, Drawing, Guest};

pub struct Garbage;

impl Guest for Garbage {
    fn describe() -> Description {
        testbed_parts::describe("testbed.garbage")
    }

    fn draw(_request: DrawRequest) -> Result<Drawing, DrawError> {
        Ok(Drawing {
            image: Media {
                media_type: "image/png".into(),
                bytes: b"a fox in the snow".to_vec(),
            },
            extra: vec![("cost-usd".into(), "0.04".into())],
        })
    }
}

#[cfg(target_family = "wasm")]
linepress_plugin_sdk::image::export!(Garbage);
