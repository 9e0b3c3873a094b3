//! Bindings of the world `linepress:image/image-provider@0.1`.
use std::time::Duration;

use wasmtime::Store;
use wasmtime::component::InstancePre;

use self::bindings::exports::linepress::image::provider as wit;
use crate::error::CallError;
use crate::extras::Extras;
use crate::host_state::State;
use crate::image::{DrawRequest, Drawing, ImageProviderDescription, Purpose, sources_from_extra};

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

pub(crate) struct Contract(bindings::ImageProviderPre<State>);

impl Contract {
    pub(crate) fn new(component: InstancePre<State>) -> wasmtime::Result<Self> {
        bindings::ImageProviderPre::new(component).map(Self)
    }

    pub(crate) async fn describe(&self, mut store: Store<State>) -> wasmtime::Result<ImageProviderDescription> {
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
        mut store: Store<State>,
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
