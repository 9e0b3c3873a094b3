//! Characters drawn from a customer's picture.
use std::time::Duration;

use linepress_accounts::accounts::Plan;
use linepress_core::operations::OperationStatus;
use serde_json::{Value, json};

use super::{FROM_PICTURE, asked, sources, uploaded};
use crate::test_app::{TestApp, pictures};

fn drawn_from(upload: &str) -> Value {
    json!({"character": {"name": "Biscuit", "source_upload_id": upload}})
}

#[tokio::test]
async fn a_character_is_drawn_from_a_picture_once() {
    let app = TestApp::start().await;
    let ada = app.account(3).await;
    let upload = uploaded(&ada, pictures::photograph(900, 600)).await;
    let first = ada.generate("/characters", "k1", &drawn_from(&upload)).await;
    assert_eq!(first.header("x-service-credits-consumed"), "1");
    let (accepted, reply) = (first.accepted(), first.expect(202));
    // The upload has expired by then.
    app.server.clock.advance(Duration::from_secs(3601));
    let again = ada.generate("/characters", "k1", &drawn_from(&upload)).await;
    assert_eq!(again.expect(202), reply);
    assert_eq!(again.header("x-service-credits-consumed"), "0");
    let other = ada.generate("/characters", "k1", &drawn_from("upl_other")).await;
    other.expect_error(409, "idempotency_conflict");
    assert_eq!(sources(&app).await, 1);
    // The waiting picture counts as stored, and the check of the ledger expects it.
    app.check_ledger().await;

    app.draw_everything().await;
    let drawn = ada.operation(&accepted).await;
    assert_eq!(drawn.items[0].note.as_deref(), Some(FROM_PICTURE));
    let path = format!("/characters/{}", accepted.character_id());
    assert_eq!(ada.look(&path, "character").await["status"], "ready");
    assert_eq!((sources(&app).await, ada.credits().await), (0, 2));
    app.check_books().await;
}

#[tokio::test]
async fn two_orders_with_one_key_at_a_time_draw_one_character_from_one_picture() {
    let app = TestApp::start().await;
    let ada = app.account(3).await;
    let body = drawn_from(&uploaded(&ada, pictures::photograph(900, 600)).await);
    let (one, other) = tokio::join!(
        ada.generate("/characters", "k1", &body),
        ada.generate("/characters", "k1", &body),
    );
    assert_eq!(one.expect(202), other.expect(202));
    assert_eq!((sources(&app).await, ada.count("characters").await), (1, 1));
    assert_eq!(ada.credits().await, 2);
    app.check_ledger().await;
}

#[tokio::test]
async fn a_character_is_drawn_again_from_a_picture_and_later_from_its_description() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let new = json!({"character": {"name": "Biscuit", "description": "A hedgehog"}});
    let id = app.accepted(&ada, "/characters", &new).await.character_id();
    app.draw_everything().await;
    let path = format!("/characters/{id}/regenerate");
    let upload = uploaded(&ada, pictures::photograph(900, 600)).await;
    let wish = json!({"source_upload_id": upload, "description": "A brown dog", "variants": 2});
    let accepted = app.accepted(&ada, &path, &json!({"character": wish})).await;
    assert_eq!(sources(&app).await, 1);
    // A picture for a character that is being drawn, or that does not exist, is not stored.
    let other = uploaded(&ada, pictures::photograph(600, 900)).await;
    let body = json!({"character": {"source_upload_id": other}});
    let refused = ada.generate(&path, "k2", &body).await;
    refused.expect_error(409, "generation_active");
    let missing = ada.generate("/characters/char_none/regenerate", "k2", &body).await;
    missing.expect_error(404, "not_found");
    assert_eq!(sources(&app).await, 1);
    app.draw_everything().await;
    let drawn = ada.operation(&accepted).await;
    assert_eq!(drawn.items.len(), 2);
    for item in &drawn.items {
        assert_eq!(item.note.as_deref(), Some(FROM_PICTURE));
    }
    assert_eq!(sources(&app).await, 0);
    let character = ada.look(&format!("/characters/{id}"), "character").await;
    assert_eq!(character["description"], "A brown dog");

    let again = app.accepted(&ada, &path, &json!({})).await;
    app.draw_everything().await;
    assert_ne!(ada.operation(&again).await.items[0].note.as_deref(), Some(FROM_PICTURE));
    assert_eq!(ada.credits().await, 5);
    app.check_books().await;
}

