//! `GET` and `PUT /pages/{id}/image`.
use linepress_core::artwork::Status;
use linepress_core::books::BookStatus;
use linepress_core::pages::Origin;
use serde_json::json;

use crate::test_app::{Actor, Form, Reply, TestApp, Web, pictures};

#[tokio::test]
async fn a_page_without_an_image_has_none_to_download() {
    let app = TestApp::start().await;
    let ada = app.account(5).await;
    let body = app.new_page(&ada, "A fox").await;
    let id = body.page_id();
    ada.get(&format!("/pages/{id}/image"))
        .await
        .expect_error(404, "not_found");
}

async fn replace(actor: &Actor, page: &str, file: &[u8]) -> Reply {
    actor
        .send_form("PUT", &format!("/pages/{page}/image"), Form::image(file))
        .await
}

#[tokio::test]
async fn the_image_is_downloaded_for_nothing() {
    let app = TestApp::start().await;
    let ada = app.account(1).await;
    let page = app.ready_page(&ada, "A fox").await;
    let image = ada.get(&format!("/pages/{page}/image")).await;
    assert_eq!(image.status, 200);
    image.expect_free();
    assert_eq!(image.header("content-type"), "image/png");
    assert_eq!(
        ada.page(&page).await.image.unwrap().byte_size as usize,
        image.body.len()
    );
}

#[tokio::test]
async fn a_replaced_image_keeps_the_page_and_makes_it_imported_for_nothing() {
    let app = TestApp::start().await;
    let ada = app.account(1).await;
    let page = app.ready_page(&ada, "A fox").await;
    let path = format!("/pages/{page}");
    let before = ada.look(&path, "page").await;
    let drawn = ada.get(&format!("{path}/image")).await.body;

    let reply = replace(&ada, &page, &pictures::png(576, 768)).await;
    reply.expect_free();
    let after = reply.expect(200)["page"].clone();
    assert_eq!(
        (&after["origin"], &after["image"]["revision"]),
        (&json!("imported"), &json!(2))
    );
    for same in ["id", "title", "prompt", "aspect", "status", "created_at"] {
        assert_eq!(after[same], before[same], "{same}");
    }
    assert_eq!(after["image"]["url"], before["image"]["url"]);
    assert_ne!(ada.get(&format!("{path}/image")).await.body, drawn);
    assert_eq!(ada.look(&path, "page").await, after);
    assert_eq!(
        replace(&ada, &page, &pictures::jpeg(600, 800)).await.expect(200)["page"]["image"]["revision"],
        3
    );
    assert_eq!(ada.count("operations").await, 1);
    app.check_books().await;
}

#[tokio::test]
async fn artwork_for_a_page_comes_from_an_upload_or_an_https_address() {
    let web = Web::open().await;
    let app = TestApp::builder().fetcher(web.fetcher()).start().await;
    let ada = app.account(1).await;
    let page = app.imported_page(&ada, "A fox").await;
    let path = format!("/pages/{page}/image");
    web.file("/fox.png", &pictures::png(1152, 1536));
    let body = json!({"image_url": "https://pictures.test/fox.png"});
    assert_eq!(ada.put(&path, &body).await.expect(200)["page"]["image"]["revision"], 2);
    let upload = ada.new_upload().await;
    let file = pictures::jpeg(576, 768);
    app.anonymous().send("PUT", &upload.url, &[], file.into()).await;
    let body = json!({"upload_id": upload.id});
    assert_eq!(ada.put(&path, &body).await.expect(200)["page"]["image"]["revision"], 3);
    app.check_books().await;
}

#[tokio::test]
async fn a_failed_page_is_repaired_with_artwork() {
    let app = TestApp::builder()
        .image_provider("testbed.flaky", json!({"fail": "refused", "seeds": "all"}))
        .start()
        .await;
    let ada = app.account(1).await;
    let body = json!({"book": {"title": "B", "pages": [{"title": "A fox"}]}});
    let book = app.accepted(&ada, "/books", &body).await.book_id();
    app.draw_what_is_due().await;
    let page = ada.page_ids(&book).await[0].clone();
    assert_eq!(ada.page(&page).await.status, Status::Failed);
    let repaired = replace(&ada, &page, &pictures::png(576, 768)).await.expect(200)["page"].clone();
    assert_eq!(
        (&repaired["status"], &repaired["error"]),
        (&json!("ready"), &json!(null))
    );
    assert_eq!(repaired["image"]["revision"], 1);
    assert_eq!(ada.book(&book).await.status, BookStatus::Ready);
    assert_eq!(ada.get(&format!("/books/{book}/pdf")).await.status, 200);
}

#[tokio::test]
async fn an_image_is_not_replaced_while_another_is_drawn() {
    let app = TestApp::start().await;
    let ada = app.account(2).await;
    let page = app.ready_page(&ada, "A fox").await;
    app.accepted(&ada, &format!("/pages/{page}/regenerate"), &json!({}))
        .await;
    replace(&ada, &page, &pictures::png(576, 768))
        .await
        .expect_error(409, "generation_active");
    app.draw_what_is_due().await;
    let shown = ada.page(&page).await;
    assert_eq!(shown.origin, Origin::Generated);
    assert_eq!(shown.image.unwrap().revision, 2);
    replace(&ada, &page, &pictures::png(576, 768)).await.expect(200);
    app.check_books().await;
}

#[tokio::test]
async fn a_replaced_image_is_replaced_by_a_regeneration() {
    let app = TestApp::start().await;
    let ada = app.account(1).await;
    let page = app.imported_page(&ada, "A fox").await;
    app.accepted(&ada, &format!("/pages/{page}/regenerate"), &json!({}))
        .await;
    app.draw_what_is_due().await;
    let shown = ada.page(&page).await;
    assert_eq!(shown.origin, Origin::Generated);
    assert_eq!(shown.image.unwrap().revision, 2);
    app.check_books().await;
}

#[tokio::test]
async fn refused_artwork_leaves_the_image_and_stores_nothing() {
    let app = TestApp::start().await;
    let ada = app.account(1).await;
    let page = app.imported_page(&ada, "A fox").await;
    let path = format!("/pages/{page}/image");
    let (before, objects) = (ada.look(&format!("/pages/{page}"), "page").await, app.objects());
    for file in [
        b"not a picture".to_vec(),
        pictures::png(768, 576),
        pictures::single_pixel(),
    ] {
        replace(&ada, &page, &file).await.expect_error(422, "unsupported_image");
    }
    let fox = pictures::png(576, 768);
    let form = Form::image(&fox).text("title", "A wolf");
    ada.send_form("PUT", &path, form).await.expect_fields(&["title"]);
    ada.send_form("PUT", &path, Form::new()).await.expect_fields(&["image"]);
    ada.put(&path, &json!({})).await.expect_fields(&["image"]);
    ada.put(&path, &json!({"upload_id": "upl_none"}))
        .await
        .expect_fields(&["upload_id"]);
    ada.put(&path, &json!({"image_url": "http://pictures.test/"}))
        .await
        .expect_fields(&["image_url"]);
    replace(&ada, "page_none", &fox).await.expect_error(404, "not_found");
    assert_eq!(ada.look(&format!("/pages/{page}"), "page").await, before);
    assert_eq!(app.objects(), objects);
}
