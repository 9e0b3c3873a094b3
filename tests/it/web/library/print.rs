//! Printing a book from its page: available and unavailable sizes, refusals, and the print check.
use serde_json::json;

use crate::test_app::{Actor, Browser, Html, TestApp};

/// Has a book with this number of pages drawn; returns its page and a browser in which its owner is signed in.
async fn ready(app: &TestApp, ada: &Actor, pages: usize) -> (String, Browser) {
    let titles: Vec<String> = (1..=pages).map(|number| format!("Page {number}")).collect();
    let titles: Vec<&str> = titles.iter().map(String::as_str).collect();
    let book = app.ready_book(ada, &titles).await;
    (
        format!("/library/books/{book}"),
        app.browser_of("ada@example.com").await,
    )
}

/// Returns the addresses of links that contain this part.
fn links<'a>(page: &'a Html, part: &str) -> Vec<&'a str> {
    let addresses = page
        .text
        .split("href=\"")
        .skip(1)
        .filter_map(|rest| rest.split('"').next());
    addresses.filter(|address| address.contains(part)).collect()
}

#[tokio::test]
async fn every_offered_paperback_can_be_printed_and_the_others_name_the_reason() {
    let app = TestApp::start().await;
    let ada = app.account(40).await;
    let (path, mut browser) = ready(&app, &ada, 2).await;
    let few = browser.get(&path).await;
    few.expect(
        200,
        "Amazon KDP prints 24 to 590 pages of this size, but the book has 10.",
    )
    .expect(200, "As it is, the book fits none of this printer’s sizes.");
    assert_eq!(links(&few, "part=interior"), Vec::<&str>::new());
    // The backs affect the number of pages.
    let printed = browser.get(&format!("{path}?edition=home&backs=printed")).await;
    printed
        .expect(200, "<details id=\"print-home\" open>")
        .expect(200, "format=us_letter&#38;backs=printed");
    let printed = browser.get(&format!("{path}?edition=kdp&backs=printed")).await;
    printed
        .expect(200, "<details id=\"print-kdp\" open>")
        .expect(200, "<details id=\"print-home\">")
        .expect(200, &format!("data-address=\"{path}?edition=kdp&#38;backs=printed\""));

    let (path, mut browser) = ready(&app, &ada, 12).await;
    let enough = browser.get(&path).await;
    let offered: Vec<String> = links(&enough, "edition=").into_iter().map(String::from).collect();
    let files: Vec<&String> = offered.iter().filter(|address| address.contains("/pdf?")).collect();
    assert!(
        files.iter().any(|address| address.contains("part=interior")),
        "{offered:?}"
    );
    assert!(
        files.iter().any(|address| address.contains("part=cover")),
        "{offered:?}"
    );
    for address in files {
        let prepared = browser
            .get(&format!("{}&prepare=yes", address.replace("&#38;", "&")))
            .await;
        assert_eq!(prepared.status, 204, "{address}: {}", prepared.text);
    }
}

#[tokio::test]
async fn an_unavailable_size_is_named() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let body = json!({"book": {"title": "B", "aspect": "landscape", "pages": [{"title": "One"}]}});
    let book = app.accepted(&ada, "/books", &body).await.book_id();
    app.draw_what_is_due().await;
    let mut browser = app.browser_of("ada@example.com").await;
    browser
        .get(&format!("/library/books/{book}"))
        .await
        .expect(200, "Amazon KDP has no pages of 11.69 x 8.27 in");
}

#[tokio::test]
async fn a_refused_file_is_reported_on_the_page_of_the_book() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let (path, mut browser) = ready(&app, &ada, 2).await;
    let refused = browser
        .get(&format!("{path}/pdf?format=us_letter&edition=kdp&part=interior"))
        .await;
    refused
        .expect(422, "Amazon KDP prints 24 to ")
        .expect(422, "Woodland Friends")
        .expect(422, "Change the book");
    browser
        .get(&format!("{path}/pdf?format=nothing"))
        .await
        .expect(400, "This server does not offer this size.");
}

#[tokio::test]
async fn a_file_is_prepared_before_it_is_downloaded() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let (path, mut browser) = ready(&app, &ada, 1).await;
    let prepared = browser.get(&format!("{path}/pdf?format=us_letter&prepare=yes")).await;
    assert_eq!((prepared.status.as_u16(), prepared.text.as_str()), (204, ""));
    assert!(app.objects().iter().any(|key| key.starts_with("prints/")));
    let pdf = browser.open(&format!("{path}/pdf?format=us_letter")).await;
    assert_eq!(pdf.headers()["content-type"], "application/pdf");
}

