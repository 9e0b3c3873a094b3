//! Free requests that may be repeated with their key: imports, replaced images, attached pages.
use serde_json::json;

use crate::test_app::{Actor, Form, Reply, TestApp, pictures};

async fn send(actor: &Actor, method: &str, path: &str, key: &str, form: Form) -> Reply {
    let headers = [("content-type", &*Form::media_type()), ("idempotency-key", key)];
    actor.send(method, path, &headers, form.finish().into()).await
}

#[tokio::test]
async fn an_import_that_is_sent_again_with_its_key_makes_one_page() {
    let app = TestApp::start().await;
    let ada = app.account(0).await;
    let form = |title: &str, width| Form::image(&pictures::png(width, 768)).text("title", title);
    let first = send(&ada, "POST", "/pages/import", "k1", form("A fox", 576)).await;
    first.expect(201);
    let again = send(&ada, "POST", "/pages/import", "k1", form("A fox", 576)).await;
    assert_eq!(again.status, 201);
    assert_eq!(again.body, first.body);
    assert_eq!(again.header("location"), first.header("location"));
    assert_eq!(again.header("idempotency-replayed"), "true");
    assert_eq!(ada.count("pages").await, 1);

    // Another title, and another file.
    for other in [form("An owl", 576), form("A fox", 600)] {
        let reply = send(&ada, "POST", "/pages/import", "k1", other).await;
        reply.expect_error(409, "idempotency_conflict");
    }
    ada.generate("/pages", "k1", &json!({"page": {"title": "A fox"}}))
        .await
        .expect_error(409, "idempotency_conflict");
    assert_eq!(ada.count("pages").await, 1);
    app.check_books().await;
}

#[tokio::test]
async fn an_import_that_is_refused_leaves_its_key_free() {
    let app = TestApp::start().await;
    let ada = app.account(0).await;
    let wrong = Form::image(b"no picture").text("title", "A fox");
    send(&ada, "POST", "/pages/import", "k1", wrong)
        .await
        .expect_error(422, "unsupported_image");
    let right = Form::image(&pictures::png(576, 768)).text("title", "A fox");
    send(&ada, "POST", "/pages/import", "k1", right).await.expect(201);
}

#[tokio::test]
async fn two_imports_with_one_key_at_a_time_make_one_page() {
    let app = TestApp::start().await;
    let ada = app.account(0).await;
    let form = || Form::image(&pictures::png(576, 768)).text("title", "A fox");
    let (one, other) = tokio::join!(
        send(&ada, "POST", "/pages/import", "k1", form()),
        send(&ada, "POST", "/pages/import", "k1", form()),
    );
    assert_eq!((one.status.as_u16(), other.status.as_u16()), (201, 201));
    assert_eq!(one.body, other.body);
    assert_eq!(ada.count("pages").await, 1);
    app.check_books().await;
}

#[tokio::test]
async fn an_image_that_is_replaced_again_with_its_key_is_replaced_once() {
    let app = TestApp::start().await;
    let ada = app.account(0).await;
    let page = app.imported_page(&ada, "A fox").await;
    let path = format!("/pages/{page}/image");
    let form = || Form::image(&pictures::png(600, 800));
    let first = send(&ada, "PUT", &path, "k1", form()).await;
    assert_eq!(first.expect(200)["page"]["image"]["revision"], 2);
    let again = send(&ada, "PUT", &path, "k1", form()).await;
    assert_eq!(again.body, first.body);
    assert_eq!(again.header("idempotency-replayed"), "true");
    assert_eq!(ada.page(&page).await.image.unwrap().revision, 2);
    app.check_books().await;
}

#[tokio::test]
async fn a_page_that_is_attached_again_with_its_key_is_attached_once() {
    let app = TestApp::start().await;
    let ada = app.account(1).await;
    let book = app.ready_book(&ada, &["A fox"]).await;
    let (page, other) = (
        app.imported_page(&ada, "An owl").await,
        app.imported_page(&ada, "A bear").await,
    );
    let path = format!("/books/{book}/pages");
    let first = ada.generate(&path, "k1", &json!({"page_id": page})).await;
    assert_eq!(first.expect(200)["book"]["page_count"], 2);
    let again = ada.generate(&path, "k1", &json!({"page_id": page})).await;
    assert_eq!(again.body, first.body);
    assert_eq!(again.header("idempotency-replayed"), "true");
    ada.generate(&path, "k1", &json!({"page_id": other}))
        .await
        .expect_error(409, "idempotency_conflict");
    // Without a key it is another request.
    ada.post(&path, &json!({"page_id": page}))
        .await
        .expect_error(422, "validation_failed");
}

#[tokio::test]
async fn an_invalid_key_is_refused_where_keys_are_optional() {
    let app = TestApp::start().await;
    let ada = app.account(0).await;
    let form = Form::image(&pictures::png(576, 768)).text("title", "A fox");
    send(&ada, "POST", "/pages/import", "two words", form)
        .await
        .expect_error(400, "idempotency_key_required");
    assert_eq!(ada.count("pages").await, 0);
}
