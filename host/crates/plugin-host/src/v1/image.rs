//! Bindings of the world `linepress:image/image-provider@1`.
use std::time::Duration;

use linepress_model::{DetailLevel, FrameStyle, LineWeight, Look};
use wasmtime::Store;
use wasmtime::component::InstancePre;

use self::bindings::exports::linepress::image::provider as wit;
use crate::contract::{
    Change, DrawOptions, DrawRequest, Drawing, ImageProviderDescription, Media, Purpose, Report, Sources, unknown_words,
};
use crate::error::CallError;

mod bindings {
    wasmtime::component::bindgen!({
        path: ["../../../wit/v0/types", "../../../wit/v0/host", "../../../wit/v1/image"],
        world: "linepress:image/image-provider@1.0.0",
        with: {
            "linepress:types": crate::v0::host::linepress::types,
            "linepress:host": crate::v0::host::linepress::host,
        },
        exports: { default: async },
    });
}

/// A linked component of this world. `T` is the data of its stores.
pub(crate) struct Contract<T: 'static>(bindings::ImageProviderPre<T>);

impl<T: Send + 'static> Contract<T> {
    pub(crate) fn new(component: InstancePre<T>) -> wasmtime::Result<Self> {
        bindings::ImageProviderPre::new(component).map(Self)
    }

    pub(crate) async fn describe(&self, mut store: Store<T>) -> wasmtime::Result<ImageProviderDescription> {
        let instance = self.0.instantiate_async(&mut store).await?;
        let description = instance.linepress_image_provider().call_describe(&mut store).await?;
        Ok(description.into())
    }

    pub(crate) async fn draw(
        &self,
        mut store: Store<T>,
        request: DrawRequest,
    ) -> wasmtime::Result<Result<(Drawing, Report), CallError>> {
        let instance = self.0.instantiate_async(&mut store).await?;
        let reply = instance
            .linepress_image_provider()
            .call_draw(&mut store, &request.into())
            .await?;
        Ok(reply.map(drawn).map_err(Into::into))
    }
}

impl From<wit::Description> for ImageProviderDescription {
    fn from(description: wit::Description) -> Self {
        let wit::Description {
            id,
            name,
            version,
            aspects,
            max_references,
            sources,
            changes_pictures,
            // No request contains a page to color.
            colors_pages: _,
            draws_color,
            follows_looks,
            extra: _,
        } = description;
        let sources = match sources {
            wit::SourceUse::Additional => Sources::Taken,
            wit::SourceUse::Required => Sources::Required,
            wit::SourceUse::AsReference if max_references > 0 => Sources::AsReference,
            wit::SourceUse::AsReference | wit::SourceUse::None => Sources::None,
        };
        Self {
            id,
            name,
            version,
            aspects: aspects.into_iter().map(Into::into).collect(),
            max_references,
            sources,
            edits: changes_pictures && sources != Sources::None,
            draws_color,
            follows_looks,
        }
    }
}

impl From<DrawRequest> for wit::DrawRequest {
    fn from(request: DrawRequest) -> Self {
        let DrawOptions {
            change,
            look,
            book_seed,
        } = request.options;
        Self {
            purpose: match request.purpose {
                Purpose::Page => wit::Purpose::Page,
                Purpose::Cover | Purpose::CoverInColor => wit::Purpose::Cover,
                Purpose::Character => wit::Purpose::Character,
            },
            prompt: request.prompt,
            title: request.title,
            aspect: request.aspect.into(),
            size: wit::Pixels {
                width: request.width,
                height: request.height,
            },
            audience: request.audience.into(),
            coloring: match request.purpose {
                Purpose::CoverInColor => wit::Coloring::Color,
                Purpose::Page | Purpose::Cover | Purpose::Character => wit::Coloring::LineArt,
            },
            look: look.into(),
            characters: request.characters.into_iter().map(Into::into).collect(),
            source: request.source.map(|source| source_of(source, change.is_some())),
            change: change.map(
                |Change {
                     instruction,
                     present_prompt,
                 }| wit::Change {
                    instruction,
                    present_prompt,
                },
            ),
            seed: request.seed,
            book_seed,
            extra: Vec::new(),
        }
    }
}

/// The source of a request. For a change, it is the present picture.
fn source_of(media: Media, is_change: bool) -> wit::Source {
    if is_change {
        wit::Source::EarlierPicture(media.into())
    } else {
        wit::Source::Photograph(media.into())
    }
}

