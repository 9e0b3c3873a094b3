//! Printing: agents learn which format is printed, by which printer, and which pages a book lacks.
use serde_json::json;

use crate::test_app::{TestApp, book_of};

#[tokio::test]
async fn a_pdf_and_its_check_name_the_format_and_the_other_part() {
    let app = TestApp::start().await;
    let ada = app.account(20).await;
    let book = app.ready_book(&ada, &["A fox"; 14]).await;
    let agent = app.agent("ada@example.com").await;
    for (part, other) in [
        (None, "cover"),
        (Some("interior"), "cover"),
        (Some("cover"), "interior"),
    ] {
        let mut arguments = json!({"book_id": book, "edition": "kdp"});
        if let Some(part) = part {
            arguments["part"] = part.into();
        }
        let link = agent.call("get_book_pdf", arguments.clone()).await;
        let format = &link.expect()["print_format"];
        assert_eq!(format["id"], "us_letter");
        assert_eq!(
            (&format["trim"]["width_in"], &format["trim"]["height_in"]),
            (&json!(8.5), &json!(11.0))
        );
        let sentence = format!(
            "Format: us_letter ({}), 8.5 x 11.0 inches, for a book of {} pages with blank ones.",
            format["name"].as_str().unwrap(),
            format["page_count"]
        );
        assert!(link.text().contains(&sentence), "{}", link.text());
        let next = format!(
            "give the url to the user. The printer takes two files: call get_book_pdf with part: {other} for the other one."
        );
        assert_eq!(link.expect()["next"], next);

        let checked = agent.call("check_book_print", arguments).await;
        assert_eq!(checked.expect()["print_format"], *format);
        assert!(checked.text().contains(&sentence), "{}", checked.text());
        if other == "cover" {
            assert_eq!(checked.expect()["print_check"]["page_count"], format["page_count"]);
        }
    }
}

#[tokio::test]
async fn a_format_names_the_printers_that_take_it() {
    let app = TestApp::start().await;
    app.account(0).await;
    let agent = app.agent("ada@example.com").await;
    let listed = agent.call("list_print_formats", json!({})).await;
    let formats = listed.expect()["print_formats"].as_array().unwrap();
    let printers = |id: &str| formats.iter().find(|format| format["id"] == id).unwrap()["printers"].clone();
    let kdp = json!({"edition": "kdp", "min_pages": 24, "max_pages": 590});
    let lulu = json!({"edition": "lulu", "min_pages": 32, "max_pages": 800});
    assert_eq!(printers("us_letter"), json!([kdp, lulu]));
    assert_eq!(printers("us_letter_landscape"), json!([lulu]));
    for (id, words) in [
        ("us_letter", "at home, kdp (24 to 590 pages), lulu (32 to 800 pages)"),
        ("us_letter_landscape", "at home, lulu (32 to 800 pages)"),
    ] {
        let mut lines = listed.text().lines();
        let line = lines.find(|line| line.starts_with(&format!("{id}: "))).unwrap();
        assert!(line.ends_with(&format!("mm bleed; {words}")), "{line}");
    }
}

#[tokio::test]
async fn of_an_unready_book_ten_pages_are_named_and_the_others_counted() {
    let app = TestApp::start().await;
    let ada = app.account(100).await;
    let agent = app.agent("ada@example.com").await;
    let made = app.accepted(&ada, "/books", &book_of(100)).await;
    let refused = agent.call("get_book_pdf", json!({"book_id": made.book_id()})).await;
    let error = refused.expect_error("book_not_ready");
    let details = error["details"].as_array().unwrap();
    assert_eq!(details.len(), 10);
    // The cover is not ready either.
    assert_eq!(error["details_left_out"], 91);
    let each: Vec<&str> = details.iter().filter_map(|detail| detail["message"].as_str()).collect();
    let text = format!(
        "The book is not ready. Wait for, regenerate or replace these: {}; and 91 more.",
        each.join("; ")
    );
    assert_eq!(refused.text(), text);
}

#[tokio::test]
async fn artwork_that_replaces_a_cover_is_said_to_be_the_cover() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let book = app.ready_book(&ada, &["A fox"]).await;
    let agent = app.agent("ada@example.com").await;
    let upload = ada.new_upload().await;
    let picture = crate::test_app::pictures::png(576, 768);
    ada.send_to(&upload.url, picture).await.expect_no_content_at_all();
    let arguments = json!({"book_id": book, "upload_id": upload.id});
    let replaced = agent.call("replace_book_cover_image", arguments).await;
    assert_eq!(replaced.expect()["note"], "The artwork is now the cover.");
    assert!(
        replaced.text().contains("\nThe artwork is now the cover.\n"),
        "{}",
        replaced.text()
    );
}
