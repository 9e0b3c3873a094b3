//! `GET` and `POST /pages`.
use serde_json::json;

use crate::test_app::TestApp;

#[tokio::test]
async fn a_page_is_drawn_from_its_title_alone() {
    let app = TestApp::start().await;
    let ada = app.account(5).await;

    let accepted = ada.generate("/pages", "k1", &json!({"page": {"title": "A fox"}})).await;
    let body = accepted.expect(202);
    assert_eq!(accepted.header("location"), body["operation"]["url"]);
    assert_eq!(accepted.header("x-service-credits-consumed"), "1");
    assert_eq!(accepted.header("x-service-credits-available"), "4");
    insta::assert_json_snapshot!(body);

    assert_eq!(app.draw_everything().await, 1);
    let id = body["page"]["id"].as_str().unwrap();
    let page = ada.get(&format!("/pages/{id}")).await.expect(200);
    assert_eq!(page["page"]["status"], "ready");
    assert_eq!(page["page"]["active_operation_id"], json!(null));
    assert_eq!(page["page"]["image"]["revision"], 1);

    let image = ada.get(page["page"]["image"]["url"].as_str().unwrap()).await;
    assert_eq!(image.status, 200);
    assert_eq!(image.header("content-type"), "image/png");
    assert_eq!(image.header("cache-control"), "private, no-store");
    let picture = image::load_from_memory(&image.body).unwrap();
    assert_eq!((picture.width(), picture.height()), (1152, 1536));
    assert_eq!(page["page"]["image"]["byte_size"], image.body.len());
}

#[tokio::test]
async fn every_wrong_field_is_named() {
    let app = TestApp::start().await;
    let ada = app.account(5).await;
    let body = json!({"page": {"title": " ", "prompt": "\u{7}", "caption": "two\nlines"}});
    let error = ada
        .generate("/pages", "k1", &body)
        .await
        .expect_error(422, "validation_failed");
    let fields: Vec<_> = error["details"]
        .as_array()
        .unwrap()
        .iter()
        .map(|detail| detail["field"].as_str().unwrap())
        .collect();
    assert_eq!(fields, ["page.caption", "page.prompt", "page.title"]);
    let error = ada
        .generate("/pages", "k1", &json!({"page": {"title": 3}}))
        .await
        .expect_error(422, "validation_failed");
    assert_eq!(error["details"][0]["field"], "page.title");
    for (missing, field) in [(json!({"page": {}}), "page.title"), (json!({}), "page")] {
        let error = ada
            .generate("/pages", "k1", &missing)
            .await
            .expect_error(422, "validation_failed");
        assert_eq!(error["details"], json!([{"field": field, "message": "is required"}]));
    }
}

#[tokio::test]
async fn a_page_takes_only_ready_characters_of_its_account() {
    let app = TestApp::start().await;
    let ada = app.account(5).await;
    let made = app.new_character(&ada, "Pip").await;
    let pip = made.character_id();
    let body = json!({"page": {"title": "Pip", "character_ids": [pip, "char_none"]}});
    let error = ada
        .generate("/pages", "k2", &body)
        .await
        .expect_error(422, "validation_failed");
    assert_eq!(error["details"].as_array().unwrap().len(), 2);

    app.draw_everything().await;
    let body = json!({"page": {"title": "Pip", "character_ids": [pip]}});
    let page = ada.generate("/pages", "k2", &body).await.expect(202);
    assert_eq!(page["page"]["characters"], json!([{"id": pip, "name": "Pip"}]));
}

#[tokio::test]
async fn pages_are_listed_newest_first_for_nothing_and_can_be_filtered_by_book() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let alone = app.ready_page(&ada, "Alone").await;
    app.server.clock.advance(std::time::Duration::from_secs(1));
    let book = app.ready_book(&ada, &["Within"]).await;
    let reply = ada.get("/pages").await;
    reply.expect_free();
    let titles: Vec<_> = reply.expect(200)["pages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|page| page["title"].clone())
        .collect();
    assert_eq!(titles, ["Within", "Alone"]);
    let within = ada.get(&format!("/pages?book_id={book}")).await.expect(200);
    assert_eq!(within["pages"].as_array().unwrap().len(), 1);
    assert_eq!(within["pages"][0]["book_ids"], json!([book]));
    assert_ne!(within["pages"][0]["id"], alone);
    assert_eq!(
        ada.get("/pages?book_id=book_none").await.expect(200)["pages"],
        json!([])
    );
}

#[tokio::test]
async fn a_page_has_the_aspect_the_words_and_the_characters_it_is_given() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let pip = app.ready_character(&ada, "Pip").await;
    let body = json!({"page": {"title": "A fox", "prompt": "A red fox", "caption": "Hello!", "aspect": "landscape", "character_ids": [pip]}});
    let page = ada.generate("/pages", "k1", &body).await.expect(202)["page"].clone();
    for field in ["title", "prompt", "caption", "aspect"] {
        assert_eq!(page[field], body["page"][field], "{field}");
    }
    assert_eq!(page["characters"], json!([{"id": pip, "name": "Pip"}]));
    let bare =
        json!({"page": {"title": "A fox", "prompt": null, "caption": null, "aspect": null, "character_ids": null}});
    let bare = ada.generate("/pages", "k2", &bare).await.expect(202)["page"].clone();
    assert_eq!(
        (&bare["prompt"], &bare["caption"], &bare["aspect"]),
        (&json!("A fox"), &json!(""), &json!("portrait"))
    );
}

#[tokio::test]
async fn a_wrong_page_is_refused_by_the_fields_name_and_costs_nothing() {
    let app = TestApp::start().await;
    let ada = app.account(5).await;
    for (field, value, named) in [
        ("title", json!("x".repeat(201)), "title"),
        ("title", json!(null), "title"),
        ("prompt", json!(""), "prompt"),
        ("prompt", json!("x".repeat(2001)), "prompt"),
        ("caption", json!("x".repeat(301)), "caption"),
        ("aspect", json!("round"), "aspect"),
        ("character_ids", json!(["char_none"]), "character_ids[0]"),
        ("character_ids", json!(["char_none"].repeat(9)), "character_ids"),
        ("character_ids", json!([7]), "character_ids[0]"),
        ("origin", json!("imported"), "origin"),
    ] {
        let mut body = json!({"page": {"title": "A fox"}});
        body["page"][field] = value;
        let reply = ada.generate("/pages", "k1", &body).await;
        let error = reply.expect_error(422, "validation_failed");
        assert_eq!(error["details"][0]["field"], format!("page.{named}"), "{body}");
        reply.expect_free();
    }
    assert_eq!((ada.credits().await, ada.count("pages").await), (5, 0));
}
