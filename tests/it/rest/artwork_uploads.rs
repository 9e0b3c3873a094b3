//! `POST /artwork_uploads`, and the address that receives the file.
use std::time::Duration;

use crate::testing;
use linepress_accounts::accounts::{self, Plan};
use serde_json::json;

use crate::test_app::{Log, TestApp, pictures};

#[tokio::test]
async fn an_upload_is_an_address_that_takes_a_file_without_a_key() {
    let app = TestApp::start().await;
    let ada = app.account(1).await;
    let reply = ada.post_nothing("/artwork_uploads").await;
    reply.expect_free();
    let upload = reply.expect(201)["artwork_upload"].clone();
    assert_eq!(upload["max_bytes"], 32_000_000);
    assert_eq!(upload["expires_at"], "2026-11-21T13:00:00.000Z");
    let (id, url) = (upload["id"].as_str().unwrap(), upload["url"].as_str().unwrap());
    assert!(id.starts_with("upl_"));
    assert_eq!(reply.header("location"), url);

    let sent = app
        .anonymous()
        .send("PUT", url, &[], pictures::png(576, 768).into())
        .await;
    assert_eq!(sent.status, 204);
    assert_eq!(sent.header("x-service-api-version"), "v1");
    assert_eq!(sent.header("cache-control"), "private, no-store");
    let page = ada
        .post("/pages/import", &json!({"title": "A fox", "upload_id": id}))
        .await
        .expect(201);
    assert_eq!(page["page"]["status"], "ready");
    app.check_books().await;
}

#[tokio::test]
async fn the_last_file_replaces_the_previous_ones() {
    let app = TestApp::start().await;
    let ada = app.account(1).await;
    let upload = ada.new_upload().await;
    let url = upload.url.as_str();
    for picture in [pictures::png(576, 768), pictures::png(512, 512)] {
        assert_eq!(app.anonymous().send("PUT", url, &[], picture.into()).await.status, 204);
    }
    let body = json!({"title": "A fox", "upload_id": upload.id});
    let page = ada.post("/pages/import", &body).await.expect(201);
    assert_eq!(page["page"]["aspect"], "square");
    app.check_books().await;
}

#[tokio::test]
async fn an_import_that_cannot_be_written_to_the_disk_is_an_outage() {
    let app = TestApp::start().await;
    let ada = app.account(1).await;
    let upload = ada.new_upload().await;
    let picture = pictures::png(576, 768);
    let sent = app.anonymous().send("PUT", &upload.url, &[], picture.into()).await;
    assert_eq!(sent.status, 204);
    let incoming = app.server.config.incoming_dir();
    std::fs::remove_dir_all(&incoming).unwrap();
    std::fs::write(&incoming, "in the way").unwrap();
    let body = json!({"title": "A fox", "upload_id": upload.id});
    ada.post("/pages/import", &body).await.expect_error(503, "overloaded");
    std::fs::remove_file(&incoming).unwrap();
    ada.post("/pages/import", &body).await.expect(201);
    app.check_books().await;
}

#[tokio::test]
async fn an_upload_expires_after_an_hour_with_its_file() {
    let app = TestApp::start().await;
    let ada = app.account(1).await;
    let upload = ada.new_upload().await;
    let url = upload.url.as_str();
    let send = async || {
        app.anonymous()
            .send("PUT", url, &[], pictures::png(576, 768).into())
            .await
    };
    app.server.clock.advance(Duration::from_secs(3599));
    assert_eq!(send().await.status, 204);
    app.server.clock.advance(Duration::from_secs(1));
    send().await.expect_error(404, "not_found");
    ada.post("/pages/import", &json!({"title": "A fox", "upload_id": upload.id}))
        .await
        .expect_fields(&["upload_id"]);
    assert_eq!(testing::forget_uploads(&app.server).await.unwrap(), 1);
    app.check_books().await;
    assert!(app.objects().is_empty());
}

#[tokio::test]
async fn an_upload_of_another_account_or_without_a_file_is_not_found() {
    let app = TestApp::start().await;
    let ada = app.account(1).await;
    let ben = app.account_named("ben@example.com", Plan::Business, 1).await;
    let upload = ada.new_upload().await;
    let body = json!({"title": "A fox", "upload_id": upload.id});
    ada.post("/pages/import", &body).await.expect_fields(&["upload_id"]);
    let url = upload.url.as_str();
    app.anonymous()
        .send("PUT", url, &[], pictures::png(576, 768).into())
        .await;
    ben.post("/pages/import", &body).await.expect_fields(&["upload_id"]);
    for id in ["upl_none", "", "page_none"] {
        ada.post("/pages/import", &json!({"title": "A fox", "upload_id": id}))
            .await
            .expect_fields(&["upload_id"]);
    }
    app.anonymous()
        .send("PUT", "/uploads/0000", &[], "x".into())
        .await
        .expect_error(404, "not_found");
    ada.post("/pages/import", &body).await.expect(201);
}

#[tokio::test]
async fn a_file_that_is_too_large_is_not_stored() {
    let app = TestApp::builder()
        .config(|config| config.import_max_mb = 1)
        .start()
        .await;
    let ada = app.account(1).await;
    let upload = ada.new_upload().await;
    let url = upload.url.as_str();
    assert_eq!(upload.max_bytes, 1_000_000);
    app.anonymous()
        .send("PUT", url, &[], vec![0; 1_000_001].into())
        .await
        .expect_error(413, "payload_too_large");
    assert!(app.objects().is_empty());
}

