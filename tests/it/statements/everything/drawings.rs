//! Orders, drawings and their ends, attempts, and PDFs.
use std::time::Duration;

use linepress_accounts::accounts::Plan;
use linepress_platform::config::ProviderSettings;
use linepress_platform::ids::BookId;
use serde_json::json;

use crate::test_app::{Actor, Form, TestApp, book_of, pictures};
use crate::testing;

/// Waits too long for a provider that is not loaded.
pub(super) async fn give_up(app: &TestApp) {
    let gil = app.account_named("gil@example.com", Plan::Business, 1).await;
    app.new_page(&gil, "A fox").await;
    let without = app
        .another_node_with(|config| config.image_providers = vec!["acme.none".into()])
        .await;
    app.server.clock.advance(Duration::from_secs(48 * 3600));
    assert_eq!(testing::give_up(&without).await.unwrap(), 1);
}

pub(super) async fn draw(app: &TestApp, ada: &Actor) {
    let server = &app.server;
    let character = app.ready_character(ada, "Pip").await;
    let page = app.ready_page(ada, "A fox").await;
    let body = json!({"book": {"title": "B", "character_ids": [character], "pages": [
        {"title": "An owl", "character_ids": [character]}, {"title": "refused"}, {"page_id": page}]}});
    let accepted = app.accepted(ada, "/books", &body).await;
    let book = format!("/books/{}", accepted.book_id());
    let held = testing::claim(server).await.unwrap().unwrap();
    testing::renew(server, &held).await.unwrap();
    testing::note_progress(server, &held, 1, 2).await.unwrap();
    testing::release(server, &held).await.unwrap();
    app.draw_everything().await;
    for path in [format!("/characters/{character}"), format!("/pages/{page}")] {
        app.accepted(ada, &format!("{path}/regenerate"), &json!({})).await;
    }
    // The drawing of the page waits for that of the character.
    let mut browser = app.browser_of("ada@example.com").await;
    browser
        .get(&format!("/library/pages/{page}"))
        .await
        .expect(200, "data-follow=");
    app.accepted(
        ada,
        &format!("{book}/pages"),
        &json!({"page": {"title": "A hare"}, "position": 1}),
    )
    .await;
    app.draw_everything().await;
    app.accepted(ada, &format!("{book}/restyle"), &json!({"book": {"detail": "simple"}}))
        .await;
    app.draw_everything().await;
    let instruction = json!({"page": {"instruction": "A hat"}});
    app.accepted(ada, &format!("/pages/{page}/refine"), &instruction).await;
    app.draw_everything().await;
    ada.get(&format!("/pages?book_id={}", accepted.book_id()))
        .await
        .expect(200);
    ada.get(&format!("/characters/{character}/reference_image")).await;
    ada.get(&format!("{book}/cover_image")).await;
    ada.get(&format!("/pages/{page}/image")).await;
    let preview = json!({"character": {"public_preview": true}});
    let shown = ada
        .patch(&format!("/characters/{character}"), &preview)
        .await
        .expect(200);
    app.anonymous()
        .get(shown["character"]["public_preview_url"].as_str().unwrap())
        .await;
    let hidden = json!({"character": {"public_preview": false}});
    ada.patch(&format!("/characters/{character}"), &hidden)
        .await
        .expect(200);
    let change = json!({"book": {"title": "C", "character_ids": [character]}});
    ada.patch(&book, &change).await.expect(200);
    let change = json!({"page": {"title": "C", "alternative_text": "A cat", "character_ids": [character]}});
    ada.patch(&format!("/pages/{page}"), &change).await.expect(200);
    let id = accepted.book_id();
    let failed = accepted.book().pages[1].id.to_string();
    ada.delete(&format!("{book}/pages/{failed}")).await.expect_no_content();
    let mut order = ada.page_ids(&id).await;
    order.reverse();
    ada.patch(&format!("{book}/pages/order"), &json!({"page_ids": order}))
        .await
        .expect(200);
    for format in ["a4", "a4", "us_letter"] {
        assert_eq!(ada.get(&format!("{book}/pdf?format={format}")).await.status, 200);
    }
    let mut browser = app.browser_of("ada@example.com").await;
    browser
        .get(&format!("/library{book}/listing"))
        .await
        .expect(200, "Keywords");
    for path in [format!("/pages/{page}"), format!("/characters/{character}")] {
        choose_attempt(ada, &path).await;
    }
    let stored = linepress_core::books::artwork_of(&app.server, &BookId::from_text(id)).await;
    assert!(stored.unwrap().is_some());
    forget_old_editions(app, ada, &book).await;
    replace_reference(app, ada, &character).await;
    ada.delete(&format!("/characters/{character}"))
        .await
        .expect_no_content();
    ada.post_nothing(&format!("/characters/{character}/restore"))
        .await
        .expect(200);
    put_off_and_canceled(app, ada).await;
    let form = Form::image(&pictures::png(576, 768)).text("style", "color");
    assert_eq!(
        ada.send_form("PUT", &format!("{book}/cover_image"), form).await.status,
        200
    );
    app.accepted(ada, &format!("{book}/cover/regenerate"), &json!({})).await;
    app.draw_everything().await;
    choose_attempt(ada, &format!("{book}/cover")).await;
    discard_attempts(app, ada, &page).await;
    ada.delete(&book).await.expect_no_content();
}

