//! `/library/books/{id}`: the page of a book and its actions.
use std::time::Duration;

use linepress_model::Audience;
use serde_json::json;

use crate::test_app::{Form, TestApp, pictures};

#[tokio::test]
async fn a_book_shows_its_pages_and_leads_to_its_pdf() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let book = app.ready_book(&ada, &["A <b>fox</b>", "An owl"]).await;
    let mut browser = app.browser_of("ada@example.com").await;
    let library = browser.get("/library").await;
    library
        .expect(200, &format!("href=\"/library/books/{book}\""))
        .expect(200, "2 pages");
    let page = browser.get(&format!("/library/books/{book}")).await;
    page.expect(200, "Ready to print")
        .expect(200, "An owl")
        .expect(200, "A &#60;b&#62;fox");
    assert!(!page.text.contains("<b>fox"));
    let address = format!("/library/books/{book}/pdf?format=us_letter");
    page.expect(200, &format!("{address}&#38;backs=blank"));
    let pdf = browser.open(&address).await;
    assert_eq!(pdf.headers()["content-type"], "application/pdf");
    assert_eq!(
        pdf.headers()["content-disposition"],
        "attachment; filename=\"woodland-friends-us_letter.pdf\""
    );
    assert_eq!(pdf.headers()["cache-control"], "private, no-store");
    let pdf = axum::body::to_bytes(pdf.into_body(), usize::MAX).await.unwrap();
    assert!(pdf.starts_with(b"%PDF-"));
    browser
        .get(&format!("/library/books/{book}/pdf?format=square"))
        .await
        .expect(422, "square is for square books");
}

#[tokio::test]
async fn pages_are_moved_taken_out_and_put_back() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let book = app.ready_book(&ada, &["One", "Two", "Three"]).await;
    let ids = ada.page_ids(&book).await;
    let [one, two, three] = ids.as_slice() else { panic!() };
    let mut browser = app.browser_of("ada@example.com").await;
    let path = format!("/library/books/{book}");
    let order = format!("{path}/order");
    browser
        .submit(&path, &order, &[("up", three)])
        .await
        .expect_done(&format!("{path}?done=moved#{three}"));
    assert_eq!(ada.page_ids(&book).await, [one.clone(), three.clone(), two.clone()]);
    browser
        .submit(&path, &order, &[("down", one)])
        .await
        .expect_done(&format!("{path}?done=moved#{one}"));
    assert_eq!(ada.page_ids(&book).await, [three.clone(), one.clone(), two.clone()]);
    browser
        .submit(
            &path,
            &order,
            &[
                ("was_order", &format!("{three},{one},{two}")),
                ("order", &ids.join(",")),
            ],
        )
        .await
        .expect_done(&format!("{path}?done=moved"));
    assert_eq!(ada.page_ids(&book).await, ids);
    let twice = format!("{one},{one},{two}");
    browser
        .submit(&path, &order, &[("was_order", &ids.join(",")), ("order", &twice)])
        .await
        .expect(422, "names a page for the second time");

    browser
        .submit(&path, &format!("{path}/take-out"), &[("page", one)])
        .await
        .expect_done(&format!("{path}?done=taken-out"));
    assert_eq!(ada.page_ids(&book).await, [two.clone(), three.clone()]);
    browser.get(&format!("{path}/add")).await.expect(200, one);
    browser
        .submit(
            &path,
            &format!("{path}/attach"),
            &[("page", one), ("idempotency_key", "form-1")],
        )
        .await
        .expect_redirect(&format!("{path}?done=added"));
    assert_eq!(ada.page_ids(&book).await, [two.clone(), three.clone(), one.clone()]);
    assert_eq!(ada.credits().await, 6);
}

#[tokio::test]
async fn a_new_page_and_a_new_cover_cost_one_credit_each_even_if_sent_twice() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let book = app.ready_book(&ada, &["One"]).await;
    let mut browser = app.browser_of("ada@example.com").await;
    let path = format!("/library/books/{book}");
    let new = [("title", "Two"), ("idempotency_key", "form-1"), ("price", "1")];
    for _ in 0..2 {
        let drawn = browser.submit(&path, &format!("{path}/pages"), &new).await;
        drawn.expect_redirect(&format!("{path}?done=drawing"));
    }
    browser
        .get(&path)
        .await
        .expect(200, "0 of 1 drawn")
        .expect(200, "http-equiv=\"refresh\"");
    app.draw_what_is_due().await;
    for _ in 0..2 {
        let drawn = browser
            .submit(
                &path,
                &format!("{path}/cover/draw"),
                &[("prompt", "A moon"), ("idempotency_key", "form-2"), ("price", "1")],
            )
            .await;
        drawn.expect_redirect(&format!("{path}?done=drawing"));
    }
    let busy = [("prompt", "A star"), ("idempotency_key", "form-3")];
    browser
        .submit(&path, &format!("{path}/cover/draw"), &busy)
        .await
        .expect(409, "Wait until the drawing has ended");
    app.draw_what_is_due().await;
    assert_eq!(ada.credits().await, 6);
    assert_eq!(ada.book(&book).await.cover.prompt, "A moon");
    browser
        .submit(&path, &format!("{path}/pages"), &[("title", "Three")])
        .await
        .expect(400, "That did not work");
}

