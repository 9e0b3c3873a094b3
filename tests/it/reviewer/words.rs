//! Blocked words, which are refused before anything is charged.
use serde_json::json;

use crate::test_app::TestApp;

/// A server that draws no owls for children, and nothing of Acme for anyone.
async fn start_without_owls() -> TestApp {
    TestApp::builder()
        .config(|config| {
            config.blocked_words.child = vec!["Owl".into()];
            config.blocked_words.adult = vec!["Acme".into()];
        })
        .start()
        .await
}

#[tokio::test]
async fn a_blocked_word_is_refused_before_anything_is_charged() {
    let app = start_without_owls().await;
    let ada = app.account(9).await;
    let mine = app.imported_page(&ada, "A fox").await;
    for (path, body, field) in [
        ("/pages", json!({"page": {"title": "A NUDE statue"}}), "page.prompt"),
        (
            "/pages",
            json!({"page": {"title": "Art", "prompt": "An owl."}}),
            "page.prompt",
        ),
        (
            "/pages",
            json!({"page": {"title": "Art", "style": "Owl feathers"}}),
            "page.style",
        ),
        (
            "/characters",
            json!({"character": {"name": "Pip", "description": "The fox of Acme"}}),
            "character.description",
        ),
        (
            "/characters",
            json!({"character": {"name": "Pip", "style": "Acme posters"}}),
            "character.description",
        ),
        (
            "/books",
            json!({"book": {"title": "B", "pages": [{"page_id": mine}, {"title": "A hare"}, {"title": "An owl"}]}}),
            "book.pages[2]",
        ),
        (
            "/books",
            json!({"book": {"title": "B", "style": "Owl feathers", "pages": [{"title": "A fox"}]}}),
            "book.style",
        ),
        (
            "/books",
            json!({"book": {"title": "B", "cover": {"prompt": "An owl"}, "pages": [{"title": "A fox"}]}}),
            "book.cover.prompt",
        ),
    ] {
        ada.generate(path, "k1", &body).await.expect_fields(&[field]);
    }
    assert_eq!(ada.credits().await, 9);
    // The key is free, and adults may see both.
    let body = json!({"book": {"title": "B", "audience": "adult", "pages": [{"title": "A nude owl"}]}});
    ada.generate("/books", "k1", &body).await.expect(202);
    assert_eq!(ada.credits().await, 8);
    let refined = json!({"page": {"instruction": "Add an owl"}});
    ada.generate(&format!("/pages/{mine}/refine"), "k2", &refined)
        .await
        .expect_fields(&["page.instruction"]);
}

#[tokio::test]
async fn a_blocked_word_is_refused_when_pages_are_added_or_drawn_again() {
    let app = start_without_owls().await;
    let ada = app.account(9).await;
    let book = app.ready_book(&ada, &["A fox", "A hare"]).await;
    let page = ada.page_ids(&book).await.remove(0);
    let (book, page) = (format!("/books/{book}"), format!("/pages/{page}"));
    let restyle = format!("{book}/restyle");
    for (path, body, field) in [
        (
            format!("{page}/regenerate"),
            json!({"page": {"prompt": "An owl"}}),
            "page.prompt",
        ),
        (
            format!("{book}/pages"),
            json!({"page": {"title": "An owl"}}),
            "page.prompt",
        ),
        (
            format!("{book}/pages"),
            json!({"page": {"title": "A bear", "style": "Owl feathers"}}),
            "page.style",
        ),
        (
            restyle.clone(),
            json!({"book": {"style": "Owl feathers"}}),
            "book.style",
        ),
    ] {
        ada.generate(&path, "k1", &body).await.expect_fields(&[field]);
    }
    ada.patch(&page, &json!({"page": {"title": "An owl"}}))
        .await
        .expect(200);
    ada.generate(&restyle, "k1", &json!({"book": {"detail": "simple"}}))
        .await
        .expect_fields(&["book.pages"]);
    assert_eq!(ada.credits().await, 7);
}

#[tokio::test]
async fn the_words_of_a_character_are_screened_for_the_audience_of_each_page() {
    let app = start_without_owls().await;
    let ada = app.account(9).await;
    let described = json!({"character": {"name": "Pip", "description": "An owl"}});
    let styled = json!({"character": {"name": "Pia", "style": "Owl feathers"}});
    let mut characters = Vec::new();
    for body in [described, styled] {
        characters.push(app.accepted(&ada, "/characters", &body).await.character_id());
    }
    app.draw_everything().await;
    let renamed = app.ready_character(&ada, "Rex").await;
    let rename = json!({"character": {"name": "Owl"}});
    ada.patch(&format!("/characters/{renamed}"), &rename).await.expect(200);
    characters.push(renamed);
    for character in characters {
        let page = json!({"page": {"title": "A walk", "character_ids": [character]}});
        ada.generate("/pages", "k1", &page)
            .await
            .expect_fields(&["page.prompt"]);
        let pages = json!([{"title": "A walk", "character_ids": [character]}]);
        let adult = json!({"book": {"title": "B", "audience": "adult", "pages": pages}});
        app.accepted(&ada, "/books", &adult).await;
    }
}

#[tokio::test]
async fn an_operator_can_turn_the_words_of_the_server_off() {
    let app = TestApp::builder()
        .config(|config| config.blocked_words.built_in = false)
        .start()
        .await;
    let ada = app.account(1).await;
    app.new_page(&ada, "A nude statue").await;
}
