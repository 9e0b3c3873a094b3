//! `GET /books/{id}/pdf` for printing services: `edition`, `backs` and `part`.
use linepress_printers::{Backs, Edition, Part};
use lopdf::{Document, Object};
use serde_json::json;

use crate::descriptions::alternative_texts;
use crate::test_app::{Actor, TestApp};
use crate::tools::{output, tool};

/// Has a book with this number of drawings made, all from the same picture.
async fn book(app: &TestApp, ada: &Actor, drawings: usize, aspect: &str) -> String {
    let mut pages = Vec::new();
    for _ in 0..drawings {
        pages.push(json!({"title": "A fox"}));
    }
    let body = json!({"book": {"title": "Woodland Friends", "author": "Ada", "aspect": aspect, "pages": pages}});
    let book = app.accepted(ada, "/books", &body).await;
    app.draw_what_is_due().await;
    format!("/books/{}/pdf", book.book_id())
}

/// Returns the width and the height of a box of the first page in points, and the number of pages.
fn measured(pdf: &[u8], name: &str) -> (f64, f64, u32) {
    let pdfinfo = tool("pdfinfo");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("book.pdf");
    std::fs::write(&file, pdf).unwrap();
    let text = output(&pdfinfo, &["-box"], &file);
    let field = |name: &str| {
        let line = text.lines().find(|line| line.starts_with(name)).unwrap();
        line[name.len() + 1..].trim().to_owned()
    };
    let corners: Vec<f64> = field(name)
        .split_whitespace()
        .map(|number| number.parse().unwrap())
        .collect();
    (
        corners[2] - corners[0],
        corners[3] - corners[1],
        field("Pages").parse().unwrap(),
    )
}

#[track_caller]
fn check(pdf: &[u8], name: &str, (width, height, pages): (f64, f64, u32)) {
    let found = measured(pdf, name);
    assert!(
        (found.0 - width).abs() < 0.02 && (found.1 - height).abs() < 0.02 && found.2 == pages,
        "{name}: {found:?}"
    );
}

#[tokio::test]
async fn each_printer_gets_the_page_size_that_it_requires() {
    let app = TestApp::start().await;
    let ada = app.account(20).await;
    let path = book(&app, &ada, 13, "portrait").await;
    let home = ada.get(&path).await;
    let kdp = ada.get(&format!("{path}?edition=kdp")).await;
    let lulu = ada.get(&format!("{path}?edition=lulu&part=interior")).await;
    for reply in [&home, &kdp, &lulu] {
        assert_eq!(reply.status, 200, "{}", String::from_utf8_lossy(&reply.body));
    }
    // US Letter, to which Lulu adds an eighth of an inch on every side.
    check(&kdp.body, "MediaBox", (612.0, 792.0, 32));
    check(&lulu.body, "MediaBox", (630.0, 810.0, 32));
    check(&lulu.body, "TrimBox", (612.0, 792.0, 32));
    assert_eq!(
        kdp.header("content-disposition"),
        "attachment; filename=\"woodland-friends-us_letter-kdp-interior.pdf\""
    );
    // Each edition is stored in addition to the others.
    for (query, made) in [("", &home), ("?edition=kdp", &kdp), ("?edition=lulu", &lulu)] {
        assert!(ada.get(&format!("{path}{query}")).await.body == made.body, "{query}");
    }
    assert!(ada.get(&format!("{path}?part=interior")).await.body == home.body);
}

#[tokio::test]
async fn unsupported_combinations_are_refused_before_anything_is_typeset() {
    let app = TestApp::builder().all_plugins().start().await;
    let ada = app.account(30).await;
    let short = book(&app, &ada, 2, "portrait").await;
    let wide = book(&app, &ada, 13, "landscape").await;
    for (path, query, field, words) in [
        (
            &short,
            "edition=kdp&format=us_letter",
            "format",
            "Amazon KDP prints 24 to 590 pages of this size, but the book has 10. Amazon KDP accepts this book as: pod_letter, \
             pod_8x10, pod_a4, storybook_letter, storybook_a4.",
        ),
        (
            &short,
            "edition=lulu&format=pod_8x10",
            "format",
            "Lulu has no pages of 8 x 10 in. Lulu accepts this book as: pod_letter, pod_a4, storybook_letter, storybook_a4.",
        ),
        (
            &wide,
            "edition=kdp&format=a4_landscape",
            "format",
            "Amazon KDP accepts this book as: pod_small_landscape.",
        ),
        (
            &wide,
            "edition=kdp&part=book",
            "part",
            "Ask for part=interior and for part=cover.",
        ),
        (&wide, "part=cover", "part", "Ask for edition=kdp or edition=lulu."),
    ] {
        let error = ada
            .get(&format!("{path}?{query}"))
            .await
            .expect_error(422, "format_mismatch");
        assert_eq!(error["details"][0]["field"], field, "{error}");
        assert!(error["message"].as_str().unwrap().contains(words), "{error}");
    }
    assert!(!app.objects().iter().any(|key| key.starts_with("prints/")));
}

