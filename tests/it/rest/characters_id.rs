//! `GET`, `PATCH`, `PUT` and `DELETE /characters/{id}`.
use serde_json::{Value, json};

use crate::test_app::TestApp;

#[tokio::test]
async fn an_active_character_is_shown_for_nothing() {
    let app = TestApp::start().await;
    let ada = app.account(2).await;
    let pip = app.ready_character(&ada, "Pip").await;
    let reply = ada.get(&format!("/characters/{pip}")).await;
    reply.expect_free();
    let character = &reply.expect(200)["character"];
    assert_eq!(
        (&character["id"], &character["name"], &character["status"]),
        (&json!(pip), &json!("Pip"), &json!("ready"))
    );
    assert_eq!(character["active_operation_id"], json!(null));
    ada.get("/characters/char_none").await.expect_error(404, "not_found");
}

#[tokio::test]
async fn a_name_and_a_public_preview_are_changed_for_nothing() {
    let app = TestApp::start().await;
    let ada = app.account(2).await;
    let pip = app.ready_character(&ada, "Pip").await;
    let path = format!("/characters/{pip}");
    let before = ada.look(&path, "character").await;
    app.server.clock.advance(std::time::Duration::from_secs(60));

    let reply = ada.patch(&path, &json!({"character": {"name": "Pippa"}})).await;
    reply.expect_free();
    let renamed = reply.expect(200)["character"].clone();
    assert_eq!(renamed["name"], "Pippa");
    assert_ne!(renamed["updated_at"], before["updated_at"]);
    for same in [
        "description",
        "style",
        "status",
        "reference_image",
        "public_preview",
        "created_at",
    ] {
        assert_eq!(renamed[same], before[same], "{same}");
    }

    let shown = ada.patch(&path, &json!({"character": {"public_preview": true}})).await;
    let shown = shown.expect(200)["character"].clone();
    assert_eq!(
        (&shown["name"], &shown["public_preview"]),
        (&json!("Pippa"), &json!(true))
    );
    assert!(
        shown["public_preview_url"]
            .as_str()
            .unwrap()
            .starts_with("http://linepress.test/preview/")
    );
    assert_eq!(ada.look(&path, "character").await, shown);
}

#[tokio::test]
async fn put_is_the_same_as_patch() {
    let app = TestApp::start().await;
    let ada = app.account(2).await;
    let pip = app.ready_character(&ada, "Pip").await;
    let path = format!("/characters/{pip}");
    let body = json!({"character": {"name": "Pippa"}});
    let put = ada.put(&path, &body).await;
    put.expect_free();
    // As with PATCH, omitted fields stay: PUT does not replace the resource.
    assert_eq!(put.expect(200), ada.patch(&path, &body).await.expect(200));
    ada.put(&path, &json!({"character": {"name": ""}}))
        .await
        .expect_fields(&["character.name"]);
    ada.put("/characters/char_none", &body)
        .await
        .expect_error(404, "not_found");
}

#[tokio::test]
async fn an_empty_change_changes_nothing() {
    let app = TestApp::start().await;
    let ada = app.account(2).await;
    let pip = app.ready_character(&ada, "Pip").await;
    let path = format!("/characters/{pip}");
    let before = ada.look(&path, "character").await;
    let after = ada.patch(&path, &json!({"character": {}})).await.expect(200);
    assert_eq!(after["character"], before);
}

#[tokio::test]
async fn a_wrong_change_is_refused_by_the_fields_name() {
    let app = TestApp::start().await;
    let ada = app.account(2).await;
    let pip = app.ready_character(&ada, "Pip").await;
    let path = format!("/characters/{pip}");
    let before = ada.look(&path, "character").await;
    let long = "x".repeat(101);
    for (field, value) in [
        ("name", json!(" ")),
        ("name", json!("two\nlines")),
        ("name", json!(long)),
        ("name", json!(3)),
        ("name", Value::Null),
        ("public_preview", json!("yes")),
        ("public_preview", Value::Null),
        ("description", json!("Taller")),
        ("status", json!("ready")),
    ] {
        let body = json!({"character": {field: value}});
        let error = ada.patch(&path, &body).await.expect_error(422, "validation_failed");
        assert_eq!(error["details"][0]["field"], format!("character.{field}"), "{body}");
    }
    ada.patch(&path, &json!({})).await.expect_fields(&["character"]);
    ada.patch(&path, &json!({"character": {}, "name": "Pippa"}))
        .await
        .expect_fields(&["name"]);
    assert_eq!(ada.look(&path, "character").await, before);
}

#[tokio::test]
async fn an_archived_character_is_neither_listed_nor_shown_nor_changed() {
    let app = TestApp::start().await;
    let ada = app.account(3).await;
    let pip = app.ready_character(&ada, "Pip").await;
    let kit = app.ready_character(&ada, "Kit").await;
    let path = format!("/characters/{pip}");
    ada.delete(&path).await.expect_no_content();

    let listed = ada.get("/characters").await.expect(200)["characters"].clone();
    assert_eq!(listed.as_array().unwrap().len(), 1);
    assert_eq!(listed[0]["id"], kit);
    ada.get(&path).await.expect_error(404, "not_found");
    ada.get(&format!("{path}/reference_image"))
        .await
        .expect_error(404, "not_found");
    ada.patch(&path, &json!({"character": {"name": "Pippa"}}))
        .await
        .expect_error(404, "not_found");
    ada.generate(&format!("{path}/regenerate"), "k9", &json!({}))
        .await
        .expect_error(404, "not_found");
    ada.delete(&path).await.expect_error(404, "not_found");
    ada.generate(
        "/pages",
        "k9",
        &json!({"page": {"title": "Pip", "character_ids": [pip]}}),
    )
    .await
    .expect_fields(&["page.character_ids[0]"]);
    assert_eq!(ada.credits().await, 1);
}

#[tokio::test]
async fn a_page_keeps_the_name_of_its_archived_character() {
    let app = TestApp::start().await;
    let ada = app.account(3).await;
    let pip = app.ready_character(&ada, "Pip").await;
    let body = json!({"page": {"title": "Pip", "character_ids": [pip]}});
    let page = app.accepted(&ada, "/pages", &body).await.page_id();
    app.draw_what_is_due().await;
    ada.delete(&format!("/characters/{pip}")).await.expect_no_content();
    let shown = ada.page(&page).await;
    assert_eq!(json!(shown.characters), json!([{"id": pip, "name": "Pip"}]));
    // The page is drawn again without the archived characters.
    app.accepted(&ada, &format!("/pages/{page}/regenerate"), &json!({}))
        .await;
}
