//! Bindings of the world `linepress:image/image-provider@0.1`.
use std::time::Duration;

use wasmtime::Store;
use wasmtime::component::InstancePre;

use self::bindings::exports::linepress::image::provider as wit;
use super::extras::Extras;
use crate::contract::{DrawRequest, Drawing, ImageProviderDescription, Purpose, Sources};
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
        Ok(ImageProviderDescription {
            id: description.id,
            name: description.name,
            version: description.version,
            aspects: description.aspects.into_iter().map(Into::into).collect(),
            max_references: description.max_references,
            sources: sources_from_extra(&description.extra, description.max_references),
        })
    }

    pub(crate) async fn draw(
        &self,
        mut store: Store<T>,
        request: DrawRequest,
    ) -> wasmtime::Result<Result<(Drawing, Extras), CallError>> {
        let instance = self.0.instantiate_async(&mut store).await?;
        let reply = instance
            .linepress_image_provider()
            .call_draw(&mut store, &request.into())
            .await?;
        Ok(match reply {
            Ok(drawing) => {
                let extras = Extras::from_pairs(&drawing.extra);
                let drawing = Drawing {
                    media_type: drawing.image.media_type,
                    bytes: drawing.image.bytes,
                    note: extras.note.clone(),
                    model: extras.model.clone(),
                    cost_microdollars: extras.cost_microdollars,
                };
                Ok((drawing, extras))
            }
            Err(error) => Err(error.into()),
        })
    }
}

impl From<DrawRequest> for wit::DrawRequest {
    fn from(request: DrawRequest) -> Self {
        Self {
            purpose: match request.purpose {
                Purpose::Page => wit::Purpose::Page,
                Purpose::Cover => wit::Purpose::Cover,
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
            source: request.source.map(|source| wit::Media {
                media_type: source.media_type,
                bytes: source.bytes,
            }),
            seed: request.seed,
            extra: Vec::new(),
        }
    }
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
}
