//! The look of books and pages, and `POST /books/{id}/restyle`.
use linepress_core::operations::OperationStatus;
use serde_json::{Value, json};

use crate::test_app::{Actor, Form, TestApp, pictures};

fn look(of: &Value) -> [&str; 4] {
    ["line_weight", "detail", "style", "frame"].map(|field| of[field].as_str().unwrap())
}

async fn page(ada: &Actor, id: &str) -> Value {
    ada.look(&format!("/pages/{id}"), "page").await
}

const USUAL: [&str; 4] = ["usual", "usual", "", "usual"];

#[tokio::test]
async fn a_new_page_has_the_look_of_its_book_unless_it_names_its_own() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let wish = json!({"book": {
        "title": "Woods", "line_weight": "bold", "style": "Woodcut", "frame": "none", "pages": [{"title": "A fox"}],
    }});
    let made = app.accepted(&ada, "/books", &wish).await;
    app.draw_everything().await;
    let path = format!("/books/{}", made.book_id());
    assert_eq!(
        look(&ada.look(&path, "book").await),
        ["bold", "usual", "Woodcut", "none"]
    );
    let first = ada.page_ids(&made.book_id()).await.remove(0);
    assert_eq!(look(&page(&ada, &first).await), ["bold", "usual", "Woodcut", "none"]);

    let change = json!({"book": {"detail": "detailed", "style": "", "frame": "beaded"}});
    let changed = ada.patch(&path, &change).await.expect(200);
    assert_eq!(look(&changed["book"]), ["bold", "detailed", "", "beaded"]);
    // What is there already remains.
    assert_eq!(look(&page(&ada, &first).await), ["bold", "usual", "Woodcut", "none"]);
    let own = json!({"page": {"title": "An owl", "line_weight": "usual", "style": "Stained glass"}});
    let own = app.accepted(&ada, &format!("{path}/pages"), &own).await;
    assert_eq!(
        look(&page(&ada, &own.page_id()).await),
        ["usual", "detailed", "Stained glass", "beaded"]
    );
    app.draw_everything().await;

    let changed = ada
        .patch(
            &format!("/pages/{first}"),
            &json!({"page": {"line_weight": "thin", "frame": "rounded"}}),
        )
        .await
        .expect(200);
    assert_eq!(look(&changed["page"]), ["thin", "usual", "Woodcut", "rounded"]);
    let alone = app.new_page(&ada, "A hare").await;
    assert_eq!(look(&page(&ada, &alone.page_id()).await), USUAL);
    let imported = app.imported_page(&ada, "Mine").await;
    assert_eq!(look(&page(&ada, &imported).await), USUAL);
}

#[tokio::test]
async fn a_wrong_look_is_refused_by_the_fields_name() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let book = app.ready_book(&ada, &["A fox"]).await;
    let page = ada.page_ids(&book).await.remove(0);
    for (field, value) in [
        ("line_weight", json!("thick")),
        ("line_weight", json!(3)),
        ("detail", json!("")),
        ("frame", json!("dotted")),
        ("frame", json!(false)),
        ("style", json!("x".repeat(101))),
        ("style", json!("two\nlines")),
    ] {
        for path in [format!("/books/{book}"), format!("/pages/{page}")] {
            let kind = if path.starts_with("/books") { "book" } else { "page" };
            let error = ada
                .patch(&path, &json!({kind: {field: value}}))
                .await
                .expect_error(422, "validation_failed");
            assert_eq!(error["details"][0]["field"], format!("{kind}.{field}"), "{value}");
        }
        let path = format!("/books/{book}/restyle");
        let error = ada
            .generate(&path, "k1", &json!({"book": {field: value}}))
            .await
            .expect_error(422, "validation_failed");
        assert_eq!(error["details"][0]["field"], format!("book.{field}"), "{value}");
    }
    assert_eq!(look(&ada.look(&format!("/books/{book}"), "book").await), USUAL);
    assert_eq!(ada.credits().await, 8);
}

