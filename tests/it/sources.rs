//! Pages and characters drawn from a customer's picture: `source_upload_id`.
mod characters;

use std::time::Duration;

use crate::testing;
use linepress_core::operations::{FailureCode, OperationStatus};
use linepress_drawings::queue::DrawingStatus;
use serde_json::{Value, json};

use crate::test_app::{Actor, Log, TestApp, pictures};

/// The note of the test bed's provider about a drawing made from a picture.
const FROM_PICTURE: &str = "drawn from image/jpeg, which is a JPEG";

/// Uploads this file; returns the id of the upload.
async fn uploaded(actor: &Actor, file: Vec<u8>) -> String {
    let upload = actor.new_upload().await;
    let sent = actor.send_to(&upload.url, file).await;
    sent.expect_no_content_at_all();
    upload.id
}

fn drawn_from(upload: &str) -> Value {
    json!({"page": {"title": "Our dog", "source_upload_id": upload}})
}

/// Returns the number of stored source pictures, after all expired ones have been deleted.
async fn sources(app: &TestApp) -> usize {
    app.server.clock.advance(Duration::from_secs(660));
    testing::sweep_objects(&app.server).await.unwrap();
    app.objects().iter().filter(|key| key.starts_with("sources/")).count()
}

/// Starts an app whose provider fails as the prompt says.
async fn asked() -> TestApp {
    TestApp::builder()
        .image_provider("testbed.flaky", json!({"fail": "asked", "seeds": "all"}))
        .start()
        .await
}

#[tokio::test]
async fn a_page_is_drawn_from_a_picture_that_was_uploaded() {
    let app = TestApp::start().await;
    let ada = app.account(2).await;
    let upload = uploaded(&ada, pictures::photograph(3000, 2000)).await;
    let before = ada.stored_bytes().await;
    let accepted = ada.generate("/pages", "k1", &drawn_from(&upload)).await;
    assert_eq!(accepted.header("x-service-credits-consumed"), "1");
    let accepted = accepted.accepted();
    assert_eq!(sources(&app).await, 1);
    assert!(ada.stored_bytes().await > before);
    // The waiting picture counts as stored, and the check of the ledger expects it.
    app.check_ledger().await;

    app.draw_everything().await;
    let drawn = ada.operation(&accepted).await;
    assert_eq!(drawn.items[0].note.as_deref(), Some(FROM_PICTURE));
    assert_eq!(sources(&app).await, 0);
    app.check_books().await;
}

#[tokio::test]
async fn a_source_goes_away_with_its_drawing_however_that_ends() {
    let app = asked().await;
    let ada = app.account(9).await;
    let generate = async |key: &str, prompt: &str| {
        let upload = uploaded(&ada, pictures::photograph(900, 600)).await;
        let mut body = drawn_from(&upload);
        body["page"]["prompt"] = json!(prompt);
        ada.generate("/pages", key, &body).await.accepted()
    };
    let empty = ada.stored_bytes().await;
    let uploads = |count: i64| empty + count * i64::try_from(pictures::photograph(900, 600).len()).unwrap();

    let refused = generate("k1", "A dog that is refused").await;
    assert_eq!(sources(&app).await, 1);
    app.draw_everything().await;
    assert_eq!(ada.status(&refused).await, OperationStatus::Failed);
    assert_eq!(sources(&app).await, 0);
    assert_eq!(ada.stored_bytes().await, uploads(1));

    let deleted = generate("k2", "A dog").await;
    assert_eq!(sources(&app).await, 1);
    let path = format!("/pages/{}", deleted.page_id());
    ada.delete(&path).await.expect_no_content();
    assert_eq!(sources(&app).await, 0);
    assert_eq!(ada.stored_bytes().await, uploads(2));

    // The drawing is retried, so its picture stays until the last attempt.
    let failing = generate("k3", "A dog, other than that").await;
    app.draw_what_is_due().await;
    assert_eq!(sources(&app).await, 1);
    app.draw_everything().await;
    assert_eq!(ada.status(&failing).await, OperationStatus::Failed);
    assert_eq!(sources(&app).await, 0);

    generate("k4", "A dog").await;
    assert_eq!(sources(&app).await, 1);
    let account = linepress_accounts::accounts::find(&app.server, "ada@example.com")
        .await
        .unwrap();
    testing::close(&app.server, &account.unwrap()).await.unwrap();
    assert_eq!(sources(&app).await, 0);
    app.check_books().await;
}