impl From<Look> for wit::Look {
    fn from(look: Look) -> Self {
        let Look {
            line_weight,
            detail,
            style,
            frame,
        } = look;
        Self {
            line_weight: match line_weight {
                LineWeight::Usual => None,
                LineWeight::Thin => Some(wit::LineWeight::Thin),
                LineWeight::Medium => Some(wit::LineWeight::Medium),
                LineWeight::Bold => Some(wit::LineWeight::Bold),
            },
            detail: match detail {
                DetailLevel::Usual => None,
                DetailLevel::Simple => Some(wit::Detail::Simple),
                DetailLevel::Medium => Some(wit::Detail::Medium),
                DetailLevel::Detailed => Some(wit::Detail::Detailed),
            },
            style: (!style.is_empty()).then_some(style),
            frame: wanted_frame(frame),
        }
    }
}

fn wanted_frame(frame: FrameStyle) -> Option<wit::FrameStyle> {
    Some(match frame {
        FrameStyle::Usual => return None,
        FrameStyle::None => wit::FrameStyle::None,
        FrameStyle::Plain => wit::FrameStyle::Plain,
        FrameStyle::Rounded => wit::FrameStyle::Rounded,
        FrameStyle::Doubled => wit::FrameStyle::Doubled,
        FrameStyle::Notched => wit::FrameStyle::Notched,
        FrameStyle::Scooped => wit::FrameStyle::Scooped,
        FrameStyle::Scalloped => wit::FrameStyle::Scalloped,
        FrameStyle::Beaded => wit::FrameStyle::Beaded,
        FrameStyle::Stitched => wit::FrameStyle::Stitched,
    })
}

fn drawn(drawing: wit::Drawing) -> (Drawing, Report) {
    let wit::Drawing {
        image,
        note,
        unknown_words: unknown,
        model,
        cost_microdollars,
        extra: _,
    } = drawing;
    let unknown_words = unknown_words(&unknown);
    let note = note.filter(|note| !note.trim().is_empty());
    let note = note.or_else(|| note_about(&unknown_words));
    let report = Report::from_values(note.as_deref(), model.as_deref(), cost_microdollars);
    let drawing = Drawing {
        media_type: image.media_type,
        bytes: image.bytes,
        note: report.note.clone(),
        unknown_words,
        model: report.model.clone(),
        cost_microdollars: report.cost_microdollars,
    };
    (drawing, report)
}

/// The note for a drawing without one of its own that does not show these words.
fn note_about(words: &[String]) -> Option<String> {
    let quoted: Vec<_> = words.iter().map(|word| format!("\"{word}\"")).collect();
    (!quoted.is_empty()).then(|| format!("Not in the picture: {}.", quoted.join(", ")))
}

impl From<wit::DrawError> for CallError {
    fn from(error: wit::DrawError) -> Self {
        match error {
            wit::DrawError::Refused(reason) => Self::Refused(reason),
            wit::DrawError::Invalid(reason) => Self::Invalid(reason),
            wit::DrawError::RateLimited(seconds) => {
                Self::RateLimited(seconds.map(|seconds| Duration::from_secs(seconds.into())))
            }
            wit::DrawError::Unavailable(reason) => Self::Unavailable(reason),
            wit::DrawError::Other(reason) => Self::Failed(reason),
        }
    }
}

#[cfg(test)]
mod tests {
    use linepress_model::{Aspect, Audience};

    use super::*;

    fn request(purpose: Purpose, source: Option<Media>, options: DrawOptions) -> wit::DrawRequest {
        let request = DrawRequest {
            purpose,
            prompt: "A fox".into(),
            title: "Fox".into(),
            width: 1152,
            height: 1536,
            aspect: Aspect::Portrait,
            audience: Audience::Child,
            characters: Vec::new(),
            source,
            seed: 7,
            options,
        };
        request.into()
    }

    fn photograph() -> Option<Media> {
        Some(Media {
            media_type: "image/jpeg".into(),
            bytes: vec![0xFF, 0xD8],
        })
    }

    fn changing() -> DrawOptions {
        let change = Change {
            instruction: "Remove the hat".into(),
            present_prompt: "A fox with a hat".into(),
        };
        DrawOptions {
            change: Some(change),
            ..DrawOptions::default()
        }
    }