#[tokio::test]
async fn a_provider_that_does_not_know_looks_gets_them_in_words() {
    let app = TestApp::builder()
        .image_provider(
            "testbed.flaky",
            json!({
                "fail": "refused", "seeds": "all",
                "prompt": "Bold, thick lines. No frame around the picture. Style: Woodcut",
            }),
        )
        .start()
        .await;
    let ada = app.account(9).await;
    let drawn = app.new_page(&ada, "A fox").await;
    let wish = json!({"page": {"title": "A fox", "line_weight": "bold", "style": "Woodcut", "frame": "none"}});
    let refused = app.accepted(&ada, "/pages", &wish).await;
    app.draw_everything().await;
    assert_eq!(ada.status(&drawn).await, OperationStatus::Succeeded);
    assert_eq!(ada.status(&refused).await, OperationStatus::Failed);
    // The words of the look are no part of the prompt.
    assert_eq!(ada.page(&refused.page_id()).await.prompt, "A fox");
}

#[tokio::test]
async fn sketchbook_follows_the_detail_and_keeps_to_the_prompt() {
    let app = TestApp::builder()
        .image_provider("linepress.sketchbook", json!({}))
        .start()
        .await;
    let ada = app.account(9).await;
    let regions = async |detail: &str| {
        let wish = json!({"page": {"title": "A fox in the woods", "detail": detail, "style": "Woodcut"}});
        let accepted = app.accepted(&ada, "/pages", &wish).await;
        app.draw_everything().await;
        let item = ada.operation(&accepted).await.items.remove(0);
        assert_eq!(item.note, None);
        page(&ada, &accepted.page_id()).await["image"]["quality"]["regions"]
            .as_i64()
            .unwrap()
    };
    let (simple, detailed) = (regions("simple").await, regions("detailed").await);
    assert!(simple < detailed, "{simple} {detailed}");
}

#[tokio::test]
async fn a_restyled_book_draws_its_pages_again_and_leaves_the_rest() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let book = app.ready_book(&ada, &["A fox", "An owl"]).await;
    let path = format!("/books/{book}");
    let own = app.imported_page(&ada, "Mine").await;
    ada.post(&format!("{path}/pages"), &json!({"page_id": own}))
        .await
        .expect(200);
    let ids = ada.page_ids(&book).await;
    let images = async || {
        let mut all = Vec::new();
        for id in &ids {
            all.push(ada.get(&format!("/pages/{id}/image")).await.body);
        }
        all
    };
    let (before, cover) = (images().await, ada.get(&format!("{path}/cover_image")).await.body);

    let wish = json!({"book": {"line_weight": "thin"}});
    let reply = ada.generate(&format!("{path}/restyle"), "k1", &wish).await;
    assert_eq!(reply.header("x-service-credits-consumed"), "2");
    let accepted = reply.expect(202);
    assert_eq!(accepted["operation"]["type"], "book.restyle");
    assert_eq!(accepted["operation"]["items"].as_array().unwrap().len(), 2);
    assert_eq!(look(&accepted["book"]), ["thin", "usual", "", "usual"]);
    assert_eq!(accepted["book"]["active_operation_id"], accepted["operation"]["id"]);
    assert_eq!(images().await, before);
    for other in [format!("{path}/restyle"), format!("/pages/{}/regenerate", ids[0])] {
        ada.generate(&other, "k2", &json!({}))
            .await
            .expect_error(409, "generation_active");
    }
    let replay = ada.generate(&format!("{path}/restyle"), "k1", &wish).await;
    assert_eq!(replay.expect(202), accepted);

    app.draw_everything().await;
    let after = images().await;
    assert!(after[0] != before[0] && after[1] != before[1] && after[2] == before[2]);
    assert_eq!(ada.get(&format!("{path}/cover_image")).await.body, cover);
    let shown = ada.look(&path, "book").await;
    assert_eq!(
        (&shown["status"], &shown["active_operation_id"]),
        (&json!("ready"), &json!(null))
    );
    assert_eq!(look(&page(&ada, &ids[0]).await), ["thin", "usual", "", "usual"]);
    assert_eq!(look(&page(&ada, &own).await), USUAL);
    let attempts = ada.get(&format!("/pages/{}/attempts", ids[1])).await.expect(200);
    assert_eq!(attempts["attempts"].as_array().unwrap().len(), 2);
    assert_eq!(ada.credits().await, 5);

    // Canceled before anything was drawn.
    let again = app.accepted(&ada, &format!("{path}/restyle"), &json!({})).await;
    ada.post_nothing(&format!("/operations/{}/cancel", again.operation.id))
        .await
        .expect(200);
    assert_eq!(images().await, after);
    assert_eq!(ada.look(&path, "book").await["status"], "ready");
    assert_eq!(ada.credits().await, 5);
    app.check_books().await;
}

