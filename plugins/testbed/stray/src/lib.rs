//! A provider that draws well, but imports an interface that no host offers.
use linepress_plugin_sdk::image::{self, Description, DrawError, DrawRequest, Drawing, Guest};

struct Stray;

impl Guest for Stray {
    fn describe() -> Description {
        testbed_parts::describe("testbed.stray")
    }

    fn draw(request: DrawRequest) -> Result<Drawing, DrawError> {
        let mut drawing = testbed_parts::drawing(&request);
        drawing
            .extra
            .push(("key".into(), acme::vault::keys::open()));
        Ok(drawing)
    }
}

#[cfg(target_family = "wasm")]
image::export!(Stray);

wit_bindgen::generate!({
    inline: "
        package acme:vault@1.0.0;
        interface keys { open: func() -> string; }
        world burglar { import keys; }
    ",
});