    #[test]
    fn a_source_is_the_present_picture_if_there_is_a_change() {
        let plain = request(Purpose::Page, None, DrawOptions::default());
        assert!(plain.source.is_none() && plain.change.is_none());
        assert!(plain.look.line_weight.is_none() && plain.look.detail.is_none() && plain.look.style.is_none());
        assert!(plain.look.frame.is_none() && plain.book_seed.is_none());
        let traced = request(Purpose::Page, photograph(), DrawOptions::default());
        assert!(matches!(traced.source, Some(wit::Source::Photograph(media)) if media.bytes == [0xFF, 0xD8]));
        let changed = request(Purpose::Page, photograph(), changing());
        assert!(matches!(changed.source, Some(wit::Source::EarlierPicture(_))));
        let change = changed.change.expect("the request has a change");
        assert_eq!(change.instruction, "Remove the hat");
        assert_eq!(change.present_prompt, "A fox with a hat");
        assert!(request(Purpose::Page, None, changing()).source.is_none());
    }

    #[test]
    fn only_a_cover_in_color_is_in_color() {
        for (purpose, expected, is_color) in [
            (Purpose::Page, wit::Purpose::Page, false),
            (Purpose::Cover, wit::Purpose::Cover, false),
            (Purpose::CoverInColor, wit::Purpose::Cover, true),
            (Purpose::Character, wit::Purpose::Character, false),
        ] {
            let request = request(purpose, None, DrawOptions::default());
            assert_eq!(request.purpose, expected, "{purpose:?}");
            assert_eq!(request.coloring == wit::Coloring::Color, is_color, "{purpose:?}");
        }
    }

    #[test]
    fn a_look_contains_only_what_differs_from_the_usual() {
        let look = wit::Look::from(Look {
            line_weight: LineWeight::Bold,
            detail: DetailLevel::Usual,
            style: "Woodcut".into(),
            frame: FrameStyle::None,
        });
        assert_eq!(look.line_weight, Some(wit::LineWeight::Bold));
        assert_eq!((look.detail, look.style.as_deref()), (None, Some("Woodcut")));
        assert_eq!(look.frame, Some(wit::FrameStyle::None));
    }

    #[test]
    fn a_provider_without_sources_changes_no_pictures() {
        let described = |sources, max_references, changes_pictures| {
            let description = ImageProviderDescription::from(wit::Description {
                id: "acme.flux".into(),
                name: "Flux".into(),
                version: "1.0.0".into(),
                aspects: vec![Aspect::Square.into()],
                max_references,
                sources,
                changes_pictures,
                colors_pages: true,
                draws_color: true,
                follows_looks: false,
                extra: Vec::new(),
            });
            assert!(description.draws_color && !description.follows_looks);
            (description.sources, description.edits)
        };
        for (sources, max_references, changes, expected) in [
            (wit::SourceUse::None, 3, true, (Sources::None, false)),
            (wit::SourceUse::AsReference, 0, true, (Sources::None, false)),
            (wit::SourceUse::AsReference, 3, true, (Sources::AsReference, true)),
            (wit::SourceUse::Additional, 0, false, (Sources::Taken, false)),
            (wit::SourceUse::Required, 0, true, (Sources::Required, true)),
        ] {
            assert_eq!(described(sources, max_references, changes), expected, "{sources:?}");
        }
    }

    #[test]
    fn the_host_names_the_unknown_words_if_the_provider_has_no_note() {
        let note = |note: Option<&str>, words: &[&str]| {
            let (drawing, _) = drawn(wit::Drawing {
                image: wit::Media {
                    media_type: "image/png".into(),
                    bytes: Vec::new(),
                },
                note: note.map(str::to_owned),
                unknown_words: words.iter().map(|word| (*word).to_owned()).collect(),
                model: None,
                cost_microdollars: Some(40_000),
                extra: Vec::new(),
            });
            assert_eq!(drawing.cost_microdollars, Some(40_000));
            (drawing.note, drawing.unknown_words)
        };
        assert_eq!(note(None, &[]), (None, Vec::new()));
        let words = ["zeppelin", "har\np", "zeppelin", ""];
        let known = vec!["zeppelin".to_owned(), "har p".to_owned()];
        let sentence = "Not in the picture: \"zeppelin\", \"har p\".";
        for none in [None, Some(""), Some(" \n")] {
            assert_eq!(note(none, &words), (Some(sentence.into()), known.clone()), "{none:?}");
        }
        assert_eq!(note(Some("A pattern."), &words), (Some("A pattern.".into()), known));
    }
}
