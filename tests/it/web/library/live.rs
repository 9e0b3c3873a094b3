//! Requirements of the script for live pages: their own address, parts that change, and notices that end.
use std::time::Duration;

use linepress_accounts::accounts::Plan;
use serde_json::json;

use crate::test_app::{Browser, TestApp, book_of, id};
use crate::testing;

#[tokio::test]
async fn the_page_of_a_refused_form_contains_its_own_address() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let accepted = app.accepted(&ada, "/books", &book_of(2)).await;
    let path = format!("/library/books/{}", accepted.book_id());
    let mut browser = app.browser_of("ada@example.com").await;
    let busy = [("prompt", "A star"), ("idempotency_key", "form-1")];
    let refused = browser.submit(&path, &format!("{path}/cover/draw"), &busy).await;
    refused
        .expect(409, &format!("data-address=\"{path}\""))
        .expect(409, &format!("content=\"5; url={path}\""))
        .expect(409, "data-follow=");
    // A drawing that would be refused is not offered.
    let cover_button = refused.text.split("data-part=\"cover-button\"").nth(1).unwrap();
    assert!(cover_button.split("</div>").next().unwrap().contains("disabled"));
}

#[tokio::test]
async fn the_notice_about_a_started_drawing_ends_with_the_drawing() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let accepted = app.accepted(&ada, "/books", &book_of(2)).await;
    let path = format!("/library/books/{}", accepted.book_id());
    let mut browser = app.browser_of("ada@example.com").await;
    let ordered = format!("{path}?done=ordered");
    let shown = browser.get(&ordered).await;
    shown
        .expect(200, "Ordered. The pages appear here")
        .expect(200, "0 of 3 drawn")
        .expect(200, "drawings are done (pages and cover)");
    // A single number shows the progress.
    assert!(!shown.text.contains("of 2 pages"), "{}", shown.text);
    app.draw_what_is_due().await;
    let shown = browser.get(&ordered).await;
    shown.expect(200, "Ready to print");
    assert!(!shown.text.contains("Ordered."), "{}", shown.text);
    browser.get(&format!("{path}?done=saved")).await.expect(200, "Saved.");
}

#[tokio::test]
async fn drawings_that_have_not_begun_are_canceled_from_the_page_that_shows_them() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let accepted = app.accepted(&ada, "/books", &book_of(2)).await;
    let book = format!("/library/books/{}", accepted.book_id());
    let form = format!("/library/operations/{}/cancel", accepted.operation.id);
    let mut browser = app.browser_of("ada@example.com").await;
    browser.get(&book).await.expect(200, &format!("action=\"{form}\""));
    browser.get(&form).await.expect_redirect("/library");
    let canceled = format!("{book}?done=canceled");
    browser.submit(&book, &form, &[]).await.expect_redirect(&canceled);
    let shown = browser.get(&canceled).await;
    shown.expect(200, "its credits are back in your account");
    assert!(!shown.text.contains(&form), "{}", shown.text);
    assert_eq!(ada.credits().await, 9);
    app.check_ledger().await;
}

#[tokio::test]
async fn a_drawing_that_has_not_begun_says_how_many_of_the_account_come_before_it() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let mut browser = app.browser_of("ada@example.com").await;
    let first = app.new_page(&ada, "A fox").await.page().id.to_string();
    let begun = testing::claim(&app.server).await.unwrap().unwrap();
    let ben = app.account_named("ben@example.com", Plan::Business, 1).await;
    app.new_page(&ben, "A bear").await;
    // The order of ids is that of their times.
    app.server.clock.advance(Duration::from_secs(1));
    let second = app.new_page(&ada, "A hare").await.page().id.to_string();
    app.server.clock.advance(Duration::from_secs(1));
    app.accepted(&ada, "/books", &book_of(2)).await;
    app.server.clock.advance(Duration::from_secs(1));
    let last = app.new_page(&ada, "An owl").await.page().id.to_string();
    let waits_for = async |browser: &mut Browser, page: &str| {
        let shown = browser.get(&format!("/library/pages/{page}")).await;
        shown.expect(200, "data-ended>0</span> of");
        let (_, words) = shown.text.split_once("data-waits>")?;
        words.split("</p>").next().map(str::to_owned)
    };
    // One that has begun counts until it has ended. The book has a cover.
    for (page, expected) in [
        (&first, None),
        (&second, Some("Waits for 1 drawing that was ordered before it.")),
        (&last, Some("Waits for 5 drawings that were ordered before it.")),
    ] {
        assert_eq!(waits_for(&mut browser, page).await.as_deref(), expected);
    }
    testing::attempt(&app.server, &begun).await;
    assert_eq!(waits_for(&mut browser, &second).await, None);
}

#[tokio::test]
async fn each_book_of_the_library_is_updated_separately() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let mut browser = app.browser_of("ada@example.com").await;
    for title in ["One", "Two"] {
        let body = json!({"book": {"title": title, "pages": [{"title": "A"}]}});
        let book = app.accepted(&ada, "/books", &body).await.book_id();
        browser
            .get("/library")
            .await
            .expect(200, &format!("data-part=\"{book}\""));
    }
}

#[tokio::test]
async fn the_description_of_a_character_that_is_drawn_again_is_a_part_that_the_script_updates() {
    let app = TestApp::start().await;
    let ada = app.account(3).await;
    let pip = app.ready_character(&ada, "Pip").await;
    let mut browser = app.browser_of("ada@example.com").await;
    let path = format!("/library/characters/{pip}");
    let again = [("description", "An owl"), ("idempotency_key", "form-1"), ("price", "1")];
    browser.submit(&path, &format!("{path}/draw"), &again).await;
    let before = browser.get(&path).await;
    app.draw_what_is_due().await;
    let after = browser.get(&path).await;
    for name in ["texts", "description"] {
        assert!(!before.part(name).contains("An owl"), "{}", before.text);
        assert!(after.part(name).contains("An owl"), "{}", after.text);
    }
}

#[tokio::test]
async fn everything_that_is_said_of_a_drawing_is_a_part_that_the_script_updates() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let accepted = ada.generate("/pages", "k1", &json!({"page": {"title": "A fox"}})).await;
    let path = format!("/library/pages/{}", id(&accepted.expect(202), "page"));
    let mut browser = app.browser_of("ada@example.com").await;
    let shown = browser.get(&path).await;
    assert_eq!(shown.part("about").trim(), "");
    app.draw_what_is_due().await;
    let shown = browser.get(&path).await;
    let link = format!("<a href=\"{path}/print\" download>Download it at print resolution</a>");
    assert!(shown.part("about").contains(&link), "{}", shown.text);
    assert_eq!(shown.text.matches("Download it at print resolution").count(), 1);
}