#[tokio::test]
async fn a_repeated_request_stores_one_source() {
    let app = TestApp::start().await;
    let ada = app.account(2).await;
    let upload = uploaded(&ada, pictures::photograph(900, 600)).await;
    let first = ada.generate("/pages", "k1", &drawn_from(&upload)).await.expect(202);
    // The upload has expired by then.
    app.server.clock.advance(Duration::from_secs(3601));
    let again = ada.generate("/pages", "k1", &drawn_from(&upload)).await;
    assert_eq!(again.expect(202), first);
    assert_eq!(again.header("x-service-credits-consumed"), "0");
    assert_eq!(sources(&app).await, 1);
    let other = ada.generate("/pages", "k1", &drawn_from("upl_other")).await;
    other.expect_error(409, "idempotency_conflict");
    app.draw_everything().await;
    app.check_books().await;
}

#[tokio::test]
async fn an_unusable_source_is_refused_and_nothing_is_stored() {
    let app = TestApp::start().await;
    let ada = app.account(2).await;
    let ben = app
        .account_named("ben@example.com", linepress_accounts::accounts::Plan::Business, 1)
        .await;
    let tiny = uploaded(&ada, pictures::png(60, 400)).await;
    let reply = ada.generate("/pages", "k1", &drawn_from(&tiny)).await;
    reply.expect_error(422, "unsupported_image");
    let cut = uploaded(&ada, pictures::bomb()).await;
    let reply = ada.generate("/pages", "k1", &drawn_from(&cut)).await;
    reply.expect_error(422, "unsupported_image");
    let bens = uploaded(&ben, pictures::photograph(900, 600)).await;
    let empty = ada.new_upload().await.id;
    for upload in ["upl_none", &bens, &empty] {
        let reply = ada.generate("/pages", "k1", &drawn_from(upload)).await;
        reply.expect_fields(&["page.source_upload_id"]);
    }
    let book = app.ready_book(&ada, &["One"]).await;
    let page = ada.page_ids(&book).await.remove(0);
    for path in [format!("/books/{book}/pages"), format!("/pages/{page}/regenerate")] {
        let reply = ada.generate(&path, "k2", &drawn_from("upl_none")).await;
        reply.expect_fields(&["page.source_upload_id"]);
    }
    let upload = uploaded(&ada, pictures::photograph(900, 600)).await;
    assert_eq!(sources(&app).await, 0);
    // A request refused for lack of credits stores no picture either.
    let reply = ada.generate("/pages", "k3", &drawn_from(&upload)).await;
    reply.expect(202);
    let broke = ada.generate("/pages", "k4", &drawn_from(&upload)).await;
    broke.expect_error(402, "insufficient_credits");
    assert_eq!(sources(&app).await, 1);
}

#[tokio::test]
async fn a_page_of_a_book_is_drawn_from_a_picture() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let book = app.ready_book(&ada, &["One"]).await;
    let path = format!("/books/{book}/pages");
    let upload = uploaded(&ada, pictures::photograph(900, 600)).await;
    let mut body = drawn_from(&upload);
    body["page"]["variants"] = json!(2);
    body["position"] = json!(1);
    let first = ada.generate(&path, "k1", &body).await;
    assert_eq!(first.header("x-service-credits-consumed"), "2");
    let (accepted, reply) = (first.accepted(), first.expect(202));
    assert_eq!(ada.generate(&path, "k1", &body).await.expect(202), reply);
    assert_eq!(sources(&app).await, 1);
    app.draw_everything().await;
    let drawn = ada.operation(&accepted).await;
    for item in &drawn.items {
        assert_eq!(item.note.as_deref(), Some(FROM_PICTURE));
    }
    assert_eq!(ada.page_ids(&book).await[0], accepted.page_id());
    assert_eq!(sources(&app).await, 0);
    // Another aspect than the book's is refused, and the picture is not kept.
    let upload = uploaded(&ada, pictures::photograph(900, 600)).await;
    let mut body = drawn_from(&upload);
    body["page"]["aspect"] = json!("square");
    let refused = ada.generate(&path, "k2", &body).await;
    refused.expect_fields(&["page.aspect"]);
    assert_eq!(sources(&app).await, 0);
    app.check_books().await;
}

