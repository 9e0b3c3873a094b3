//! Section 2 of the specification: ownership of resources, and the shape of their ids.
use serde_json::{Value, json};

use crate::test_app::{TestApp, pictures};

#[tokio::test]
async fn an_id_of_any_shape_is_simply_not_found() {
    let app = TestApp::start().await;
    let ada = app.account(2).await;
    for id in [
        "x",
        "page_",
        "%00",
        "page_%00",
        "%FF",
        "..%2F..",
        &"x".repeat(5000),
        "page_01m7yzmhg0z1ht4cqh9vc7hj71",
    ] {
        for list in ["pages", "books", "characters", "operations"] {
            ada.get(&format!("/{list}/{id}")).await.expect_error(404, "not_found");
        }
    }
    app.new_page(&ada, "In no book").await;
    assert_eq!(ada.get("/pages?book_id=%00").await.expect(200)["pages"], json!([]));
    let body = json!({"page": {"title": "B", "character_ids": ["char_\u{0}"]}});
    ada.generate("/pages", "k", &body)
        .await
        .expect_error(422, "validation_failed");
    let body = json!({"book": {"title": "B", "pages": [{"page_id": "page_\u{0}"}]}});
    ada.generate("/books", "k", &body)
        .await
        .expect_error(422, "validation_failed");
    for field in ["title", "prompt", "caption"] {
        let mut body = json!({"page": {"title": "B"}});
        body["page"][field] = "\u{0}".into();
        ada.generate("/pages", "k", &body)
            .await
            .expect_error(422, "validation_failed");
    }
    assert_eq!(ada.credits().await, 1);
}

/// Calls `see` with every text within a value and the name of its field.
fn visit(value: &Value, name: &str, see: &mut impl FnMut(&str, &str)) {
    match value {
        Value::String(text) => see(name, text),
        Value::Array(items) => items.iter().for_each(|item| visit(item, name, see)),
        Value::Object(fields) => fields.iter().for_each(|(name, value)| visit(value, name, see)),
        _ => {}
    }
}

#[tokio::test]
async fn ids_are_opaque_times_are_rfc_3339_and_no_response_reveals_a_storage_key() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let pip = app.ready_character(&ada, "Pip").await;
    let page = app.imported_page(&ada, "A fox").await;
    let body =
        json!({"book": {"title": "B", "character_ids": [pip], "pages": [{"page_id": page}, {"title": "An owl"}]}});
    app.accepted(&ada, "/books", &body).await;
    app.draw_what_is_due().await;
    let upload = ada.post("/artwork_uploads", &json!({})).await.expect(201);
    let file = pictures::png(576, 768).into();
    let url = upload["artwork_upload"]["url"].as_str().unwrap();
    assert_eq!(app.anonymous().send("PUT", url, &[], file).await.status, 204);
    let mut responses = vec![upload];
    for path in ["/me", "/characters", "/pages", "/books", "/operations"] {
        responses.push(ada.get(path).await.expect(200));
    }
    let keys = app.objects();
    let mut ids = 0;
    for response in &responses {
        visit(response, "", &mut |name, text| {
            if name == "id" || name.ends_with("_id") {
                let (prefix, rest) = text.split_once('_').unwrap();
                assert!(
                    ["acct", "char", "page", "book", "op", "upl"].contains(&prefix),
                    "{text}"
                );
                assert_eq!(rest.len(), 26, "{text}");
                ids += 1;
            }
            if name.ends_with("_at") {
                assert!(
                    text.starts_with("2026-11-21T") && text.ends_with(".000Z"),
                    "{name}: {text}"
                );
            }
            assert!(!keys.iter().any(|key| text.contains(key.as_str())), "{name}: {text}");
            for place in ["objects", "drawings/", "imports/", "file:"] {
                assert!(!text.contains(place), "{name}: {text}");
            }
        });
    }
    assert!(ids > 15 && keys.len() > 6, "{ids} ids, {keys:?}");
}

#[tokio::test]
async fn every_list_has_its_resources_under_their_name_and_a_meta_object() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    app.ready_character(&ada, "Pip").await;
    app.ready_book(&ada, &["A fox"]).await;
    for list in ["operations", "characters", "books", "pages"] {
        let reply = ada.get(&format!("/{list}?limit=1")).await;
        reply.expect_free();
        let body = reply.expect(200);
        let names: Vec<_> = body.as_object().unwrap().keys().collect();
        let mut expected = ["meta", list];
        expected.sort_unstable();
        assert_eq!(names, expected);
        assert_eq!(body[list].as_array().unwrap().len(), 1);
        assert!(body["meta"].as_object().unwrap().contains_key("next_cursor"));
    }
}
