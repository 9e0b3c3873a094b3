//! The shipped layouts, printed: every format of every layout, at home and as paperbacks.
use std::fs;

use serde_json::json;

use crate::print::{has_its_fonts, is_sound, prints_with_black_alone};
use crate::test_app::{Actor, TestApp};

/// Has a book made whose texts are long, short and missing.
pub(crate) async fn book(app: &TestApp, ada: &Actor, aspect: &str, drawings: usize) -> String {
    let pages: Vec<_> = (0..drawings)
        .map(|index| match index % 3 {
            0 => json!({"title": "A fox", "caption": "“Good night,” said the fox to everybody who was still awake."}),
            1 => json!({"title": "An owl", "caption": "森のふくろうは朝まで起きています。"}),
            _ => json!({"title": "A hedgehog"}),
        })
        .collect();
    let texts = json!({
        "title": "Woodland Friends and the Extraordinarily Long Night",
        "author": "Ada",
        "description": "A fox, an owl and a hedgehog do not sleep.",
        "aspect": aspect,
        "pages": pages,
        "cover": {"prompt": "A fox and an owl"},
    });
    let path = format!(
        "/books/{}",
        app.accepted(ada, "/books", &json!({"book": texts})).await.book_id()
    );
    app.draw_what_is_due().await;
    path
}

#[tokio::test]
async fn every_format_of_every_layout_prints_at_home() {
    let app = TestApp::builder().all_plugins().start().await;
    let ada = app.account(9).await;
    let folder = tempfile::tempdir().unwrap();
    let mut ids = Vec::new();
    for aspect in ["square", "portrait", "landscape"] {
        let path = book(&app, &ada, aspect, 3).await;
        let formats = ada.get(&path).await.expect(200)["book"]["print_formats"].clone();
        for format in formats
            .as_array()
            .unwrap()
            .iter()
            .map(|format| format.as_str().unwrap())
        {
            let reply = ada.get(&format!("{path}/pdf?format={format}")).await;
            assert_eq!(reply.status, 200, "{format}: {}", String::from_utf8_lossy(&reply.body));
            let file = folder.path().join("book.pdf");
            fs::write(&file, &reply.body).unwrap();
            is_sound(&file);
            has_its_fonts(&file);
            // The number of pages with content; the others are blank.
            let printed = if format.starts_with("storybook") {
                13
            } else if format.starts_with("pod") {
                8
            } else {
                6
            };
            prints_with_black_alone(&file, printed);
            ids.push(format.to_owned());
        }
    }
    for layout in ["storybook_", "pod_"] {
        assert_eq!(ids.iter().filter(|id| id.starts_with(layout)).count(), 6, "{ids:?}");
    }
    assert_eq!(ids.len(), 18);
}

#[tokio::test]
async fn every_layout_has_a_faultless_cover_and_interior_for_each_printer_with_its_size() {
    let app = TestApp::builder().all_plugins().start().await;
    let ada = app.account(9).await;
    let folder = tempfile::tempdir().unwrap();
    // The classic layout is too thin for a paperback. Of the other layouts, KDP has no large landscape format, and
    // Lulu has neither 8 x 10 in nor 8.25 x 6 in.
    for (aspect, covers) in [("square", 6), ("portrait", 9), ("landscape", 4)] {
        let path = book(&app, &ada, aspect, 2).await;
        let formats = ada.get(&path).await.expect(200)["book"]["print_formats"].clone();
        let mut printed = 0;
        for format in formats
            .as_array()
            .unwrap()
            .iter()
            .map(|format| format.as_str().unwrap())
        {
            for edition in ["kdp", "lulu"] {
                let query = format!("format={format}&edition={edition}&part=cover");
                let reply = ada.get(&format!("{path}/pdf?{query}")).await;
                if reply.status == 422 {
                    continue;
                }
                assert_eq!(reply.status, 200, "{query}: {}", String::from_utf8_lossy(&reply.body));
                let file = folder.path().join("cover.pdf");
                fs::write(&file, &reply.body).unwrap();
                is_sound(&file);
                has_its_fonts(&file);
                prints_with_black_alone(&file, 1);
                for part in ["cover", "interior"] {
                    let query = format!("format={format}&edition={edition}&part={part}");
                    let check = ada.get(&format!("{path}/print_check?{query}")).await.expect(200);
                    assert_eq!(check["print_check"]["findings"], json!([]), "{query}");
                }
                printed += 1;
            }
        }
        assert_eq!(printed, covers, "{aspect}");
    }
}

#[tokio::test]
async fn a_book_too_thin_for_a_printer_is_filled_by_print_on_demand() {
    let app = TestApp::builder().all_plugins().start().await;
    let ada = app.account(9).await;
    let path = book(&app, &ada, "portrait", 1).await;
    for (format, edition, status) in [
        ("us_letter", "kdp", 422),
        ("pod_letter", "kdp", 200),
        ("pod_8x10", "kdp", 200),
        ("pod_letter", "lulu", 200),
        ("storybook_letter", "lulu", 200),
    ] {
        let reply = ada.get(&format!("{path}/pdf?format={format}&edition={edition}")).await;
        assert_eq!(reply.status, status, "{format} for {edition}");
    }
}
