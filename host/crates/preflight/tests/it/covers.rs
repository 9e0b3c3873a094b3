//! Covers: two pages, the spine between them, and bleed.
use linepress_preflight::{Expected, Rule, check};
use linepress_printers::{Edition, Paper, Part, Size, cover_sheet};

use crate::book::{Book, for_printer, short};

const LETTER: Size = Size {
    width: 215_900,
    height: 279_400,
};

fn points(micrometers: u32) -> f32 {
    micrometers as f32 * 72.0 / 25_400.0
}

/// A cover for `pages` pages, `wider` points wider than it should be.
fn cover(edition: Edition, pages: u32, paper: Paper, wider: f32) -> Book {
    let sheet = cover_sheet(edition, LETTER, pages, paper).unwrap();
    let whole = sheet.size.with_border(sheet.bleed);
    let mut cover = Book::new(1, (points(whole.width) + wider, points(whole.height)));
    // A cover may be in color, and its pictures may exceed the printer's resolution.
    cover.also(1, "1 0 0 rg 100 400 10 10 re f q 7 0 0 7 100 300 cm /Im1 Do Q");
    cover
}

fn found(cover: &mut Book, edition: Edition, pages: Option<u32>) -> Vec<(Rule, String)> {
    let expected = Expected {
        pages,
        ..for_printer(edition)
    };
    let report = check(&cover.bytes(), &expected);
    assert_eq!(report.part, Part::Cover);
    short(&report.findings)
}

fn one(rule: Rule) -> Vec<(Rule, String)> {
    vec![(rule, String::new())]
}

#[test]
fn a_cover_fits_around_its_pages_on_either_paper() {
    for (edition, pages) in [
        (Edition::Kdp, 24),
        (Edition::Kdp, 300),
        (Edition::Lulu, 32),
        (Edition::Lulu, 500),
    ] {
        for paper in [Paper::White, Paper::Cream] {
            let mut cover = cover(edition, pages, paper, 0.0);
            assert_eq!(
                found(&mut cover, edition, Some(pages)),
                [],
                "{edition} {pages} {paper:?}"
            );
        }
    }
}

#[test]
fn a_spine_for_another_number_of_pages_is_found() {
    let mut book = cover(Edition::Kdp, 100, Paper::White, 0.0);
    assert_eq!(found(&mut book, Edition::Kdp, Some(200)), one(Rule::Spine));
    let mut book = cover(Edition::Lulu, 100, Paper::White, 9.0);
    assert_eq!(found(&mut book, Edition::Lulu, Some(100)), one(Rule::Spine));
}

#[test]
fn without_the_number_of_pages_the_report_says_which_numbers_fit() {
    let mut book = cover(Edition::Lulu, 100, Paper::White, 0.0);
    let report = check(&book.bytes(), &for_printer(Edition::Lulu));
    let [finding] = &report.findings[..] else {
        panic!("{report:?}")
    };
    assert_eq!(finding.rule, Rule::Spine);
    assert!(
        finding.message.contains("fits around 95 to 105 pages"),
        "{}",
        finding.message
    );
}

#[test]
fn a_cover_of_another_height_or_for_too_many_pages_is_found() {
    let mut low = Book::new(1, (1260.0, 500.0));
    assert_eq!(found(&mut low, Edition::Lulu, Some(100)), one(Rule::CoverSize));
    let mut thick = cover(Edition::Kdp, 700, Paper::White, 0.0);
    assert_eq!(found(&mut thick, Edition::Kdp, Some(700)), one(Rule::PageCount));
}

#[test]
fn a_cover_is_one_page() {
    let expected = Expected {
        part: Some(Part::Cover),
        pages: Some(120),
        ..for_printer(Edition::Kdp)
    };
    let sheet = cover_sheet(Edition::Kdp, LETTER, 120, Paper::White).unwrap();
    let whole = sheet.size.with_border(sheet.bleed);
    let mut two = Book::new(2, (points(whole.width), points(whole.height)));
    assert_eq!(short(&check(&two.bytes(), &expected).findings), one(Rule::PageCount));
}