#[tokio::test]
async fn an_address_stores_one_file_and_deletes_the_previous_one_within_a_minute() {
    let app = TestApp::start().await;
    let ada = app.account(1).await;
    let upload = ada.new_upload().await;
    let url = upload.url.as_str();
    for _ in 0..5 {
        let picture = pictures::png(576, 768);
        assert_eq!(app.anonymous().send("PUT", url, &[], picture.into()).await.status, 204);
    }
    app.server.clock.advance(Duration::from_secs(60));
    testing::sweep_objects(&app.server).await.unwrap();
    assert_eq!(app.objects().len(), 1, "{:?}", app.objects());
    let body = json!({"title": "A fox", "upload_id": upload.id});
    ada.post("/pages/import", &body).await.expect(201);
}

#[tokio::test]
async fn an_address_is_a_secret_that_does_not_appear_in_the_log() {
    let app = TestApp::start().await;
    let ada = app.account(1).await;
    let upload = ada.new_upload().await;
    let url = upload.url.as_str();
    let token = url.rsplit('/').next().unwrap();
    let log = Log::default();
    let captured = log.capture();
    // An error is logged with its request.
    app.server.database.close().await;
    let reply = app
        .anonymous()
        .send("PUT", url, &[], pictures::png(576, 768).into())
        .await;
    drop(captured);
    assert_eq!(reply.status, 500);
    assert!(log.holds("/uploads/{token}"), "{:?}", log.lines());
    assert!(!log.holds(token), "{:?}", log.lines());
}

#[tokio::test]
async fn a_file_that_is_not_a_picture_is_refused_when_it_is_sent() {
    let app = TestApp::start().await;
    let ada = app.account(1).await;
    let upload = ada.new_upload().await;
    let url = upload.url.as_str();
    for file in [
        pictures::SVG.to_vec(),
        b"GIF89a".to_vec(),
        b"\x89PNG".to_vec(),
        Vec::new(),
    ] {
        let reply = app.anonymous().send_to(url, file).await;
        reply.expect_error(422, "unsupported_image");
    }
    let heic = [b"\0\0\0\x24ftypheix".as_slice(), &[0; 100]].concat();
    let refused = app.anonymous().send_to(url, heic).await;
    let error = refused.expect_error(422, "unsupported_image");
    let message = error["message"].as_str().unwrap();
    assert!(
        message.contains("HEIC photo") && message.contains("Most Compatible"),
        "{message}"
    );
    assert!(app.objects().is_empty(), "{:?}", app.objects());
    for file in [
        pictures::png(576, 768),
        pictures::jpeg(576, 768),
        pictures::webp(576, 768),
    ] {
        app.anonymous().send_to(url, file).await.expect_no_content_at_all();
    }
}

#[tokio::test]
async fn a_parameter_is_refused_at_an_uploads_address_too() {
    let app = TestApp::start().await;
    let ada = app.account(1).await;
    let upload = ada.new_upload().await;
    let url = format!("{}?a=1", upload.url);
    let reply = app.anonymous().send_to(&url, pictures::png(576, 768)).await;
    let error = reply.expect_error(400, "invalid_request");
    assert_eq!(
        error["message"],
        r#"The parameter "a" is unknown. This operation takes none."#
    );
}

#[tokio::test]
async fn a_body_is_refused_by_an_operation_that_takes_none() {
    let app = TestApp::start().await;
    let ada = app.account(3).await;
    let pip = app.ready_character(&ada, "Pip").await;
    for path in ["/artwork_uploads", &format!("/characters/{pip}/restore")] {
        // These bodies are accepted with any Content-Type, because some clients send a body with every POST.
        for nothing in ["", "{}", " { }\n", "null"] {
            let reply = ada.send("POST", path, &[], nothing.into()).await;
            assert!(reply.status.is_success(), "{path} {nothing:?}: {}", reply.status);
        }
        for something in [r#"{"max_bytes": 1}"#, "[]", "a=1"] {
            let reply = ada.send("POST", path, &[], something.into()).await;
            let error = reply.expect_error(400, "invalid_request");
            assert_eq!(error["message"], "This operation takes no body.");
        }
    }
}

#[tokio::test]
async fn an_upload_takes_no_file_when_its_account_has_lost_its_plan_or_is_closed() {
    let app = TestApp::start().await;
    let ada = app.account_named("ada@example.com", Plan::Business, 1).await;
    let upload = ada.new_upload().await;
    let url = upload.url.as_str();
    let send = async || {
        let picture = pictures::png(576, 768).into();
        app.anonymous().send("PUT", url, &[], picture).await.status.as_u16()
    };
    let account = async || accounts::find(&app.server, "ada@example.com").await.unwrap().unwrap();
    assert_eq!(send().await, 204);
    testing::set_plan(&app.server, &account().await, Plan::Free)
        .await
        .unwrap();
    assert_eq!(send().await, 404);
    testing::set_plan(&app.server, &account().await, Plan::Business)
        .await
        .unwrap();
    assert_eq!(send().await, 204);
    testing::close(&app.server, &account().await).await.unwrap();
    assert_eq!(send().await, 404);
}
