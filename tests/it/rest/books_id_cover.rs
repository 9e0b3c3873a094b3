//! `POST /books/{id}/cover/regenerate`, `PUT /books/{id}/cover_image`, and the prompt of a cover.
use std::time::Duration;

use linepress_core::artwork::Status;
use serde_json::json;

use crate::test_app::{Form, TestApp, pictures};

#[tokio::test]
async fn a_cover_is_drawn_again_for_a_credit_and_its_old_image_stays_until_then() {
    let app = TestApp::start().await;
    let ada = app.account(5).await;
    let book = app.ready_book(&ada, &["A fox"]).await;
    let path = format!("/books/{book}");
    let before = ada.get(&format!("{path}/cover_image")).await;
    let body = json!({"cover": {"prompt": "All animals asleep"}});
    let accepted = ada.generate(&format!("{path}/cover/regenerate"), "k1", &body).await;
    assert_eq!(accepted.header("x-service-credits-consumed"), "1");
    let accepted = accepted.expect(202);
    assert_eq!(accepted["operation"]["type"], "book.regenerate_cover");
    assert_eq!(accepted["book"]["cover"]["status"], "generating");
    assert_eq!(ada.get(&format!("{path}/cover_image")).await.body, before.body);
    // The cover's previous prompt stays until it is drawn.
    assert_ne!(accepted["book"]["cover"]["prompt"], "All animals asleep");
    ada.get(&format!("{path}/pdf"))
        .await
        .expect_error(422, "book_not_ready");

    app.draw_what_is_due().await;
    let shown = ada.look(&path, "book").await;
    assert_eq!(shown["cover"]["prompt"], "All animals asleep");
    assert_eq!(
        (&shown["cover"]["image"]["revision"], &shown["status"]),
        (&json!(2), &json!("ready"))
    );
    assert_ne!(ada.get(&format!("{path}/cover_image")).await.body, before.body);
    assert_eq!(ada.credits().await, 3);
    app.check_books().await;
}

#[tokio::test]
async fn a_cover_that_cannot_be_drawn_again_keeps_its_image_and_gives_the_credit_back() {
    let app = TestApp::builder()
        .image_provider(
            "testbed.flaky",
            json!({"fail": "refused", "seeds": "all", "prompt": "asleep"}),
        )
        .start()
        .await;
    let ada = app.account(5).await;
    let book = app.ready_book(&ada, &["A fox"]).await;
    let path = format!("/books/{book}");
    let body = json!({"cover": {"prompt": "All animals asleep"}});
    let accepted = ada
        .generate(&format!("{path}/cover/regenerate"), "k1", &body)
        .await
        .accepted();
    app.draw_everything().await;
    let operation = ada.operation(&accepted).await;
    assert_eq!((operation.credits.charged, operation.credits.refunded), (1, 1));
    let cover = ada.book(&book).await.cover;
    assert_eq!(
        (cover.status, cover.image.map(|image| image.revision)),
        (Status::Ready, Some(1))
    );
    assert_ne!(cover.prompt, "All animals asleep");
    assert_eq!(ada.credits().await, 4);
    app.check_books().await;
}

#[tokio::test]
async fn a_cover_is_replaced_with_own_artwork_for_nothing() {
    let app = TestApp::start().await;
    let ada = app.account(5).await;
    let book = app.ready_book(&ada, &["A fox"]).await;
    let path = format!("/books/{book}/cover_image");
    let reply = ada.send_form("PUT", &path, Form::image(&pictures::png(600, 800))).await;
    reply.expect_free();
    let cover = reply.expect(200)["book"]["cover"].clone();
    assert_eq!(
        (&cover["status"], &cover["image"]["revision"]),
        (&json!("ready"), &json!(2))
    );
    assert_eq!(ada.get(&path).await.header("content-type"), "image/png");
    // Only a picture of the book's shape is accepted.
    let wrong = ada.send_form("PUT", &path, Form::image(&pictures::png(800, 600))).await;
    wrong.expect_error(422, "unsupported_image");

    let regenerate = format!("/books/{book}/cover/regenerate");
    app.accepted(&ada, &regenerate, &json!({})).await;
    let reply = ada.send_form("PUT", &path, Form::image(&pictures::png(600, 800))).await;
    reply.expect_error(409, "generation_active");
    app.draw_what_is_due().await;
    app.check_books().await;
}

