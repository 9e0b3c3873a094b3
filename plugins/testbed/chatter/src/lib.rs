//! A provider that draws and writes a thousand lines to the operator's log. The first line is very long and contains a
//! line break, to forge another log line.
use linepress_plugin_sdk::image::{Description, DrawError, DrawRequest, Drawing, Guest, log};

pub struct Chatter;

impl Guest for Chatter {
    fn describe() -> Description {
        testbed_parts::describe("testbed.chatter")
    }

    fn draw(request: DrawRequest) -> Result<Drawing, DrawError> {
        let padding = "and so on ".repeat(1000);
        log::write(
            log::Level::Info,
            &format!("drawing\nERROR the database is gone {padding}"),
        );
        for line in 1..1000 {
            log::write(log::Level::Info, &format!("line {line}"));
        }
        Ok(testbed_parts::drawing(&request))
    }
}

#[cfg(target_family = "wasm")]
linepress_plugin_sdk::image::export!(Chatter);