#[tokio::test]
async fn all_files_for_a_printer_come_as_one_archive() {
    let app = TestApp::start().await;
    let ada = app.account(40).await;
    let (path, mut browser) = ready(&app, &ada, 12).await;
    let shown = browser.get(&path).await;
    shown
        .expect(200, "spine 0.")
        .expect(200, "Download all (ZIP)")
        .expect(200, "Download everything");
    // The archives in the recommended sizes come first.
    for words in ["To print at home (PDF)", "For Amazon KDP (ZIP)"] {
        let above = shown.text.split("Where will you print it?").next().unwrap();
        assert!(above.contains(words), "{words}: {above}");
    }
    let package = links(&shown, "/package?")[0].replace("&#38;", "&");
    assert!(package.contains("edition=kdp"), "{package}");
    let prepared = browser.get(&format!("{package}&prepare=yes")).await;
    assert_eq!((prepared.status.as_u16(), prepared.text.as_str()), (204, ""));
    let archive = browser.open(&package).await;
    assert_eq!(archive.headers()["content-type"], "application/zip");
    // The reason why there is none is shown on the page of the book.
    let (path, mut browser) = ready(&app, &ada, 2).await;
    let few = browser.get(&path).await;
    assert!(!few.text.contains("Download everything"), "{}", few.text);
    for end in ["", "&prepare=yes"] {
        browser
            .get(&format!("{path}/package?format=us_letter&edition=kdp{end}"))
            .await
            .expect(422, "Amazon KDP prints 24 to ")
            .expect(422, "Change the book");
    }
}

#[tokio::test]
async fn a_pdf_is_shown_in_the_browser_to_be_printed_at_once() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let (path, mut browser) = ready(&app, &ada, 1).await;
    let shown = browser.get(&path).await;
    let address = links(&shown, "show=yes")[0].replace("&#38;", "&");
    let pdf = browser.open(&address).await;
    let disposition = pdf.headers()["content-disposition"].to_str().unwrap();
    assert!(disposition.starts_with("inline; filename="), "{disposition}");
    let saved = browser.open(&address.replace("&show=yes", "")).await;
    let disposition = saved.headers()["content-disposition"].to_str().unwrap();
    assert!(disposition.starts_with("attachment; filename="), "{disposition}");
}

#[tokio::test]
async fn the_texts_for_a_shop_are_shown_to_be_copied() {
    let app = TestApp::start().await;
    let ada = app.account(40).await;
    let (path, mut browser) = ready(&app, &ada, 3).await;
    let shown = browser.get(&format!("{path}/listing")).await;
    shown
        .expect(200, "value=\"Woodland Friends\"")
        .expect(200, "Inside: 3 drawings to color.")
        .expect(200, "coloring book for kids ages 4-8")
        .expect(200, "4 to 8 years")
        .expect(200, "All 4 drawings were made with AI.")
        .expect(200, "<td>Page 3</td>");
    assert_eq!(shown.text.matches("maxlength=\"50\"").count(), 7);
    assert_eq!(shown.text.matches("data-copy=").count(), 10);
}

#[tokio::test]
async fn a_book_is_checked_for_its_printer_in_the_browser() {
    let app = TestApp::start().await;
    let ada = app.account(40).await;
    let (path, mut browser) = ready(&app, &ada, 12).await;
    let shown = browser.get(&path).await;
    let check = links(&shown, "/print_check?")[0].replace("&#38;", "&");
    let checked = browser.get(&check).await;
    checked
        .expect(200, "Print check")
        .expect(200, "Interior")
        .expect(200, "Cover");
    let answer = ada
        .get(
            &check
                .replace("/library", "")
                .replace("&edition", "&part=interior&edition"),
        )
        .await
        .expect(200);
    for finding in answer["print_check"]["findings"].as_array().unwrap() {
        let message = finding["message"].as_str().unwrap();
        assert!(checked.text.contains(message), "{message} is not in {}", checked.text);
    }
    // A book that cannot be printed cannot be checked.
    let (path, mut browser) = ready(&app, &ada, 2).await;
    browser
        .get(&format!("{path}/print_check?format=us_letter&edition=kdp"))
        .await
        .expect(200, "Amazon KDP prints 24 to 590 pages");
}

#[tokio::test]
async fn texts_that_no_font_has_are_named_in_words() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let body = json!({"book": {"title": "한국어", "pages": [{"title": "One", "caption": "책"}]}});
    let book = app.accepted(&ada, "/books", &body).await.book_id();
    app.draw_what_is_due().await;
    let mut browser = app.browser_of("ada@example.com").await;
    let words = "some characters of these texts: Title (국, 어, 한); Page 1, caption (책). Change them";
    for address in ["pdf?format=us_letter", "print_check?format=us_letter"] {
        let shown = browser.get(&format!("/library/books/{book}/{address}")).await;
        assert!(shown.text.contains(words), "{address}: {}", shown.text);
        assert!(!shown.text.contains("`details`"), "{address}: {}", shown.text);
    }
}

#[tokio::test]
async fn the_language_of_a_book_can_be_chosen_and_other_languages_are_preserved() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let body = json!({"book": {"title": "B", "language": "nl", "pages": [{"title": "One"}]}});
    let book = app.accepted(&ada, "/books", &body).await.book_id();
    app.draw_what_is_due().await;
    let path = format!("/library/books/{book}");
    let mut browser = app.browser_of("ada@example.com").await;
    browser
        .get(&path)
        .await
        .expect(200, "<option value=\"nl\" lang=\"nl\" selected>")
        .expect(200, "<option value=\"de\" lang=\"de\">Deutsch");
    let change = [("title", "B"), ("cover_prompt", "A moon"), ("language", "de")];
    browser
        .submit(&path, &path, &change)
        .await
        .expect_redirect(&format!("{path}?done=saved"));
    assert_eq!(ada.book(&book).await.language, "de");
}
