//! `POST /pages/{id}/regenerate`.
use serde_json::json;

use crate::house::House;

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
async fn a_wrong_regeneration_is_refused_by_the_fields_name_and_costs_nothing() {
    let house = House::open().await;
    let ada = house.account(5).await;
    let page = house.ready_page(&ada, "A fox").await;
    let path = format!("/pages/{page}/regenerate");
    for (body, field) in [
        (json!({"page": {"prompt": " "}}), "page.prompt"),
        (json!({"page": {"prompt": "x".repeat(2001)}}), "page.prompt"),
        (json!({"page": {"title": "A wolf"}}), "page.title"),
        (json!({"prompt": "A wolf"}), "prompt"),
        (json!([]), "body"),
    ] {
        let error = ada
            .generate(&path, "k1", &body)
            .await
            .expect_error(422, "validation_failed");
        assert_eq!(error["details"][0]["field"], field, "{body}");
    }
    ada.generate("/pages/page_none/regenerate", "k1", &json!({}))
        .await
        .expect_error(404, "not_found");
    assert_eq!(ada.credits().await, 4);
    // No body at all, null and no prompt all draw what the page says.
    for body in ["", "null", r#"{"page": {"prompt": null}}"#] {
        let key = house.new_key();
        let headers = [("content-type", "application/json"), ("idempotency-key", key.as_str())];
        ada.send("POST", &path, &headers, body.into()).await.expect(202);
        house.draw_what_is_due().await;
    }
    assert_eq!(
        ada.look(&format!("/pages/{page}"), "page").await["image"]["revision"],
        4
    );
}
