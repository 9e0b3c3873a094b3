//! PDFs to check before printing.
use linepress_preflight::{Expected, check};
use linepress_printers::Edition;

use crate::Input;

/// The check of a PDF is always a report, also for damaged files. The first byte chooses what is expected of it.
pub(super) fn run(bytes: &[u8]) -> Input {
    let Some((&first, pdf)) = bytes.split_first() else {
        return Input::Unusable;
    };
    let edition = Edition::ALL[usize::from(first) % Edition::ALL.len()];
    let expected = Expected {
        edition,
        part: None,
        pages: None,
        trim: None,
        color: first & 0x80 != 0,
        paper: None,
        has_barcode: false,
    };
    let report = check(pdf, &expected);
    assert_eq!(report.edition, edition);
    assert!(
        !pdf.is_empty() || !report.findings.is_empty(),
        "an empty file has a finding"
    );
    Input::Used
}
