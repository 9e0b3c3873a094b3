//! The worlds with a version 1. The helpers of this crate, such as [`style`](crate::style), have the types of version
//! 0.1, into which a request can be converted.

/// The world of image providers, which draw line art from a prompt.
pub mod image {
    pub use crate::bindings::v1::image::exports::linepress::image::provider::*;
    pub use crate::bindings::v1::image::*;
    pub use crate::{config, log, progress};

    /// A look without any wish.
    pub const USUAL_LOOK: Look = Look {
        line_weight: None,
        detail: None,
        style: None,
        frame: None,
    };
}

/// The optional interface `vocabulary` of image providers, which reports words that a provider cannot draw.
pub mod vocabulary {
    pub use crate::bindings::v1::vocabulary::exports::linepress::image::vocabulary::*;
    pub use crate::bindings::v1::vocabulary::*;
}

/// The world of reviewers, which check prompts and pictures, and may describe pictures.
pub mod reviewer {
    pub use crate::bindings::v1::reviewer::exports::linepress::review::review::*;
    pub use crate::bindings::v1::reviewer::*;
    pub use crate::{config, log, progress};
}

use crate::image as v0;

/// Converts a request, so that [`style`](crate::style) can describe it to a model.
impl From<image::DrawRequest> for v0::DrawRequest {
    fn from(request: image::DrawRequest) -> Self {
        let image::DrawRequest {
            purpose,
            prompt,
            title,
            aspect,
            size,
            audience,
            coloring,
            look,
            characters,
            source,
            change,
            seed,
            // Version 0.1 has nothing like it.
            book_seed: _,
            mut extra,
        } = request;
        let color = (coloring == image::Coloring::Color).then(|| "1".to_owned());
        let (instruction, present_prompt) = change.map(|change| (change.instruction, change.present_prompt)).unzip();
        let line_weight = look.line_weight.map(|weight| match weight {
            image::LineWeight::Thin => "thin".to_owned(),
            image::LineWeight::Medium => "medium".to_owned(),
            image::LineWeight::Bold => "bold".to_owned(),
        });
        let detail = look.detail.map(|detail| match detail {
            image::Detail::Simple => "simple".to_owned(),
            image::Detail::Medium => "medium".to_owned(),
            image::Detail::Detailed => "detailed".to_owned(),
        });
        for (name, value) in [
            ("color", color),
            ("instruction", instruction),
            ("present-prompt", present_prompt),
            ("line-weight", line_weight),
            ("detail", detail),
            ("style", look.style),
            ("frame", look.frame.map(|frame| frame_value(frame).to_owned())),
        ] {
            extra.extend(value.map(|value| (name.to_owned(), value)));
        }
        Self {
            purpose: match purpose {
                image::Purpose::Page => v0::Purpose::Page,
                image::Purpose::Cover => v0::Purpose::Cover,
                image::Purpose::Character => v0::Purpose::Character,
            },
            prompt,
            title,
            aspect,
            size,
            audience,
            characters,
            source: source.map(|source| match source {
                image::Source::Photograph(media)
                | image::Source::EarlierPicture(media)
                | image::Source::PageToColor(media) => media,
            }),
            seed,
            extra,
        }
    }
}

/// The value of a frame in a request of version 0.1.
fn frame_value(frame: image::FrameStyle) -> &'static str {
    match frame {
        image::FrameStyle::None => "none",
        image::FrameStyle::Plain => "plain",
        image::FrameStyle::Rounded => "rounded",
        image::FrameStyle::Doubled => "doubled",
        image::FrameStyle::Notched => "notched",
        image::FrameStyle::Scooped => "scooped",
        image::FrameStyle::Scalloped => "scalloped",
        image::FrameStyle::Beaded => "beaded",
        image::FrameStyle::Stitched => "stitched",
    }
}

/// Converts a drawing, such as one of [`picture::drawing`](crate::picture::drawing).
impl From<v0::Drawing> for image::Drawing {
    fn from(drawing: v0::Drawing) -> Self {
        let v0::Drawing { image, mut extra } = drawing;
        let mut take = |wanted: &str| {
            let place = extra.iter().position(|(name, _)| name == wanted)?;
            Some(extra.remove(place).1)
        };
        let cost = take("cost-usd").and_then(|cost| cost.parse::<f64>().ok());
        Self {
            image,
            note: take("note"),
            unknown_words: Vec::new(),
            model: take("model"),
            cost_microdollars: cost.map(|dollars| (dollars * 1e6).round() as u64),
            extra,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{picture, style};

    fn request() -> image::DrawRequest {
        image::DrawRequest {
            purpose: image::Purpose::Cover,
            prompt: "A fox".into(),
            title: "Foxes".into(),
            aspect: image::Aspect::Square,
            size: image::Pixels {
                width: 1024,
                height: 1024,
            },
            audience: image::Audience::Child,
            coloring: image::Coloring::LineArt,
            look: image::USUAL_LOOK,
            characters: Vec::new(),
            source: None,
            change: None,
            seed: 7,
            book_seed: None,
            extra: Vec::new(),
        }
    }

    #[test]
    fn a_converted_request_says_the_same() {
        let plain = v0::DrawRequest::from(request());
        assert_eq!((plain.extra.len(), style::instruction(&plain)), (0, None));
        let request = v0::DrawRequest::from(image::DrawRequest {
            coloring: image::Coloring::Color,
            look: image::Look {
                line_weight: Some(image::LineWeight::Bold),
                detail: Some(image::Detail::Simple),
                style: Some("Woodcut".into()),
                frame: Some(image::FrameStyle::Scalloped),
            },
            source: Some(image::Source::EarlierPicture(image::Media {
                media_type: "image/jpeg".into(),
                bytes: vec![0xFF, 0xD8],
            })),
            change: Some(image::Change {
                instruction: "Remove the hat".into(),
                present_prompt: "A fox with a hat".into(),
            }),
            ..request()
        });
        assert!(style::is_in_color(&request));
        assert_eq!(style::line_weight(&request), Some(style::LineWeight::Bold));
        assert_eq!(style::detail(&request), Some(style::Detail::Simple));
        assert_eq!(style::frame(&request), Some(style::FrameStyle::Scalloped));
        assert_eq!(style::edit(&request), Some("Remove the hat"));
        assert_eq!(style::present_prompt(&request), "A fox with a hat");
        assert!(style::prompt(&request).ends_with("In this manner: Woodcut."));
    }

    #[test]
    fn a_converted_drawing_has_its_model_and_cost() {
        let drawing = picture::drawing(b"\xff\xd8\xff".to_vec(), "pencil", Some(0.04)).unwrap();
        let drawing = image::Drawing::from(drawing);
        assert_eq!(drawing.model.as_deref(), Some("pencil"));
        assert_eq!((drawing.cost_microdollars, drawing.note), (Some(40_000), None));
        assert!(drawing.extra.is_empty() && drawing.unknown_words.is_empty());
    }
}
