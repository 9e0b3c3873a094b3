//! The steps of a check: the file, then the sizes of its pages, then their content.
use std::collections::BTreeSet;

use linepress_printers::{CoverSheet, Direction, Edition, FileRules, Paper, Part, file_rules};
use lopdf::{Document, Error};

use crate::budget::{TooComplex, load};
use crate::content::Walker;
use crate::cover::{check_cover, is_cover};
use crate::cover_areas::CoverAreas;
use crate::expected::Expected;
use crate::file::{check_extras, check_file};
use crate::margins::{self, Limits};
use crate::page::Page;
use crate::pdf::{dictionary, name};
use crate::placement;
use crate::report::{Findings, Report, Rule};
use crate::seen::Seen;
use crate::size::{check_boxes, check_interior};

/// Checks a PDF. The result is always a report: an unreadable file is one of the findings.
pub fn check(pdf: &[u8], expected: &Expected) -> Report {
    let mut findings = Findings::new(expected.edition);
    check_file_size(pdf.len() as u64, expected.edition, &mut findings);
    let mut report = Report {
        edition: expected.edition,
        part: expected.part.unwrap_or(expected.edition.usual_part()),
        page_count: 0,
        findings: Vec::new(),
    };
    match load(pdf) {
        Err(too_complex) => report_too_complex(too_complex, &mut findings),
        Ok(Err(error)) => report_unreadable(&error, &mut findings),
        Ok(Ok(document)) => check_document(&document, expected, &mut report, &mut findings),
    }
    report.findings = findings.finish();
    report
}

fn check_file_size(bytes: u64, edition: Edition, findings: &mut Findings) {
    let rules = file_rules(edition);
    if let Some(most) = rules.most_bytes.filter(|&most| bytes > most) {
        // In megabytes, the unit that printers use.
        let megabytes = |bytes: u64| bytes.div_ceil(1_000_000);
        let message = format!(
            "the file has {} MB, but {} accepts at most {} MB",
            megabytes(bytes),
            edition.name(),
            megabytes(most)
        );
        let remedy = "export it with fewer pixels per inch, or with compressed pictures";
        findings.error(Rule::FileSize, &BTreeSet::new(), message, remedy);
    }
}

fn check_document(document: &Document, expected: &Expected, report: &mut Report, findings: &mut Findings) {
    let edition = expected.edition;
    let rules = file_rules(edition);
    let rules = FileRules {
        gray_only: rules.gray_only && !expected.color,
        ..rules
    };
    let is_locked = document.trailer.has(b"Encrypt");
    if is_locked || document.was_encrypted() {
        report_locked(findings);
    }
    if is_locked {
        // Without the password, the rest of the file cannot be read.
        return;
    }
    check_file(document, edition, rules, findings);
    let pages: Vec<Page<'_>> = placement::pages(document)
        .map(|(number, dictionary)| Page::new(document, number, dictionary))
        .collect();
    // The number of pages is below the number of objects, which `budget` limits, so it fits.
    report.page_count = u32::try_from(pages.len()).unwrap_or(u32::MAX);
    if pages.is_empty() {
        let message = "the file has no page that can be read".to_owned();
        return findings.error(Rule::Damaged, &BTreeSet::new(), message, "export the file again");
    }
    if expected.part.is_none() && is_cover(edition, &pages) {
        report.part = Part::Cover;
    }
    check_boxes(&pages, findings);
    let mut cover = None;
    let interior = match report.part {
        Part::Cover => {
            let papers = papers(expected);
            cover = check_cover(&pages, edition, expected.pages, expected.trim, &papers, findings);
            None
        }
        Part::Interior | Part::Book => check_interior(&pages, edition, expected.trim, findings),
    };
    check_extras(document, &pages, edition, rules, findings);
    let direction = direction(document);
    let mut seen = Seen::new(document, rules);
    let limits = |page: &Page<'_>| match interior {
        Some((_, trim)) => margins::limits(page, edition, trim, report.page_count, direction),
        None => Limits::default(),
    };
    if let Some(areas) = cover.and_then(|sheet| CoverAreas::new(&pages, &oriented(sheet, direction), expected)) {
        seen.watch_cover(areas);
    }
    let walked = walk(document, &pages, limits, &mut seen);
    let margins = interior.map(|(sheet, trim)| margins::description(sheet, edition, trim, report.page_count));
    seen.report(
        edition,
        report.part,
        report.page_count,
        &margins.unwrap_or_default(),
        findings,
    );
    if let Err(too_complex) = walked {
        report_too_complex(too_complex, findings);
    }
}

fn walk<'a>(
    document: &'a Document,
    pages: &[Page<'a>],
    limits: impl Fn(&Page<'_>) -> Limits,
    seen: &mut Seen<'a>,
) -> Result<(), TooComplex> {
    let seen = std::cell::RefCell::new(seen);
    let mut walker = Walker::new(document, |event| seen.borrow_mut().see(event));
    for page in pages {
        seen.borrow_mut().begin(page.number, limits(page));
        walker.page(page)?;
        seen.borrow_mut().end();
    }
    Ok(())
}

/// The papers that the interior inside a cover may be printed on.
fn papers(expected: &Expected) -> Vec<Paper> {
    match expected.paper {
        Some(paper) => vec![paper],
        None if expected.color => vec![Paper::White, Paper::PremiumColor],
        None => vec![Paper::White, Paper::Cream],
    }
}

fn oriented(sheet: CoverSheet, direction: Direction) -> CoverSheet {
    match direction {
        Direction::LeftToRight => sheet,
        Direction::RightToLeft => sheet.mirrored(),
    }
}

/// The reading direction that the file declares.
fn direction(document: &Document) -> Direction {
    let catalog = document.catalog().ok();
    let preferences = catalog.and_then(|catalog| dictionary(document, catalog, "ViewerPreferences"));
    match preferences.and_then(|preferences| name(document, preferences, "Direction")) {
        Some(b"R2L") => Direction::RightToLeft,
        _ => Direction::LeftToRight,
    }
}

fn report_locked(findings: &mut Findings) {
    let message = "the file is encrypted, but printers accept no locked files".to_owned();
    findings.error(
        Rule::Encryption,
        &BTreeSet::new(),
        message,
        "export it without passwords and permissions",
    );
}

fn report_unreadable(error: &Error, findings: &mut Findings) {
    match error {
        Error::Decryption(_) | Error::UnsupportedSecurityHandler(_) | Error::InvalidPassword => report_locked(findings),
        _ => {
            let message = "this is not a PDF, or it is too damaged to be read".to_owned();
            findings.error(Rule::Damaged, &BTreeSet::new(), message, "export the file again");
        }
    }
}

/// Reports that the check stopped early. The file counts as refused, because other errors may be undetected.
pub(crate) fn report_too_complex(TooComplex(why): TooComplex, findings: &mut Findings) {
    let message = format!("the file is too complex to check: {why}");
    let remedy = "export it with flattened transparency and less detail, and check it again";
    findings.error(Rule::TooComplex, &BTreeSet::new(), message, remedy);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_above_the_printers_limit_is_found() {
        let rules = |bytes, edition| {
            let mut findings = Findings::new(edition);
            check_file_size(bytes, edition, &mut findings);
            findings.finish().iter().map(|finding| finding.rule).collect::<Vec<_>>()
        };
        assert_eq!(rules(650_000_000, Edition::Kdp), []);
        assert_eq!(rules(650_000_001, Edition::Kdp), [Rule::FileSize]);
        assert_eq!(rules(900_000_000, Edition::Lulu), []);
    }
}
