//! The component's export: implements the image provider contract with [`crate::draw`].

use linepress_plugin_sdk::v1::image::{
    self, Aspect, Description, DrawError, DrawRequest, Drawing, Guest, Media, SourceUse, log, progress,
};
use linepress_plugin_sdk::v1::vocabulary::{self, Question};

struct Sketchbook;

impl Guest for Sketchbook {
    fn describe() -> Description {
        Description {
            id: crate::ID.to_string(),
            name: "Sketchbook".to_string(),
            version: env!("CARGO_PKG_VERSION").to_string(),
            aspects: vec![Aspect::Square, Aspect::Portrait, Aspect::Landscape],
            // Characters are drawn from their description, without a reference image.
            max_references: 0,
            sources: SourceUse::None,
            changes_pictures: false,
            colors_pages: false,
            draws_color: true,
            follows_looks: true,
            extra: Vec::new(),
        }
    }

    fn draw(request: DrawRequest) -> Result<Drawing, DrawError> {
        progress::report(0, 1);
        let page = crate::draw(&request)?;
        progress::report(1, 1);
        let size = format!(
            "{}x{}, {} bytes",
            request.size.width,
            request.size.height,
            page.png.len()
        );
        log::write(log::Level::Debug, &format!("drew a page of {size}"));
        Ok(Drawing {
            image: Media {
                media_type: "image/png".to_string(),
                bytes: page.png,
            },
            note: page.note,
            unknown_words: page.unknown,
            model: None,
            cost_microdollars: None,
            extra: Vec::new(),
        })
    }
}

impl vocabulary::Guest for Sketchbook {
    fn unknown_words(questions: Vec<Question>) -> Vec<Vec<String>> {
        questions.iter().map(crate::vocabulary::unknown_words).collect()
    }
}

image::export!(Sketchbook);
vocabulary::export!(Sketchbook);
