//! Bindings of the world `linepress:layout/book-layout@0.1`.
use linepress_model::{FormatMargins, Leaf, PrintFormat};
use wasmtime::Store;
use wasmtime::component::InstancePre;

use self::bindings::exports::linepress::layout::layout as wit;
use crate::contract::{LayoutBook, LayoutDescription, LayoutDrawing};
use crate::error::CallError;

mod bindings {
    wasmtime::component::bindgen!({
        path: ["../../../wit/v0/types", "../../../wit/v0/host", "../../../wit/v0/layout"],
        world: "linepress:layout/book-layout@0.1.0",
        with: {
            "linepress:types": super::super::host::linepress::types,
            "linepress:host": super::super::host::linepress::host,
        },
        exports: { default: async },
    });
}

/// A linked component of this world. `T` is the data of its stores.
pub(crate) struct Contract<T: 'static>(bindings::BookLayoutPre<T>);

impl<T: Send + 'static> Contract<T> {
    pub(crate) fn new(component: InstancePre<T>) -> wasmtime::Result<Self> {
        bindings::BookLayoutPre::new(component).map(Self)
    }

    pub(crate) async fn describe(&self, mut store: Store<T>) -> wasmtime::Result<LayoutDescription> {
        let instance = self.0.instantiate_async(&mut store).await?;
        let wit::Description {
            id,
            name,
            version,
            formats,
            extra: _,
        } = instance.linepress_layout_layout().call_describe(&mut store).await?;
        Ok(LayoutDescription {
            id,
            name,
            version,
            formats: formats.into_iter().map(Into::into).collect(),
        })
    }

    pub(crate) async fn lay_out(
        &self,
        mut store: Store<T>,
        book: LayoutBook,
        format_id: String,
    ) -> wasmtime::Result<Result<Vec<Leaf>, CallError>> {
        let instance = self.0.instantiate_async(&mut store).await?;
        let reply = instance
            .linepress_layout_layout()
            .call_lay_out(&mut store, &book.into(), &format_id)
            .await?;
        Ok(match reply {
            Ok(leaves) => Ok(leaves
                .into_iter()
                .map(|wit::Leaf { kind, drawing, extra }| Leaf { kind, drawing, extra })
                .collect()),
            Err(wit::LayoutError::Invalid(reason)) => Err(CallError::Invalid(reason)),
            Err(wit::LayoutError::Other(reason)) => Err(CallError::Failed(reason)),
        })
    }
}

impl From<wit::Format> for PrintFormat {
    fn from(format: wit::Format) -> Self {
        Self {
            id: format.id,
            name: format.name,
            aspect: format.aspect.into(),
            trim_width_um: format.trim_width,
            trim_height_um: format.trim_height,
            bleed_um: format.bleed,
            margins: FormatMargins::default(),
            recommended_width: format.recommended.width,
            recommended_height: format.recommended.height,
            template: format.template,
        }
    }
}

impl From<LayoutBook> for wit::Book {
    fn from(book: LayoutBook) -> Self {
        let drawings = book.drawings.into_iter();
        Self {
            title: book.title,
            subtitle: book.subtitle,
            author: book.author,
            description: book.description,
            audience: book.audience.into(),
            aspect: book.aspect.into(),
            has_cover: book.has_cover,
            drawings: drawings
                .map(|LayoutDrawing { title, caption }| wit::Drawing { title, caption })
                .collect(),
            language: book.language,
            extra: book.extra,
        }
    }
}
