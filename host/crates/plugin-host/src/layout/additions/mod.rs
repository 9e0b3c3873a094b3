//! `layout.toml` in a layout's template folder: print formats and leaves in addition to those of the component.
//!
//! A designer declares them without Rust. The component knows nothing of them: it arranges a book for one of its own
//! formats of the same aspect, and the additional leaves are inserted afterwards.

/// The `[[formats]]` tables.
mod formats;
/// The `[[leaves]]` tables.
mod leaves;

use std::collections::BTreeMap;
use std::path::Path;

use linepress_model::{Leaf, PrintFormat};
use serde::Deserialize;

use self::formats::FormatTable;
use self::leaves::LeafTable;
use crate::log_text::{excerpt, toml_problem};

/// The name of the file in the template folder.
const FILE: &str = "layout.toml";
/// Maximum size of the file.
const MAX_FILE_BYTES: u64 = 64 << 10;
/// Maximum number of additional leaves. Each is a sheet in every book.
const MAX_LEAVES: usize = 32;
/// Maximum size of a quotation from the file in a refusal.
const MAX_QUOTED_BYTES: usize = 200;

/// The additional formats and leaves of a layout. Empty for a layout without the file.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Additions {
    #[serde(default)]
    formats: Vec<FormatTable>,
    #[serde(default)]
    leaves: Vec<LeafTable>,
}

impl Additions {
    /// Reads the file of a template folder.
    pub(super) fn read(templates: &Path) -> Result<Self, String> {
        let exists = templates.join(FILE).try_exists();
        if !exists.map_err(|error| format!("its templates/{FILE} cannot be read: {error}"))? {
            return Ok(Self::default());
        }
        let bytes = linepress_files::read_inside(templates, Path::new(FILE), MAX_FILE_BYTES)
            .map_err(|error| format!("its templates/{FILE} is refused: {error}"))?;
        let text = String::from_utf8(bytes).map_err(|_| format!("its templates/{FILE} is not UTF-8"))?;
        Self::parse(&text).map_err(|problem| format!("its templates/{FILE} is invalid{problem}"))
    }

    /// Parses and checks the file. The problem continues the sentence "the file is invalid".
    fn parse(text: &str) -> Result<Self, String> {
        let additions: Self = toml::from_str(text).map_err(|error| toml_problem(text, &error, MAX_QUOTED_BYTES))?;
        for format in &additions.formats {
            format
                .check()
                .map_err(|problem| format!(": the format {:?} {problem}", quoted(&format.id)))?;
        }
        if additions.leaves.len() > MAX_LEAVES {
            return Err(format!(": it has more than {MAX_LEAVES} [[leaves]]"));
        }
        for leaf in &additions.leaves {
            leaf.check()
                .map_err(|problem| format!(": the leaf {:?} {problem}", quoted(&leaf.kind)))?;
        }
        Ok(additions)
    }

    /// The additional formats, in their order. `own` are the formats of the layout's component.
    pub(super) fn formats(&self, own: &[PrintFormat]) -> Result<Vec<PrintFormat>, String> {
        let described = self.formats.iter().map(|table| {
            table.describe(own).ok_or_else(|| {
                let aspect = table.aspect();
                format!(
                    "its templates/{FILE} is invalid: the format {:?} is {aspect}, but the layout has no other \
                     {aspect} format, whose books it could print",
                    quoted(&table.id)
                )
            })
        });
        described.collect()
    }

    /// The component's format for whose books an additional format is used. `None` for a format that is not additional.
    pub(super) fn like<'a>(&self, format_id: &str, own: &'a [PrintFormat]) -> Option<&'a PrintFormat> {
        self.formats.iter().find(|table| table.id == format_id)?.like(own)
    }

    /// Inserts the additional leaves into a book. Returns a sentence about each that is left out, because the book does
    /// not have its place.
    pub(super) fn insert(&self, leaves: &mut Vec<Leaf>) -> Vec<String> {
        let mut ends = BTreeMap::new();
        let mut unplaced = Vec::new();
        for table in &self.leaves {
            if !table.insert(leaves, &mut ends) {
                unplaced.push(table.missing_place());
            }
        }
        unplaced
    }
}

fn quoted(text: &str) -> String {
    excerpt(text.to_owned(), MAX_QUOTED_BYTES)
}
