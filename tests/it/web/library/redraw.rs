//! Several pages of a book are drawn again with one order: on the page of the book, and while its pages are reviewed
//! one by one.
use std::time::Duration;

use linepress_accounts::accounts::Plan;
use serde_json::json;

use crate::test_app::{Actor, TestApp};

async fn revision(ada: &Actor, page: &str) -> i64 {
    let page = ada.look(&format!("/pages/{page}"), "page").await;
    page["image"]["revision"].as_i64().unwrap()
}

#[tokio::test]
async fn selected_pages_of_a_book_are_drawn_again_for_one_price() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let book = app.ready_book(&ada, &["A fox", "An owl", "A hare"]).await;
    let ids = ada.page_ids(&book).await;
    let path = format!("/library/books/{book}");
    let mut browser = app.browser_of("ada@example.com").await;
    let select = format!("{path}?select=yes");
    let shown = browser.get(&path).await;
    shown.expect(200, &format!("href=\"{select}#pages\""));
    assert!(!shown.text.contains("name=\"selected\""));
    let selecting = browser.get(&select).await;
    assert_eq!(selecting.text.matches("name=\"selected\"").count(), 3);
    assert!(!selecting.text.contains("data-sortable"));

    let redraw = format!("{path}/redraw");
    browser
        .get(&redraw)
        .await
        .expect_redirect(&format!("{select}&done=none-selected"));
    // Pages of other books, and ids of nothing, are left out.
    let other = app.ready_page(&ada, "A wolf").await;
    let chosen = format!(
        "{redraw}?selected={}&selected={}&selected={other}&selected=x",
        ids[2], ids[0]
    );
    let confirm = browser.get(&chosen).await;
    confirm.expect(200, "Draw these 2 pages again for 2 credits");
    assert!(!confirm.text.contains("A wolf"));
    browser
        .send_form(&confirm, &redraw, &[("price", "1")])
        .await
        .expect(409, "That did not work");
    assert_eq!(ada.credits().await, 5);
    for _ in 0..2 {
        browser
            .send_form(&confirm, &redraw, &[])
            .await
            .expect_redirect(&format!("{path}?done=ordered"));
    }
    let operation = ada.look(&format!("/books/{book}"), "book").await["active_operation_id"].clone();
    let operation = ada
        .look(&format!("/operations/{}", operation.as_str().unwrap()), "operation")
        .await;
    assert_eq!(operation["items"].as_array().unwrap().len(), 2);
    // Nothing is selected while the book is being drawn.
    assert!(!browser.get(&select).await.text.contains("name=\"selected\""));
    app.draw_everything().await;
    let revisions = [
        revision(&ada, &ids[0]).await,
        revision(&ada, &ids[1]).await,
        revision(&ada, &ids[2]).await,
    ];
    assert_eq!((revisions, ada.credits().await), ([2, 1, 2], 3));
}

#[tokio::test]
async fn a_page_that_was_locked_meanwhile_is_named() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let book = app.ready_book(&ada, &["A fox", "An owl"]).await;
    let ids = ada.page_ids(&book).await;
    let redraw = format!("/library/books/{book}/redraw");
    let mut browser = app.browser_of("ada@example.com").await;
    let confirm = browser
        .get(&format!("{redraw}?selected={}&selected={}", ids[0], ids[1]))
        .await;
    ada.patch(&format!("/pages/{}", ids[1]), &json!({"page": {"locked": true}}))
        .await
        .expect(200);
    browser
        .send_form(&confirm, &redraw, &[])
        .await
        .expect(409, "This page is locked, so nothing is drawn again: “An owl”.")
        .expect(409, ">Locked<");
    assert_eq!(ada.credits().await, 7);
    let selecting = browser.get(&format!("/library/books/{book}?select=yes")).await;
    assert_eq!(selecting.text.matches("name=\"selected\"").count(), 1);
}

