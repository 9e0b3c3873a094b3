//! `/uploads/{token}` in a browser: a form for a user whose agent cannot send a file.
use axum::http::StatusCode;
use serde_json::json;

use crate::test_app::{Form, TestApp, pictures};

#[tokio::test]
async fn a_user_sends_the_picture_that_an_agent_requested() {
    let app = TestApp::start().await;
    app.account(1).await;
    let agent = app.agent("ada@example.com").await;
    let made = agent.call("create_artwork_upload", json!({})).await;
    let upload = &made.expect()["artwork_upload"];
    let url = upload["url"].as_str().unwrap();
    assert!(made.expect()["next"].as_str().unwrap().contains("with a browser"));
    let person = app.anonymous();
    let shown = person.get(url).await;
    assert_eq!(shown.status, StatusCode::OK);
    let page = String::from_utf8(shown.body.to_vec()).unwrap();
    assert!(
        page.contains("type=\"file\"") && page.contains("multipart/form-data"),
        "{page}"
    );
    let send = async |form: Form| {
        let kind = Form::media_type();
        let reply = person
            .send("POST", url, &[("content-type", &kind)], form.finish().into())
            .await;
        (reply.status, String::from_utf8(reply.body.to_vec()).unwrap())
    };
    // A file that is not a picture is refused on the same page, and so is a form without a file.
    for form in [Form::image(b"not a picture"), Form::new(), Form::new().picture("", b"")] {
        let (status, page) = send(form).await;
        assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{page}");
        assert!(page.contains("class=\"error\""), "{page}");
    }
    let (status, page) = send(Form::image(&pictures::png(576, 768))).await;
    assert_eq!(status, StatusCode::OK, "{page}");
    assert!(page.contains("The picture has arrived"), "{page}");
    let imported = agent
        .call("import_page", json!({"title": "Mine", "upload_id": upload["id"]}))
        .await;
    assert_eq!(imported.expect()["page"]["status"], "ready");
    app.check_books().await;
}

#[tokio::test]
async fn an_unknown_or_expired_address_shows_no_form() {
    let app = TestApp::start().await;
    let ada = app.account(1).await;
    let upload = ada.new_upload().await;
    let url = upload.url;
    let person = app.anonymous();
    app.server.clock.advance(std::time::Duration::from_secs(3600));
    for address in [url, "http://linepress.test/uploads/made-up".into()] {
        let shown = person.get(&address).await;
        assert_eq!(shown.status, StatusCode::NOT_FOUND);
        let page = String::from_utf8(shown.body.to_vec()).unwrap();
        assert!(page.contains("it has expired") && !page.contains("<form"), "{page}");
        let kind = Form::media_type();
        let form = Form::image(&pictures::png(576, 768)).finish();
        let reply = person
            .send("POST", &address, &[("content-type", &kind)], form.into())
            .await;
        assert_eq!(reply.status, StatusCode::NOT_FOUND);
    }
}
