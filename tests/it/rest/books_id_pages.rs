//! `POST /books/{book_id}/pages`: generate or attach.
use linepress_core::books::BookStatus;
use linepress_model::Aspect;
use serde_json::{Value, json};

use crate::test_app::{Form, TestApp, id, pictures};

#[tokio::test]
async fn a_page_is_generated_in_the_book_for_a_credit() {
    let app = TestApp::start().await;
    let ada = app.account(3).await;
    let book = app.ready_book(&ada, &["A fox"]).await;
    let path = format!("/books/{book}/pages");
    let reply = ada.generate(&path, "k1", &json!({"page": {"title": "An owl"}})).await;
    let body = reply.expect(202);
    assert_eq!(reply.header("x-service-credits-consumed"), "1");
    assert_eq!(reply.header("location"), body["operation"]["url"]);
    assert_eq!(body["operation"]["type"], "book.add_page");
    assert_eq!(body["operation"]["resource"]["id"], book);
    assert_eq!(body["page"]["book_ids"], json!([book]));
    assert_eq!(
        (&body["book"]["status"], &body["book"]["page_count"]),
        (&json!("generating"), &json!(2))
    );
    assert_eq!(body["book"]["active_operation_id"], body["operation"]["id"]);

    app.draw_what_is_due().await;
    let shown = ada.book(&book).await;
    assert_eq!((shown.status, shown.active_operation_id), (BookStatus::Ready, None));
    assert_eq!(ada.page_ids(&book).await[1], id(&body, "page"));
    assert_eq!(ada.credits().await, 1);
}

#[tokio::test]
async fn a_ready_page_is_attached_for_nothing() {
    let app = TestApp::start().await;
    let ada = app.account(3).await;
    let book = app.ready_book(&ada, &["A fox"]).await;
    let page = app.imported_page(&ada, "An owl").await;
    let reply = ada
        .post(&format!("/books/{book}/pages"), &json!({"page_id": page}))
        .await;
    reply.expect_free();
    let attached = reply.expect(200)["book"].clone();
    assert_eq!(
        (&attached["status"], &attached["page_count"]),
        (&json!("ready"), &json!(2))
    );
    assert_eq!(attached["pages"][1]["id"], page);
    assert_eq!(
        ada.look(&format!("/pages/{page}"), "page").await["book_ids"],
        json!([book])
    );
    assert_eq!(ada.count("operations").await, 1);
}

#[tokio::test]
async fn a_page_takes_the_position_it_is_given() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let book = app.ready_book(&ada, &["A", "B"]).await;
    let path = format!("/books/{book}/pages");
    let before = ada.page_ids(&book).await;
    let [first, middle, last] = [
        app.imported_page(&ada, "First").await,
        app.imported_page(&ada, "Middle").await,
        app.imported_page(&ada, "Last").await,
    ];
    for (page, position) in [(&first, 1), (&middle, 3), (&last, 5)] {
        let body = json!({"page_id": page, "position": position});
        ada.post(&path, &body).await.expect(200);
    }
    assert_eq!(
        ada.page_ids(&book).await,
        [&first, &before[0], &middle, &before[1], &last].map(String::clone)
    );

    let accepted = app
        .accepted(&ada, &path, &json!({"page": {"title": "New"}, "position": 2}))
        .await;
    assert_eq!(ada.page_ids(&book).await[1], accepted.page_id());
    app.draw_what_is_due().await;
    for (position, field) in [
        (json!(0), "position"),
        (json!(8), "position"),
        (json!("last"), "position"),
        (json!(-1), "position"),
    ] {
        let body = json!({"page": {"title": "X"}, "position": position});
        ada.generate(&path, "k9", &body).await.expect_fields(&[field]);
    }
    assert_eq!(ada.page_ids(&book).await.len(), 6);
    assert_eq!(ada.credits().await, 6);
}

#[tokio::test]
async fn only_a_ready_page_of_the_books_aspect_that_is_not_in_it_is_attached() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let book = app.ready_book(&ada, &["A fox"]).await;
    let path = format!("/books/{book}/pages");
    let within = ada.page_ids(&book).await[0].clone();
    let square = Form::image(&pictures::png(512, 512)).text("title", "Square");
    let square = id(&ada.import(square).await.expect(201), "page");
    let waiting = app.new_page(&ada, "A").await.page_id();
    for page in [within.as_str(), &square, &waiting, "page_none", ""] {
        ada.post(&path, &json!({"page_id": page}))
            .await
            .expect_fields(&["page_id"]);
    }
    assert_eq!(ada.page_ids(&book).await, [within]);
    ada.post("/books/book_none/pages", &json!({"page_id": square}))
        .await
        .expect_error(404, "not_found");
}

