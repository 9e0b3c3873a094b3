//! `/characters`.
use serde_json::json;

use crate::house::House;

#[tokio::test]
async fn a_character_is_drawn_square_and_can_be_downloaded() {
    let house = House::open().await;
    let ada = house.account(5).await;
    let body = json!({"character": {"name": "Pip", "description": "A small hedgehog", "public_preview": false}});
    let accepted = ada.generate("/characters", "k1", &body).await.expect(202);
    insta::assert_json_snapshot!(accepted);
    house.draw_everything().await;
    let path = format!("/characters/{}", accepted["character"]["id"].as_str().unwrap());
    let pip = ada.get(&path).await.expect(200);
    assert_eq!(pip["character"]["status"], "ready");
    let image = ada
        .get(pip["character"]["reference_image"]["url"].as_str().unwrap())
        .await;
    let picture = image::load_from_memory(&image.body).unwrap();
    assert_eq!((picture.width(), picture.height()), (1024, 1024));
    assert_eq!(
        ada.get("/characters").await.expect(200)["characters"],
        json!([pip["character"]])
    );
}

#[tokio::test]
async fn a_regenerated_character_gets_another_look_once() {
    let house = House::open().await;
    let ada = house.account(5).await;
    let made = ada
        .generate("/characters", "k1", &json!({"character": {"name": "Pip"}}))
        .await
        .expect(202);
    house.draw_everything().await;
    let path = format!("/characters/{}", made["character"]["id"].as_str().unwrap());
    let before = ada.get(&format!("{path}/reference_image")).await.body;

    let again = ada
        .generate(
            &format!("{path}/regenerate"),
            "k2",
            &json!({"character": {"description": "Taller"}}),
        )
        .await
        .expect(202);
    assert_eq!(again["operation"]["type"], "character.regenerate");
    ada.generate(&format!("{path}/regenerate"), "k3", &json!({}))
        .await
        .expect_error(409, "generation_active");
    house.draw_everything().await;
    let after = ada.get(&path).await.expect(200);
    assert_eq!(after["character"]["description"], "Taller");
    assert_eq!(after["character"]["reference_image"]["revision"], 2);
    assert_ne!(ada.get(&format!("{path}/reference_image")).await.body, before);
    assert_eq!(ada.credits().await, 3);
}

#[tokio::test]
async fn a_regeneration_needs_no_body() {
    let house = House::open().await;
    let ada = house.account(5).await;
    let made = ada
        .generate("/characters", "k1", &json!({"character": {"name": "Pip"}}))
        .await
        .expect(202);
    house.draw_everything().await;
    let path = format!("/characters/{}/regenerate", made["character"]["id"].as_str().unwrap());
    let reply = ada
        .send("POST", &path, &[("idempotency-key", "k2")], axum::body::Body::empty())
        .await;
    reply.expect(202);
}
