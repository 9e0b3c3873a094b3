//! Book layouts, which offer print formats and arrange a book as a sequence of leaves.

/// The print formats of a layout.
mod formats;
/// Checks of the leaves that a layout returns.
mod leaves;
/// Copies of a layout's templates, made when the layout is loaded.
mod templates;
/// The check that changed templates must pass.
mod trial;

use std::path::Path;
use std::sync::Arc;

use serde_json::json;

use self::formats::check_formats;
use self::leaves::check_leaves;
use self::templates::TemplateCopy;
pub use self::trial::{TemplateTrial, TrialFuture};
use crate::blocking::blocking;
use crate::calls::brief;
use crate::compiled::CompiledPlugin;
use crate::contract::{LayoutBook, LayoutDescription};
use crate::description::check_identity;
use crate::error::CallError;
use crate::limits::Limits;
use crate::options::CallOptions;
use crate::sandbox::{CallKind, Called, Sandbox, State, Usage};
use crate::v0;
use crate::variant::Variant;
use linepress_model::Leaf;

/// A loaded layout. Cheap to clone.
#[derive(Clone)]
pub struct Layout(Arc<Inner>);

struct Inner {
    description: LayoutDescription,
    digest: String,
    templates: TemplateCopy,
    variant: Option<Variant>,
    sandbox: Sandbox,
    contract: Arc<v0::layout::Contract<State>>,
}

impl Layout {
    pub(crate) async fn load(compiled: CompiledPlugin) -> Result<Self, String> {
        let CompiledPlugin {
            id,
            digest,
            sandbox,
            component,
            folder,
            variant,
            cache_directory,
            ..
        } = compiled;
        let templates = folder.join("templates");
        if !templates.is_dir() {
            return Err("it has no folder named templates: a layout needs one with its Typst files".into());
        }
        let templates = blocking(move || TemplateCopy::create(&templates, &cache_directory)).await?;
        let contract = v0::layout::Contract::new(component).map_err(|error| format!("{error:#}"))?;
        let contract = Arc::new(contract);
        let description = sandbox
            .describe({
                let contract = contract.clone();
                |store| async move { contract.describe(store).await }
            })
            .await?;
        let description = match &variant {
            Some(variant) => variant.describe(&id, description)?,
            None => description,
        };
        check_identity(&id, &description.id, &description.name, &description.version)?;
        check_formats(&description.formats, templates.folder())?;
        Ok(Self(Arc::new(Inner {
            description,
            digest,
            templates,
            variant,
            sandbox,
            contract,
        })))
    }

    pub fn description(&self) -> &LayoutDescription {
        &self.0.description
    }

    /// The limits of its calls, and their peak memory.
    pub fn usage(&self) -> Usage {
        self.0.sandbox.usage()
    }

    /// The SHA-256 of the component in hexadecimal.
    pub fn digest(&self) -> &str {
        &self.0.digest
    }

    /// The folder with a copy of the layout's Typst files, made when the layout was loaded. It does not change while
    /// this value or a clone of it exists.
    pub fn templates(&self) -> &Path {
        self.0.templates.folder()
    }

    /// Arranges the book as leaves, starting with the first recto. Fails with [`CallError::Invalid`] if the layout does
    /// not have the format.
    pub async fn lay_out(&self, book: LayoutBook, format_id: &str) -> Result<Vec<Leaf>, CallError> {
        let Inner {
            description,
            variant,
            sandbox,
            ..
        } = &*self.0;
        if !description.formats.iter().any(|format| format.id == format_id) {
            return Err(CallError::Invalid(format!(
                "{} has no format {format_id:?}",
                description.id
            )));
        }
        let component_format_id = variant
            .as_ref()
            .map_or(format_id, |variant| variant.component_format_id(format_id))
            .to_owned();
        let drawings = book.drawings.len();
        let layout = self.clone();
        sandbox
            .call(
                Called {
                    function: "lay_out",
                    kind: CallKind::Work,
                    request: sandbox.described(
                        || json!({"title": brief(&book.title), "format": format_id, "drawings": book.drawings.len()}),
                    ),
                    result: |leaves: &Vec<Leaf>| json!({"leaves": leaves.len()}),
                },
                &CallOptions::default(),
                Limits::max_copied_text_bytes(),
                |store| async move {
                    let reply = layout.0.contract.lay_out(store, book, component_format_id).await?;
                    Ok(reply.and_then(|leaves| check_leaves(leaves, drawings)))
                },
            )
            .await
    }
}
