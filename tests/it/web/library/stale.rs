//! Forms of outdated pages: they change only the fields that the user changed.
use linepress_model::Audience;
use serde_json::json;

use crate::test_app::{TestApp, borrowed};

#[tokio::test]
async fn a_form_changes_only_the_words_that_were_changed_in_it() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let book = app.ready_book(&ada, &["One"]).await;
    let page = ada.page_ids(&book).await.remove(0);
    let mut browser = app.browser_of("ada@example.com").await;
    let path = format!("/library/books/{book}");
    let earlier = browser.get(&path).await;
    let change = json!({"book": {
        "subtitle": "Of an agent", "author": "Ada", "description": "New", "audience": "adult", "cover": {"prompt": "A moon"},
    }});
    ada.patch(&format!("/books/{book}"), &change).await.expect(200);
    browser
        .send_form(&earlier, &path, &[("title", "Night")])
        .await
        .expect_redirect(&format!("{path}?done=saved"));
    let changed = ada.book(&book).await;
    assert_eq!(
        [changed.title, changed.subtitle, changed.author, changed.description],
        ["Night", "Of an agent", "Ada", "New"]
    );
    assert_eq!(changed.audience, Audience::Adult);
    assert_eq!(changed.cover.prompt, "A moon");

    // A refused form shows the stored values, and the user's input.
    let refused = browser
        .send_form(&earlier, &path, &[("title", " "), ("author", "Bob")])
        .await;
    refused.expect(422, "id=\"title-error\"");
    let shown = refused.form(&path);
    let field = |name: &str| shown.iter().find(|(field, _)| field == name).unwrap().1.clone();
    assert_eq!(
        (field("subtitle"), field("author")),
        ("Of an agent".into(), "Bob".into())
    );
    assert_eq!(field("was_author"), "Ada");

    let path = format!("/library/pages/{page}");
    let earlier = browser.get(&path).await;
    let change = json!({"page": {"caption": "Of an agent", "alternative_text": "By an agent"}});
    ada.patch(&format!("/pages/{page}"), &change).await.expect(200);
    browser.send_form(&earlier, &path, &[("title", "Two")]).await;
    let changed = ada.page(&page).await;
    assert_eq!([changed.title, changed.caption], ["Two", "Of an agent"]);
    assert_eq!(changed.alternative_text.as_deref(), Some("By an agent"));
}

#[tokio::test]
async fn a_prompt_that_was_just_drawn_is_not_put_back() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let book = app.ready_book(&ada, &["One"]).await;
    let page = ada.page_ids(&book).await.remove(0);
    let mut browser = app.browser_of("ada@example.com").await;
    for (path, draw, resource) in [
        (format!("/library/pages/{page}"), "draw", format!("/pages/{page}")),
        (format!("/library/books/{book}"), "cover/draw", format!("/books/{book}")),
    ] {
        let draw = format!("{path}/{draw}");
        let earlier = browser.get(&path).await;
        let drawn = browser
            .send_form(&earlier, &draw, &[("prompt", "An owl at night")])
            .await;
        drawn.expect_redirect(&format!("{path}?done=drawing"));
        app.draw_what_is_due().await;
        browser
            .send_form(&earlier, &path, &[("title", "A typing error less")])
            .await
            .expect_redirect(&format!("{path}?done=saved"));
        let kind = if resource.starts_with("/pages") { "page" } else { "book" };
        let changed = ada.look(&resource, kind).await;
        let prompt = if kind == "page" {
            &changed["prompt"]
        } else {
            &changed["cover"]["prompt"]
        };
        assert_eq!(
            (&changed["title"], prompt),
            (&json!("A typing error less"), &json!("An owl at night"))
        );
        // Drawing again from the outdated page uses the current prompt.
        let key = app.new_key();
        browser.send_form(&earlier, &draw, &[("idempotency_key", &key)]).await;
        app.draw_what_is_due().await;
        let changed = ada.look(&resource, kind).await;
        let prompt = if kind == "page" {
            &changed["prompt"]
        } else {
            &changed["cover"]["prompt"]
        };
        assert_eq!(prompt, &json!("An owl at night"));
    }
}

