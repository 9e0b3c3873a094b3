//! What a printer would find wrong with our own books.
use linepress_model::Aspect;
use linepress_preflight::{Expected, Report, Rule, check_apart};
use linepress_printers::Edition;

use crate::print::printed;
use crate::test_app::binary;

async fn checked(pdf: &[u8], edition: Edition) -> Report {
    let expected = Expected {
        edition,
        part: None,
        pages: None,
        trim: None,
    };
    check_apart(&binary(), pdf.to_vec().into(), &expected).await.unwrap()
}

#[tokio::test]
async fn nothing_is_found_in_our_own_books() {
    for (format, pdf) in printed(10).await {
        let report = checked(&pdf, Edition::Home).await;
        assert_eq!(report.findings, [], "{}", format.id);
        assert_eq!(report.page_count, 26);
        let report = checked(&pdf, Edition::Kdp).await;
        let rules: Vec<Rule> = report.findings.iter().map(|finding| finding.rule).collect();
        match format.aspect {
            // KDP prints no wide pages.
            Aspect::Landscape => assert_eq!(rules, [Rule::Trim], "{}", format.id),
            Aspect::Portrait | Aspect::Square => assert_eq!(rules, [], "{}: {:?}", format.id, report.findings),
        }
    }
}
