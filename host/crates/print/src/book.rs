//! The input of a render, and a digest that names its result.
use std::path::Path;

use bytes::Bytes;
use sha2::{Digest, Sha256};

use linepress_model::{Audience, Leaf, PrintFormat};
use linepress_printers::{Backs, CoverSheet, Direction, Edition, Paper, Part, Size, cover_sheet, interior_bleed};

/// The texts and print masters of a book that is about to be printed.
#[derive(Clone, Debug)]
pub struct PrintBook {
    pub title: String,
    pub subtitle: String,
    pub author: String,
    pub description: String,
    pub audience: Audience,
    /// The language of the book as a BCP 47 tag.
    pub language: String,
    /// The ISBN of 13 digits with hyphens, whose barcode is printed on the wraparound cover; empty for none.
    pub isbn: String,
    /// The print master of the cover drawing, or `None` for a book without one.
    pub cover: Option<Bytes>,
    pub drawings: Vec<PrintDrawing>,
}

impl PrintBook {
    /// Returns every text of the book that a template may print.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &str> {
        let own = [&self.title, &self.subtitle, &self.author, &self.description];
        let drawings = self
            .drawings
            .iter()
            .flat_map(|drawing| [&drawing.title, &drawing.caption]);
        own.into_iter().chain(drawings).map(String::as_str)
    }
}

/// A drawing of a book, with the texts that are printed with it.
#[derive(Clone, Debug)]
pub struct PrintDrawing {
    pub title: String,
    pub caption: String,
    /// A description of the picture, for the alternative text in a tagged PDF; empty for none.
    pub alternative_text: String,
    /// The print master: a one-image PDF.
    pub master: Bytes,
}

/// A book in one format, laid out as leaves.
#[derive(Clone, Copy, Debug)]
pub struct RenderJob<'a> {
    /// The layout's template folder.
    pub templates: &'a Path,
    pub format: &'a PrintFormat,
    pub purpose: Purpose,
    /// The leaves of the interior, also when the cover is printed: the number of leaves decides how thick the spine is.
    pub leaves: &'a [Leaf],
    pub book: &'a PrintBook,
}

/// The edition of a print, what is printed on the backs of the drawings, and the part of the book that the file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Purpose {
    pub edition: Edition,
    pub backs: Backs,
    pub part: Part,
}

impl Default for Purpose {
    /// The whole book, for a printer at home.
    fn default() -> Self {
        let edition = Edition::default();
        Self {
            edition,
            backs: Backs::default(),
            part: edition.usual_part(),
        }
    }
}

/// The file name of the template for the wraparound cover, the same for every format of a layout.
const WRAPAROUND: &str = "wraparound.typ";

/// Returns true when the templates of a layout include a wraparound cover.
pub fn has_wraparound(templates: &Path) -> bool {
    templates.join(WRAPAROUND).is_file()
}

impl RenderJob<'_> {
    /// The number of pages of the interior.
    pub(crate) fn pages(&self) -> u32 {
        u32::try_from(self.leaves.len()).unwrap_or(u32::MAX)
    }

    /// The size of a page after trimming, in micrometers.
    pub(crate) fn trim(&self) -> Size {
        Size::trimmed(self.format)
    }

    /// How far an interior page extends past its trimmed edges, in micrometers.
    pub(crate) fn bleed(&self) -> u32 {
        interior_bleed(self.purpose.edition, self.format.bleed_um)
    }

    /// The sheet of the wraparound cover, or `None` when the job prints anything but the cover or the edition has no
    /// such sheet.
    pub(crate) fn sheet(&self) -> Option<CoverSheet> {
        match self.purpose.part {
            Part::Cover => {
                let sheet = cover_sheet(self.purpose.edition, self.trim(), self.pages(), Paper::White);
                match self.direction() {
                    Direction::LeftToRight => sheet,
                    Direction::RightToLeft => sheet.map(CoverSheet::mirrored),
                }
            }
            Part::Interior | Part::Book => None,
        }
    }

    /// The reading direction of the book.
    pub(crate) fn direction(&self) -> Direction {
        Direction::of_language(&self.book.language)
    }

    /// The file name of the template that prints this part of the book.
    pub(crate) fn template(&self) -> &str {
        match self.purpose.part {
            Part::Cover => WRAPAROUND,
            Part::Interior | Part::Book => &self.format.template,
        }
    }

    /// Returns true when the PDF carries a structure tree for screen readers. Files for a printing service have none.
    pub(crate) fn is_tagged(&self) -> bool {
        self.purpose.edition == Edition::Home
    }
}

/// A SHA-256 digest of parts. Each part is preceded by its length, so that different lists of parts never hash alike.
#[derive(Default)]
pub struct ContentKey(Sha256);

impl ContentKey {
    pub fn add(&mut self, part: &[u8]) {
        self.0.update((part.len() as u64).to_be_bytes());
        self.0.update(part);
    }

    /// Returns the digest in hexadecimal.
    pub fn finish(self) -> String {
        hex::encode(self.0.finalize())
    }
}