#[tokio::test]
async fn unchanged_characters_keep_their_order() {
    let app = TestApp::start().await;
    let ada = app.account(20).await;
    let [first, second, archived, new] = [
        app.ready_character(&ada, "First").await,
        app.ready_character(&ada, "Second").await,
        app.ready_character(&ada, "Archived").await,
        app.ready_character(&ada, "New").await,
    ];
    let all = json!([second, archived, first]);
    let page = app
        .accepted(
            &ada,
            "/pages",
            &json!({"page": {"title": "A fox", "character_ids": all}}),
        )
        .await;
    let book = json!({"book": {"title": "B", "character_ids": all, "pages": [{"title": "One"}]}});
    let book = app.accepted(&ada, "/books", &book).await;
    app.draw_what_is_due().await;
    ada.delete(&format!("/characters/{archived}")).await.expect_no_content();
    more_characters_than_a_form_lists(&app, &ada.account_id().await).await;
    let mut browser = app.browser_of("ada@example.com").await;
    for (kind, id) in [("page", page.page_id()), ("book", book.book_id())] {
        let (path, resource) = (format!("/library/{kind}s/{id}"), format!("/{kind}s/{id}"));
        let names = async |ada: &crate::test_app::Actor| {
            let found = ada.look(&resource, kind).await;
            let characters = found["characters"].as_array().unwrap().clone();
            characters
                .iter()
                .map(|link| link["name"].as_str().unwrap().to_owned())
                .collect::<Vec<_>>()
        };
        let shown = browser.get(&path).await;
        browser.send_form(&shown, &path, &[("title", "Another")]).await;
        assert_eq!(names(&ada).await, ["Second", "Archived", "First"]);
        // The owner removes one character and adds another.
        let mut fields = shown.form(&path);
        fields.retain(|(name, value)| name != "character_ids" || *value != second);
        fields.push(("character_ids".into(), new.clone()));
        let fields = borrowed(&fields);
        browser
            .post(&path, &fields)
            .await
            .expect_redirect(&format!("{path}?done=saved"));
        assert_eq!(names(&ada).await, ["Archived", "First", "New"]);
    }
}

/// Adds newer characters, none of which is ready.
async fn more_characters_than_a_form_lists(app: &TestApp, account: &str) {
    let mut tx = app.server.database.begin().await.unwrap();
    for number in 0..100 {
        sqlx::query(
            "INSERT INTO characters (id, account_id, name, description, style, seed, status, created_at, updated_at) \
             VALUES ($1, $2, 'One of many', '', '', 1, 'failed', 1, 1)",
        )
        .bind(format!("char_7{number:025}"))
        .bind(account)
        .execute(&mut *tx)
        .await
        .unwrap();
    }
    tx.commit().await.unwrap();
}

#[tokio::test]
async fn two_identical_moves_at_once_move_a_page_twice() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let book = app.ready_book(&ada, &["One", "Two", "Three"]).await;
    let ids = ada.page_ids(&book).await;
    let mut browser = app.browser_of("ada@example.com").await;
    let path = format!("/library/books/{book}");
    let order = format!("{path}/order");
    let page = browser.get(&path).await;
    let mut other = browser.clone();
    let up = [("up", ids[2].as_str())];
    let (first, second) = tokio::join!(
        browser.send_form(&page, &order, &up),
        other.send_form(&page, &order, &up)
    );
    let moved = format!("{path}?done=moved#{}", ids[2]);
    first.expect_done(&moved);
    second.expect_done(&moved);
    assert_eq!(
        ada.page_ids(&book).await,
        [ids[2].clone(), ids[0].clone(), ids[1].clone()]
    );
}

#[tokio::test]
async fn pages_that_were_moved_meanwhile_are_not_moved_back() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let book = app.ready_book(&ada, &["One", "Two", "Three"]).await;
    let ids = ada.page_ids(&book).await;
    let mut browser = app.browser_of("ada@example.com").await;
    let path = format!("/library/books/{book}");
    let order = format!("{path}/order");
    let earlier = browser.get(&path).await;
    let moved = json!({"page_ids": [ids[1], ids[0], ids[2]]});
    ada.patch(&format!("/books/{book}/pages/order"), &moved)
        .await
        .expect(200);
    let dragged = format!("{},{},{}", ids[2], ids[0], ids[1]);
    let refused = browser.send_form(&earlier, &order, &[("order", &dragged)]).await;
    refused.expect(409, "have been moved, added or taken out since you opened it");
    assert_eq!(
        ada.page_ids(&book).await,
        [ids[1].clone(), ids[0].clone(), ids[2].clone()]
    );
    // The page with this error can be used to continue.
    let again = browser.send_form(&refused, &order, &[("order", &dragged)]).await;
    again.expect_done(&format!("{path}?done=moved"));
    browser
        .submit(&path, &format!("{path}/take-out"), &[("page", &ids[0])])
        .await;
    let gone = browser.send_form(&earlier, &order, &[("up", &ids[0])]).await;
    gone.expect(409, "have been moved, added or taken out since you opened it");
}
