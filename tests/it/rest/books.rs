//! `GET` and `POST /books`.
use serde_json::{Value, json};

use crate::test_app::TestApp;

#[tokio::test]
async fn a_book_costs_a_credit_a_new_page_and_its_cover_none() {
    let app = TestApp::start().await;
    let ada = app.account(5).await;
    let body = json!({"book": {"title": "Woodland Friends", "pages": [{"title": "A fox"}, {"title": "An owl"}]}});
    let reply = ada.generate("/books", "k1", &body).await;
    assert_eq!(reply.header("x-service-credits-consumed"), "2");
    insta::assert_json_snapshot!(reply.expect(202));
    app.draw_everything().await;
    let path = format!("/books/{}", reply.json()["book"]["id"].as_str().unwrap());
    let book = &ada.get(&path).await.expect(200)["book"];
    assert_eq!(book["status"], "ready");
    assert_eq!(book["cover"]["status"], "ready");
    assert_eq!(book["print_formats"], json!(["us_letter", "a4"]));
    let positions: Vec<_> = book["pages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|page| page["position"].as_i64().unwrap())
        .collect();
    assert_eq!(positions, [1, 2]);
    assert_eq!(
        ada.get(book["cover"]["image"]["url"].as_str().unwrap())
            .await
            .header("content-type"),
        "image/png"
    );
    assert_eq!(ada.get("/books").await.expect(200)["books"], json!([book]));
}

#[tokio::test]
async fn a_ready_page_is_attached_to_a_new_book_for_nothing() {
    let app = TestApp::start().await;
    let ada = app.account(5).await;
    let page = app.new_page(&ada, "A fox").await;
    let id = page.page_id();
    let with = |entry: Value| json!({"book": {"title": "B", "pages": [entry, {"title": "An owl"}]}});
    // A page that is being drawn cannot be attached.
    ada.generate("/books", "k2", &with(json!({"page_id": id})))
        .await
        .expect_error(422, "validation_failed");
    app.draw_everything().await;
    let reply = ada.generate("/books", "k3", &with(json!({"page_id": id}))).await;
    assert_eq!(reply.header("x-service-credits-consumed"), "1");
    assert_eq!(reply.expect(202)["book"]["pages"][0]["id"], id);
    assert_eq!(
        ada.get(&format!("/pages/{id}")).await.expect(200)["page"]["book_ids"],
        json!([reply.json()["book"]["id"]])
    );
}

#[tokio::test]
async fn a_page_entry_is_either_new_or_attached() {
    let app = TestApp::start().await;
    let ada = app.account(5).await;
    let page = ada
        .generate("/pages", "k1", &json!({"page": {"title": "A fox", "aspect": "square"}}))
        .await
        .expect(202);
    app.draw_everything().await;
    let id = page["page"]["id"].as_str().unwrap();
    for (pages, field) in [
        (json!([]), "book.pages"),
        (json!([{}]), "book.pages[0].title"),
        (json!([{"title": "A", "page_id": id}]), "book.pages[0].page_id"),
        (
            json!([{"title": "A"}, {"page_id": "page_none"}]),
            "book.pages[1].page_id",
        ),
        (json!([{"page_id": id}]), "book.pages[0].page_id"),
        (json!([{"page_id": id}, {"page_id": id}]), "book.pages"),
        (json!([{"titel": "A"}]), "book.pages[0].titel"),
        (json!([{"title": "A"}, {"title": ""}]), "book.pages[1].title"),
    ] {
        let body = json!({"book": {"title": "B", "pages": pages}});
        let error = ada
            .generate("/books", "k2", &body)
            .await
            .expect_error(422, "validation_failed");
        assert_eq!(error["details"][0]["field"], field, "{body}");
    }
    // An attached page takes no other fields, not even the book's own aspect.
    for beside in [
        json!({"title": "A"}),
        json!({"prompt": "A"}),
        json!({"caption": "A"}),
        json!({"character_ids": []}),
    ] {
        let mut entry = beside.clone();
        entry["page_id"] = json!(id);
        let body = json!({"book": {"title": "B", "aspect": "square", "pages": [entry]}});
        let reply = ada.generate("/books", "k2", &body).await;
        reply.expect_fields(&["book.pages[0].page_id"]);
    }
    assert_eq!(ada.credits().await, 4);
    assert_eq!(ada.get("/books").await.expect(200)["books"], json!([]));
    // A page with the book's aspect is accepted.
    let body = json!({"book": {"title": "B", "aspect": "square", "pages": [{"page_id": id}]}});
    ada.generate("/books", "k2", &body).await.expect(202);
}

#[tokio::test]
async fn a_book_that_the_account_cannot_pay_for_leaves_nothing_behind() {
    let app = TestApp::start().await;
    let ada = app.account(2).await;
    let body = json!({"book": {"title": "B", "pages": [{"title": "1"}, {"title": "2"}, {"title": "3"}]}});
    ada.generate("/books", "k1", &body)
        .await
        .expect_error(402, "insufficient_credits");
    for list in ["books", "pages", "operations"] {
        assert_eq!(ada.get(&format!("/{list}")).await.expect(200)[list], json!([]));
    }
    assert_eq!(app.draw_everything().await, 0);
    assert_eq!(ada.credits().await, 2);
}

#[tokio::test]
async fn a_book_has_the_words_the_aspect_the_cover_and_the_characters_it_is_given() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let pip = app.ready_character(&ada, "Pip").await;
    let body = json!({"book": {"title": "B", "subtitle": "S", "author": "Ada", "description": "D", "audience": "adult",
        "aspect": "landscape", "character_ids": [pip], "cover": {"prompt": "A gate"},
        "pages": [{"title": "With"}, {"title": "Without", "character_ids": []}]}});
    let book = ada.generate("/books", "k", &body).await.expect(202)["book"].clone();
    for field in ["title", "subtitle", "author", "description", "audience", "aspect"] {
        assert_eq!(book[field], body["book"][field], "{field}");
    }
    assert_eq!(book["cover"]["prompt"], "A gate");
    assert_eq!(book["print_formats"], json!(["us_letter_landscape", "a4_landscape"]));
    let pages = ada.page_ids(book["id"].as_str().unwrap()).await;
    for (page, characters) in pages.iter().zip([json!([{"id": pip, "name": "Pip"}]), json!([])]) {
        let shown = ada.look(&format!("/pages/{page}"), "page").await;
        assert_eq!(
            (&shown["characters"], &shown["aspect"]),
            (&characters, &json!("landscape"))
        );
    }
}

