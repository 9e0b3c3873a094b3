//! The limits on the content of a file.
use crate::edition::Edition;

/// A printer's rules for a PDF. For a printer at home, they are advice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileRules {
    /// The largest file, in bytes. `None` where the printer names no limit.
    pub most_bytes: Option<u64>,
    /// The lowest resolution of a placed picture, in pixels per inch.
    pub least_ppi: u32,
    /// The highest resolution of a placed picture in an interior, in pixels per inch. A cover may show its drawing
    /// twice, large and small, with the same pixels, so the limit does not apply to it.
    pub most_ppi: Option<u32>,
    /// The smallest type, in hundredths of a point.
    pub least_type: u32,
    /// The thinnest line, in hundredths of a point.
    pub least_line: u32,
    /// True when every font must be embedded. The flags below are true for features that the printer accepts.
    pub fonts_embedded: bool,
    pub transparency: bool,
    pub annotations: bool,
    pub bookmarks: bool,
    /// Layers that a viewer can show and hide.
    pub layers: bool,
    /// Scripts, and actions that run when a file or a page is opened.
    pub actions: bool,
    /// Attached files.
    pub attachments: bool,
    pub encryption: bool,
    /// True when the interior must be gray.
    pub gray_only: bool,
    /// The limits on blank pages. `None` where the printer has none.
    pub blank_pages: Option<BlankPages>,
    /// The newest PDF version that every printer reads: major and minor number.
    pub newest_version: (u32, u32),
}

/// The number of consecutive pages that may be blank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlankPages {
    /// The limit before the end of the book.
    pub within: u32,
    /// The limit at the end of the book.
    pub at_end: u32,
}

/// The last version that ISO 32000-1 describes. The printers name none, and much software does not support the new
/// features of PDF 2.0.
const NEWEST_VERSION: (u32, u32) = (1, 7);

/// The limits of printers that name none. Smaller type is illegible, and thinner lines are invisible.
const MIN_TYPE_HUNDREDTHS: u32 = 400;
const MIN_LINE_HUNDREDTHS: u32 = 25;

/// The rules that every printing service has: flat pages in gray, without interactive features.
const PRINTING_SERVICE: FileRules = FileRules {
    most_bytes: None,
    least_ppi: 300,
    most_ppi: None,
    least_type: MIN_TYPE_HUNDREDTHS,
    least_line: MIN_LINE_HUNDREDTHS,
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

/// Returns the rules for files of an edition.
pub fn file_rules(edition: Edition) -> FileRules {
    match edition {
        Edition::Home => FileRules {
            most_bytes: None,
            least_ppi: 150,
            most_ppi: None,
            least_type: MIN_TYPE_HUNDREDTHS,
            least_line: MIN_LINE_HUNDREDTHS,
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
        // "Paperback Submission Guidelines": no "annotations, comments, invisible objects", no layers, no locked files.
        // "Paperback Manual Review Checklist": limits on blank pages, and type of at least 7 points. KDP also asks for
        // lines of at least 0.75 points.
        Edition::Kdp => FileRules {
            least_type: 700,
            least_line: 75,
            most_bytes: Some(650_000_000),
            blank_pages: Some(BlankPages { within: 2, at_end: 10 }),
            ..PRINTING_SERVICE
        },
        // Sources: "PDF Creation Settings" and "Interior Formatting".
        Edition::Lulu => FileRules {
            most_ppi: Some(600),
            ..PRINTING_SERVICE
        },
    }
}