#[tokio::test]
async fn pages_of_a_new_book_are_drawn_from_pictures() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let upload = uploaded(&ada, pictures::photograph(900, 600)).await;
    let other = uploaded(&ada, pictures::photograph(600, 900)).await;
    let body = |last: &str| {
        json!({"book": {"title": "Our dog", "pages": [
            {"title": "At home", "source_upload_id": upload}, {"title": "A fox"},
            {"title": "Outside", "source_upload_id": last},
        ]}})
    };
    // Pictures that were received before one is refused are not kept.
    let reply = ada.generate("/books", "k1", &body("upl_none")).await;
    reply.expect_fields(&["book.pages[2].source_upload_id"]);
    assert_eq!(sources(&app).await, 0);
    let first = ada.generate("/books", "k1", &body(&other)).await;
    let (accepted, reply) = (first.accepted(), first.expect(202));
    app.server.clock.advance(Duration::from_secs(3601));
    assert_eq!(ada.generate("/books", "k1", &body(&other)).await.expect(202), reply);
    assert_eq!(sources(&app).await, 2);
    app.check_ledger().await;
    app.draw_everything().await;
    let drawn = ada.operation(&accepted).await;
    let from_picture: Vec<&str> = drawn
        .items
        .iter()
        .filter(|item| item.note.as_deref() == Some(FROM_PICTURE))
        .map(|item| item.title.as_str())
        .collect();
    assert_eq!(from_picture, ["At home", "Outside"]);
    assert_eq!(sources(&app).await, 0);
    assert_eq!(ada.credits().await, 6);
    app.check_books().await;
}

#[tokio::test]
async fn a_page_is_drawn_again_from_a_picture_once() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let book = app.ready_book(&ada, &["One"]).await;
    let page = ada.page_ids(&book).await.remove(0);
    let path = format!("/pages/{page}/regenerate");
    let drawn_from = |upload: &str| json!({"page": {"source_upload_id": upload}});
    let upload = uploaded(&ada, pictures::photograph(900, 600)).await;
    let first = ada.generate(&path, "k1", &drawn_from(&upload)).await;
    let (accepted, reply) = (first.accepted(), first.expect(202));
    app.server.clock.advance(Duration::from_secs(3601));
    assert_eq!(ada.generate(&path, "k1", &drawn_from(&upload)).await.expect(202), reply);
    ada.generate(&path, "k1", &json!({}))
        .await
        .expect_error(409, "idempotency_conflict");
    assert_eq!(sources(&app).await, 1);
    app.draw_everything().await;
    assert_eq!(
        ada.operation(&accepted).await.items[0].note.as_deref(),
        Some(FROM_PICTURE)
    );
    assert_eq!(sources(&app).await, 0);
    let again = app.accepted(&ada, &path, &json!({})).await;
    app.draw_everything().await;
    assert_ne!(ada.operation(&again).await.items[0].note.as_deref(), Some(FROM_PICTURE));

    // A picture for a page that is locked or does not exist is not kept.
    ada.patch(&format!("/pages/{page}"), &json!({"page": {"locked": true}}))
        .await
        .expect(200);
    let upload = uploaded(&ada, pictures::photograph(900, 600)).await;
    ada.generate(&path, "k2", &drawn_from(&upload))
        .await
        .expect_error(409, "page_locked");
    ada.generate("/pages/page_none/regenerate", "k2", &drawn_from(&upload))
        .await
        .expect_error(404, "not_found");
    assert_eq!(sources(&app).await, 0);
    app.check_books().await;
}

#[tokio::test]
async fn an_agent_draws_pages_and_characters_from_pictures() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let book = app.ready_book(&ada, &["One"]).await;
    let page = ada.page_ids(&book).await.remove(0);
    let pip = json!({"character": {"name": "Pip"}});
    let pip = app.accepted(&ada, "/characters", &pip).await.character_id();
    app.draw_everything().await;
    let agent = app.agent("ada@example.com").await;
    for (tool, mut arguments) in [
        ("regenerate_page", json!({"page_id": page})),
        ("generate_book_page", json!({"book_id": book, "title": "Our dog"})),
        ("create_character", json!({"name": "Biscuit"})),
        ("regenerate_character", json!({"character_id": pip})),
    ] {
        arguments["source_upload_id"] = uploaded(&ada, pictures::photograph(900, 600)).await.into();
        arguments["idempotency_key"] = app.new_key().into();
        arguments["confirm_credits"] = 1.into();
        let ordered = agent.call(tool, arguments).await.expect()["operation"]["id"].clone();
        app.draw_everything().await;
        let operation = ada
            .look(&format!("/operations/{}", ordered.as_str().unwrap()), "operation")
            .await;
        assert_eq!(operation["items"][0]["note"], FROM_PICTURE, "{tool}");
    }
    assert_eq!(sources(&app).await, 0);
}

