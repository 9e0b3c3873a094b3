//! Book layouts: print formats, and the leaves of a book in their order.
use std::path::Path;
use std::sync::Arc;

use crate::components::blocking;
use crate::description::check_identity;
use crate::error::CallError;
use crate::formats::check_formats;
use crate::leaves::check_leaves;
use crate::limits::Limits;
use crate::load::CompiledPlugin;
use crate::options::CallOptions;
use crate::sandbox::{CallKind, Sandbox, Usage};
use crate::templates::TemplateCopy;
use crate::v0;
use crate::variant::Variant;
use linepress_model::{Aspect, Audience, Leaf, PrintFormat};

/// What a layout says about itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LayoutDescription {
    pub id: String,
    /// For people.
    pub name: String,
    pub version: String,
    /// In order of preference; at least one, with different ids.
    pub formats: Vec<PrintFormat>,
}

/// What a layout needs to know of a book.
#[derive(Clone, Debug)]
pub struct LayoutBook {
    pub title: String,
    pub subtitle: String,
    pub author: String,
    pub description: String,
    pub audience: Audience,
    pub aspect: Aspect,
    pub has_cover: bool,
    pub drawings: Vec<LayoutDrawing>,
    /// BCP 47.
    pub language: String,
    /// How it is to be printed: names and values that the contract lists.
    pub extra: Vec<(String, String)>,
}

/// The words that go with one drawing of the book.
#[derive(Clone, Debug)]
pub struct LayoutDrawing {
    pub title: String,
    pub caption: String,
}

/// A loaded layout. Cheap to clone.
#[derive(Clone)]
pub struct Layout(Arc<Inner>);

struct Inner {
    description: LayoutDescription,
    digest: String,
    templates: TemplateCopy,
    variant: Option<Variant>,
    sandbox: Sandbox,
    contract: Arc<v0::layout::Contract>,
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
            return Err("a layout needs a folder named templates with its Typst files".into());
        }
        let templates = blocking(move || TemplateCopy::of(&templates, &cache_directory)).await?;
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

    /// What its calls may use, and have used.
    pub fn usage(&self) -> Usage {
        self.0.sandbox.usage()
    }

    /// The SHA-256 of the component, in hexadecimal.
    pub fn digest(&self) -> &str {
        &self.0.digest
    }

    /// The folder of the layout's Typst files, as they were when it was loaded: they do not change for as long as this, or a
    /// clone of it, is there.
    pub fn templates(&self) -> &Path {
        self.0.templates.folder()
    }

    /// The pages of the book from the first recto on, in a format the layout has.
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
        let own_id = variant
            .as_ref()
            .map_or(format_id, |variant| variant.own_format(format_id))
            .to_owned();
        let drawings = book.drawings.len();
        let layout = self.clone();
        sandbox
            .call(
                "lay_out",
                CallKind::Work,
                &CallOptions::default(),
                Limits::copied_of_text(),
                |store| async move {
                    let reply = layout.0.contract.lay_out(store, book, own_id).await?;
                    Ok(reply.and_then(|leaves| check_leaves(leaves, drawings)))
                },
            )
            .await
    }
}
