//! `layout.toml` in a layout's template folder: print formats and leaves in addition to those of the component.
//!
//! A designer declares them without Rust. The component knows nothing of them: it arranges a book for one of its own
//! formats of the same aspect, and the additional leaves are inserted afterwards.
use std::path::Path;

use linepress_model::{Aspect, FormatMargins, Leaf, PrintFormat};
use linepress_printers::{Edition, Size, Unprintable, trim_of};
use serde::Deserialize;

use super::formats::{BLEED_UM, TRIM_UM};
use crate::description::is_word;
use crate::log_text::excerpt;

/// The name of the file in the template folder.
const FILE: &str = "layout.toml";
/// Maximum size of the file.
const MAX_FILE_BYTES: u64 = 64 << 10;
/// Maximum number of additional leaves. Each is a sheet in every book.
const MAX_LEAVES: usize = 32;
/// Maximum size of a quotation from the file in a refusal.
const MAX_QUOTED_BYTES: usize = 200;
/// The least width and height of the area for drawings and text that a format's own margins must leave.
const MIN_SAFE_UM: u32 = 25_000;
/// The kind of an empty leaf.
const BLANK: &str = "blank";

/// The additional formats and leaves of a layout. Empty for a layout without the file.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Additions {
    #[serde(default)]
    formats: Vec<FormatTable>,
    #[serde(default)]
    leaves: Vec<LeafTable>,
}

/// A `[[formats]]` table.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct FormatTable {
    id: String,
    name: String,
    width_mm: f64,
    height_mm: f64,
    #[serde(default)]
    bleed_mm: f64,
    #[serde(default)]
    margins_mm: MarginsTable,
    template: String,
    /// The printers that must offer the size.
    #[serde(default)]
    printers: Vec<Edition>,
}

/// The least distances of drawings and text from the trimmed edges.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct MarginsTable {
    inner: f64,
    outer: f64,
    top: f64,
    bottom: f64,
}

/// A `[[leaves]]` table. Exactly one of the three places is given.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct LeafTable {
    kind: String,
    /// The kind of the leaf before whose first occurrence it is inserted.
    before: Option<String>,
    /// The kind of the leaf after whose last occurrence it is inserted.
    after: Option<String>,
    /// The kind of the leaf on whose empty back it is printed.
    behind: Option<String>,
    /// The kind of the other page that is inserted with it; an empty one if omitted.
    with: Option<String>,
}

/// The place of an additional leaf.
enum LeafPlace<'a> {
    Before(&'a str),
    After(&'a str),
    Behind(&'a str),
}

impl Additions {
    /// Reads the file of a template folder.
    pub(super) fn read(templates: &Path) -> Result<Self, String> {
        if !templates.join(FILE).exists() {
            return Ok(Self::default());
        }
        let bytes = linepress_files::read_inside(templates, Path::new(FILE), MAX_FILE_BYTES)
            .map_err(|error| format!("its templates/{FILE} is refused: {error}"))?;
        let text = String::from_utf8(bytes).map_err(|_| format!("its templates/{FILE} is not UTF-8"))?;
        Self::parse(&text).map_err(|problem| format!("its templates/{FILE} is invalid{problem}"))
    }

    /// Parses and checks the file. The problem continues the sentence "the file is invalid".
    fn parse(text: &str) -> Result<Self, String> {
        let additions: Self = toml::from_str(text).map_err(|error| {
            let message = excerpt(error.message().to_owned(), MAX_QUOTED_BYTES);
            format!("{}: {message}", line_of(text, &error))
        })?;
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
        self.formats
            .iter()
            .map(|table| {
                let like = table.like(own).ok_or_else(|| {
                    format!(
                        "its templates/{FILE} is invalid: the format {:?} is {}, but the layout has no other {} format, \
                         whose books it could print",
                        quoted(&table.id),
                        table.aspect(),
                        table.aspect()
                    )
                })?;
                Ok(table.describe(like))
            })
            .collect()
    }

    /// The component's format for whose books an additional format is used. `None` for a format that is not additional.
    pub(super) fn like<'a>(&self, format_id: &str, own: &'a [PrintFormat]) -> Option<&'a PrintFormat> {
        self.formats.iter().find(|table| table.id == format_id)?.like(own)
    }

    /// Inserts the additional leaves into a book. A leaf whose place the book does not have is left out.
    pub(super) fn insert(&self, leaves: &mut Vec<Leaf>) {
        for table in &self.leaves {
            table.insert(leaves);
        }
    }

    /// A sentence about each additional leaf that a book of these leaves does not have, because its place is missing.
    pub(super) fn unplaced(&self, leaves: &[Leaf]) -> Vec<String> {
        let is_missing = |table: &&LeafTable| !leaves.iter().any(|leaf| leaf.kind == table.kind);
        let missing = self.leaves.iter().filter(is_missing);
        missing
            .map(|table| {
                let kind = &table.kind;
                match table.place() {
                    Some(LeafPlace::Before(other)) => {
                        format!(
                            "the leaf {kind} is not printed: the book has no leaf {other}, before which it is placed"
                        )
                    }
                    Some(LeafPlace::After(other)) => {
                        format!(
                            "the leaf {kind} is not printed: the book has no leaf {other}, after which it is placed"
                        )
                    }
                    Some(LeafPlace::Behind(other)) => {
                        format!("the leaf {kind} is not printed: the book has no leaf {other} with an empty back")
                    }
                    None => format!("the leaf {kind} is not printed"),
                }
            })
            .collect()
    }
}

