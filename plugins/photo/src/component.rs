//! The component's exports, which call [`crate::draw`].

use linepress_plugin_sdk::image::{self, Aspect, Description, DrawError, DrawRequest, Drawing, Guest, Media, progress};

struct Photo;

impl Guest for Photo {
    fn describe() -> Description {
        Description {
            id: crate::ID.to_string(),
            name: "Photo".to_string(),
            version: env!("CARGO_PKG_VERSION").to_string(),
            aspects: vec![Aspect::Square, Aspect::Portrait, Aspect::Landscape],
            max_references: 0,
            // The provider only draws from a photograph.
            extra: vec![
                ("sources".to_string(), "required".to_string()),
                ("look".to_string(), "1".to_string()),
            ],
        }
    }

    fn draw(request: DrawRequest) -> Result<Drawing, DrawError> {
        progress::report(0, 1);
        let png = crate::draw(&request)?;
        progress::report(1, 1);
        Ok(Drawing {
            image: Media {
                media_type: "image/png".to_string(),
                bytes: png,
            },
            extra: Vec::new(),
        })
    }
}

image::export!(Photo);