#[tokio::test]
async fn a_failed_drawing_shows_the_reason_and_can_be_drawn_again() {
    let app = TestApp::builder()
        .image_provider("testbed.flaky", json!({"fail": "refused", "seeds": "all"}))
        .start()
        .await;
    let ada = app.account(9).await;
    let body = json!({"book": {"title": "B", "pages": [{"title": "One"}]}});
    let accepted = app.accepted(&ada, "/books", &body).await;
    app.draw_everything().await;
    let book = accepted.book_id();
    let page = accepted.book().pages[0].id.to_string();
    let mut browser = app.browser_of("ada@example.com").await;
    let path = format!("/library/books/{book}");
    let shown = browser.get(&path).await;
    shown
        .expect(200, "The image provider declined to draw this.")
        .expect(200, "1 page is missing")
        .expect(200, "The cover could not be drawn")
        .expect(200, "Draw the cover for free")
        .expect(200, "Draw again for 1 credit");
    browser
        .get(&format!("{path}/pdf"))
        .await
        .expect(422, "Not every page of the book is ready");
    let again = [("book", book.as_str()), ("idempotency_key", "form-1"), ("price", "1")];
    let again = browser
        .submit(&path, &format!("/library/pages/{page}/draw"), &again)
        .await;
    again.expect_redirect(&format!("{path}?done=drawing"));
    let cover = [("idempotency_key", "form-2"), ("price", "0")];
    browser
        .submit(&path, &format!("{path}/cover/draw"), &cover)
        .await
        .expect_redirect(&format!("{path}?done=drawing"));
    assert_eq!(ada.credits().await, 8, "a book's first cover is free");
}

#[tokio::test]
async fn a_book_is_changed_gets_another_cover_and_is_deleted() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let book = app.ready_book(&ada, &["One"]).await;
    let mut browser = app.browser_of("ada@example.com").await;
    let path = format!("/library/books/{book}");
    let change = [
        ("title", "Night"),
        ("subtitle", ""),
        ("author", "Ada"),
        ("isbn", "3 16 148410 X"),
        ("audience", "adult"),
        ("cover_prompt", "A moon"),
    ];
    browser
        .submit(&path, &path, &change)
        .await
        .expect_redirect(&format!("{path}?done=saved"));
    let changed = ada.book(&book).await;
    assert_eq!(
        [changed.title, changed.author, changed.isbn],
        ["Night", "Ada", "978-3-16-148410-0"]
    );
    browser
        .submit(&path, &path, &[("isbn", "978-3-16-148410-1")])
        .await
        .expect(422, "its check digit does not match");
    assert_eq!(changed.audience, Audience::Adult);
    browser
        .submit(&path, &path, &[("title", " ")])
        .await
        .expect(422, "id=\"title-error\"");

    let token = browser.csrf_token(&path).await;
    let form = |key| Form::of_page(&token, key);
    let picture = form("form-1").picture("moon.png", &pictures::png(576, 768));
    browser
        .send_file(&format!("{path}/cover/replace"), picture)
        .await
        .expect_done(&format!("{path}?done=replaced"));
    browser.get(&path).await.expect(200, "/cover/image?revision=2");
    let text = form("form-2").picture("moon.png", b"<svg/>");
    browser
        .send_file(&format!("{path}/cover/replace"), text)
        .await
        .expect(422, "That did not work");

    browser
        .submit(&path, &format!("{path}/delete"), &[])
        .await
        .expect_done("/library?done=deleted");
    browser.get(&path).await.expect(404, "There is nothing here");
    browser
        .get("/library?done=deleted")
        .await
        .expect(200, "Deleted.")
        .expect(200, "No books yet");
}

#[tokio::test]
async fn a_long_library_is_shown_in_parts() {
    let app = TestApp::start().await;
    let ada = app.account(30).await;
    for number in 0..26 {
        let body = json!({"book": {"title": format!("Book number {number}."), "pages": [{"title": "A"}]}});
        app.accepted(&ada, "/books", &body).await;
        // Books need different times of creation to have an order.
        app.server.clock.advance(Duration::from_secs(1));
    }
    let mut browser = app.browser_of("ada@example.com").await;
    let first = browser.get("/library").await;
    first.expect(200, "Book number 25.").expect(200, "Book number 2.");
    assert!(!first.text.contains("Book number 1."), "newest first, 24 of them");
    let (_, rest) = first.text.split_once("/library?after=").unwrap();
    let rest = browser
        .get(&format!("/library?after={}", rest.split('"').next().unwrap()))
        .await;
    rest.expect(200, "Book number 1.").expect(200, "Book number 0.");
    browser.get("/library?after=nonsense").await.expect_redirect("/library");
}