impl FormatTable {
    fn size(&self) -> Size {
        Size {
            width: micrometers(self.width_mm),
            height: micrometers(self.height_mm),
        }
    }

    fn aspect(&self) -> Aspect {
        Aspect::nearest(micrometers(self.width_mm), micrometers(self.height_mm))
    }

    /// The first format of this aspect, which is the preferred one.
    fn like<'a>(&self, own: &'a [PrintFormat]) -> Option<&'a PrintFormat> {
        own.iter().find(|format| format.aspect == self.aspect())
    }

    fn margins(&self) -> FormatMargins {
        let MarginsTable {
            inner,
            outer,
            top,
            bottom,
        } = self.margins_mm;
        FormatMargins {
            inner_um: micrometers(inner),
            outer_um: micrometers(outer),
            top_um: micrometers(top),
            bottom_um: micrometers(bottom),
        }
    }

    fn describe(&self, like: &PrintFormat) -> PrintFormat {
        let Size { width, height } = self.size();
        PrintFormat {
            id: self.id.clone(),
            name: self.name.clone(),
            aspect: like.aspect,
            trim_width_um: width,
            trim_height_um: height,
            bleed_um: micrometers(self.bleed_mm),
            margins: self.margins(),
            recommended_width: like.recommended_width,
            recommended_height: like.recommended_height,
            template: self.template.clone(),
        }
    }

    /// Checks the lengths, and that each named printer offers the size. Returns a problem worded to follow the format's
    /// name.
    fn check(&self) -> Result<(), String> {
        for (key, found, limits) in [
            ("width-mm", self.width_mm, TRIM_UM),
            ("height-mm", self.height_mm, TRIM_UM),
            ("bleed-mm", self.bleed_mm, BLEED_UM),
        ] {
            // Also refuses NaN, which is in no range.
            let (min, max) = (millimeters(*limits.start()), millimeters(*limits.end()));
            if !(min..=max).contains(&found) {
                return Err(format!("has {key} = {found}; it must be {min} to {max}"));
            }
        }
        let Size { width, height } = self.size();
        let most = |length: u32| millimeters(length.saturating_sub(MIN_SAFE_UM));
        let MarginsTable {
            inner,
            outer,
            top,
            bottom,
        } = self.margins_mm;
        for (keys, found, length) in [
            ("inner and outer", [inner, outer], width),
            ("top and bottom", [top, bottom], height),
        ] {
            let is_length = |margin: &f64| (0.0..=most(length)).contains(margin);
            if !found.iter().all(is_length) || !is_length(&found.iter().sum::<f64>()) {
                return Err(format!(
                    "has margins-mm.{keys} of {} and {}; both must be 0 or more, and their sum at most {}",
                    found[0],
                    found[1],
                    most(length)
                ));
            }
        }
        let size = Size { width, height };
        match self.printers.iter().find(|edition| trim_of(**edition, size).is_none()) {
            Some(&edition) => Err(format!(
                "names a printer that does not offer its size: {}. Choose another size, or remove {edition} from printers",
                Unprintable::Trim { edition, size }
            )),
            None => Ok(()),
        }
    }
}

