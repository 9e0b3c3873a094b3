//! The print check of our own books.
use linepress_model::Aspect;
use linepress_preflight::{Expected, Report, Rule, check_apart};
use linepress_printers::{Edition, Part, Size};

use crate::print::printed;
use crate::test_app::binary;

async fn checked(pdf: &[u8], edition: Edition) -> Report {
    checked_as(
        pdf,
        Expected {
            edition,
            part: None,
            pages: None,
            trim: None,
            color: false,
            paper: None,
            has_barcode: false,
        },
    )
    .await
}

async fn checked_as(pdf: &[u8], expected: Expected) -> Report {
    check_apart(&binary(), pdf.to_vec().into(), &expected).await.unwrap()
}

#[tokio::test]
async fn nothing_is_found_in_a_book_for_home() {
    for (format, pdf) in printed(Edition::Home, Part::Book, 2).await {
        let report = checked(&pdf, Edition::Home).await;
        assert_eq!(report.findings, [], "{}", format.id);
        assert_eq!((report.page_count, report.part), (10, Part::Book));
    }
}

#[tokio::test]
async fn nothing_is_found_in_an_interior_for_kdp() {
    for (format, pdf) in printed(Edition::Kdp, Part::Interior, 10).await {
        let report = checked(&pdf, Edition::Kdp).await;
        let rules: Vec<Rule> = report.findings.iter().map(|finding| finding.rule).collect();
        match format.aspect {
            // KDP prints no wide pages.
            Aspect::Landscape => assert_eq!(rules, [Rule::Trim], "{}", format.id),
            Aspect::Portrait | Aspect::Square => assert_eq!(report.findings, [], "{}", format.id),
        }
    }
}

#[tokio::test]
async fn nothing_is_found_in_an_interior_for_lulu_and_its_drawings_are_capped() {
    for (format, pdf) in printed(Edition::Lulu, Part::Interior, 14).await {
        let report = checked(&pdf, Edition::Lulu).await;
        assert_eq!(report.findings, [], "{}", format.id);
    }
}

#[tokio::test]
async fn nothing_is_found_in_a_cover_unless_its_spine_is_wrong() {
    for edition in [Edition::Kdp, Edition::Lulu] {
        let covers = printed(edition, Part::Cover, 20).await;
        let covers = covers
            .into_iter()
            .filter(|(format, _)| format.aspect != Aspect::Landscape);
        for (format, pdf) in covers {
            let expected = |pages| Expected {
                edition,
                part: Some(Part::Cover),
                pages: Some(pages),
                trim: Some(Size {
                    width: format.trim_width_um,
                    height: format.trim_height_um,
                }),
                color: false,
                paper: None,
                has_barcode: false,
            };
            let report = checked_as(&pdf, expected(46)).await;
            assert_eq!(report.findings, [], "{edition} {}", format.id);
            let report = checked_as(&pdf, expected(146)).await;
            let rules: Vec<Rule> = report.findings.iter().map(|finding| finding.rule).collect();
            assert_eq!(rules, [Rule::Spine], "{edition} {}", format.id);
        }
    }
}
