//! What an agent learns while nothing can be drawn.
use serde_json::{Value, json};

use crate::test_app::{TestApp, book_of};

/// A server of whose providers none is loaded.
async fn without_a_provider() -> TestApp {
    TestApp::builder()
        .config(|config| config.image_providers = vec!["acme.absent".into()])
        .start()
        .await
}

fn wish() -> Value {
    json!({"theme": "Woods", "page_count": 2})
}

#[tokio::test]
async fn a_provider_that_fails_again_and_again_is_told_at_once_and_delete_book_refunds() {
    let app = TestApp::builder()
        .image_provider("testbed.flaky", json!({"fail": "unavailable", "seeds": "all"}))
        .start()
        .await;
    let ada = app.account(20).await;
    let agent = app.agent("ada@example.com").await;
    let made = app.accepted(&ada, "/books", &book_of(20)).await;
    let (book, operation) = (made.book_id(), made.operation_id());
    let own = json!({"operation_id": operation});
    let before = agent.call("get_operation", own.clone()).await;
    assert!(before.expect()["note"].is_null(), "{}", before.0);
    assert!(agent.call("plan_book", wish()).await.expect()["note"].is_null());

    app.draw_what_is_due().await;
    let wait = json!({"operation_id": operation, "seconds": 1});
    for (tool, arguments) in [("get_operation", own.clone()), ("wait_for_operation", wait)] {
        let shown = agent.call(tool, arguments).await;
        let note = "Drawing fails at the moment: the image provider failed several times in a row. Nothing was drawn since 2026-11-21T12:00:00.000Z. The server keeps trying for up to 24 hours, and refunds the credits of drawings that fail.";
        assert_eq!(shown.expect()["note"], note, "{tool}");
        let next = format!(
            "inform the user, and call wait_for_operation {operation} again in some minutes. To stop, call delete_book or delete_page: drawings that have not started are refunded."
        );
        assert_eq!(shown.expect()["next"], next, "{tool}");
        assert!(
            shown.text().contains(note) && shown.text().ends_with(&next),
            "{tool}: {}",
            shown.text()
        );
    }
    let plan = agent.call("plan_book", wish()).await;
    let note = "The image provider failed several times in a row when it was last called. Inform the user; an order may have to wait until it works again.";
    assert_eq!(plan.expect()["note"], note);
    assert!(plan.text().lines().any(|line| line == note), "{}", plan.text());

    agent.call("delete_book", json!({"book_id": book})).await.expect();
    assert_eq!(ada.credits().await, 20);
    // No tool is named that would not find the book.
    let ended = agent.call("get_operation", own).await;
    assert_eq!(ended.expect()["next"], format!("list_books: {book} was deleted."));
    assert!(ended.expect()["note"].is_null(), "{}", ended.0);
}

#[tokio::test]
async fn the_end_of_an_operation_leads_to_what_was_drawn_while_it_exists() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let agent = app.agent("ada@example.com").await;
    let made = app.new_character(&ada, "Pip").await;
    app.draw_what_is_due().await;
    let (character, operation) = (made.character_id(), made.operation_id());
    let next = async || {
        let shown = agent.call("get_operation", json!({"operation_id": operation})).await;
        shown.expect()["next"].as_str().unwrap().to_owned()
    };
    assert_eq!(next().await, format!("get_character {character}."));
    let own = json!({"character_id": character});
    agent.call("archive_character", own).await.expect();
    assert_eq!(next().await, format!("list_characters: {character} was archived."));
}

#[tokio::test]
async fn a_plan_says_that_no_provider_is_loaded() {
    let app = without_a_provider().await;
    app.account(9).await;
    let agent = app.agent("ada@example.com").await;
    let plan = agent.call("plan_book", wish()).await;
    let note = "Nothing can be drawn at the moment: no image provider is loaded. Inform the user; create_book works again once the operator has loaded one.";
    assert_eq!(plan.expect()["note"], note);
    assert!(plan.text().contains(note), "{}", plan.text());
}

#[tokio::test]
async fn an_error_says_once_when_to_try_again() {
    let app = without_a_provider().await;
    app.account(9).await;
    let agent = app.agent("ada@example.com").await;
    let order = json!({"title": "A fox", "idempotency_key": "k", "confirm_credits": 1});
    let refused = agent.call("create_page", order).await;
    assert_eq!(refused.0["isError"], true, "{}", refused.0);
    assert_eq!(
        refused.text(),
        "Nothing can be drawn at the moment, and nothing was charged. Try again in 30 seconds."
    );
}

#[tokio::test]
async fn where_pictures_are_needed_the_tool_that_takes_one_is_named() {
    let app = TestApp::builder()
        .image_provider("linepress.photo", json!({}))
        .start()
        .await;
    let ada = app.account(9).await;
    let agent = app.agent("ada@example.com").await;
    let page = app.imported_page(&ada, "A fox").await;
    let order = |mut arguments: Value| {
        arguments["idempotency_key"] = app.new_key().into();
        arguments["confirm_credits"] = 1.into();
        arguments
    };
    let book = order(json!({"title": "B", "pages": [{"title": "A fox"}]}));
    let refused = agent.call("create_book", book).await;
    refused.expect_error("validation_failed");
    assert_eq!(
        refused.text(),
        "arguments: this server draws from pictures only, and this tool draws from text; create_artwork_upload and then create_page with source_upload_id draw from a picture."
    );
    for (tool, arguments) in [
        ("create_character", order(json!({"name": "Pip"}))),
        ("create_page", order(json!({"title": "A fox"}))),
        ("regenerate_page", order(json!({"page_id": page}))),
    ] {
        let refused = agent.call(tool, arguments).await;
        let error = refused.expect_error("validation_failed");
        assert_eq!(error["details"][0]["field"], "source_upload_id", "{tool}");
    }
    assert_eq!(ada.credits().await, 9);
}
