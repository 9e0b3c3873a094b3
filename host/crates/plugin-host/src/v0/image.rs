//! Bindings of the world `linepress:image/image-provider@0.1`.
use std::time::Duration;

use wasmtime::Store;
use wasmtime::component::InstancePre;

use self::bindings::exports::linepress::image::provider as wit;
use linepress_model::{DetailLevel, FrameStyle, LineWeight, Look};

use crate::contract::{Change, DrawOptions, DrawRequest, Drawing, ImageProviderDescription, Purpose, Report, Sources};
use crate::error::CallError;

mod bindings {
    wasmtime::component::bindgen!({
        path: ["../../../wit/v0/types", "../../../wit/v0/host", "../../../wit/v0/image"],
        world: "linepress:image/image-provider@0.1.0",
        with: {
            "linepress:types": super::super::host::linepress::types,
            "linepress:host": super::super::host::linepress::host,
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
        let sources = sources_from_extra(&description.extra, description.max_references);
        Ok(ImageProviderDescription {
            id: description.id,
            name: description.name,
            version: description.version,
            aspects: description.aspects.into_iter().map(Into::into).collect(),
            max_references: description.max_references,
            sources,
            edits: edits_from_extra(&description.extra, sources),
            draws_color: description.extra.iter().any(is_color),
            follows_looks: description.extra.iter().any(is_look),
        })
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
        Ok(match reply {
            Ok(drawing) => {
                let report = Report::from_extra(&drawing.extra);
                let drawing = Drawing {
                    media_type: drawing.image.media_type,
                    bytes: drawing.image.bytes,
                    note: report.note.clone(),
                    unknown_words: Vec::new(),
                    model: report.model.clone(),
                    cost_microdollars: report.cost_microdollars,
                };
                Ok((drawing, report))
            }
            Err(error) => Err(error.into()),
        })
    }
}

impl From<DrawRequest> for wit::DrawRequest {
    fn from(request: DrawRequest) -> Self {
        let in_color = request.purpose == Purpose::CoverInColor;
        let color = in_color.then(|| (COLOR.0.to_owned(), COLOR.1.to_owned()));
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
            characters: request.characters.into_iter().map(Into::into).collect(),
            source: request.source.map(Into::into),
            seed: request.seed,
            extra: color.into_iter().chain(extra_from_options(request.options)).collect(),
        }
    }
}

/// The named values of a request.
fn extra_from_options(options: DrawOptions) -> Vec<(String, String)> {
    let DrawOptions {
        change,
        look,
        // Only known since version 1.
        book_seed: _,
    } = options;
    let change = change.map(
        |Change {
             instruction,
             present_prompt,
         }| [("instruction", instruction), ("present-prompt", present_prompt)],
    );
    let values = change.into_iter().flatten().chain(values_of_look(look));
    values.map(|(name, value)| (name.to_owned(), value)).collect()
}

/// The named values of a look, without those that follow from the audience.
fn values_of_look(look: Look) -> impl Iterator<Item = (&'static str, String)> {
    let Look {
        line_weight,
        detail,
        style,
        frame,
    } = look;
    let line_weight = (line_weight != LineWeight::Usual).then(|| ("line-weight", line_weight.to_string()));
    let detail = (detail != DetailLevel::Usual).then(|| ("detail", detail.to_string()));
    let style = (!style.is_empty()).then_some(("style", style));
    let frame = (frame != FrameStyle::Usual).then(|| ("frame", frame.to_string()));
    [line_weight, detail, style, frame].into_iter().flatten()
}

fn is_look((name, value): &(String, String)) -> bool {
    (name.as_str(), value.as_str()) == ("look", "1")
}

/// The value of a provider that can draw covers in color, and of a request for one.
const COLOR: (&str, &str) = ("color", "1");

fn is_color((name, value): &(String, String)) -> bool {
    (name.as_str(), value.as_str()) == COLOR
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

/// Reads the value `sources` of a description. Without a valid value, a provider that accepts references accepts a
/// source as one of them.
fn sources_from_extra(extra: &[(String, String)], max_references: u32) -> Sources {
    let value = extra.iter().find(|(name, _)| name == "sources");
    match value.map(|(_, value)| value.as_str()) {
        Some("1") => Sources::Taken,
        Some("required") => Sources::Required,
        _ if max_references > 0 => Sources::AsReference,
        _ => Sources::None,
    }
}

/// Reads the value `edits` of a description. Without a valid value, a provider that draws from text and accepts a
/// source can change a picture; one that draws only from a source, such as a photograph, cannot.
fn edits_from_extra(extra: &[(String, String)], sources: Sources) -> bool {
    let value = extra.iter().find(|(name, _)| name == "edits");
    match (value.map(|(_, value)| value.as_str()), sources) {
        (_, Sources::None) | (Some("0"), _) => false,
        (Some("1"), _) => true,
        (_, sources) => sources != Sources::Required,
    }
}

#[cfg(test)]
mod tests {
    use linepress_model::Aspect;

    use super::*;

    #[test]
    fn a_source_replaces_a_reference_unless_the_provider_declares_otherwise() {
        let description = |max_references: u32, sources: &str| {
            let extra = [("sources".to_owned(), sources.to_owned())];
            let sources = sources_from_extra(&extra, max_references);
            ImageProviderDescription {
                id: "acme.flux".into(),
                name: "Flux".into(),
                version: "1.0.0".into(),
                aspects: vec![Aspect::Square],
                max_references,
                sources,
                edits: false,
                draws_color: false,
                follows_looks: false,
            }
        };
        // Expected: can it draw without and with a source, and how many references may accompany a source.
        for (max_references, sources, draws, references) in [
            (0, "", [true, false], 0),
            (0, "yes", [true, false], 0),
            (0, "1", [true, true], 0),
            (0, "required", [false, true], 0),
            (3, "", [true, true], 2),
            (3, "1", [true, true], 3),
        ] {
            let description = description(max_references, sources);
            assert_eq!(
                [false, true].map(|source| description.draws(source)),
                draws,
                "{description:?}"
            );
            assert_eq!(
                description.max_references_with_source(true),
                references,
                "{description:?}"
            );
            assert_eq!(description.max_references_with_source(false), max_references);
        }
    }

    #[test]
    fn a_provider_changes_pictures_if_it_accepts_one_unless_it_declares_otherwise() {
        for (value, sources, edits) in [
            (None, Sources::None, false),
            (None, Sources::Taken, true),
            (None, Sources::AsReference, true),
            (None, Sources::Required, false),
            (Some("1"), Sources::None, false),
            (Some("1"), Sources::Required, true),
            (Some("0"), Sources::Taken, false),
            (Some("yes"), Sources::Taken, true),
        ] {
            let extra: Vec<_> = value
                .map(|value| ("edits".to_owned(), value.to_owned()))
                .into_iter()
                .collect();
            assert_eq!(edits_from_extra(&extra, sources), edits, "{value:?} {sources:?}");
        }
    }

    #[test]
    fn a_request_names_the_instruction_only_when_a_picture_is_changed() {
        assert_eq!(extra_from_options(DrawOptions::default()), []);
        let change = Change {
            instruction: "Remove the hat".into(),
            present_prompt: "A fox".into(),
        };
        let extra = extra_from_options(DrawOptions {
            change: Some(change),
            ..DrawOptions::default()
        });
        let named = |name: &str| {
            extra
                .iter()
                .find(|(known, _)| known == name)
                .map(|(_, value)| value.as_str())
        };
        assert_eq!(named("instruction"), Some("Remove the hat"));
        assert_eq!(named("present-prompt"), Some("A fox"));
    }

    #[test]
    fn a_request_names_of_a_look_only_what_differs_from_the_usual() {
        let extra = |line_weight, detail, style: &str, frame| {
            extra_from_options(DrawOptions {
                look: Look {
                    line_weight,
                    detail,
                    style: style.into(),
                    frame,
                },
                ..DrawOptions::default()
            })
        };
        assert_eq!(extra(LineWeight::Usual, DetailLevel::Usual, "", FrameStyle::Usual), []);
        let value = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(
            extra(LineWeight::Bold, DetailLevel::Simple, "Woodcut", FrameStyle::None),
            [
                value("line-weight", "bold"),
                value("detail", "simple"),
                value("style", "Woodcut"),
                value("frame", "none"),
            ]
        );
    }
}