impl LeafTable {
    /// Checks the words, and that there is one place. Returns a problem worded to follow the leaf's kind.
    fn check(&self) -> Result<(), String> {
        let Self {
            kind,
            before,
            after,
            behind,
            with,
        } = self;
        let others = [before, after, behind, with].into_iter().flatten();
        if let Some(wrong) = others.chain([kind]).find(|word| !is_word(word, '-')) {
            return Err(format!(
                "has the kind {:?}; a kind is lowercase letters, digits and hyphens",
                quoted(wrong)
            ));
        }
        if self.place().is_none() {
            return Err("needs one place: before, after or behind".to_owned());
        }
        if behind.is_some() && with.is_some() {
            return Err("has both behind and with; a leaf behind another one inserts no other page".to_owned());
        }
        Ok(())
    }

    /// The only place that is given, or `None` if there are none or several.
    fn place(&self) -> Option<LeafPlace<'_>> {
        match (&self.before, &self.after, &self.behind) {
            (Some(kind), None, None) => Some(LeafPlace::Before(kind)),
            (None, Some(kind), None) => Some(LeafPlace::After(kind)),
            (None, None, Some(kind)) => Some(LeafPlace::Behind(kind)),
            _ => None,
        }
    }

    fn insert(&self, leaves: &mut Vec<Leaf>) {
        let first = |wanted: &str| leaves.iter().position(|leaf| leaf.kind == wanted);
        let at = match self.place() {
            Some(LeafPlace::Before(kind)) => first(kind),
            Some(LeafPlace::After(kind)) => leaves.iter().rposition(|leaf| leaf.kind == kind).map(|last| last + 1),
            Some(LeafPlace::Behind(kind)) => {
                if let Some(front) = first(kind)
                    && let Some(back) = leaves.get_mut(front + 1)
                    && back.kind == BLANK
                {
                    back.kind.clone_from(&self.kind);
                }
                return;
            }
            None => None,
        };
        let Some(at) = at else { return };
        let mut pages = [self.kind.as_str(), self.with.as_deref().unwrap_or(BLANK)];
        // Two pages keep every other page on its side. The leaf has an odd page number, like the fronts of all sheets.
        if !at.is_multiple_of(2) {
            pages.reverse();
        }
        leaves.splice(at..at, pages.map(leaf));
    }
}

fn leaf(kind: &str) -> Leaf {
    Leaf {
        kind: kind.to_owned(),
        drawing: None,
        extra: Vec::new(),
    }
}

fn quoted(text: &str) -> String {
    excerpt(text.to_owned(), MAX_QUOTED_BYTES)
}

/// The line of an error, as ` in line 3`.
fn line_of(text: &str, error: &toml::de::Error) -> String {
    error.span().map_or_else(String::new, |span| {
        let before = text.as_bytes().get(..span.start).unwrap_or_default();
        let lines = before.iter().filter(|byte| **byte == b'\n').count();
        format!(" in line {}", lines + 1)
    })
}

/// Converts a length that was checked, or that is about to be: out of range, the result saturates.
fn micrometers(millimeters: f64) -> u32 {
    (millimeters * 1000.0).round() as u32
}

