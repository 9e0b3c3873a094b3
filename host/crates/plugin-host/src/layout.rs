//! Book layouts: print formats, and the leaves of a book in their order.
use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use crate::error::CallError;
use crate::load::{CompiledPlugin, check_identity, check_label};
use crate::sandbox::Sandbox;
use crate::v0;
use linepress_model::{Aspect, Audience, Leaf, PrintFormat};

/// No printer binds more; what a leaf carries beside its kind stays small, too.
const MAX_LEAVES: usize = 1000;
const MAX_EXTRA: usize = 32;
const MAX_TEXT_BYTES: usize = 8 << 10;

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
    templates: PathBuf,
    sandbox: Sandbox,
    contract: v0::layout::Contract,
}

impl Layout {
    pub(crate) async fn load(compiled: CompiledPlugin) -> Result<Self, String> {
        let CompiledPlugin {
            id,
            digest,
            sandbox,
            component,
            folder,
        } = compiled;
        let templates = folder.join("templates");
        if !templates.is_dir() {
            return Err("a layout needs a folder named templates with its Typst files".into());
        }
        let contract = v0::layout::Contract::new(component).map_err(|error| format!("{error:#}"))?;
        let description = sandbox.describe(|store| contract.describe(store)).await?;
        check_identity(&id, &description.id, &description.name, &description.version)?;
        check_formats(&description.formats, &templates)?;
        Ok(Self(Arc::new(Inner {
            description,
            digest,
            templates,
            sandbox,
            contract,
        })))
    }

    pub fn description(&self) -> &LayoutDescription {
        &self.0.description
    }

    /// The SHA-256 of the component, in hexadecimal.
    pub fn digest(&self) -> &str {
        &self.0.digest
    }

    /// The folder of the layout's Typst files.
    pub fn templates(&self) -> &Path {
        &self.0.templates
    }

    /// The pages of the book from the first recto on, in a format the layout has.
    pub async fn lay_out(&self, book: LayoutBook, format_id: &str) -> Result<Vec<Leaf>, CallError> {
        let Inner {
            description,
            sandbox,
            contract,
            ..
        } = &*self.0;
        if !description.formats.iter().any(|format| format.id == format_id) {
            return Err(CallError::Invalid(format!(
                "{} has no format {format_id:?}",
                description.id
            )));
        }
        let drawings = book.drawings.len();
        sandbox
            .call("lay_out", |store| async move {
                let reply = contract.lay_out(store, book, format_id.to_owned()).await?;
                Ok(reply.and_then(|leaves| check_leaves(leaves, drawings)))
            })
            .await
    }
}

fn check_formats(formats: &[PrintFormat], templates: &Path) -> Result<(), String> {
    if formats.is_empty() {
        return Err("it describes itself as having no print format".into());
    }
    let mut seen = BTreeSet::new();
    for format in formats {
        let id = &format.id;
        if !is_word(id, '_') {
            return Err(format!(
                "its format {id:?} needs an id of lowercase letters, digits and underscores"
            ));
        }
        check_label(&format!("the name of its format {id}"), &format.name)?;
        if !seen.insert(id) {
            return Err(format!("it has two formats named {id}"));
        }
        let sizes = [
            format.trim_width_um,
            format.trim_height_um,
            format.recommended_width,
            format.recommended_height,
        ];
        if sizes.contains(&0) {
            return Err(format!("its format {id} has a width or height of 0"));
        }
        check_template(&format.template, templates).map_err(|reason| format!("its format {id} {reason}"))?;
    }
    Ok(())
}

/// A template is a plain file inside the folder, whatever its name or a link in it pretends.
fn check_template(template: &str, templates: &Path) -> Result<(), String> {
    let is_plain = Path::new(template)
        .components()
        .all(|part| matches!(part, Component::Normal(_)));
    if !is_plain || !template.ends_with(".typ") {
        return Err(format!(
            "names the template {template:?}; it must be a .typ file inside templates"
        ));
    }
    let found = templates.join(template).canonicalize();
    let inside = templates.canonicalize();
    match (found, inside) {
        (Ok(found), Ok(inside)) if found.is_file() && found.starts_with(&inside) => Ok(()),
        _ => Err(format!("names the template {template:?}, which is not in templates")),
    }
}

