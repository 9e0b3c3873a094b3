//! Typesetting processes that are reused for the next book.
use std::fs;

use linepress_model::Aspect;
use linepress_print::{PrintBook, PrintError, Purpose, RenderJob};

use super::{book, classic_templates, folder_with, formats, leaves, print_from, renderer, us_letter};
use crate::tools::{output, tool};

#[tokio::test]
async fn a_reused_process_prints_each_book_like_a_new_one() {
    let staying = renderer();
    let templates = classic_templates();
    let books = [
        ("us_letter", book(Aspect::Portrait, 3)),
        ("a4", book(Aspect::Portrait, 1)),
        (
            "us_letter",
            PrintBook {
                title: "Another".to_owned(),
                cover: None,
                language: "de".to_owned(),
                ..book(Aspect::Portrait, 2)
            },
        ),
        ("us_letter", book(Aspect::Portrait, 3)),
    ];
    for (id, book) in &books {
        let format = formats().into_iter().find(|format| format.id == *id).unwrap();
        let leaves = leaves(u32::try_from(book.drawings.len()).unwrap());
        let job = RenderJob {
            templates: &templates,
            format: &format,
            purpose: Purpose::default(),
            leaves: &leaves,
            book,
        };
        let again = staying.render(job).await.unwrap();
        let alone = renderer().render(job).await.unwrap();
        assert!(again == alone, "{}", book.title);
    }
}

#[tokio::test]
async fn changed_templates_apply_to_the_next_book() {
    let pdftotext = tool("pdftotext");
    let renderer = renderer();
    let folder = folder_with("#set text(font: \"Nunito\")\nHello");
    for word in ["Hello", "Goodbye"] {
        let template = format!("#set text(font: \"Nunito\")\n{word}");
        fs::write(folder.path().join("us_letter.typ"), template).unwrap();
        let file = folder.path().join("book.pdf");
        let pdf = print_from(&renderer, folder.path()).await.unwrap();
        fs::write(&file, pdf).unwrap();
        output(&pdftotext, &[], &file);
        let text = fs::read_to_string(file.with_extension("txt")).unwrap();
        assert!(text.contains(word), "{text}");
        fs::remove_file(&file).unwrap();
        fs::remove_file(file.with_extension("txt")).unwrap();
    }
}

#[tokio::test]
async fn after_a_failure_the_next_book_gets_a_new_process() {
    let renderer = renderer();
    let folder = folder_with("Hello");
    assert!(print_from(&renderer, folder.path()).await.is_ok());
    for broken in ["#unknown-function()", "#range(1000000000).len()"] {
        fs::write(folder.path().join("us_letter.typ"), broken).unwrap();
        assert!(print_from(&renderer, folder.path()).await.is_err());
        fs::write(folder.path().join("us_letter.typ"), "Hello").unwrap();
        assert!(print_from(&renderer, folder.path()).await.is_ok());
    }
}

#[tokio::test]
async fn a_full_disk_is_distinguished_from_a_failure_of_the_process() {
    let renderer = renderer();
    let folder = folder_with("Hello");
    let (format, leaves, book) = (us_letter(), leaves(1), book(Aspect::Portrait, 1));
    let job = RenderJob {
        templates: folder.path(),
        format: &format,
        purpose: Purpose::default(),
        leaves: &leaves,
        book: &book,
    };
    // A file that behaves like one on a full disk.
    let full = fs::File::options().write(true).open("/dev/full").unwrap();
    let mut full = tokio::fs::File::from_std(full);
    let failed = renderer.permit().await.render_into(job, &mut full).await;
    assert!(matches!(failed, Err(PrintError::Sink(_))), "{failed:?}");
    assert!(print_from(&renderer, folder.path()).await.is_ok());
}