fn millimeters(micrometers: u32) -> f64 {
    f64::from(micrometers) / 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    const A5: &str =
        "[[formats]]\nid = \"ocean_a5\"\nname = \"A5\"\ntemplate = \"a5.typ\"\nwidth-mm = 148\nheight-mm = 210.0\n";

    fn own() -> Vec<PrintFormat> {
        vec![PrintFormat {
            id: "ocean_a4".into(),
            name: "A4".into(),
            aspect: Aspect::Portrait,
            trim_width_um: 210_000,
            trim_height_um: 297_000,
            bleed_um: 0,
            margins: FormatMargins::default(),
            recommended_width: 1152,
            recommended_height: 1536,
            template: "a4.typ".into(),
        }]
    }

    fn problem(text: &str) -> String {
        Additions::parse(text).unwrap_err()
    }

    #[test]
    fn a_format_has_the_aspect_of_its_size_and_the_pictures_of_a_format_of_the_component() {
        let text = format!("{A5}bleed-mm = 3\nmargins-mm = {{ inner = 20, top = 12.5 }}\nprinters = [\"home\"]\n");
        let additions = Additions::parse(&text).unwrap();
        let [format] = &additions.formats(&own()).unwrap()[..] else {
            panic!("one format")
        };
        assert_eq!(
            (format.trim_width_um, format.trim_height_um, format.bleed_um),
            (148_000, 210_000, 3_000)
        );
        assert_eq!(
            format.margins,
            FormatMargins {
                inner_um: 20_000,
                top_um: 12_500,
                ..FormatMargins::default()
            }
        );
        assert_eq!((format.template.as_str(), format.recommended_height), ("a5.typ", 1536));
        assert_eq!(additions.like("ocean_a5", &own()).unwrap().id, "ocean_a4");
        assert!(additions.like("ocean_a4", &own()).is_none());
        let square = Additions::parse(&A5.replace("148", "210")).unwrap();
        let refusal = square.formats(&own()).unwrap_err();
        assert!(
            refusal.contains("is square, but the layout has no other square format"),
            "{refusal}"
        );
    }

    #[test]
    fn a_mistake_in_the_file_is_named_with_its_place() {
        let unknown = problem(&format!("{A5}widht-mm = 1\n"));
        assert!(unknown.starts_with(" in line "), "{unknown}");
        assert!(unknown.contains("unknown field `widht-mm`"), "{unknown}");
        for (text, told) in [
            (A5.replace("148", "nan"), "has width-mm = NaN; it must be 50 to 1000"),
            (A5.replace("148", "20"), "has width-mm = 20; it must be 50 to 1000"),
            (format!("{A5}bleed-mm = -1"), "has bleed-mm = -1; it must be 0 to 25"),
            (
                format!("{A5}margins-mm = {{ inner = 80, outer = 80 }}"),
                "their sum at most 123",
            ),
            (format!("{A5}printers = [\"acme\"]"), "unknown variant `acme`"),
            (
                format!("{A5}printers = [\"kdp\", \"lulu\"]").replace("210.0", "200.0"),
                "Lulu has no pages of 5.83 x 7.87 in",
            ),
            (
                "[[leaves]]\nkind = \"dedication\"".to_owned(),
                "needs one place: before, after or behind",
            ),
            (
                "[[leaves]]\nkind = \"dedication\"\nbefore = \"title\"\nafter = \"title\"".to_owned(),
                "needs one place",
            ),
            (
                "[[leaves]]\nkind = \"#eval\"\nbefore = \"title\"".to_owned(),
                "has the kind \"#eval\"",
            ),
            (
                "[[leaves]]\nkind = \"a\"\nbehind = \"title\"\nwith = \"b\"".to_owned(),
                "has both behind and with",
            ),
        ] {
            let problem = problem(&text);
            assert!(problem.contains(told), "{told}: {problem}");
        }
    }

    /// The kinds of a book's leaves after the leaf was inserted.
    fn inserted(kinds: &[&str], table: &str) -> Vec<String> {
        let mut leaves: Vec<Leaf> = kinds.iter().map(|kind| leaf(kind)).collect();
        let additions = Additions::parse(&format!("[[leaves]]\nkind = \"map\"\n{table}")).unwrap();
        additions.insert(&mut leaves);
        assert_eq!(
            additions.unplaced(&leaves).is_empty(),
            leaves.iter().any(|leaf| leaf.kind == "map")
        );
        leaves.into_iter().map(|leaf| leaf.kind).collect()
    }

    #[test]
    fn an_additional_leaf_has_an_odd_page_number_and_moves_no_other_page_to_another_side() {
        let sheets = ["title", "blank", "drawing", "blank", "drawing", "blank"];
        assert_eq!(
            inserted(&sheets, "before = \"drawing\""),
            ["title", "blank", "map", "blank", "drawing", "blank", "drawing", "blank"]
        );
        assert_eq!(
            inserted(&sheets, "after = \"drawing\"\nwith = \"notes\""),
            ["title", "blank", "drawing", "blank", "drawing", "notes", "map", "blank"]
        );
        // A spread stays a spread.
        assert_eq!(
            inserted(&["title", "story", "drawing"], "before = \"story\""),
            ["title", "blank", "map", "story", "drawing"]
        );
    }

    #[test]
    fn a_leaf_behind_another_one_replaces_its_empty_back() {
        assert_eq!(
            inserted(&["title", "blank", "drawing", "blank"], "behind = \"title\""),
            ["title", "map", "drawing", "blank"]
        );
        for table in ["behind = \"title\"", "after = \"notes\""] {
            assert_eq!(inserted(&["title", "imprint"], table), ["title", "imprint"]);
        }
        let additions = Additions::parse("[[leaves]]\nkind = \"map\"\nafter = \"notes\"").unwrap();
        assert_eq!(
            additions.unplaced(&[]),
            ["the leaf map is not printed: the book has no leaf notes, after which it is placed"]
        );
    }
}
