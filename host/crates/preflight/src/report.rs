//! What a check finds: one finding for each rule that is broken, with its pages.
use std::collections::BTreeSet;
use std::fmt;

use linepress_printers::{Edition, Part};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

linepress_model::text_enum! {
    /// How bad a finding is.
    #[derive(PartialOrd, Ord)]
    #[schema(as = PrintSeverity)]
    pub enum Severity {
        /// The printer refuses the file, or nobody can say whether it does.
        Refusal = "error",
        /// It is printed, and not as it should be.
        Warning = "warning",
    }
}

linepress_model::text_enum! {
    /// What is checked.
    #[derive(PartialOrd, Ord)]
    #[schema(as = PrintRule)]
    pub enum Rule {
        /// The file, or a part of it, cannot be read.
        Damaged = "damaged",
        /// The file takes too long or too much memory to be read to its end.
        TooComplex = "too_complex",
        /// The size of the file.
        FileSize = "file_size",
        /// The version of PDF.
        PdfVersion = "pdf_version",
        /// Passwords and permissions.
        Encryption = "encryption",
        /// The boxes of a page: inside each other, and with the area that is printed.
        PageBoxes = "page_boxes",
        /// All pages have one size.
        PageSizes = "page_sizes",
        /// Pages that a reader turns.
        Rotation = "rotation",
        /// Pages that are measured in units of their own.
        UserUnit = "user_unit",
        /// The printer has this size of page.
        Trim = "trim",
        /// How far a page reaches past its trimmed edges.
        Bleed = "bleed",
        /// Text and pictures within the margins.
        Margins = "margins",
        /// How many pages a book has.
        PageCount = "page_count",
        /// Pages in a row with nothing on them.
        BlankPages = "blank_pages",
        /// The width of a cover: two pages, spine and bleed.
        Spine = "spine",
        /// The height of a cover.
        CoverSize = "cover_size",
        /// Every font is in the file.
        Fonts = "fonts",
        /// Type that is too small to be read.
        SmallType = "small_type",
        /// Lines that are too thin to be seen.
        ThinLines = "thin_lines",
        /// Text that is not printed.
        HiddenText = "hidden_text",
        /// The place of the printer's barcode on a cover.
        Barcode = "barcode",
        /// Pictures with too few pixels.
        LowResolution = "low_resolution",
        /// Pictures with too many pixels.
        HighResolution = "high_resolution",
        /// Colors where the printer has black ink alone.
        Ink = "ink",
        /// Inks that are mixed for one job.
        SpotColor = "spot_color",
        /// What lets something else shine through.
        Transparency = "transparency",
        /// Layers that a reader can show and hide.
        Layers = "layers",
        /// Comments, links and form fields.
        Annotations = "annotations",
        /// A table of contents for the screen.
        Bookmarks = "bookmarks",
        /// Scripts, and what happens when a file or a page is opened.
        Actions = "actions",
        /// Files within the file.
        Attachments = "attachments",
    }
}

/// Pages that follow each other, counted from one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = PrintPages)]
pub struct PageRange {
    /// The number of the first page.
    pub first: u32,
    /// The number of the last page, which may be the same.
    pub last: u32,
}

impl fmt::Display for PageRange {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.last - self.first {
            0 => write!(formatter, "{}", self.first),
            _ => write!(formatter, "{}-{}", self.first, self.last),
        }
    }
}

/// The pages of a finding as people write them: `page 3`, `pages 1-4, 7`, or `file`.
pub fn page_words(pages: &[PageRange]) -> String {
    /// Nobody reads more.
    const MOST_RANGES: usize = 12;
    let shown: Vec<String> = pages.iter().take(MOST_RANGES).map(ToString::to_string).collect();
    match (pages, pages.len().checked_sub(MOST_RANGES + 1)) {
        ([], _) => "file".to_owned(),
        ([one], _) if one.first == one.last => format!("page {one}"),
        (_, None) => format!("pages {}", shown.join(", ")),
        (_, Some(_)) => format!("pages {} and more", shown.join(", ")),
    }
}

/// One rule that a file breaks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = PrintFinding)]
pub struct Finding {
    pub severity: Severity,
    pub rule: Rule,
    /// Where; none where it is about the file as a whole.
    pub pages: Vec<PageRange>,
    /// What is wrong, with the figures.
    pub message: String,
    /// What to do about it.
    pub remedy: String,
}

/// All that a check found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = PrintCheck)]
pub struct Report {
    /// Who would print the file.
    pub edition: Edition,
    /// What the file was checked as.
    pub part: Part,
    /// How many pages the file has.
    pub page_count: u32,
    /// Errors first.
    pub findings: Vec<Finding>,
}

impl Report {
    /// How many findings are this bad.
    pub fn count(&self, severity: Severity) -> usize {
        self.findings
            .iter()
            .filter(|finding| finding.severity == severity)
            .count()
    }
}

/// Ranges of pages from their numbers.
pub(crate) fn ranges(pages: &BTreeSet<u32>) -> Vec<PageRange> {
    let mut ranges: Vec<PageRange> = Vec::new();
    for &page in pages {
        match ranges.last_mut() {
            Some(range) if range.last + 1 == page => range.last = page,
            _ => ranges.push(PageRange {
                first: page,
                last: page,
            }),
        }
    }
    ranges
}

/// Findings while they are collected.
#[derive(Debug)]
pub(crate) struct Findings {
    edition: Edition,
    found: Vec<Finding>,
}

impl Findings {
    pub(crate) fn new(edition: Edition) -> Self {
        Self {
            edition,
            found: Vec::new(),
        }
    }

    pub(crate) fn error(&mut self, rule: Rule, pages: &BTreeSet<u32>, message: String, remedy: impl Into<String>) {
        // A printer at home refuses nothing that it can read; what it asks for is advice.
        let is_readable = !matches!(
            rule,
            Rule::Damaged | Rule::TooComplex | Rule::Encryption | Rule::PageBoxes
        );
        let severity = match self.edition {
            Edition::Home if is_readable => Severity::Warning,
            _ => Severity::Refusal,
        };
        self.add(severity, rule, pages, message, remedy.into());
    }

    pub(crate) fn warning(&mut self, rule: Rule, pages: &BTreeSet<u32>, message: String, remedy: impl Into<String>) {
        self.add(Severity::Warning, rule, pages, message, remedy.into());
    }

    fn add(&mut self, severity: Severity, rule: Rule, pages: &BTreeSet<u32>, message: String, remedy: String) {
        self.found.push(Finding {
            severity,
            rule,
            pages: ranges(pages),
            message,
            remedy,
        });
    }

    /// Errors first, each kind in the order of the rules.
    pub(crate) fn finish(mut self) -> Vec<Finding> {
        self.found.sort_by_key(|finding| (finding.severity, finding.rule));
        self.found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_in_a_row_are_one_range() {
        let pages = BTreeSet::from([1, 2, 3, 7, 9, 10]);
        let shown: Vec<String> = ranges(&pages).iter().map(ToString::to_string).collect();
        assert_eq!(shown, ["1-3", "7", "9-10"]);
        assert!(ranges(&BTreeSet::new()).is_empty());
    }
}
