//! Books that a printer accepts as they are.
use linepress_printers::{Edition, Part};
use lopdf::{Stream, dictionary};

use crate::book::{Book, LETTER, LETTER_AT_LULU, checked, rectangle};

#[test]
fn nothing_is_found_in_a_book_without_faults() {
    for (edition, pages, size) in [
        (Edition::Home, 1, (500.0, 700.0)),
        (Edition::Kdp, 24, LETTER),
        // With bleed on three sides.
        (Edition::Kdp, 24, (621.0, 810.0)),
        // A custom size.
        (Edition::Kdp, 24, (540.0, 540.0)),
        (Edition::Lulu, 32, LETTER_AT_LULU),
    ] {
        let report = checked(&Book::new(pages, size).bytes(), edition);
        assert_eq!(report.findings, [], "{edition} {size:?}");
        assert_eq!((report.page_count as usize, report.part), (pages, edition.usual_part()));
    }
}

#[test]
fn a_home_printer_accepts_features_that_a_printing_service_refuses() {
    let mut book = Book::new(3, (500.0, 700.0));
    book.also(1, "1 0 0 rg 100 400 10 10 re f");
    let outlines = book.add(dictionary! { "First" => dictionary! { "Title" => "One" } });
    book.catalog().set("Outlines", outlines);
    book.page(2).set("Group", dictionary! { "S" => "Transparency" });
    assert_eq!(checked(&book.bytes(), Edition::Home).findings, []);
}

#[test]
fn black_by_another_name_is_black() {
    let mut book = Book::new(24, LETTER);
    let profile = book.add(Stream::new(dictionary! { "N" => 1 }, Vec::new()));
    let black = vec![
        "Separation".into(),
        "Black".into(),
        "DeviceCMYK".into(),
        dictionary! {}.into(),
    ];
    book.resource(2, "ColorSpace", "Profile", vec!["ICCBased".into(), profile.into()]);
    book.resource(2, "ColorSpace", "Ink", black);
    book.also(
        2,
        "0 0 0 0.6 k 0 0 0 1 K /Profile cs 0.5 sc /Ink CS 1 SCN 100 400 10 10 re B",
    );
    assert_eq!(checked(&book.bytes(), Edition::Kdp).findings, []);
}

#[test]
fn unused_resources_and_content_outside_the_sheet_are_ignored() {
    let mut book = Book::new(24, LETTER);
    book.resource(2, "ColorSpace", "Unused", vec!["Separation".into(), "Gold".into()]);
    book.resource(2, "Font", "Unused", crate::book::font("Unused", None));
    book.also(2, "q 700 0 0 700 900 900 cm /Im1 Do Q");
    assert_eq!(checked(&book.bytes(), Edition::Kdp).findings, []);
}

#[test]
fn boxes_are_inherited_and_may_lie_anywhere() {
    let mut book = Book::new(24, LETTER);
    let tree = book.page(1).get(b"Parent").unwrap().as_reference().unwrap();
    for page in 1..=24 {
        book.page(page).remove(b"MediaBox");
    }
    let tree = book.document.get_dictionary_mut(tree).unwrap();
    tree.set("MediaBox", rectangle(662.0, 842.0, 50.0, 50.0));
    assert_eq!(checked(&book.bytes(), Edition::Kdp).findings, []);
}

#[test]
fn a_wide_page_alone_is_a_cover() {
    let cover = Book::new(1, (1250.0, 810.0)).bytes();
    assert_eq!(checked(&cover, Edition::Kdp).part, Part::Cover);
    assert_eq!(checked(&cover, Edition::Home).part, Part::Book);
}