#[tokio::test]
async fn a_book_of_attached_pages_alone_costs_nothing_but_is_still_generated_for_its_cover() {
    let app = TestApp::start().await;
    let ada = app.account(0).await;
    let page = app.imported_page(&ada, "A fox").await;
    let body = json!({"book": {"title": "B", "pages": [{"page_id": page}]}});
    let reply = ada.generate("/books", "k1", &body).await;
    assert_eq!(reply.expect(202)["operation"]["credits"]["charged"], 0);
    reply.expect_free();
    app.draw_what_is_due().await;
    assert_eq!(
        ada.look(reply.header("location"), "operation").await["status"],
        "succeeded"
    );
    app.check_books().await;
}

#[tokio::test]
async fn a_wrong_book_is_refused_by_the_fields_name_and_costs_nothing() {
    let app = TestApp::start().await;
    let ada = app.account(5).await;
    for (field, value, named) in [
        ("title", json!(" "), "title"),
        ("title", json!("x".repeat(201)), "title"),
        ("subtitle", json!("x".repeat(201)), "subtitle"),
        ("author", json!("two\nlines"), "author"),
        ("description", json!("x".repeat(2001)), "description"),
        ("audience", json!("cats"), "audience"),
        ("aspect", json!("round"), "aspect"),
        ("character_ids", json!(["char_none"]), "character_ids[0]"),
        ("cover", json!({}), "cover.prompt"),
        ("cover", json!({"prompt": ""}), "cover.prompt"),
        ("cover", json!({"title": "A"}), "cover.title"),
        ("pages", json!(null), "pages"),
        ("pages", json!([{"title": "A", "prompt": " "}]), "pages[0].prompt"),
        (
            "pages",
            json!([{"title": "A", "character_ids": ["char_none"]}]),
            "pages[0].character_ids[0]",
        ),
        ("pages", json!([{"title": "A", "aspect": "square"}]), "pages[0].aspect"),
        ("page_count", json!(3), "page_count"),
    ] {
        let mut body = json!({"book": {"title": "B", "pages": [{"title": "A"}]}});
        body["book"][field] = value;
        let error = ada
            .generate("/books", "k1", &body)
            .await
            .expect_error(422, "validation_failed");
        assert_eq!(error["details"][0]["field"], format!("book.{named}"), "{body}");
    }
    let pages: Vec<_> = (0..101).map(|_| json!({"title": "A"})).collect();
    let many = json!({"book": {"title": "B", "pages": pages}});
    ada.generate("/books", "k1", &many).await.expect_fields(&["book.pages"]);
    assert_eq!((ada.credits().await, ada.count("books").await), (5, 0));
}