#[tokio::test]
async fn a_provider_that_draws_from_words_alone_refuses_a_picture() {
    let app = TestApp::builder()
        .image_provider("linepress.sketchbook", json!({}))
        .start()
        .await;
    let ada = app.account(1).await;
    let upload = uploaded(&ada, pictures::photograph(900, 600)).await;
    let reply = ada.generate("/pages", "k1", &drawn_from(&upload)).await;
    let error = reply.expect_error(422, "validation_failed");
    assert_eq!(
        error["details"],
        json!([{
            "field": "page.source_upload_id",
            "message": "cannot be used: this server draws from text only; leave it out",
        }])
    );
    assert_eq!(sources(&app).await, 0);
}

#[tokio::test]
async fn a_page_whose_picture_no_provider_takes_any_more_fails_and_the_log_names_the_reason() {
    let app = TestApp::builder()
        .next_image_provider("linepress.sketchbook", json!({}))
        .start()
        .await;
    let without = app
        .another_node_with(|config| config.image_providers = vec!["linepress.sketchbook".into()])
        .await;
    let ada = app.account(1).await;
    let upload = uploaded(&ada, pictures::photograph(900, 600)).await;
    let accepted = ada.generate("/pages", "k1", &drawn_from(&upload)).await.accepted();
    let log = Log::default();
    let captured = log.capture();
    assert!(testing::work_once(&without).await.unwrap());
    drop(captured);
    let named = |line: &String| line.contains("ERROR") && line.contains("aspect=\"portrait\" source_picture=true");
    assert!(log.lines().iter().any(named), "{:?}", log.lines());
    assert_eq!(ada.status(&accepted).await, OperationStatus::Failed);
    assert_eq!(ada.credits().await, 1);
    assert_eq!(sources(&app).await, 0);
}

#[tokio::test]
async fn a_photograph_without_shapes_is_refused_and_refunded() {
    let app = TestApp::builder()
        .image_provider("linepress.photo", json!({}))
        .start()
        .await;
    let ada = app.account(3).await;
    let mut even = std::io::Cursor::new(Vec::new());
    image::GrayImage::from_pixel(900, 1200, image::Luma([140]))
        .write_to(&mut even, image::ImageFormat::Png)
        .unwrap();
    let upload = uploaded(&ada, even.into_inner()).await;
    let accepted = ada.generate("/pages", "k1", &drawn_from(&upload)).await.accepted();
    app.draw_everything().await;
    let item = ada.operation(&accepted).await.items.swap_remove(0);
    assert_eq!(item.status, DrawingStatus::Failed);
    let error = item.error.unwrap();
    assert_eq!(error.code, FailureCode::Invalid);
    assert_eq!(
        error.message,
        "The image provider cannot draw this as it stands. Change the prompt, or use another photograph, and try again."
    );
    assert_eq!(ada.credits().await, 3);
}

#[tokio::test]
async fn the_photo_provider_draws_from_pictures_alone() {
    let app = TestApp::builder()
        .image_provider("linepress.photo", json!({}))
        .start()
        .await;
    let ada = app.account(3).await;
    let reply = ada.generate("/pages", "k1", &json!({"page": {"title": "A fox"}})).await;
    reply.expect_fields(&["page.source_upload_id"]);
    let upload = uploaded(&ada, pictures::photo_of_shapes(900, 1200)).await;
    let accepted = ada.generate("/pages", "k1", &drawn_from(&upload)).await.accepted();
    app.draw_everything().await;
    assert_eq!(ada.status(&accepted).await, OperationStatus::Succeeded);
    let path = format!("/pages/{}", accepted.page_id());
    let page = ada.get(&path).await.expect(200);
    let image = ada.get(page["page"]["image"]["url"].as_str().unwrap()).await;
    let picture = image::load_from_memory(&image.body).unwrap().into_luma8();
    let ink = picture.pixels().filter(|pixel| pixel.0[0] < 128).count();
    let share = ink as f64 / f64::from(picture.width() * picture.height());
    assert!((0.005..0.2).contains(&share), "{share}");
    // The picture was deleted after the first drawing.
    let again = ada.generate(&format!("{path}/regenerate"), "k2", &json!({})).await;
    again.expect_fields(&["page.source_upload_id"]);
    app.check_books().await;
}
