//! Who may call what: every operation of the OpenAPI document, without a key, with a bad one, without a plan.
use axum::body::Body;
use linepress::accounts::{self, Plan};
use serde_json::json;

use crate::house::House;

/// Method and path of every operation, with ids that name nothing.
async fn operations(house: &House) -> Vec<(String, String)> {
    let document = house.stranger().get("/openapi.json").await.expect(200);
    let mut operations = Vec::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        for method in methods.as_object().unwrap().keys().filter(|key| *key != "parameters") {
            operations.push((method.to_uppercase(), path.replace("{id}", "nothing")));
        }
    }
    assert!(operations.len() >= 18, "{operations:?}");
    operations
}

#[tokio::test]
async fn every_operation_refuses_a_missing_or_invalid_key() {
    let house = House::open().await;
    let strangers = [
        house.stranger(),
        house.with_key("lp_nonsense"),
        house.with_key(&format!("lp_{}", "x".repeat(43))),
    ];
    for (method, path) in operations(&house).await {
        for stranger in &strangers {
            let reply = stranger.send(&method, &path, &[], Body::empty()).await;
            reply.expect_error(401, "unauthorized");
            assert_eq!(reply.header("www-authenticate"), "Bearer");
            assert_eq!(reply.header("cache-control"), "private, no-store");
            assert_eq!(reply.header("x-service-api-version"), "v1");
        }
    }
}

#[tokio::test]
async fn every_operation_refuses_an_account_without_a_business_plan() {
    let house = House::open().await;
    let free = house.account_named("free@example.com", Plan::Free, 7).await;
    for (method, path) in operations(&house).await {
        let reply = free.send(&method, &path, &[], Body::empty()).await;
        reply.expect_error(403, "plan_required");
        assert_eq!(reply.header("x-service-credits-available"), "7");
        assert_eq!(reply.header("x-service-credits-consumed"), "0");
    }
}

#[tokio::test]
async fn what_is_somebody_elses_does_not_exist() {
    let house = House::open().await;
    let ada = house.account(9).await;
    let ben = house.account_named("ben@example.com", Plan::Business, 9).await;
    let page = ada
        .generate("/pages", "k1", &json!({"page": {"title": "A fox"}}))
        .await
        .expect(202);
    let character = ada
        .generate("/characters", "k2", &json!({"character": {"name": "Pip"}}))
        .await
        .expect(202);
    let book = ada
        .generate(
            "/books",
            "k3",
            &json!({"book": {"title": "B", "pages": [{"title": "A fox"}]}}),
        )
        .await
        .expect(202);
    house.draw_everything().await;
    let id = |body: &serde_json::Value, kind: &str| body[kind]["id"].as_str().unwrap().to_owned();
    let (page_id, character_id, book_id) = (id(&page, "page"), id(&character, "character"), id(&book, "book"));
    for path in [
        format!("/pages/{page_id}"),
        format!("/pages/{page_id}/image"),
        format!("/characters/{character_id}"),
        format!("/characters/{character_id}/reference_image"),
        format!("/books/{book_id}"),
        format!("/books/{book_id}/cover_image"),
        format!("/books/{book_id}/pdf"),
        format!("/operations/{}", id(&page, "operation")),
    ] {
        assert_eq!(ada.get(&path).await.status, 200, "{path}");
        ben.get(&path).await.expect_error(404, "not_found");
    }
    for path in [
        format!("/pages/{page_id}/regenerate"),
        format!("/characters/{character_id}/regenerate"),
    ] {
        ben.generate(&path, "k1", &json!({}))
            .await
            .expect_error(404, "not_found");
    }
    let attach = json!({"book": {"title": "B", "pages": [{"page_id": page_id}]}});
    ben.generate("/books", "k2", &attach)
        .await
        .expect_error(422, "validation_failed");
    let cast = json!({"page": {"title": "B", "character_ids": [character_id]}});
    ben.generate("/pages", "k3", &cast)
        .await
        .expect_error(422, "validation_failed");
    for list in ["/pages", "/characters", "/books", "/operations"] {
        let name = list.trim_start_matches('/');
        assert_eq!(ben.get(list).await.expect(200)[name], json!([]));
    }
    assert_eq!(ben.credits().await, 9);
}

#[tokio::test]
async fn a_revoked_key_is_dead_at_once() {
    let house = House::open().await;
    let ada = house.account(1).await;
    ada.get("/me").await.expect(200);
    let account = accounts::find(&house.app, "ada@example.com").await.unwrap().unwrap();
    let keys = accounts::list_keys(&house.app, &account).await.unwrap();
    assert!(accounts::revoke_key(&house.app, &keys[0].id).await.unwrap());
    ada.get("/me").await.expect_error(401, "unauthorized");
}

#[tokio::test]
async fn a_cookie_authenticates_nobody() {
    let house = House::open().await;
    house.account(1).await;
    let reply = house
        .stranger()
        .send("GET", "/me", &[("cookie", "session=lp_anything")], Body::empty())
        .await;
    reply.expect_error(401, "unauthorized");
}

#[tokio::test]
async fn an_id_of_any_shape_is_an_id_that_names_nothing() {
    let house = House::open().await;
    let ada = house.account(2).await;
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
    ada.generate("/pages", "k0", &json!({"page": {"title": "In no book"}}))
        .await
        .expect(202);
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
