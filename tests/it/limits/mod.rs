//! Limits of an account: each is refused by name and reported with its use under `/me`.
mod free_covers;
mod rates;
mod stored;

use std::time::Duration;

use linepress_accounts::accounts::Plan;
use linepress_core::artwork::Status;
use serde_json::{Value, json};

use crate::test_app::{Actor, Form, Reply, TestApp, pictures};

/// Returns the limit and the use with this name under `/me`.
async fn limit(actor: &Actor, name: &str) -> Value {
    actor.look("/me", "account").await["limits"][name].clone()
}

async fn import(actor: &Actor) -> Reply {
    let form = Form::image(&pictures::png(576, 768)).text("title", "A fox");
    actor.import(form).await
}

#[tokio::test]
async fn pages_are_limited_whether_generated_or_imported() {
    let app = TestApp::builder()
        .config(|config| config.limits.pages = 2)
        .start()
        .await;
    let ada = app.account(9).await;
    let book = app.ready_book(&ada, &["A"]).await;
    assert_eq!(limit(&ada, "pages").await, json!({"limit": 2, "used": 1}));
    import(&ada).await.expect(201);
    assert_eq!(limit(&ada, "pages").await, json!({"limit": 2, "used": 2}));
    let page = json!({"page": {"title": "A fox"}});
    for (path, body) in [
        ("/pages", page.clone()),
        (&format!("/books/{book}/pages"), page.clone()),
        ("/books", json!({"book": {"title": "B", "pages": [{"title": "A"}]}})),
    ] {
        let reply = ada.generate(path, "k1", &body).await;
        reply.expect_error(422, "account_limit_reached");
        reply.expect_free();
    }
    import(&ada).await.expect_error(422, "account_limit_reached");
    // The refused import left nothing behind, and the refused generations charged nothing.
    assert_eq!((ada.credits().await, ada.count("operations").await), (8, 1));
    app.check_books().await;
    let page_id = ada.page_ids(&book).await[0].clone();
    ada.delete(&format!("/pages/{page_id}")).await.expect_no_content();
    ada.generate("/pages", "k1", &page).await.expect(202);
}

#[tokio::test]
async fn a_book_of_more_new_pages_than_there_is_room_for_is_refused_whole() {
    let app = TestApp::builder()
        .config(|config| config.limits.pages = 2)
        .start()
        .await;
    let ada = app.account(9).await;
    let pages: Vec<_> = (0..3)
        .map(|number| json!({"title": format!("Page {number}")}))
        .collect();
    ada.generate("/books", "k1", &json!({"book": {"title": "B", "pages": pages}}))
        .await
        .expect_error(422, "account_limit_reached");
    assert_eq!((ada.count("books").await, ada.count("pages").await), (0, 0));
    assert_eq!(ada.credits().await, 9);
}

#[tokio::test]
async fn books_are_limited() {
    let app = TestApp::builder()
        .config(|config| config.limits.books = 1)
        .start()
        .await;
    let ada = app.account(9).await;
    let book = app.ready_book(&ada, &["A"]).await;
    assert_eq!(limit(&ada, "books").await, json!({"limit": 1, "used": 1}));
    let body = json!({"book": {"title": "B", "pages": [{"title": "A"}]}});
    ada.generate("/books", "k1", &body)
        .await
        .expect_error(422, "account_limit_reached");
    ada.delete(&format!("/books/{book}")).await.expect_no_content();
    ada.generate("/books", "k1", &body).await.expect(202);
}

#[tokio::test]
async fn active_characters_are_limited_and_archived_ones_do_not_count() {
    let app = TestApp::builder()
        .config(|config| config.limits.characters = 1)
        .start()
        .await;
    let ada = app.account(9).await;
    let pip = app.ready_character(&ada, "Pip").await;
    assert_eq!(limit(&ada, "characters").await, json!({"limit": 1, "used": 1}));
    let body = json!({"character": {"name": "Kit"}});
    ada.generate("/characters", "k1", &body)
        .await
        .expect_error(422, "account_limit_reached");
    ada.delete(&format!("/characters/{pip}")).await.expect_no_content();
    assert_eq!(limit(&ada, "characters").await, json!({"limit": 1, "used": 0}));
    ada.generate("/characters", "k1", &body).await.expect(202);
    assert_eq!(ada.credits().await, 7);
}