#[tokio::test]
async fn an_unusable_picture_is_refused_and_nothing_is_stored() {
    let app = TestApp::start().await;
    let ada = app.account(3).await;
    let ben = app.account_named("ben@example.com", Plan::Business, 1).await;
    let own = json!({"character": {"name": "Pip"}});
    let own = app.accepted(&ada, "/characters", &own).await.character_id();
    app.draw_everything().await;
    let expired = uploaded(&ada, pictures::photograph(900, 600)).await;
    app.server.clock.advance(Duration::from_secs(3601));
    let foreign = uploaded(&ben, pictures::photograph(900, 600)).await;
    let empty = ada.new_upload().await.id;
    let tiny = uploaded(&ada, pictures::png(60, 400)).await;
    let cut = uploaded(&ada, pictures::bomb()).await;
    let again = format!("/characters/{own}/regenerate");
    for (path, wish) in [("/characters", json!({"name": "Biscuit"})), (&*again, json!({}))] {
        let request = async |upload: &str| {
            let mut wish = wish.clone();
            wish["source_upload_id"] = json!(upload);
            ada.generate(path, "k1", &json!({"character": wish})).await
        };
        for upload in ["upl_none", &expired, &foreign, &empty] {
            request(upload).await.expect_fields(&["character.source_upload_id"]);
        }
        for upload in [&*tiny, &*cut] {
            request(upload).await.expect_error(422, "unsupported_image");
        }
    }
    assert_eq!((sources(&app).await, ada.count("characters").await), (0, 1));
    assert_eq!(ada.credits().await, 2);

    // An upload can be drawn from repeatedly until it expires. A request without credits stores no picture.
    let upload = uploaded(&ada, pictures::photograph(900, 600)).await;
    for key in ["k2", "k3"] {
        ada.generate("/characters", key, &drawn_from(&upload)).await.expect(202);
    }
    let broke = ada.generate("/characters", "k4", &drawn_from(&upload)).await;
    broke.expect_error(402, "insufficient_credits");
    assert_eq!(sources(&app).await, 2);
}

#[tokio::test]
async fn a_server_of_the_other_kind_refuses_a_character_before_anything_is_charged() {
    for (provider, gives_picture, message) in [
        (
            "linepress.sketchbook",
            true,
            "cannot be used: this server draws from text only; leave it out",
        ),
        (
            "linepress.photo",
            false,
            "is required: this server draws from pictures only; send the id of an upload",
        ),
    ] {
        let app = TestApp::builder().image_provider(provider, json!({})).start().await;
        let ada = app.account(1).await;
        let mut body = json!({"character": {"name": "Biscuit"}});
        if gives_picture {
            body = drawn_from(&uploaded(&ada, pictures::photograph(900, 600)).await);
        }
        let refused = ada.generate("/characters", "k1", &body).await;
        let error = refused.expect_error(422, "validation_failed");
        let detail = json!([{"field": "character.source_upload_id", "message": message}]);
        assert_eq!(error["details"], detail, "{provider}");
        assert_eq!(
            (sources(&app).await, ada.count("characters").await),
            (0, 0),
            "{provider}"
        );
        assert_eq!(ada.credits().await, 1, "{provider}");
    }
}

#[tokio::test]
async fn the_picture_of_a_character_goes_away_with_its_drawing_however_that_ends() {
    let app = asked().await;
    let ada = app.account(9).await;
    let order = async |key: &str, description: &str| {
        let upload = uploaded(&ada, pictures::photograph(900, 600)).await;
        let mut body = drawn_from(&upload);
        body["character"]["description"] = json!(description);
        ada.generate("/characters", key, &body).await.accepted()
    };
    let refused = order("k1", "A dog that is refused").await;
    assert_eq!(sources(&app).await, 1);
    app.draw_everything().await;
    assert_eq!(ada.status(&refused).await, OperationStatus::Failed);
    assert_eq!((sources(&app).await, ada.credits().await), (0, 9));

    let archived = order("k2", "A dog").await;
    assert_eq!(sources(&app).await, 1);
    let path = format!("/characters/{}", archived.character_id());
    ada.delete(&path).await.expect_no_content();
    assert_eq!((sources(&app).await, ada.credits().await), (0, 9));

    // The drawing is retried, so its picture stays until the last attempt.
    let failing = order("k3", "A dog, other than that").await;
    app.draw_what_is_due().await;
    assert_eq!(sources(&app).await, 1);
    app.draw_everything().await;
    assert_eq!(ada.status(&failing).await, OperationStatus::Failed);
    assert_eq!((sources(&app).await, ada.credits().await), (0, 9));
    app.check_books().await;
}

#[tokio::test]
async fn the_photo_provider_draws_the_reference_image_of_a_character() {
    let app = TestApp::builder()
        .image_provider("linepress.photo", json!({}))
        .start()
        .await;
    let ada = app.account(1).await;
    let upload = uploaded(&ada, pictures::photo_of_shapes(900, 1200)).await;
    // No provider of this server would see the picture when it draws a page.
    let mut body = drawn_from(&upload);
    let refused = ada.generate("/characters", "k1", &body).await;
    refused.expect_fields(&["character.description"]);
    assert_eq!((sources(&app).await, ada.credits().await), (0, 1));
    body["character"]["description"] = json!("A box and a ball");
    let accepted = ada.generate("/characters", "k1", &body).await.accepted();
    app.draw_everything().await;
    assert_eq!(ada.status(&accepted).await, OperationStatus::Succeeded);
    let path = format!("/characters/{}/reference_image", accepted.character_id());
    let image = ada.get(&path).await;
    let picture = image::load_from_memory(&image.body).unwrap().into_luma8();
    assert_eq!(picture.width(), picture.height());
    let ink = picture.pixels().filter(|pixel| pixel.0[0] < 128).count();
    let share = ink as f64 / f64::from(picture.width() * picture.height());
    assert!((0.002..0.2).contains(&share), "{share}");
    app.check_books().await;
}
