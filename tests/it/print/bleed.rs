//! Interiors with bleed.
use std::fs;

use linepress_model::{Aspect, PrintFormat};
use linepress_preflight::{Expected, check_apart};
use linepress_print::{PrintBook, Purpose, RenderJob};
use linepress_printers::{Edition, Size};
use tempfile::TempDir;

use super::{book, classic_templates, leaves, renderer, us_letter};
use crate::test_app::{binary, copy_folder};
use crate::tools::{output, tool};

/// The classic templates, which print drawings up to the edges.
fn to_the_edges() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    copy_folder(&classic_templates(), folder.path());
    let theme = folder.path().join("theme.typ");
    let text = fs::read_to_string(&theme).unwrap();
    let (setting, changed) = ("#let drawings-to-edges = false", "#let drawings-to-edges = true");
    assert!(text.contains(setting), "{text}");
    fs::write(theme, text.replace(setting, changed)).unwrap();
    folder
}

/// The sizes of the second and the third sheet in points, and the left edges of their trimmed pages on them.
fn sheets(pdf: &[u8]) -> [(f64, f64, f64); 2] {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("book.pdf");
    fs::write(&file, pdf).unwrap();
    let text = output(&tool("pdfinfo"), &["-box", "-f", "2", "-l", "3"], &file);
    [2, 3].map(|page| {
        let corners = |name: &str| -> Vec<f64> {
            let line = text
                .lines()
                .find(|line| line.split_whitespace().take(3).eq(["Page", &page.to_string(), name]))
                .unwrap_or_else(|| panic!("{name} in {text}"));
            let numbers = line.split_whitespace().skip(3);
            numbers.map(|number| number.parse().unwrap()).collect()
        };
        let (media, trim) = (corners("MediaBox:"), corners("TrimBox:"));
        (media[2] - media[0], media[3] - media[1], trim[0] - media[0])
    })
}

#[tokio::test]
async fn each_printer_gets_the_bleed_that_it_prescribes_and_finds_nothing() {
    let templates = to_the_edges();
    let format = PrintFormat {
        bleed_um: 3_000,
        ..us_letter()
    };
    let leaves = leaves(14);
    // US Letter has 612 x 792 points. KDP wants no bleed at the binding, which is on the left of odd pages, or on their
    // right if the book is read from right to left.
    for (edition, language, even, odd) in [
        (Edition::Kdp, "en", (621.0, 810.0, 9.0), (621.0, 810.0, 0.0)),
        (Edition::Kdp, "he", (621.0, 810.0, 0.0), (621.0, 810.0, 9.0)),
        (Edition::Lulu, "en", (630.0, 810.0, 9.0), (630.0, 810.0, 9.0)),
        (
            Edition::Home,
            "en",
            (629.008, 809.008, 8.504),
            (629.008, 809.008, 8.504),
        ),
    ] {
        let book = PrintBook {
            language: language.to_owned(),
            ..book(Aspect::Portrait, 14)
        };
        let purpose = Purpose {
            edition,
            part: edition.usual_part(),
            ..Purpose::default()
        };
        let job = RenderJob {
            templates: templates.path(),
            format: &format,
            purpose,
            leaves: &leaves,
            book: &book,
        };
        let pdf = renderer().render(job).await.unwrap();
        for (found, wanted) in sheets(&pdf).into_iter().zip([even, odd]) {
            let near = |found: f64, wanted: f64| (found - wanted).abs() < 0.02;
            assert!(
                near(found.0, wanted.0) && near(found.1, wanted.1) && near(found.2, wanted.2),
                "{edition}, {language}: {found:?} {wanted:?}"
            );
        }
        let expected = Expected {
            edition,
            part: Some(purpose.part),
            pages: None,
            trim: Some(Size {
                width: format.trim_width_um,
                height: format.trim_height_um,
            }),
            color: false,
            paper: None,
            has_barcode: false,
        };
        let report = check_apart(&binary(), pdf.into(), &expected).await.unwrap();
        assert_eq!(report.findings, [], "{edition}, {language}");
    }
}
