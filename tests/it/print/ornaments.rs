//! Pictures that a designer supplies.
use std::fs;

use linepress_preflight::{Expected, Rule, check_apart};
use linepress_printers::{Edition, Part};

use super::{folder_with, print_from, prints_with_black_alone, renderer};
use crate::test_app::binary;

/// A star in a ring with a clipped square, as a vector program writes it.
const STAR: &str = r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100">
<defs><clipPath id="c"><circle cx="50" cy="50" r="20"/></clipPath></defs>
<circle cx="50" cy="50" r="46" style="fill:rgb(255,255,255);stroke:rgb(0,0,0);stroke-width:4px"/>
<path fill="black" d="M50 10 60 40 90 40 66 58 75 88 50 70 25 88 34 58 10 40 40 40z"/>
<rect x="35" y="35" width="30" height="30" fill="white" clip-path="url(#c)"/>
</svg>"#;

#[tokio::test]
async fn an_svg_of_black_and_white_shapes_is_printed_with_black_alone() {
    let template = "#set page(width: 215.9mm, height: 279.4mm, margin: 20mm)\n#image(\"star.svg\", width: 60mm)";
    let folder = folder_with(template);
    fs::write(folder.path().join("star.svg"), STAR).unwrap();
    let pdf = print_from(&renderer(), folder.path()).await.unwrap();
    let file = folder.path().join("book.pdf");
    fs::write(&file, &pdf).unwrap();
    prints_with_black_alone(&file, 1);
    let expected = Expected {
        edition: Edition::Kdp,
        part: Some(Part::Interior),
        pages: None,
        trim: None,
        color: false,
        paper: None,
        has_barcode: false,
    };
    let report = check_apart(&binary(), pdf.into(), &expected).await.unwrap();
    let rules: Vec<Rule> = report.findings.iter().map(|finding| finding.rule).collect();
    assert_eq!(rules, [Rule::PageCount], "{:?}", report.findings);
}