fn check_leaves(leaves: Vec<Leaf>, drawings: usize) -> Result<Vec<Leaf>, CallError> {
    if leaves.len() > MAX_LEAVES {
        return Err(CallError::InvalidResponse(format!("a book of {} leaves", leaves.len())));
    }
    for (number, leaf) in leaves.iter().enumerate() {
        check_leaf(leaf, drawings).map_err(|what| CallError::InvalidResponse(format!("leaf {number} has {what}")))?;
    }
    Ok(leaves)
}

fn check_leaf(leaf: &Leaf, drawings: usize) -> Result<(), String> {
    if !is_word(&leaf.kind, '-') {
        return Err("a kind that is not lowercase with hyphens".into());
    }
    if let Some(drawing) = leaf.drawing.filter(|drawing| *drawing as usize >= drawings) {
        return Err(format!("drawing {drawing} of a book with {drawings}"));
    }
    let too_long = |text: &String| text.len() > MAX_TEXT_BYTES;
    if leaf.extra.len() > MAX_EXTRA || leaf.extra.iter().any(|(name, value)| too_long(name) || too_long(value)) {
        return Err("too much in its extra".into());
    }
    Ok(())
}

fn is_word(text: &str, joint: char) -> bool {
    let known = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == joint;
    text.starts_with(|first: char| first.is_ascii_lowercase()) && text.len() <= 64 && text.chars().all(known)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn format(id: &str, template: &str) -> PrintFormat {
        PrintFormat {
            id: id.into(),
            name: "US Letter".into(),
            aspect: Aspect::Portrait,
            trim_width_um: 215_900,
            trim_height_um: 279_400,
            bleed_um: 0,
            recommended_width: 1152,
            recommended_height: 1536,
            template: template.into(),
        }
    }

    fn leaf(kind: &str, drawing: Option<u32>) -> Leaf {
        Leaf {
            kind: kind.into(),
            drawing,
            extra: Vec::new(),
        }
    }

    #[test]
    fn every_format_needs_its_template_inside_the_folder() {
        let folder = tempfile::tempdir().unwrap();
        let templates = folder.path().join("templates");
        std::fs::create_dir(&templates).unwrap();
        std::fs::write(templates.join("letter.typ"), "").unwrap();
        std::fs::write(folder.path().join("outside.typ"), "").unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink(folder.path().join("outside.typ"), templates.join("link.typ")).unwrap();

        let check = |template: &str| check_formats(&[format("us_letter", template)], &templates);
        assert_eq!(check("letter.typ"), Ok(()));
        for trick in [
            "missing.typ",
            "../outside.typ",
            "link.typ",
            "/etc/passwd",
            "",
            "letter.txt",
        ] {
            assert!(check(trick).unwrap_err().contains("us_letter"), "{trick:?}");
        }
    }

    #[test]
    fn formats_have_different_ids_and_real_sizes() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a.typ"), "").unwrap();
        let two = [format("a4", "a.typ"), format("a4", "a.typ")];
        assert_eq!(
            check_formats(&two, folder.path()),
            Err("it has two formats named a4".into())
        );
        let flat = PrintFormat {
            trim_height_um: 0,
            ..format("a4", "a.typ")
        };
        assert!(check_formats(&[flat], folder.path()).unwrap_err().contains("of 0"));
        assert!(check_formats(&[format("US Letter", "a.typ")], folder.path()).is_err());
        assert!(check_formats(&[], folder.path()).is_err());
    }

    #[test]
    fn a_leaf_shows_a_drawing_the_book_has() {
        assert!(check_leaves(vec![leaf("title", None), leaf("drawing", Some(1))], 2).is_ok());
        let error = check_leaves(vec![leaf("title", None), leaf("drawing", Some(2))], 2).unwrap_err();
        assert_eq!(
            error,
            CallError::InvalidResponse("leaf 1 has drawing 2 of a book with 2".into())
        );
    }

    #[test]
    fn leaves_are_bounded_in_number_and_size() {
        assert!(check_leaves(vec![leaf("blank", None); MAX_LEAVES + 1], 0).is_err());
        assert!(check_leaves(vec![leaf("#eval(1)", None)], 0).is_err());
        let heavy = Leaf {
            extra: vec![("note".into(), "x".repeat(MAX_TEXT_BYTES + 1))],
            ..leaf("blank", None)
        };
        assert!(check_leaves(vec![heavy], 0).is_err());
    }
}