#[tokio::test]
async fn a_cover_can_be_replaced_while_pages_of_its_book_are_drawn() {
    let app = TestApp::start().await;
    let ada = app.account(5).await;
    let book = app.ready_book(&ada, &["A fox"]).await;
    let body = json!({"page": {"title": "An owl"}});
    app.accepted(&ada, &format!("/books/{book}/pages"), &body).await;
    let path = format!("/books/{book}/cover_image");
    ada.send_form("PUT", &path, Form::image(&pictures::png(600, 800)))
        .await
        .expect(200);
    app.draw_what_is_due().await;
    app.check_books().await;
}

#[tokio::test]
async fn a_changed_prompt_applies_to_the_next_cover() {
    let app = TestApp::start().await;
    let ada = app.account(5).await;
    let book = app.ready_book(&ada, &["A fox"]).await;
    let path = format!("/books/{book}");
    let change = json!({"book": {"cover": {"prompt": "A fox in the snow"}}});
    let changed = ada.patch(&path, &change).await.expect(200);
    assert_eq!(changed["book"]["cover"]["prompt"], "A fox in the snow");
    assert_eq!(changed["book"]["cover"]["image"]["revision"], 1);
    for wrong in [
        json!({"cover": null}),
        json!({"cover": {"prompt": " "}}),
        json!({"cover": {}}),
    ] {
        ada.patch(&path, &json!({"book": wrong}))
            .await
            .expect_error(422, "validation_failed");
    }
    // A prompt that is set while another is drawn is not lost.
    let body = json!({"cover": {"prompt": "A fox asleep"}});
    app.accepted(&ada, &format!("{path}/cover/regenerate"), &body).await;
    let change = json!({"book": {"cover": {"prompt": "A fox awake"}}});
    ada.patch(&path, &change).await.expect(200);
    app.draw_what_is_due().await;
    assert_eq!(ada.look(&path, "book").await["cover"]["prompt"], "A fox awake");
}

#[tokio::test]
async fn a_cover_that_was_never_drawn_is_drawn_again_for_nothing() {
    let app = TestApp::builder()
        .image_provider("testbed.flaky", json!({"fail": "asked", "seeds": "all"}))
        .config(|config| config.limits.free_covers_per_day = 2)
        .start()
        .await;
    let ada = app.account(5).await;
    let body = json!({"book": {"title": "B", "cover": {"prompt": "refused"}, "pages": [{"title": "A fox"}]}});
    let book = app.accepted(&ada, "/books", &body).await.book_id();
    app.draw_everything().await;
    let path = format!("/books/{book}");
    assert_eq!(ada.book(&book).await.cover.status, Status::Failed);
    let again = format!("{path}/cover/regenerate");
    // The book paid for a page, but its cover is one of the free ones nevertheless.
    for key in ["k1", "k2"] {
        let reply = ada.generate(&again, key, &json!({})).await;
        reply.expect_free();
        assert_eq!(reply.expect(202)["operation"]["credits"]["charged"], 0);
        app.draw_everything().await;
    }
    let reply = ada.generate(&again, "k3", &json!({})).await;
    reply.expect_error(422, "account_limit_reached");
    app.server.clock.advance(Duration::from_secs(24 * 3600));
    let change = json!({"cover": {"prompt": "A castle"}});
    ada.generate(&again, "k3", &change).await.expect_free();
    app.draw_everything().await;
    assert_eq!(ada.book(&book).await.cover.status, Status::Ready);
    let paid = ada.generate(&again, "k4", &json!({})).await;
    assert_eq!(paid.header("x-service-credits-consumed"), "1");
    app.draw_everything().await;
    assert_eq!(ada.credits().await, 3);
    app.check_books().await;
}

#[tokio::test]
async fn an_agent_confirms_the_price_of_a_cover() {
    let app = TestApp::builder()
        .image_provider("testbed.flaky", json!({"fail": "asked", "seeds": "all"}))
        .start()
        .await;
    let ada = app.account(5).await;
    let agent = app.agent("ada@example.com").await;
    let body = json!({"book": {"title": "B", "cover": {"prompt": "refused"}, "pages": [{"title": "A fox"}]}});
    let book = app.accepted(&ada, "/books", &body).await.book_id();
    app.draw_everything().await;
    let order = |key: &str, price: i64| json!({"book_id": book, "prompt": "A castle", "idempotency_key": key, "confirm_credits": price});
    let answer = agent.call("regenerate_book_cover", order("k1", 1)).await;
    answer.expect_error("confirmation_required");
    assert_eq!(answer.0["structuredContent"]["credits_required"], 0);
    agent.call("regenerate_book_cover", order("k1", 0)).await.expect();
    app.draw_everything().await;
    let answer = agent.call("regenerate_book_cover", order("k2", 0)).await;
    assert_eq!(answer.0["structuredContent"]["credits_required"], 1);
    assert_eq!(ada.credits().await, 4);
}
