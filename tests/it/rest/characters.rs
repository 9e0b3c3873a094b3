//! `GET` and `POST /characters`.
use serde_json::json;

use crate::test_app::TestApp;

#[tokio::test]
async fn a_character_is_drawn_square_and_can_be_downloaded() {
    let app = TestApp::start().await;
    let ada = app.account(5).await;
    let body = json!({"character": {"name": "Pip", "description": "A small hedgehog", "public_preview": false}});
    let accepted = ada.generate("/characters", "k1", &body).await.expect(202);
    insta::assert_json_snapshot!(accepted);
    app.draw_everything().await;
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
async fn a_character_costs_a_credit_and_is_created_generating() {
    let app = TestApp::start().await;
    let ada = app.account(2).await;
    let reply = ada
        .generate("/characters", "k1", &json!({"character": {"name": "Pip"}}))
        .await;
    let body = reply.expect(202);
    assert_eq!(reply.header("x-service-credits-consumed"), "1");
    assert_eq!(reply.header("x-service-credits-available"), "1");
    assert_eq!(reply.header("location"), body["operation"]["url"]);
    let pip = &body["character"];
    assert_eq!(
        (
            &pip["status"],
            &pip["description"],
            &pip["style"],
            &pip["public_preview"]
        ),
        (&json!("generating"), &json!(""), &json!(""), &json!(false))
    );
    assert_eq!(
        (&pip["reference_image"], &pip["public_preview_url"]),
        (&json!(null), &json!(null))
    );
    assert_eq!(pip["active_operation_id"], body["operation"]["id"]);
}

#[tokio::test]
async fn a_wrong_character_is_refused_by_the_fields_name() {
    let app = TestApp::start().await;
    let ada = app.account(2).await;
    for (field, value) in [
        ("name", json!("")),
        ("name", json!(" ")),
        ("name", json!("x".repeat(101))),
        ("name", json!(null)),
        ("description", json!("x".repeat(2001))),
        ("style", json!("x".repeat(201))),
        ("style", json!("two\nlines")),
        ("public_preview", json!("yes")),
        ("nickname", json!("P")),
    ] {
        let mut body = json!({"character": {"name": "Pip"}});
        body["character"][field] = value;
        let error = ada
            .generate("/characters", "k1", &body)
            .await
            .expect_error(422, "validation_failed");
        assert_eq!(error["details"][0]["field"], format!("character.{field}"), "{body}");
    }
    assert_eq!(ada.get("/characters").await.expect(200)["characters"], json!([]));
    assert_eq!(ada.credits().await, 2);
}

#[tokio::test]
async fn optional_fields_may_be_null() {
    let app = TestApp::start().await;
    let ada = app.account(1).await;
    let body = json!({"character": {"name": "Pip", "description": null, "style": null, "public_preview": null}});
    let pip = app.accepted(&ada, "/characters", &body).await;
    assert!(!pip.character().public_preview);
}
