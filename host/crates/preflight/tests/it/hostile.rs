//! Files that demand too much work are stopped, and the report says so.
use linepress_preflight::Rule;
use linepress_printers::Edition;
use lopdf::{Object, ObjectId, Stream, dictionary};

use crate::book::{Book, LETTER, checked, short};

fn assert_stopped(book: &mut Book) {
    let found = short(&checked(&book.bytes(), Edition::Kdp).findings);
    assert!(found.contains(&(Rule::TooComplex, String::new())), "{found:?}");
}

fn form(book: &mut Book, name: &str, inner: Option<ObjectId>, operators: &str) -> ObjectId {
    let mut form = dictionary! { "Subtype" => "Form" };
    if let Some(inner) = inner {
        form.set("Resources", dictionary! { "XObject" => dictionary! { name => inner } });
    }
    book.add(Stream::new(form, operators.as_bytes().to_vec()))
}

#[test]
fn forms_that_double_many_times_are_stopped() {
    let mut book = Book::new(24, LETTER);
    let mut inner = form(&mut book, "Fm", None, "0 0 m");
    for _ in 0..30 {
        inner = form(&mut book, "Fm", Some(inner), "/Fm Do /Fm Do");
    }
    book.resource(1, "XObject", "Fm", inner);
    book.also(1, "/Fm Do");
    assert_stopped(&mut book);
}

#[test]
fn a_form_that_contains_itself_is_stopped() {
    let mut book = Book::new(24, LETTER);
    let id = form(&mut book, "Fm", None, "/Fm Do");
    let resources = dictionary! { "XObject" => dictionary! { "Fm" => id } };
    let stream = book
        .document
        .get_object_mut(id)
        .and_then(Object::as_stream_mut)
        .unwrap();
    stream.dict.set("Resources", resources);
    book.resource(1, "XObject", "Fm", id);
    book.also(1, "/Fm Do");
    assert_stopped(&mut book);
}

#[test]
fn operators_that_decompress_to_a_large_size_are_stopped() {
    let mut book = Book::new(24, LETTER);
    let mut bomb = Stream::new(dictionary! {}, vec![b' '; 80 << 20]);
    bomb.compress().unwrap();
    let bomb = book.add(bomb);
    book.page(1).set("Contents", bomb);
    assert_stopped(&mut book);
    // Each stream is below its limit, but their total is not.
    let mut book = Book::new(24, LETTER);
    let mut bomb = Stream::new(dictionary! {}, vec![b' '; 40 << 20]);
    bomb.compress().unwrap();
    let bomb = book.add(bomb);
    for page in 1..=24 {
        book.page(page).set("Contents", bomb);
    }
    assert_stopped(&mut book);
}

#[test]
fn states_that_are_saved_and_never_restored_are_stopped() {
    let mut book = Book::new(24, LETTER);
    book.also(1, &"q ".repeat(20_000));
    assert_stopped(&mut book);
}

#[test]
fn nesting_and_garbage_end_without_harm() {
    for garbage in [
        "[".repeat(200_000),
        "<<".repeat(200_000),
        "(".repeat(200_000),
        "BI /W 1 ".repeat(50_000),
        "/A ".repeat(200_000),
        "1 ".repeat(500_000) + "scn",
        "\u{0}\u{1}~{}^".repeat(50_000),
    ] {
        let mut book = Book::new(24, LETTER);
        book.also(1, &garbage);
        let report = checked(&book.bytes(), Edition::Kdp);
        assert_eq!(report.page_count, 24);
    }
}

#[test]
fn cyclic_page_trees_end() {
    let mut book = Book::new(24, LETTER);
    let tree = book.page(1).get(b"Parent").unwrap().as_reference().unwrap();
    let node = book.document.get_dictionary_mut(tree).unwrap();
    node.set("Parent", tree);
    let mut kids = node.get(b"Kids").unwrap().as_array().unwrap().clone();
    kids.push(tree.into());
    node.set("Kids", kids);
    book.page(2).remove(b"MediaBox");
    let found = short(&checked(&book.bytes(), Edition::Kdp).findings);
    assert!(found.iter().any(|(rule, _)| *rule == Rule::PageBoxes), "{found:?}");
}
