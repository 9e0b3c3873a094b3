//! What a render is made of, and a key that names its result.
use std::path::Path;

use bytes::Bytes;
use sha2::{Digest, Sha256};

use linepress_model::{Audience, Leaf, PrintFormat};
use linepress_printers::{Backs, CoverSheet, Direction, Edition, Paper, Part, Size, cover_sheet, interior_bleed};

/// A book as it is printed.
#[derive(Clone, Debug)]
pub struct PrintBook {
    pub title: String,
    pub subtitle: String,
    pub author: String,
    pub description: String,
    pub audience: Audience,
    /// BCP 47.
    pub language: String,
    /// The cover drawing's print master.
    pub cover: Option<Bytes>,
    pub drawings: Vec<PrintDrawing>,
}

impl PrintBook {
    /// All that may be printed in letters.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &str> {
        let own = [&self.title, &self.subtitle, &self.author, &self.description];
        let drawings = self
            .drawings
            .iter()
            .flat_map(|drawing| [&drawing.title, &drawing.caption]);
        own.into_iter().chain(drawings).map(String::as_str)
    }
}

/// A drawing of a book.
#[derive(Clone, Debug)]
pub struct PrintDrawing {
    pub title: String,
    pub caption: String,
    /// The print master: a one-image PDF.
    pub master: Bytes,
}

/// One book in one format, laid out.
#[derive(Clone, Copy, Debug)]
pub struct RenderJob<'a> {
    /// The layout's template folder.
    pub templates: &'a Path,
    pub format: &'a PrintFormat,
    pub purpose: Purpose,
    /// Those of the interior, also where the cover is printed: how thick it is follows from their number.
    pub leaves: &'a [Leaf],
    pub book: &'a PrintBook,
}

/// Where a book is printed, and what of it.
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

/// The template of the wraparound cover, for every format of a layout.
const WRAPAROUND: &str = "wraparound.typ";

/// Whether the templates of a layout print a wraparound cover.
pub fn has_wraparound(templates: &Path) -> bool {
    templates.join(WRAPAROUND).is_file()
}

impl RenderJob<'_> {
    /// The pages of the interior.
    pub(crate) fn pages(&self) -> u32 {
        u32::try_from(self.leaves.len()).unwrap_or(u32::MAX)
    }

    /// The trimmed page.
    pub(crate) fn trim(&self) -> Size {
        Size {
            width: self.format.trim_width_um,
            height: self.format.trim_height_um,
        }
    }

    /// How far a page of the interior reaches past its trimmed edges.
    pub(crate) fn bleed(&self) -> u32 {
        self.format.bleed_um.max(interior_bleed(self.purpose.edition))
    }

    /// The sheet of the cover, where that is what is printed.
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

    /// The direction that the book is read in.
    pub(crate) fn direction(&self) -> Direction {
        Direction::of_language(&self.book.language)
    }

    /// The template that prints it.
    pub(crate) fn template(&self) -> &str {
        match self.purpose.part {
            Part::Cover => WRAPAROUND,
            Part::Interior | Part::Book => &self.format.template,
        }
    }

    /// Whether the file says what its parts are, for those who have it read aloud. What goes to a printer does not.
    pub(crate) fn is_tagged(&self) -> bool {
        self.purpose.edition == Edition::Home
    }
}

/// A digest of parts, each preceded by its length so that none can pass for two.
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
