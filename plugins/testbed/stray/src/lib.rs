//! A provider that imports an interface that the host does not offer.
use linepress_plugin_sdk::image::{Description, DrawError, DrawRequest, Drawing, Guest};

pub struct Stray;

impl Guest for Stray {
    fn describe() -> Description {
        testbed_parts::describe("testbed.stray")
    }

    fn draw(request: DrawRequest) -> Result<Drawing, DrawError> {
        let mut drawing = testbed_parts::drawing(&request);
        drawing.extra.push(("key".into(), acme::vault::keys::open()));
        Ok(drawing)
    }
}

#[cfg(target_family = "wasm")]
linepress_plugin_sdk::image::export!(Stray);

wit_bindgen::generate!({
    inline: "
        package acme:vault@1.0.0;
        interface keys { open: func() -> string; }
        world burglar { import keys; }
    ",
});
