//! What a file may hold.
use crate::edition::Edition;

/// What a printer asks of a PDF. What a printer at home asks for is advice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileRules {
    /// Nothing where the printer names no limit.
    pub most_bytes: Option<u64>,
    /// Pixels per inch of a picture as it is placed.
    pub least_ppi: u32,
    /// Of an interior. A cover may show its drawing twice, large and small, and has one set of pixels for both.
    pub most_ppi: Option<u32>,
    /// Of type and of lines, in hundredths of a point.
    pub least_type: u32,
    pub least_line: u32,
    pub fonts_embedded: bool,
    pub transparency: bool,
    pub annotations: bool,
    pub bookmarks: bool,
    /// Layers that a reader can show and hide.
    pub layers: bool,
    /// Scripts, and what happens when a file or a page is opened.
    pub actions: bool,
    /// Files within the file.
    pub attachments: bool,
    pub encryption: bool,
    /// Whether the interior must be gray.
    pub gray_only: bool,
    /// Nothing where the printer does not count them.
    pub blank_pages: Option<BlankPages>,
    /// The newest version of PDF that every printer reads.
    pub newest_version: (u32, u32),
}

/// How many pages in a row may have nothing on them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlankPages {
    pub within: u32,
    pub at_end: u32,
}

/// No printer names one. The last that ISO 32000-1 describes; of PDF 2.0 much software reads nothing but what is old.
const NEWEST_VERSION: (u32, u32) = (1, 7);

/// No printer but KDP names them: what is smaller is not read, and what is thinner is not seen.
const LEAST_TYPE: u32 = 400;
const LEAST_LINE: u32 = 25;

/// What every printing house asks for: flat pages of gray ink, and nothing but pages.
const PRESS: FileRules = FileRules {
    most_bytes: None,
    least_ppi: 300,
    most_ppi: None,
    least_type: LEAST_TYPE,
    least_line: LEAST_LINE,
    fonts_embedded: true,
    transparency: false,
    annotations: false,
    bookmarks: false,
    layers: false,
    actions: false,
    attachments: false,
    encryption: false,
    gray_only: true,
    blank_pages: None,
    newest_version: NEWEST_VERSION,
};

/// The rules for files of an edition.
pub fn file_rules(edition: Edition) -> FileRules {
    match edition {
        Edition::Home => FileRules {
            most_bytes: None,
            least_ppi: 150,
            most_ppi: None,
            least_type: LEAST_TYPE,
            least_line: LEAST_LINE,
            fonts_embedded: true,
            transparency: true,
            annotations: true,
            bookmarks: true,
            layers: true,
            actions: true,
            attachments: true,
            encryption: false,
            gray_only: false,
            blank_pages: None,
            newest_version: NEWEST_VERSION,
        },
        // "Paperback Submission Guidelines": neither "annotations, comments, invisible objects" nor layers, and nothing
        // locked. "Paperback Manual Review Checklist": blank pages, and type of at least 7 points. Lines of 0.75 points are
        // KDP's as well.
        Edition::Kdp => FileRules {
            least_type: 700,
            least_line: 75,
            most_bytes: Some(650_000_000),
            blank_pages: Some(BlankPages { within: 2, at_end: 10 }),
            ..PRESS
        },
        // "PDF Creation Settings" and "Interior Formatting".
        Edition::Lulu => FileRules {
            most_ppi: Some(600),
            ..PRESS
        },
    }
}
