//! Print formats and print checks.
use linepress_core::print::PrinterLimits;
use linepress_preflight::{Report, page_words};

use super::{counted, joined};
use crate::results::print::{FormatForPrinters, FormatOfBook};

pub(crate) fn print_formats(formats: &[FormatForPrinters]) -> String {
    if formats.is_empty() {
        return "This server has no print formats.".into();
    }
    let lines: Vec<String> = formats.iter().map(format_line).collect();
    lines.join("\n")
}

/// Measures are written with at least one decimal, as in the structured form.
fn format_line(shown: &FormatForPrinters) -> String {
    let (format, trim) = (&shown.format, &shown.format.trim);
    format!(
        "{}: {}, for {} books, {:?} x {:?} mm ({:?} x {:?} inches), {:?} mm bleed; {}",
        format.id,
        format.name,
        format.aspect,
        trim.width_mm,
        trim.height_mm,
        trim.width_in,
        trim.height_in,
        format.bleed_mm,
        printers(&shown.printers),
    )
}

/// The printing services that offer a format, with their limits.
fn printers(printers: &[PrinterLimits]) -> String {
    if printers.is_empty() {
        return "at home only".into();
    }
    let limits = printers.iter().map(|printer| {
        format!(
            "{} ({} to {} pages)",
            printer.edition, printer.min_pages, printer.max_pages
        )
    });
    format!("at home, {}", joined(limits))
}

/// The format of a PDF, as a sentence.
pub(crate) fn print_format(format: &FormatOfBook) -> String {
    let pages = format.page_count;
    let pages = pages.map(|pages| format!(", for a book of {} with blank ones", counted(pages, "page")));
    format!(
        "Format: {} ({}), {:?} x {:?} inches{}.",
        format.id,
        format.name,
        format.trim.width_in,
        format.trim.height_in,
        pages.unwrap_or_default(),
    )
}

/// The findings of a print check.
pub(crate) fn print_check(check: &Report) -> String {
    if check.findings.is_empty() {
        let pages = counted(check.page_count, "page");
        return format!("The check found nothing wrong in the PDF of {pages}.");
    }
    let findings = check.findings.iter();
    let lines: Vec<String> = findings
        .map(|finding| {
            let pages = page_words(&finding.pages);
            format!(
                "{} ({pages}): {}; {}.",
                finding.severity, finding.message, finding.remedy
            )
        })
        .collect();
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use linepress_preflight::{Finding, PageRange, Rule, Severity};
    use linepress_printers::{Edition, Part};

    use super::*;

    #[test]
    fn the_printers_of_a_format_are_named_with_their_limits() {
        assert_eq!(printers(&[]), "at home only");
        let limits = |edition, min_pages| PrinterLimits {
            edition,
            min_pages,
            max_pages: 800,
        };
        assert_eq!(
            printers(&[limits(Edition::Kdp, 24), limits(Edition::Lulu, 32)]),
            "at home, kdp (24 to 800 pages), lulu (32 to 800 pages)"
        );
    }

    #[test]
    fn a_print_check_lists_its_findings_with_their_pages_and_remedies() {
        let mut check = Report {
            edition: Edition::Kdp,
            part: Part::Interior,
            page_count: 1,
            findings: Vec::new(),
        };
        assert_eq!(
            print_check(&check),
            "The check found nothing wrong in the PDF of 1 page."
        );
        check.findings.push(Finding {
            severity: Severity::Refusal,
            rule: Rule::Fonts,
            pages: vec![PageRange { first: 2, last: 3 }],
            message: "a font is missing".into(),
            remedy: "embed it".into(),
        });
        assert_eq!(print_check(&check), "error (pages 2-3): a font is missing; embed it.");
    }
}
