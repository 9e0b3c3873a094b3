//! `/pages`.
use serde_json::json;

use crate::house::House;

#[tokio::test]
async fn a_page_is_drawn_from_its_title_alone() {
    let house = House::open().await;
    let ada = house.account(5).await;

    let accepted = ada.generate("/pages", "k1", &json!({"page": {"title": "A fox"}})).await;
    let body = accepted.expect(202);
    assert_eq!(accepted.header("location"), body["operation"]["url"]);
    assert_eq!(accepted.header("x-service-credits-consumed"), "1");
    assert_eq!(accepted.header("x-service-credits-available"), "4");
    insta::assert_json_snapshot!(body);

    assert_eq!(house.draw_everything().await, 1);
    let id = body["page"]["id"].as_str().unwrap();
    let page = ada.get(&format!("/pages/{id}")).await.expect(200);
    assert_eq!(page["page"]["status"], "ready");
    assert_eq!(page["page"]["active_operation_id"], json!(null));
    assert_eq!(page["page"]["image"]["revision"], 1);

    let image = ada.get(page["page"]["image"]["url"].as_str().unwrap()).await;
    assert_eq!(image.status, 200);
    assert_eq!(image.header("content-type"), "image/png");
    assert_eq!(image.header("cache-control"), "private, no-store");
    let picture = image::load_from_memory(&image.body).unwrap();
    assert_eq!((picture.width(), picture.height()), (1152, 1536));
    assert_eq!(page["page"]["image"]["byte_size"], image.body.len());
}

#[tokio::test]
async fn a_page_without_an_image_has_none_to_download() {
    let house = House::open().await;
    let ada = house.account(5).await;
    let body = ada
        .generate("/pages", "k1", &json!({"page": {"title": "A fox"}}))
        .await
        .expect(202);
    let id = body["page"]["id"].as_str().unwrap();
    ada.get(&format!("/pages/{id}/image"))
        .await
        .expect_error(404, "not_found");
}

#[tokio::test]
async fn a_regenerated_page_keeps_its_image_until_the_new_one_is_there() {
    let house = House::open().await;
    let ada = house.account(5).await;
    let body = ada
        .generate("/pages", "k1", &json!({"page": {"title": "A fox"}}))
        .await
        .expect(202);
    house.draw_everything().await;
    let path = format!("/pages/{}", body["page"]["id"].as_str().unwrap());
    let before = ada.get(&format!("{path}/image")).await;

    let again = ada
        .generate(
            &format!("{path}/regenerate"),
            "k2",
            &json!({"page": {"prompt": "A red fox"}}),
        )
        .await
        .expect(202);
    assert_eq!(again["operation"]["type"], "page.regenerate");
    assert_eq!(
        (&again["page"]["prompt"], &again["page"]["status"]),
        (&json!("A fox"), &json!("generating"))
    );
    assert_eq!(ada.get(&format!("{path}/image")).await.body, before.body);

    house.draw_everything().await;
    let after = ada.get(&path).await.expect(200);
    assert_eq!(after["page"]["image"]["revision"], 2);
    assert_eq!(after["page"]["prompt"], "A red fox");
    assert_ne!(ada.get(&format!("{path}/image")).await.body, before.body);
    assert_eq!(ada.credits().await, 3);
}

#[tokio::test]
async fn a_page_that_is_being_drawn_cannot_be_regenerated() {
    let house = House::open().await;
    let ada = house.account(5).await;
    let body = ada
        .generate("/pages", "k1", &json!({"page": {"title": "A fox"}}))
        .await
        .expect(202);
    let path = format!("/pages/{}/regenerate", body["page"]["id"].as_str().unwrap());
    ada.generate(&path, "k2", &json!({}))
        .await
        .expect_error(409, "generation_active");
    assert_eq!(ada.credits().await, 4);
}

#[tokio::test]
async fn a_failed_regeneration_gives_the_credit_back_and_leaves_the_page_ready() {
    let house = House::open_with(|config| {
        config.image_provider = "testbed.flaky".into();
        config.plugins.insert(
            "testbed.flaky".into(),
            json!({"fail": "refused", "seeds": "all", "prompt": "storm"}),
        );
    })
    .await;
    let ada = house.account(5).await;
    let body = ada
        .generate("/pages", "k1", &json!({"page": {"title": "A fox"}}))
        .await
        .expect(202);
    house.draw_everything().await;
    let path = format!("/pages/{}", body["page"]["id"].as_str().unwrap());
    let before = ada.get(&format!("{path}/image")).await;

    let again = ada
        .generate(
            &format!("{path}/regenerate"),
            "k2",
            &json!({"page": {"prompt": "A storm"}}),
        )
        .await
        .expect(202);
    house.draw_everything().await;
    let operation = ada.get(again["operation"]["url"].as_str().unwrap()).await.expect(200);
    assert_eq!(operation["operation"]["status"], "failed");
    assert_eq!(operation["operation"]["credits"], json!({"charged": 1, "refunded": 1}));
    let page = ada.get(&path).await.expect(200);
    assert_eq!(page["page"]["status"], "ready");
    assert_eq!(page["page"]["error"], json!(null));
    assert_eq!(page["page"]["prompt"], "A fox");
    assert_eq!(ada.get(&format!("{path}/image")).await.body, before.body);
    assert_eq!(ada.credits().await, 4);
    house.check_ledger().await;
}

