//! Book layouts, which offer print formats and arrange a book as a sequence of leaves.

/// Formats and leaves that a layout declares in its templates.
mod additions;
/// The print formats of a layout.
mod formats;
/// Checks of the leaves that a layout returns.
mod leaves;
/// The print formats of all layouts.
mod offered;
/// Copies of a layout's templates, made when the layout is loaded.
mod templates;
/// The check that changed templates must pass.
mod trial;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Value, json};

use self::additions::Additions;
use self::formats::{check_descriptions, check_formats, check_templates};
use self::leaves::check_leaves;
pub(crate) use self::offered::LatestFormats;
pub use self::offered::{Formats, HiddenFormat, OfferedFormat};
use self::templates::TemplateCopy;
pub use self::trial::{TemplateTrial, TrialFuture};
use crate::blocking::blocking;
use crate::calls::{PluginVersion, brief, digest_of_texts};
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
    /// The description with the additional formats.
    description: LayoutDescription,
    additions: Additions,
    templates: Templates,
    component: Arc<Component>,
}

/// A book as a sequence of leaves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaidOut {
    /// The leaves, starting with the first recto.
    pub leaves: Vec<Leaf>,
    /// A sentence about each leaf in the templates' `layout.toml` that this book does not have, because its place is
    /// missing.
    pub unplaced: Vec<String>,
}

/// The part of a layout that does not change with its templates.
struct Component {
    /// The description without additional formats.
    description: LayoutDescription,
    digest: String,
    variant: Option<Variant>,
    sandbox: Sandbox,
    contract: Arc<v0::layout::Contract<State>>,
}

/// The templates of a layout.
enum Templates {
    Copied(TemplateCopy),
    /// A folder that its designer may be editing.
    Edited(PathBuf),
}

impl Templates {
    fn folder(&self) -> &Path {
        match self {
            Self::Copied(copy) => copy.folder(),
            Self::Edited(folder) => folder,
        }
    }
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
        let (templates, additions) = blocking(move || {
            let copy = TemplateCopy::create(&templates, &cache_directory)?;
            let additions = Additions::read(copy.folder())?;
            Ok((copy, additions))
        })
        .await?;
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
        let component = Component {
            description,
            digest,
            variant,
            sandbox,
            contract,
        };
        let layout = Self::new(Arc::new(component), Templates::Copied(templates), additions)?;
        check_formats(&layout.description().formats, layout.templates())?;
        Ok(layout)
    }

    /// Adds the formats that the templates declare. The formats are not checked.
    fn new(component: Arc<Component>, templates: Templates, additions: Additions) -> Result<Self, String> {
        let mut description = component.description.clone();
        let own = &component.description.formats;
        description.formats.extend(additions.formats(own)?);
        Ok(Self(Arc::new(Inner {
            description,
            additions,
            templates,
            component,
        })))
    }

    /// The same layout with templates from a folder, which is not copied: for tools that work on files while they are
    /// edited. The folder may lack templates of the component's formats.
    pub fn with_templates(&self, folder: &Path) -> Result<Self, String> {
        let additions = Additions::read(folder)?;
        let layout = Self::new(
            self.0.component.clone(),
            Templates::Edited(folder.to_owned()),
            additions,
        )?;
        let formats = &layout.description().formats;
        check_descriptions(formats)?;
        check_templates(&formats[self.0.component.description.formats.len()..], folder)?;
        Ok(layout)
    }

    pub fn description(&self) -> &LayoutDescription {
        &self.0.description
    }

    /// The limits of its calls, and their peak memory.
    pub fn usage(&self) -> Usage {
        self.0.component.sandbox.usage()
    }

    /// The version of the plugin that is called.
    pub fn version(&self) -> &PluginVersion {
        &self.0.component.sandbox.version
    }

    /// The SHA-256 of the component in hexadecimal.
    pub fn digest(&self) -> &str {
        &self.0.component.digest
    }

    /// The folder with a copy of the layout's Typst files, made when the layout was loaded. It does not change while
    /// this value or a clone of it exists, unless the value is from [`Layout::with_templates`].
    pub fn templates(&self) -> &Path {
        self.0.templates.folder()
    }

    /// Arranges the book as leaves, like [`Layout::lay_out_reporting`]; returns only the leaves.
    pub async fn lay_out(&self, book: LayoutBook, format_id: &str) -> Result<Vec<Leaf>, CallError> {
        Ok(self.lay_out_reporting(book, format_id).await?.leaves)
    }

    /// Arranges the book as leaves. Fails with [`CallError::Invalid`] if the layout does not have the format.
    pub async fn lay_out_reporting(&self, book: LayoutBook, format_id: &str) -> Result<LaidOut, CallError> {
        let Inner {
            description,
            additions,
            component,
            ..
        } = &*self.0;
        let Component { variant, sandbox, .. } = &**component;
        if !description.formats.iter().any(|format| format.id == format_id) {
            return Err(CallError::Invalid(format!(
                "{} has no format {format_id:?}",
                description.id
            )));
        }
        let own_id = additions
            .like(format_id, &component.description.formats)
            .map_or(format_id, |format| format.id.as_str());
        let component_format_id = variant
            .as_ref()
            .map_or(own_id, |variant| variant.component_format_id(own_id))
            .to_owned();
        let drawings = book.drawings.len();
        let layout = self.clone();
        sandbox
            .call(
                Called {
                    function: "lay_out",
                    kind: CallKind::Work,
                    request: sandbox.described(|| described(&book, format_id)),
                    result: |book: &LaidOut| laid_out(&book.leaves),
                },
                &CallOptions::default(),
                Limits::max_copied_text_bytes(),
                |store| async move {
                    let reply = layout
                        .0
                        .component
                        .contract
                        .lay_out(store, book, component_format_id)
                        .await?;
                    Ok(reply.and_then(|mut leaves| {
                        let unplaced = layout.0.additions.insert(&mut leaves);
                        let leaves = check_leaves(leaves, drawings)?;
                        Ok(LaidOut { leaves, unplaced })
                    }))
                },
            )
            .await
    }
}

/// A request to a layout, for the log of calls.
fn described(book: &LayoutBook, format_id: &str) -> Value {
    json!({
        "title": brief(&book.title),
        "format": format_id,
        "audience": book.audience.as_str(),
        "language": brief(&book.language),
        "has_cover": book.has_cover,
        "drawings": book.drawings.len(),
        "options": book.extra,
    })
}

/// The leaves of a layout, for the log of calls.
fn laid_out(leaves: &[Leaf]) -> Value {
    let texts = leaves
        .iter()
        .map(|leaf| format!("{} {:?} {:?}", leaf.kind, leaf.drawing, leaf.extra));
    let texts: Vec<String> = texts.collect();
    json!({"leaves": leaves.len(), "sha256": digest_of_texts(texts.iter().map(String::as_str))})
}