#[tokio::test]
async fn marks_are_kept_from_page_to_page_and_drawn_with_one_order() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let book = app.ready_book(&ada, &["A fox", "An owl", "A hare"]).await;
    let ids = ada.page_ids(&book).await;
    let at = |index: usize| format!("/library/pages/{}", ids[index]);
    let mut browser = app.browser_of("ada@example.com").await;
    let marked_first = format!("?book={book}&#38;marked={}", ids[0]);
    browser
        .get(&format!("{}?book={book}", at(0)))
        .await
        .expect(200, &format!("rel=\"next\" href=\"{}?book={book}\"", at(1)))
        .expect(200, &format!("data-key=\"m\" href=\"{}{marked_first}\"", at(0)));
    let first = format!("{}?book={book}&marked={}", at(0), ids[0]);
    browser
        .get(&first)
        .await
        .expect(200, "Remove the mark")
        .expect(200, &format!("rel=\"next\" href=\"{}{marked_first}\"", at(1)))
        .expect(200, &format!("data-key=\"m\" href=\"{}?book={book}\"", at(0)))
        .expect(200, "Draw this marked page again for 1 credit");
    // The marks are in the order of the book, and those of other pages are left out.
    let last = format!("{}?book={book}&marked={},page_x,{}", at(2), ids[2], ids[0]);
    let shown = browser.get(&last).await;
    shown
        .expect(200, "Draw these 2 marked pages again for 2 credits")
        .expect(
            200,
            &format!("rel=\"prev\" href=\"{}{marked_first},{}\"", at(1), ids[2]),
        );
    // A form of the page returns to its place in the book.
    let locked = browser
        .submit(
            &last,
            &format!("{}/lock?book={book}&marked={}", at(1), ids[0]),
            &[("locked", "yes")],
        )
        .await;
    locked.expect_redirect(&format!("{}?book={book}&marked={}&done=locked", at(1), ids[0]));
    browser
        .send_form(&shown, &format!("/library/books/{book}/redraw"), &[])
        .await
        .expect_redirect(&format!("/library/books/{book}?done=ordered"));
    app.draw_everything().await;
    assert_eq!([revision(&ada, &ids[0]).await, revision(&ada, &ids[1]).await], [2, 1]);
    assert_eq!(ada.credits().await, 4);
    // A locked page has no mark to set.
    let locked = browser.get(&format!("{}?book={book}", at(1))).await;
    locked.expect(200, "Unlock the page");
    assert!(!locked.text.contains("data-key=\"m\""));
}

#[tokio::test]
async fn attempts_are_compared_and_chosen_by_their_numbers() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let book = app.ready_book(&ada, &["A fox"]).await;
    let page = ada.page_ids(&book).await.remove(0);
    let path = format!("/library/pages/{page}");
    let first = app.chosen_attempt(&page).await;
    app.server.clock.advance(Duration::from_secs(60));
    app.accepted(&ada, &format!("/pages/{page}/regenerate"), &json!({}))
        .await;
    app.draw_everything().await;
    let second = app.chosen_attempt(&page).await;
    let mut browser = app.browser_of("ada@example.com").await;
    let here = format!("{path}?book={book}");
    let shown = browser.get(&here).await;
    shown
        .expect(200, "to color</p>")
        .expect(200, "a digit chooses the picture");
    assert!(shown.text.contains("data-key=\"2\"") && !shown.text.contains("data-key=\"1\""));
    let choose = format!("{path}/attempts/{first}/choose?book={book}");
    let chosen = browser.send_form(&shown, &choose, &[]).await;
    chosen.expect_redirect(&format!("{here}&done=chosen&attempt={second}"));
    assert_eq!(app.chosen_attempt(&page).await, first);
    let shown = browser.get(&format!("{here}&done=chosen&attempt={second}")).await;
    assert!(shown.text.contains("data-key=\"1\"") && !shown.text.contains("data-key=\"2\""));
    let undo = format!("{path}/attempts/{second}/choose?book={book}");
    browser.send_form(&shown, &undo, &[]).await;
    assert_eq!(app.chosen_attempt(&page).await, second);
}

#[tokio::test]
async fn without_the_business_plan_nothing_is_selected_or_marked() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let book = app.ready_book(&ada, &["A fox"]).await;
    let page = ada.page_ids(&book).await.remove(0);
    let account = app.account_of("ada@example.com").await;
    crate::testing::set_plan(&app.server, &account, Plan::Free)
        .await
        .unwrap();
    let mut browser = app.browser_of("ada@example.com").await;
    for path in [
        format!("/library/books/{book}?select=yes"),
        format!("/library/books/{book}/redraw?selected={page}"),
        format!("/library/pages/{page}?book={book}&marked={page}"),
    ] {
        let shown = browser.get(&path).await;
        shown.expect(200, "need the Business plan");
        assert!(!shown.text.contains("/redraw\""), "{path}");
    }
}