#[tokio::test]
async fn a_page_may_be_in_several_books() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let one = app.ready_book(&ada, &["A fox"]).await;
    let other = app.ready_book(&ada, &["An owl"]).await;
    let page = app.imported_page(&ada, "A bear").await;
    for book in [&one, &other] {
        ada.post(&format!("/books/{book}/pages"), &json!({"page_id": page}))
            .await
            .expect(200);
    }
    assert_eq!(ada.page(&page).await.book_ids.len(), 2);
    // A page that is being drawn is missing in both books.
    app.accepted(&ada, &format!("/pages/{page}/regenerate"), &json!({}))
        .await;
    for book in [&one, &other] {
        assert_eq!(ada.book(book).await.status, BookStatus::Generating);
    }
    app.draw_what_is_due().await;
    for book in [&one, &other] {
        let shown = ada.book(book).await;
        assert_eq!(shown.status, BookStatus::Ready);
        assert_eq!(shown.pages[1].image.as_ref().unwrap().revision, 2);
    }
}

#[tokio::test]
async fn a_new_page_has_the_books_aspect_and_its_characters() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let pip = app.ready_character(&ada, "Pip").await;
    let body =
        json!({"book": {"title": "B", "aspect": "square", "character_ids": [pip], "pages": [{"title": "A fox"}]}});
    let book = app.accepted(&ada, "/books", &body).await.book_id();
    app.draw_what_is_due().await;
    let path = format!("/books/{book}/pages");
    let drawn = app.accepted(&ada, &path, &json!({"page": {"title": "An owl"}})).await;
    assert_eq!(drawn.page().aspect, Aspect::Square);
    assert_eq!(json!(drawn.page().characters), json!([{"id": pip, "name": "Pip"}]));
    app.draw_what_is_due().await;
    let alone = json!({"page": {"title": "A bear", "aspect": "square", "character_ids": []}});
    let alone = app.accepted(&ada, &path, &alone).await;
    assert_eq!(alone.page().characters, []);
    app.draw_what_is_due().await;
    let other = json!({"page": {"title": "A bear", "aspect": "portrait"}});
    ada.generate(&path, "k1", &other).await.expect_fields(&["page.aspect"]);
}

#[tokio::test]
async fn a_book_that_is_being_drawn_waits_before_it_gets_another_new_page() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let book = app.ready_book(&ada, &["A fox"]).await;
    let path = format!("/books/{book}/pages");
    let page = app.imported_page(&ada, "A bear").await;
    app.accepted(&ada, &path, &json!({"page": {"title": "An owl"}})).await;
    ada.generate(&path, "k1", &json!({"page": {"title": "A wolf"}}))
        .await
        .expect_error(409, "generation_active");
    // Attaching draws nothing, so it need not wait.
    ada.post(&path, &json!({"page_id": page})).await.expect(200);
    app.draw_what_is_due().await;
    app.accepted(&ada, &path, &json!({"page": {"title": "A wolf"}})).await;
    assert_eq!(ada.credits().await, 6);
}

#[tokio::test]
async fn a_body_either_generates_or_attaches() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let book = app.ready_book(&ada, &["A fox"]).await;
    let page = app.imported_page(&ada, "A bear").await;
    let path = format!("/books/{book}/pages");
    for (body, field) in [
        (json!({}), "page"),
        (json!({"page": null, "page_id": null}), "page"),
        (json!({"page": {"title": "A"}, "page_id": page}), "page_id"),
        (json!({"page": {"title": ""}}), "page.title"),
        (json!({"page": {"titel": "A"}}), "page.titel"),
        (
            json!({"page": {"title": "A", "character_ids": ["char_none"]}}),
            "page.character_ids[0]",
        ),
        (json!({"page_id": 3}), "page_id"),
        (json!({"page_id": page, "positon": 1}), "positon"),
        (Value::Null, "body"),
    ] {
        let error = ada
            .generate(&path, "k1", &body)
            .await
            .expect_error(422, "validation_failed");
        assert_eq!(error["details"][0]["field"], field, "{body}");
    }
    ada.generate("/books/book_none/pages", "k1", &json!({"page": {"title": "A"}}))
        .await
        .expect_error(404, "not_found");
    assert_eq!(ada.credits().await, 8);
    assert_eq!(ada.page_ids(&book).await.len(), 1);
}