#[tokio::test]
async fn pages_of_one_book_are_limited() {
    let app = TestApp::builder()
        .config(|config| config.limits.pages_per_book = 2)
        .start()
        .await;
    let ada = app.account(9).await;
    let pages = json!([{"title": "A"}, {"title": "B"}, {"title": "C"}]);
    ada.generate("/books", "k1", &json!({"book": {"title": "B", "pages": pages}}))
        .await
        .expect_error(422, "account_limit_reached");
    let book = app.ready_book(&ada, &["A", "B"]).await;
    assert_eq!(limit(&ada, "pages_per_book").await, json!({"limit": 2, "used": null}));
    let path = format!("/books/{book}/pages");
    let page = app.imported_page(&ada, "A fox").await;
    ada.post(&path, &json!({"page_id": page}))
        .await
        .expect_error(422, "account_limit_reached");
    ada.generate(&path, "k1", &json!({"page": {"title": "C"}}))
        .await
        .expect_error(422, "account_limit_reached");
    assert_eq!((ada.page_ids(&book).await.len(), ada.credits().await), (2, 7));
}

#[tokio::test]
async fn generations_under_way_are_limited() {
    let app = TestApp::builder()
        .config(|config| config.limits.generations = 1)
        .start()
        .await;
    let ada = app.account(9).await;
    let page = app.ready_page(&ada, "A fox").await;
    let pip = app.ready_character(&ada, "Pip").await;
    let book = app.ready_book(&ada, &["A"]).await;
    app.new_page(&ada, "An owl").await;
    assert_eq!(limit(&ada, "generations").await, json!({"limit": 1, "used": 1}));
    for (path, body) in [
        ("/pages".to_owned(), json!({"page": {"title": "A"}})),
        (format!("/pages/{page}/regenerate"), json!({})),
        (
            format!("/pages/{page}/refine"),
            json!({"page": {"instruction": "A hat"}}),
        ),
        ("/characters".into(), json!({"character": {"name": "Kit"}})),
        (format!("/characters/{pip}/regenerate"), json!({})),
        (
            "/books".into(),
            json!({"book": {"title": "B", "pages": [{"title": "A"}]}}),
        ),
        (format!("/books/{book}/pages"), json!({"page": {"title": "A"}})),
        (format!("/books/{book}/restyle"), json!({})),
    ] {
        ada.generate(&path, "k1", &body)
            .await
            .expect_error(422, "account_limit_reached");
    }
    assert_eq!(ada.credits().await, 5);
    assert_eq!(ada.page(&page).await.status, Status::Ready);
    app.draw_what_is_due().await;
    assert_eq!(limit(&ada, "generations").await, json!({"limit": 1, "used": 0}));
    app.accepted(&ada, &format!("/pages/{page}/regenerate"), &json!({}))
        .await;
}

#[tokio::test]
async fn uploads_are_limited_until_they_expire() {
    let app = TestApp::builder()
        .config(|config| config.limits.uploads = 1)
        .start()
        .await;
    let ada = app.account(9).await;
    let create = async || ada.post_nothing("/artwork_uploads").await;
    create().await.expect(201);
    assert_eq!(limit(&ada, "uploads").await, json!({"limit": 1, "used": 1}));
    create().await.expect_error(422, "account_limit_reached");
    app.server.clock.advance(Duration::from_secs(3600));
    assert_eq!(limit(&ada, "uploads").await, json!({"limit": 1, "used": 0}));
    create().await.expect(201);
}

#[tokio::test]
async fn a_limit_is_each_accounts_own() {
    let app = TestApp::builder()
        .config(|config| config.limits.pages = 1)
        .start()
        .await;
    let ada = app.account(9).await;
    let ben = app.account_named("ben@example.com", Plan::Business, 9).await;
    import(&ada).await.expect(201);
    import(&ben).await.expect(201);
    import(&ada).await.expect_error(422, "account_limit_reached");
    assert_eq!(limit(&ben, "pages").await, json!({"limit": 1, "used": 1}));
}

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_requests_do_not_share_the_last_place() {
    let app = TestApp::builder()
        .config(|config| config.limits.pages = 3)
        .start()
        .await;
    let ada = app.account(20).await;
    let requests = (0..12).map(|number| {
        let ada = ada.clone();
        let body = json!({"page": {"title": format!("Page {number}")}});
        tokio::spawn(async move { ada.generate("/pages", &format!("key-{number}"), &body).await })
    });
    let replies = futures::future::join_all(requests).await;
    let accepted = replies
        .iter()
        .filter(|reply| reply.as_ref().unwrap().status == 202)
        .count();
    assert_eq!((accepted, ada.count("pages").await, ada.credits().await), (3, 3, 17));
    app.check_ledger().await;
}
