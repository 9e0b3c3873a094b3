//! The report of a check: one finding for each broken rule, with its pages.
use std::collections::BTreeSet;
use std::fmt;

use linepress_printers::{Edition, Part};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

linepress_model::text_enum! {
    /// The severity of a finding.
    #[derive(PartialOrd, Ord)]
    #[schema(as = PrintSeverity)]
    pub enum Severity {
        /// The printer refuses the file, or the check cannot rule out that it does.
        Refusal = "error",
        /// The printer accepts the file, but the result may be flawed.
        Warning = "warning",
    }
}

linepress_model::text_enum! {
    /// The rule that a finding is about.
    #[derive(PartialOrd, Ord)]
    #[schema(as = PrintRule)]
    pub enum Rule {
        /// The file or a part of it cannot be read.
        Damaged = "damaged",
        /// The file takes too much time or memory to be read completely.
        TooComplex = "too_complex",
        /// The size of the file.
        FileSize = "file_size",
        /// The PDF version.
        PdfVersion = "pdf_version",
        /// Passwords and permissions.
        Encryption = "encryption",
        /// The page boxes: nested correctly, with an area to print.
        PageBoxes = "page_boxes",
        /// Pages of different sizes.
        PageSizes = "page_sizes",
        /// Pages with a rotation.
        Rotation = "rotation",
        /// Pages with a user unit.
        UserUnit = "user_unit",
        /// A page size that the printer does not offer.
        Trim = "trim",
        /// The bleed past the trimmed edges.
        Bleed = "bleed",
        /// Text and pictures within the margins.
        Margins = "margins",
        /// The number of pages of a book.
        PageCount = "page_count",
        /// Too many blank pages in a row.
        BlankPages = "blank_pages",
        /// The width of a cover: two pages, spine and bleed.
        Spine = "spine",
        /// The height of a cover.
        CoverSize = "cover_size",
        /// Fonts that are not embedded, or lack a character.
        Fonts = "fonts",
        /// Type that is too small to be read.
        SmallType = "small_type",
        /// Lines that are too thin to be seen.
        ThinLines = "thin_lines",
        /// Invisible text.
        HiddenText = "hidden_text",
        /// The box of the printer's barcode on a cover.
        Barcode = "barcode",
        /// Pictures with too few pixels.
        LowResolution = "low_resolution",
        /// Pictures with too many pixels.
        HighResolution = "high_resolution",
        /// Colors where the printer uses black ink alone.
        Ink = "ink",
        /// Spot colors.
        SpotColor = "spot_color",
        /// Transparency.
        Transparency = "transparency",
        /// Layers that a viewer can show and hide.
        Layers = "layers",
        /// Comments, links and form fields.
        Annotations = "annotations",
        /// Bookmarks: an outline for viewers.
        Bookmarks = "bookmarks",
        /// Scripts, and actions that run when a file or a page is opened.
        Actions = "actions",
        /// Attached files.
        Attachments = "attachments",
    }
}

/// A range of consecutive pages, counted from 1.
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

/// Formats the pages of a finding: `page 3`, `pages 1-4, 7`, or `file` for the file as a whole.
pub fn page_words(pages: &[PageRange]) -> String {
    /// The maximum number of ranges that are listed.
    const MAX_RANGES: usize = 12;
    let shown: Vec<String> = pages.iter().take(MAX_RANGES).map(ToString::to_string).collect();
    match (pages, pages.len().checked_sub(MAX_RANGES + 1)) {
        ([], _) => "file".to_owned(),
        ([one], _) if one.first == one.last => format!("page {one}"),
        (_, None) => format!("pages {}", shown.join(", ")),
        (_, Some(_)) => format!("pages {} and more", shown.join(", ")),
    }
}

/// A broken rule, with the pages that break it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = PrintFinding)]
pub struct Finding {
    pub severity: Severity,
    pub rule: Rule,
    /// The affected pages. Empty for a finding about the file as a whole.
    pub pages: Vec<PageRange>,
    /// The problem, with its figures.
    pub message: String,
    /// The way to fix it.
    pub remedy: String,
}

/// The result of a check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = PrintCheck)]
pub struct Report {
    /// The printer that the file was checked for.
    pub edition: Edition,
    /// The part of the book that the file was checked as.
    pub part: Part,
    /// The number of pages of the file.
    pub page_count: u32,
    /// The findings, errors first.
    pub findings: Vec<Finding>,
}

impl Report {
    /// The number of findings of this severity.
    pub fn count(&self, severity: Severity) -> usize {
        self.findings
            .iter()
            .filter(|finding| finding.severity == severity)
            .count()
    }
}

/// Groups page numbers into ranges.
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

/// Collects findings.
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
        // A printer at home refuses no file that it can read, so most of its rules are advice.
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

    /// Returns the findings sorted by severity, errors first, and then by rule.
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