#[tokio::test]
async fn without_a_format_an_edition_uses_the_first_one_that_fits() {
    let app = TestApp::builder().all_plugins().start().await;
    let ada = app.account(30).await;
    let short = book(&app, &ada, 2, "portrait").await;
    let long = book(&app, &ada, 13, "portrait").await;
    let wide = book(&app, &ada, 3, "landscape").await;
    for (path, edition, format) in [
        (&short, "kdp", "pod_letter"),
        (&short, "lulu", "pod_letter"),
        (&long, "kdp", "us_letter"),
        (&wide, "kdp", "pod_small_landscape"),
        (&wide, "lulu", "pod_letter_landscape"),
    ] {
        let reply = ada.get(&format!("{path}?edition={edition}&part=cover")).await;
        assert_eq!(reply.status, 200, "{}", String::from_utf8_lossy(&reply.body));
        let name = format!("attachment; filename=\"woodland-friends-{format}-{edition}-cover.pdf\"");
        assert_eq!(reply.header("content-disposition"), name);
    }
}

#[tokio::test]
async fn an_edition_in_place_of_a_format_is_pointed_to_its_parameter() {
    let app = TestApp::builder().all_plugins().start().await;
    let ada = app.account(30).await;
    let path = book(&app, &ada, 2, "square").await;
    let error = ada.get(&format!("{path}?format=kdp")).await;
    let error = error.expect_error(400, "invalid_request");
    assert_eq!(
        error["message"],
        "kdp is an edition. Ask for edition=kdp, and leave out the format or choose one of: square, small_square, \
         pod_square, storybook_square, storybook_small_square."
    );
}

#[tokio::test]
async fn an_unknown_value_is_refused_with_the_known_ones() {
    let app = TestApp::start().await;
    let ada = app.account(1).await;
    let texts = |all: Vec<String>| all.join(", ");
    for (parameter, known) in [
        ("edition", texts(Edition::ALL.iter().map(ToString::to_string).collect())),
        ("backs", texts(Backs::ALL.iter().map(ToString::to_string).collect())),
        ("part", texts(Part::ALL.iter().map(ToString::to_string).collect())),
    ] {
        let error = ada
            .get(&format!("/books/book_none/pdf?{parameter}=ingram"))
            .await
            .expect_error(400, "invalid_request");
        assert_eq!(error["message"], format!("{parameter} must be one of: {known}."));
    }
}

#[tokio::test]
async fn a_pdf_is_in_the_language_of_its_book() {
    let app = TestApp::start().await;
    let ada = app.account(10).await;
    let pages = json!([{"title": "Ein Fuchs"}]);
    let body = json!({"book": {"title": "Freunde im Wald", "language": "de-AT", "pages": pages}});
    let accepted = app.accepted(&ada, "/books", &body).await;
    assert_eq!(accepted.book().language, "de-AT");
    app.draw_what_is_due().await;
    let path = format!("/books/{}", accepted.book_id());
    let german = ada.get(&format!("{path}/pdf")).await;
    let changed = ada.patch(&path, &json!({"book": {"language": "fr"}})).await.expect(200);
    assert_eq!(changed["book"]["language"], "fr");
    let french = ada.get(&format!("{path}/pdf")).await;
    ada.patch(&path, &json!({"book": {"language": "none such"}}))
        .await
        .expect_error(422, "validation_failed");
    let pdftotext = tool("pdftotext");
    let folder = tempfile::tempdir().unwrap();
    for (pdf, words) in [(german, "Dieses Buch geh\u{f6}rt"), (french, "Ce livre appartient")] {
        let file = folder.path().join("book.pdf");
        std::fs::write(&file, &pdf.body).unwrap();
        output(&pdftotext, &["-layout"], &file);
        let text = std::fs::read_to_string(file.with_extension("txt")).unwrap();
        assert!(
            text.split_whitespace().collect::<Vec<_>>().join(" ").contains(words),
            "{text}"
        );
    }
}

#[tokio::test]
async fn a_planned_book_is_in_the_language_of_its_plan() {
    let app = TestApp::start().await;
    let ada = app.account(1).await;
    let wish = json!({"book_plan": {"theme": "Woodland friends", "page_count": 2, "language": "en-GB"}});
    let plan = ada.post("/book_plans", &wish).await.expect(200);
    assert_eq!(plan["book_plan"]["generation_request"]["book"]["language"], "en-GB");
}

#[tokio::test]
async fn a_book_for_home_can_be_read_aloud_and_one_for_a_printer_has_no_tags() {
    let app = TestApp::start().await;
    let ada = app.account(20).await;
    let path = book(&app, &ada, 13, "portrait").await;
    for (query, is_tagged) in [("", true), ("?edition=kdp", false)] {
        let pdf = ada.get(&format!("{path}{query}")).await;
        let document = Document::load_mem(&pdf.body).unwrap();
        let catalog = document.catalog().unwrap();
        let language = catalog.get(b"Lang").and_then(Object::as_str).unwrap();
        assert_eq!(language, b"en");
        assert_eq!(catalog.has(b"StructTreeRoot"), is_tagged, "{query}");
        let texts = alternative_texts(&document);
        let drawings = texts.iter().filter(|text| *text == "A fox").count();
        assert_eq!(drawings, if is_tagged { 13 } else { 0 }, "{query}");
        if is_tagged {
            assert!(catalog.has(b"PageLabels"));
        }
    }
}