#[tokio::test]
async fn a_book_is_not_restyled_while_one_of_its_pages_is_drawn() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let book = app.ready_book(&ada, &["A fox", "An owl"]).await;
    let ids = ada.page_ids(&book).await;
    let drawn = app
        .accepted(&ada, &format!("/pages/{}/regenerate", ids[1]), &json!({}))
        .await;
    let wish = json!({"book": {"detail": "simple"}});
    let restyle = format!("/books/{book}/restyle");
    let error = ada
        .generate(&restyle, "k1", &wish)
        .await
        .expect_error(409, "generation_active");
    let message = error["message"].as_str().unwrap();
    assert!(message.contains(&drawn.operation_id()), "{message}");
    for id in &ids {
        assert_eq!(look(&page(&ada, id).await), USUAL);
    }
    app.draw_everything().await;
    app.accepted(&ada, &restyle, &wish).await;
    for id in &ids {
        assert_eq!(look(&page(&ada, id).await), ["usual", "simple", "", "usual"]);
    }
    app.draw_everything().await;
    app.check_books().await;
}

#[tokio::test]
async fn a_book_without_drawn_pages_or_enough_credits_is_not_restyled() {
    let app = TestApp::start().await;
    let ada = app.account(3).await;
    let book = app.ready_book(&ada, &["A fox", "An owl"]).await;
    let path = format!("/books/{book}");
    ada.generate(&format!("{path}/restyle"), "k1", &json!({"book": {"detail": "simple"}}))
        .await
        .expect_error(402, "insufficient_credits");
    assert_eq!(look(&ada.look(&path, "book").await), USUAL);
    for page in ada.page_ids(&book).await {
        let form = Form::image(&pictures::png(576, 768));
        ada.send_form("PUT", &format!("/pages/{page}/image"), form)
            .await
            .expect(200);
    }
    let error = ada
        .generate(&format!("{path}/restyle"), "k1", &json!({}))
        .await
        .expect_error(422, "validation_failed");
    assert_eq!(error["details"][0]["field"], "book.pages");
    assert_eq!(ada.credits().await, 1);
    app.check_books().await;
}

#[tokio::test]
async fn a_person_saves_a_look_and_restyles_the_book_at_the_price_on_the_button() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let book = app.ready_book(&ada, &["A fox", "An owl"]).await;
    let page_id = ada.page_ids(&book).await.remove(0);
    let mut browser = app.browser_of("ada@example.com").await;
    let path = format!("/library/books/{book}");
    browser
        .get(&path)
        .await
        .expect(200, "Draw all 2 pages again for 2 credits");
    let fields = |price: &'static str, style: &'static str| {
        [
            ("line_weight", "bold"),
            ("detail", "usual"),
            ("style", style),
            ("frame", "none"),
            ("idempotency_key", "form-1"),
            ("price", price),
        ]
    };
    let long: &'static str = Box::leak("x".repeat(101).into_boxed_str());
    let refused = browser.submit(&path, &path, &fields("2", long)).await;
    refused.expect(422, "id=\"style-error\"").expect(422, long);
    browser
        .submit(&path, &path, &fields("2", "Woodcut"))
        .await
        .expect_redirect(&format!("{path}?done=saved"));
    assert_eq!(
        look(&ada.look(&format!("/books/{book}"), "book").await),
        ["bold", "usual", "Woodcut", "none"]
    );
    assert_eq!(look(&page(&ada, &page_id).await), USUAL);
    let restyle = format!("{path}/restyle");
    let refused = browser.submit(&path, &restyle, &fields("1", "Woodcut")).await;
    assert_eq!(refused.status, 409);
    browser
        .submit(&path, &restyle, &fields("2", "Woodcut"))
        .await
        .expect_redirect(&format!("{path}?done=ordered"));
    app.draw_everything().await;
    assert_eq!(look(&page(&ada, &page_id).await), ["bold", "usual", "Woodcut", "none"]);
    assert_eq!(ada.credits().await, 5);

    let path = format!("/library/pages/{page_id}");
    browser.get(&path).await.expect(200, "value=\"Woodcut\"");
    browser
        .submit(
            &path,
            &path,
            &[
                ("title", "A fox"),
                ("prompt", "A fox"),
                ("detail", "simple"),
                ("style", ""),
                ("frame", "rounded"),
            ],
        )
        .await
        .expect_redirect(&format!("{path}?done=saved"));
    assert_eq!(look(&page(&ada, &page_id).await), ["bold", "simple", "", "rounded"]);
}
