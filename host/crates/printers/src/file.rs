//! What a file may hold.
use crate::edition::Edition;

/// What a printer asks of a PDF. What a printer at home asks for is advice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileRules {
    /// Nothing where the printer names no limit.
    pub most_bytes: Option<u64>,
    /// Pixels per inch of a picture as it is placed.
    pub least_ppi: u32,
    pub most_ppi: Option<u32>,
    pub fonts_embedded: bool,
    pub transparency: bool,
    pub annotations: bool,
    pub bookmarks: bool,
    pub encryption: bool,
    /// Whether the interior must be gray.
    pub gray_only: bool,
}

/// The rules for files of an edition.
pub fn file_rules(edition: Edition) -> FileRules {
    match edition {
        Edition::Home => FileRules {
            most_bytes: None,
            least_ppi: 150,
            most_ppi: None,
            fonts_embedded: true,
            transparency: true,
            annotations: true,
            bookmarks: true,
            encryption: false,
            gray_only: false,
        },
        // "Paperback Submission Guidelines".
        Edition::Kdp => FileRules {
            most_bytes: Some(650_000_000),
            least_ppi: 300,
            most_ppi: None,
            fonts_embedded: true,
            transparency: false,
            annotations: false,
            bookmarks: false,
            encryption: false,
            gray_only: true,
        },
        // "PDF Creation Settings" and "Interior Formatting".
        Edition::Lulu => FileRules {
            most_bytes: None,
            least_ppi: 300,
            most_ppi: Some(600),
            fonts_embedded: true,
            transparency: false,
            annotations: false,
            bookmarks: false,
            encryption: false,
            gray_only: true,
        },
    }
}
