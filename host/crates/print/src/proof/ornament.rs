//! The checks of pictures that a designer supplies as PDFs.
use std::collections::HashMap;

use linepress_preflight::{Expected, Rule, check};
use linepress_printers::{Edition, Part};
use typst::utils::hash128;
use typst::visualize::{Image, ImageKind};

/// The PDFs that were already checked, by hash, with the problems of each.
#[derive(Default)]
pub(super) struct Ornaments(HashMap<u128, Vec<String>>);

impl Ornaments {
    /// Returns the problems of a picture, or an empty list for one that is not a PDF.
    pub(super) fn problems_of(&mut self, image: &Image) -> Vec<String> {
        let ImageKind::Pdf(pdf) = image.kind() else {
            return Vec::new();
        };
        let document = pdf.document().pdf().data();
        let bytes: &[u8] = document.as_ref();
        self.0.entry(hash128(bytes)).or_insert_with(|| problems(bytes)).clone()
    }
}

/// The problems that KDP, the strictest printing service, would have with a page that contains this PDF.
fn problems(pdf: &[u8]) -> Vec<String> {
    let expected = Expected {
        edition: Edition::Kdp,
        part: Some(Part::Interior),
        pages: None,
        trim: None,
        color: false,
        paper: None,
        has_barcode: false,
    };
    let is_relevant = |rule: Rule| {
        matches!(
            rule,
            Rule::Ink | Rule::SpotColor | Rule::Transparency | Rule::Layers | Rule::Annotations | Rule::Fonts
        )
    };
    let findings = check(pdf, &expected).findings.into_iter();
    findings
        .filter(|finding| is_relevant(finding.rule))
        .map(|finding| format!("in a PDF that is placed here: {}", finding.message))
        .collect()
}
