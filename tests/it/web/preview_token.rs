//! `/preview/{token}`: the public preview of a character, while its owner allows it.
use serde_json::json;

use crate::test_app::{Actor, TestApp};

/// Enables the preview; returns its address.
async fn share(ada: &Actor, character: &str) -> String {
    let body = json!({"character": {"public_preview": true}});
    let shared = ada.patch(&format!("/characters/{character}"), &body).await.expect(200);
    shared["character"]["public_preview_url"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_shared_character_is_seen_without_a_key() {
    let app = TestApp::start().await;
    let ada = app.account(1).await;
    let pip = app.ready_character(&ada, "Pip & <Kit>").await;
    let url = share(&ada, &pip).await;
    let anyone = app.anonymous();
    let page = anyone.get(&url).await;
    assert_eq!(page.status, 200);
    assert_eq!(page.header("content-type"), "text/html; charset=utf-8");
    assert_eq!(page.header("cache-control"), "private, no-store");
    assert_eq!(page.header("x-robots-tag"), "noindex, nofollow");
    assert!(page.header("content-security-policy").starts_with("default-src 'none'"));
    let html = String::from_utf8(page.body.to_vec()).unwrap();
    assert!(!html.contains("<Kit>") && html.contains("Pip &"), "{html}");
    let token = url.rsplit('/').next().unwrap();
    assert!(html.contains(&format!("\"{token}/image?revision=1\"")), "{html}");
    for secret in ["ada@example.com", "objects", "drawings/", pip.as_str()] {
        assert!(!html.contains(secret), "{secret}: {html}");
    }

    let image = anyone.get(&format!("{url}/image?revision=1")).await;
    assert_eq!(
        (image.status.as_u16(), image.header("content-type")),
        (200, "image/png")
    );
    assert_eq!(image.header("x-content-type-options"), "nosniff");
    assert_eq!(
        image.body,
        ada.get(&format!("/characters/{pip}/reference_image")).await.body
    );
}

#[tokio::test]
async fn a_preview_can_be_requested_with_the_character_and_waits_for_its_image() {
    let app = TestApp::start().await;
    let ada = app.account(1).await;
    let body = json!({"character": {"name": "Pip", "public_preview": true}});
    let accepted = app.accepted(&ada, "/characters", &body).await;
    let url = accepted.character().public_preview_url.clone().unwrap();
    let anyone = app.anonymous();
    assert_eq!(anyone.get(&url).await.status, 200);
    assert_eq!(anyone.get(&format!("{url}/image")).await.status, 404);
    app.draw_what_is_due().await;
    assert_eq!(anyone.get(&format!("{url}/image")).await.status, 200);
}

#[tokio::test]
async fn a_disabled_preview_is_gone_and_its_address_never_works_again() {
    let app = TestApp::start().await;
    let ada = app.account(1).await;
    let pip = app.ready_character(&ada, "Pip").await;
    let url = share(&ada, &pip).await;
    // Enabling it again does not change its address.
    assert_eq!(share(&ada, &pip).await, url);
    let path = format!("/characters/{pip}");
    let off = ada
        .patch(&path, &json!({"character": {"public_preview": false}}))
        .await
        .expect(200);
    assert_eq!(off["character"]["public_preview_url"], json!(null));
    let anyone = app.anonymous();
    for gone in [url.clone(), format!("{url}/image")] {
        assert_eq!(anyone.get(&gone).await.status, 404);
    }
    let again = share(&ada, &pip).await;
    assert_ne!(again, url);
    assert_eq!(anyone.get(&url).await.status, 404);
    assert_eq!(anyone.get(&again).await.status, 200);
}

#[tokio::test]
async fn an_archived_character_is_not_shown_until_it_is_restored() {
    let app = TestApp::start().await;
    let ada = app.account(1).await;
    let pip = app.ready_character(&ada, "Pip").await;
    let url = share(&ada, &pip).await;
    let anyone = app.anonymous();
    ada.delete(&format!("/characters/{pip}")).await.expect_no_content();
    for gone in [url.clone(), format!("{url}/image")] {
        assert_eq!(anyone.get(&gone).await.status, 404);
    }
    ada.post_nothing(&format!("/characters/{pip}/restore"))
        .await
        .expect(200);
    assert_eq!(anyone.get(&url).await.status, 200);
}

#[tokio::test]
async fn an_unknown_address_is_not_found() {
    let app = TestApp::start().await;
    let ada = app.account(1).await;
    app.ready_character(&ada, "Pip").await;
    for token in ["x", "", "%00", "%FF", "00000000000000000000000000000000"] {
        assert_eq!(
            app.anonymous().get(&format!("/preview/{token}")).await.status,
            404,
            "{token}"
        );
    }
}
