//! Bindings of the world `linepress:image/image-vocabulary@1`, whose interface an image provider may export.
use wasmtime::Store;
use wasmtime::component::InstancePre;

use self::bindings::exports::linepress::image::vocabulary as wit;
use crate::contract::{Wording, WordingKind};

mod bindings {
    wasmtime::component::bindgen!({
        path: ["../../../wit/v0/types", "../../../wit/v0/host", "../../../wit/v1/image"],
        world: "linepress:image/image-vocabulary@1.0.0",
        with: {
            "linepress:types": crate::v0::host::linepress::types,
            "linepress:host": crate::v0::host::linepress::host,
        },
        exports: { default: async },
    });
}

/// A linked component of this world. `T` is the data of its stores.
pub(crate) struct Contract<T: 'static>(bindings::ImageVocabularyPre<T>);

impl<T: Send + 'static> Contract<T> {
    /// Returns `None` for a component without the interface, or with an incompatible one.
    pub(crate) fn find(component: InstancePre<T>) -> Option<Self> {
        bindings::ImageVocabularyPre::new(component).ok().map(Self)
    }

    pub(crate) async fn unknown_words(
        &self,
        mut store: Store<T>,
        wordings: Vec<Wording>,
    ) -> wasmtime::Result<Vec<Vec<String>>> {
        let instance = self.0.instantiate_async(&mut store).await?;
        let questions: Vec<wit::Question> = wordings.into_iter().map(Into::into).collect();
        instance
            .linepress_image_vocabulary()
            .call_unknown_words(&mut store, &questions)
            .await
    }
}

impl From<Wording> for wit::Question {
    fn from(wording: Wording) -> Self {
        Self {
            wording: match wording.kind {
                WordingKind::Theme => wit::Wording::Theme,
                WordingKind::Cover => wit::Wording::Cover,
                WordingKind::Page => wit::Wording::Page,
            },
            text: wording.text,
            title: wording.title,
            audience: wording.audience.into(),
            names: wording.names,
            extra: Vec::new(),
        }
    }
}