#[test]
fn a_custom_size_is_accepted_when_the_caller_gives_it() {
    let small = Size {
        width: 190_500,
        height: 190_500,
    };
    let sheet = cover_sheet(Edition::Kdp, small, 60, Paper::White).unwrap();
    let whole = sheet.size.with_border(sheet.bleed);
    let mut cover = Book::new(1, (points(whole.width), points(whole.height)));
    let expected = |pages| Expected {
        part: Some(Part::Cover),
        pages: Some(pages),
        trim: Some(small),
        ..for_printer(Edition::Kdp)
    };
    assert_eq!(check(&cover.bytes(), &expected(60)).findings, []);
    assert_eq!(short(&check(&cover.bytes(), &expected(160)).findings), one(Rule::Spine));
}

/// Returns the findings on a cover for a book of 56 pages with these operators. Its spine starts 621 points from the
/// left.
fn found_on(operators: &str) -> Vec<(Rule, String)> {
    let mut book = cover(Edition::Kdp, 56, Paper::White, 0.0);
    book.also(1, operators);
    found(&mut book, Edition::Kdp, Some(56))
}

fn on_page(rule: Rule) -> Vec<(Rule, String)> {
    vec![(rule, "1".to_owned())]
}

#[test]
fn text_outside_the_safe_areas_of_a_cover_is_found() {
    assert_eq!(found_on("BT /F1 12 Tf 700 700 Td (title) Tj ET"), []);
    assert_eq!(found_on("BT /F1 7 Tf 624 400 Td (spine) Tj ET"), on_page(Rule::Spine));
    assert_eq!(found_on("BT /F1 12 Tf 12 400 Td (edge) Tj ET"), on_page(Rule::Margins));
    assert_eq!(
        found_on("BT /F1 12 Tf 480 40 Td (barcode) Tj ET"),
        on_page(Rule::Barcode)
    );
    let mut own = cover(Edition::Kdp, 24, Paper::White, 0.0);
    own.also(1, "BT /F1 12 Tf 480 40 Td (barcode) Tj ET");
    let expected = Expected {
        pages: Some(24),
        has_barcode: true,
        ..for_printer(Edition::Kdp)
    };
    assert_eq!(check(&own.bytes(), &expected).findings, []);

    let mut thick = cover(Edition::Kdp, 120, Paper::White, 0.0);
    thick.also(1, "BT /F1 7 Tf 627 400 Td (spine) Tj ET");
    assert_eq!(found(&mut thick, Edition::Kdp, Some(120)), []);
}

#[test]
fn a_blank_spine_that_is_too_thin_for_some_titles_is_reported() {
    for (pages, expected) in [
        (78, vec![]),
        (80, on_page(Rule::Spine)),
        (106, on_page(Rule::Spine)),
        (108, vec![]),
    ] {
        let mut blank = cover(Edition::Kdp, pages, Paper::White, 0.0);
        assert_eq!(found(&mut blank, Edition::Kdp, Some(pages)), expected, "{pages}");
    }
    let mut lettered = cover(Edition::Kdp, 90, Paper::White, 0.0);
    lettered.also(1, "BT /F1 7 Tf 627 400 Td (spine) Tj ET");
    assert_eq!(found(&mut lettered, Edition::Kdp, Some(90)), []);
}

#[test]
fn a_background_that_ends_at_the_trimmed_edges_is_found() {
    assert_eq!(found_on("0.5 g 0 0 1252 810 re f"), []);
    assert_eq!(found_on("0.5 g 9 0 1233 810 re f"), on_page(Rule::Bleed));
    assert_eq!(found_on("0.5 g 40 40 1100 700 re f"), []);
}

#[test]
fn the_width_of_a_cover_depends_on_the_paper_of_a_color_interior() {
    let mut book = cover(Edition::Kdp, 200, Paper::PremiumColor, 0.0);
    let expected = |paper, color| Expected {
        pages: Some(200),
        paper,
        color,
        ..for_printer(Edition::Kdp)
    };
    for (paper, color) in [(None, true), (Some(Paper::PremiumColor), false)] {
        assert_eq!(check(&book.bytes(), &expected(paper, color)).findings, []);
    }
    for (paper, color) in [(None, false), (Some(Paper::White), true)] {
        let found = short(&check(&book.bytes(), &expected(paper, color)).findings);
        assert_eq!(found, one(Rule::Spine));
    }
}