#[tokio::test]
async fn a_typo_does_not_cost_a_credit() {
    let house = House::open().await;
    let ada = house.account(5).await;
    let error = ada
        .generate(
            "/pages",
            "k1",
            &json!({"page": {"title": "A fox", "promt": "A red fox"}}),
        )
        .await
        .expect_error(422, "validation_failed");
    assert_eq!(error["details"][0]["field"], "page.promt");
    assert_eq!(ada.credits().await, 5);
}

#[tokio::test]
async fn every_wrong_field_is_named() {
    let house = House::open().await;
    let ada = house.account(5).await;
    let body = json!({"page": {"title": " ", "prompt": "\u{7}", "caption": "two\nlines"}});
    let error = ada
        .generate("/pages", "k1", &body)
        .await
        .expect_error(422, "validation_failed");
    let fields: Vec<_> = error["details"]
        .as_array()
        .unwrap()
        .iter()
        .map(|detail| detail["field"].as_str().unwrap())
        .collect();
    assert_eq!(fields, ["page.caption", "page.prompt", "page.title"]);
    let error = ada
        .generate("/pages", "k1", &json!({"page": {"title": 3}}))
        .await
        .expect_error(422, "validation_failed");
    assert_eq!(error["details"][0]["field"], "page.title");
    let error = ada
        .generate("/pages", "k1", &json!({"page": {}}))
        .await
        .expect_error(422, "validation_failed");
    assert_eq!(error["details"][0]["message"], "missing field `title`");
}

#[tokio::test]
async fn a_page_takes_only_ready_characters_of_its_account() {
    let house = House::open().await;
    let ada = house.account(5).await;
    let made = ada
        .generate("/characters", "k1", &json!({"character": {"name": "Pip"}}))
        .await
        .expect(202);
    let pip = made["character"]["id"].as_str().unwrap();
    let body = json!({"page": {"title": "Pip", "character_ids": [pip, "char_none"]}});
    let error = ada
        .generate("/pages", "k2", &body)
        .await
        .expect_error(422, "validation_failed");
    assert_eq!(error["details"].as_array().unwrap().len(), 2);

    house.draw_everything().await;
    let body = json!({"page": {"title": "Pip", "character_ids": [pip]}});
    let page = ada.generate("/pages", "k2", &body).await.expect(202);
    assert_eq!(page["page"]["characters"], json!([{"id": pip, "name": "Pip"}]));
}

#[tokio::test]
async fn a_body_that_is_not_made_of_objects_costs_nothing() {
    let house = House::open().await;
    let ada = house.account(5).await;
    for (body, field) in [
        (json!([["A fox"]]), "body"),
        (json!("A fox"), "body"),
        (json!({"page": ["A fox"]}), "page"),
        (json!({"page": "A fox"}), "page"),
        (json!({"page": null}), "page"),
    ] {
        let error = ada
            .generate("/pages", "k", &body)
            .await
            .expect_error(422, "validation_failed");
        assert_eq!(error["details"][0]["field"], field, "{body}");
    }
    let body = json!({"book": {"title": "B", "pages": [["page_1"], {"title": "A"}]}});
    ada.generate("/books", "k", &body)
        .await
        .expect_error(422, "validation_failed");
    let body = json!({"book": {"title": "B", "cover": ["A fox"], "pages": [{"title": "A"}]}});
    let error = ada
        .generate("/books", "k", &body)
        .await
        .expect_error(422, "validation_failed");
    assert_eq!(error["details"][0]["field"], "book.cover");
    assert_eq!(ada.credits().await, 5);
}

#[tokio::test]
async fn a_complaint_is_short_however_long_the_request() {
    let house = House::open().await;
    let ada = house.account(5).await;
    let long = "x".repeat(500_000);
    for body in [
        json!({"page": {"title": "A", "aspect": long}}),
        json!({"page": {"title": "A", &long: 1}}),
    ] {
        let reply = ada.generate("/pages", "k", &body).await;
        reply.expect_error(422, "validation_failed");
        assert!(reply.body.len() < 2000, "{}", reply.body.len());
    }
}
