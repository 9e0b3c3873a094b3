//! `/library/books/{id}/preview`: a book to leaf through as it is printed.
use axum::body::to_bytes;
use serde_json::json;

use crate::test_app::TestApp;

#[tokio::test]
async fn a_book_is_leafed_through_in_pairs_of_pages() {
    let app = TestApp::start().await;
    let ada = app.account(20).await;
    let titles: Vec<String> = (1..=13).map(|number| format!("A fox {number}")).collect();
    let titles: Vec<&str> = titles.iter().map(String::as_str).collect();
    let book = app.ready_book(&ada, &titles).await;
    let mut browser = app.browser_of("ada@example.com").await;
    let options = "format=us_letter&edition=kdp&backs=blank&part=interior";
    let panel = browser.get(&format!("/library/books/{book}")).await;
    panel.expect(200, &format!("/library/books/{book}/preview?format=us_letter"));
    let path = format!("/library/books/{book}/preview");

    let first = browser.get(&format!("{path}?{options}")).await;
    first.expect(200, "Page 1 of 32");
    assert!(!first.text.contains("rel=\"prev\"") && first.text.contains("rel=\"next\""));
    first
        .expect(200, "/preview/picture?format=us_letter")
        .expect(200, "page=1&#38;last=1&#38;version=");
    let inside = browser.get(&format!("{path}?{options}&page=7")).await;
    inside.expect(200, "Pages 6 and 7 of 32").expect(200, "page=8#leaf");
    inside.expect(200, "page=6&#38;last=7&#38;version=");
    let last = browser.get(&format!("{path}?{options}&page=99")).await;
    last.expect(200, "Page 32 of 32");
    assert!(!last.text.contains("rel=\"next\""));
    let cover = browser
        .get(&format!("{path}?format=us_letter&edition=kdp&part=cover"))
        .await;
    cover
        .expect(200, "The cover as one sheet")
        .expect(200, "The pages inside");

    // The pictures are those of the PDF: a page with a drawing has ink, a blank back has none.
    let (_, version) = first.text.split_once("version=").unwrap();
    let version = version.split('"').next().unwrap();
    for (pages, version, width, has_ink) in [
        ("page=1", version, 1, true),
        ("page=2&last=2", "earlier", 1, false),
        ("page=6&last=7", version, 2, true),
    ] {
        let address = format!("{path}/picture?{options}&{pages}&version={version}");
        let picture = browser.open(&address).await;
        assert_eq!(picture.headers()["content-type"], "image/jpeg");
        // A picture of another version than the page's is not stored.
        let caching = match version {
            "earlier" => "no-store",
            _ => "private, max-age=604800, immutable",
        };
        assert_eq!(picture.headers()["cache-control"], caching);
        let picture = to_bytes(picture.into_body(), usize::MAX).await.unwrap();
        let picture = image::load_from_memory(&picture).unwrap().into_luma8();
        assert_eq!(picture.height(), 1100);
        // A page is 850 of 1100 units wide; two of them have a line between them.
        assert!(picture.width().abs_diff(850 * width) < 60, "{}", picture.width());
        let ink = picture.pixels().filter(|pixel| pixel.0[0] < 128).count();
        assert_eq!(ink > 0, has_ink, "{pages}");
    }
    for pages in ["page=33", "page=32&last=33", "page=0", "page=7&last=6", "page=2&last=4"] {
        browser
            .get(&format!("{path}/picture?{options}&{pages}"))
            .await
            .expect(404, "There is nothing here");
    }
    // A book that the printer does not print so is refused with the reason.
    let path = format!("/library/books/{}", app.ready_book(&ada, &["A fox"]).await);
    browser
        .get(&format!("{path}/preview?format=us_letter&edition=kdp"))
        .await
        .expect(422, "Amazon KDP prints 24 to 590 pages");
}

#[tokio::test]
async fn a_book_from_right_to_left_is_leafed_through_in_its_direction() {
    let app = TestApp::start().await;
    let ada = app.account(20).await;
    let pages = vec![json!({"title": "A fox"}); 13];
    let body = json!({"book": {"title": "Woods", "language": "he", "pages": pages}});
    let book = app.accepted(&ada, "/books", &body).await.book_id();
    app.draw_what_is_due().await;
    let mut browser = app.browser_of("ada@example.com").await;
    let inside = browser
        .get(&format!("/library/books/{book}/preview?edition=kdp&page=4"))
        .await;
    inside.expect(200, "Pages 4 and 5 of 32").expect(200, "dir=\"rtl\"");
}