/// Chooses the oldest attempt of what has this address.
async fn choose_attempt(ada: &Actor, path: &str) {
    let listed = ada.get(&format!("{path}/attempts")).await.expect(200);
    let oldest = listed["attempts"].as_array().unwrap().last().unwrap();
    let oldest = format!("{path}/attempts/{}", oldest["id"].as_str().unwrap());
    assert_eq!(ada.get(&format!("{oldest}/image")).await.status, 200);
    ada.post_nothing(&format!("{oldest}/choose")).await.expect(200);
}

/// Has earlier pictures discarded: by age, and for a picture for which there is no room.
async fn discard_attempts(app: &TestApp, ada: &Actor, page: &str) {
    testing::forget_attempts(&app.server).await.unwrap();
    let change = async |bytes: i64| {
        let mut tx = app.server.database.begin().await.unwrap();
        sqlx::query("UPDATE accounts SET stored_bytes = stored_bytes + $1")
            .bind(bytes)
            .execute(&mut *tx)
            .await
            .unwrap();
        tx.commit().await.unwrap();
    };
    change(1_000_000_000_000).await;
    let form = Form::image(&pictures::png(576, 768));
    ada.send_form("PUT", &format!("/pages/{page}/image"), form)
        .await
        .expect(200);
    change(-1_000_000_000_000).await;
}

/// Makes an account exceed the limit for stored PDFs.
async fn forget_old_editions(app: &TestApp, ada: &Actor, book: &str) {
    let mut tx = app.server.database.begin().await.unwrap();
    sqlx::query("UPDATE editions SET byte_size = 3000000000, made_at = 0 WHERE name LIKE 'us_letter/%'")
        .execute(&mut *tx)
        .await
        .unwrap();
    tx.commit().await.unwrap();
    ada.patch(book, &json!({"book": {"title": "D"}})).await.expect(200);
    assert_eq!(ada.get(&format!("{book}/pdf?format=a4")).await.status, 200);
}

/// Draws a character again while a page waits for its previous reference, which is deleted.
async fn replace_reference(app: &TestApp, ada: &Actor, character: &str) {
    let server = &app.server;
    let body = json!({"page": {"title": "A fox", "character_ids": [character]}});
    app.accepted(ada, "/pages", &body).await;
    let waiting = testing::claim(server).await.unwrap().unwrap();
    let path = format!("/characters/{character}/regenerate");
    app.accepted(ada, &path, &json!({})).await;
    testing::work_once(server).await.unwrap();
    testing::release(server, &waiting).await.unwrap();
    // Its previous reference is an attempt now, which may be discarded before the page is drawn.
    let before: String = sqlx::query_scalar(
        "SELECT a.image_key FROM attempts t JOIN artworks a ON a.id = t.artwork_id \
         WHERE t.target_id = $1 AND t.replaced_at IS NOT NULL ORDER BY t.replaced_at DESC LIMIT 1",
    )
    .bind(character)
    .fetch_one(&server.database.read)
    .await
    .unwrap();
    server.storage.delete(&before).await.unwrap();
    server.clock.advance(Duration::from_secs(3600));
    testing::sweep_objects(server).await.unwrap();
    app.draw_everything().await;
}

async fn put_off_and_canceled(app: &TestApp, ada: &Actor) {
    let server = &app.server;
    // Its provider is paused, and then tested by one call.
    let down = app.new_page(ada, "unavailable").await;
    for _ in 0..8 {
        testing::work_once(server).await.unwrap();
        server.clock.advance(Duration::from_secs(20));
    }
    ada.delete(&format!("/pages/{}", down.page_id()))
        .await
        .expect_no_content();
    server.clock.advance(Duration::from_secs(60));
    // The page of that call is deleted before it is made.
    let gone = app.new_page(ada, "A dog").await;
    let probe = testing::claim(server).await.unwrap().unwrap();
    ada.delete(&format!("/pages/{}", gone.page_id()))
        .await
        .expect_no_content();
    testing::attempt(server, &probe).await;
    let body = json!({"page": {"title": "A cat"}});
    for _ in 0..2 {
        ada.generate("/pages", "twice", &body).await.expect(202);
    }
    testing::work_once(server).await.unwrap();
    let waiting = app.new_page(ada, "unavailable").await;
    testing::work_once(server).await.unwrap();
    server.clock.advance(Duration::from_secs(60));
    let other = app.new_page(ada, "other").await;
    ada.delete(&format!("/pages/{}", waiting.page_id()))
        .await
        .expect_no_content();
    testing::work_once(server).await.unwrap();
    ada.delete(&format!("/pages/{}", other.page_id()))
        .await
        .expect_no_content();
    let limited = app.another_node_with(|config| {
        let settings = ProviderSettings {
            per_minute: Some(60),
            ..ProviderSettings::default()
        };
        config.providers.insert("testbed.flaky".into(), settings);
    });
    app.new_page(ada, "A limited cat").await;
    assert!(testing::work_once(&limited.await).await.unwrap());
    let undrawn = ada.generate("/books", "undrawn", &book_of(1)).await.expect(202);
    ada.delete(&format!("/books/{}", undrawn["book"]["id"].as_str().unwrap()))
        .await
        .expect_no_content();
    // No job is left in the queue.
    assert!(!testing::work_once(server).await.unwrap());
    ada.post(
        "/book_plans",
        &json!({"book_plan": {"theme": "Woods", "page_count": 2}}),
    )
    .await
    .expect(200);
}
