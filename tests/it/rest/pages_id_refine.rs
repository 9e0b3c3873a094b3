//! `POST /pages/{id}/refine`.
use linepress_core::operations::OperationStatus;
use serde_json::{Value, json};

use crate::test_app::TestApp;

fn wish(instruction: &str) -> Value {
    json!({"page": {"instruction": instruction}})
}

#[tokio::test]
async fn a_refined_page_is_changed_by_a_provider_that_gets_its_picture() {
    let app = TestApp::start().await;
    let ada = app.account(5).await;
    let page = app.ready_page(&ada, "A fox").await;
    let path = format!("/pages/{page}");
    let before = ada.get(&format!("{path}/image")).await;

    let reply = ada
        .generate(&format!("{path}/refine"), "k2", &wish("Remove the hat"))
        .await;
    assert_eq!(reply.header("x-service-credits-consumed"), "1");
    let refined = reply.expect(202);
    assert_eq!(refined["operation"]["type"], "page.refine");
    assert_eq!(refined["operation"]["items"][0]["instruction"], "Remove the hat");
    assert_eq!(refined["page"]["status"], "generating");
    assert_eq!(ada.get(&format!("{path}/image")).await.body, before.body);
    let again = ada
        .generate(&format!("{path}/refine"), "k2", &wish("Remove the hat"))
        .await;
    assert_eq!(again.header("x-service-credits-consumed"), "0");
    assert_eq!(again.expect(202), refined);

    app.draw_everything().await;
    let after = ada.look(&path, "page").await;
    assert_eq!(
        (&after["status"], &after["image"]["revision"]),
        (&json!("ready"), &json!(2))
    );
    assert_eq!(after["prompt"], "A fox");
    assert_ne!(ada.get(&format!("{path}/image")).await.body, before.body);
    let operation = ada
        .look(refined["operation"]["url"].as_str().unwrap(), "operation")
        .await;
    let item = &operation["items"][0];
    assert_eq!(item["instruction"], "Remove the hat");
    // The testbed's note shows what the provider got.
    let got = "drawn from image/jpeg, which is a JPEG, with the change \"Remove the hat\"";
    assert_eq!(item["note"], got);
    assert_eq!(ada.credits().await, 3);
    app.check_books().await;
}

#[tokio::test]
async fn without_a_provider_that_changes_pictures_the_page_is_drawn_again_and_a_note_says_so() {
    let app = TestApp::builder()
        .image_provider("linepress.sketchbook", json!({}))
        .start()
        .await;
    let ada = app.account(5).await;
    let page = app.ready_page(&ada, "A fox wearing a hat").await;
    let path = format!("/pages/{page}");
    let picture = async || ada.get(&format!("{path}/image")).await.body;
    let original = picture().await;
    let note = async |key: &str, instruction: &str| {
        let refined = ada.generate(&format!("{path}/refine"), key, &wish(instruction)).await;
        let accepted = refined.accepted();
        app.draw_everything().await;
        ada.operation(&accepted).await.items.swap_remove(0).note.unwrap()
    };
    let again = "This server cannot change a picture: it was drawn again with the change in mind.";
    assert_eq!(note("k2", "Remove the hat").await, again);
    let without_hat = picture().await;
    assert!(without_hat != original);
    // The page's new prompt is not that of the picture, and the first change remains.
    let edited = json!({"page": {"prompt": "A wolf at the sea"}});
    ada.patch(&path, &edited).await.expect(200);
    assert_eq!(
        note("k3", "Make the hat bigger").await,
        format!("{again} Not done: \"Make the hat bigger\".")
    );
    assert!(picture().await == without_hat, "the composition did not remain");
    let page = ada.look(&path, "page").await;
    assert_eq!(
        (&page["image"]["revision"], &page["prompt"]),
        (&json!(3), &json!("A wolf at the sea"))
    );
}

#[tokio::test]
async fn new_texts_come_with_the_refined_picture_and_not_before() {
    let app = TestApp::start().await;
    let ada = app.account(5).await;
    let path = format!("/pages/{}", app.ready_page(&ada, "A fox").await);
    let texts = async || {
        let page = ada.look(&path, "page").await;
        ["title", "prompt", "caption"].map(|field| page[field].as_str().unwrap().to_owned())
    };
    let wish = json!({"page": {"instruction": "Make it a wolf", "title": "A wolf", "caption": "Howling"}});
    let accepted = app.accepted(&ada, &format!("{path}/refine"), &wish).await;
    assert_eq!(accepted.page().title, "A fox");
    assert_eq!(texts().await, ["A fox", "A fox", ""]);
    app.draw_what_is_due().await;
    assert_eq!(texts().await, ["A wolf", "A fox", "Howling"]);
}

#[tokio::test]
async fn a_failed_refinement_refunds_the_credit_and_changes_nothing() {
    let app = TestApp::builder()
        .image_provider(
            "testbed.flaky",
            json!({"fail": "refused", "seeds": "all", "prompt": "storm"}),
        )
        .start()
        .await;
    let ada = app.account(5).await;
    let path = format!("/pages/{}", app.ready_page(&ada, "A fox").await);
    let before = ada.get(&format!("{path}/image")).await;
    let wish = json!({"page": {"instruction": "Add a storm", "title": "A storm"}});
    let accepted = app.accepted(&ada, &format!("{path}/refine"), &wish).await;
    app.draw_everything().await;
    let operation = ada.operation(&accepted).await;
    assert_eq!(operation.status, OperationStatus::Failed);
    assert_eq!((operation.credits.charged, operation.credits.refunded), (1, 1));
    let page = ada.look(&path, "page").await;
    assert_eq!((&page["status"], &page["title"]), (&json!("ready"), &json!("A fox")));
    assert_eq!(ada.get(&format!("{path}/image")).await.body, before.body);
    assert_eq!(ada.credits().await, 4);
    app.check_ledger().await;
}

#[tokio::test]
async fn a_page_without_a_picture_or_with_a_generation_cannot_be_refined() {
    let app = TestApp::builder()
        .image_provider(
            "testbed.flaky",
            json!({"fail": "refused", "seeds": "all", "prompt": "storm"}),
        )
        .start()
        .await;
    let ada = app.account(5).await;
    let drawing = app.new_page(&ada, "A storm").await;
    let path = format!("/pages/{}/refine", drawing.page_id());
    ada.generate(&path, "k2", &wish("Add a cat"))
        .await
        .expect_error(409, "generation_active");
    app.draw_everything().await;
    let error = ada.generate(&path, "k2", &wish("Add a cat")).await;
    let error = error.expect_error(422, "validation_failed");
    assert_eq!(
        error["details"],
        json!([{
            "field": "page.instruction",
            "message": "cannot be followed: the page has no picture yet; regenerate the page instead",
        }])
    );
    let page = ada.look(&format!("/pages/{}", drawing.page_id()), "page").await;
    assert_eq!(
        (&page["status"], &page["active_operation_id"]),
        (&json!("failed"), &json!(null))
    );
    assert_eq!(ada.credits().await, 5);
}

#[tokio::test]
async fn a_wrong_refinement_is_refused_by_the_fields_name_and_costs_nothing() {
    let app = TestApp::start().await;
    let ada = app.account(5).await;
    let page = app.ready_page(&ada, "A fox").await;
    let path = format!("/pages/{page}/refine");
    for (body, field) in [
        (wish(" "), "page.instruction"),
        (wish(""), "page.instruction"),
        (wish(&"x".repeat(501)), "page.instruction"),
        (json!({"page": {}}), "page.instruction"),
        (json!({"page": {"instruction": "A", "title": " "}}), "page.title"),
        (
            json!({"page": {"instruction": "A", "caption": "x".repeat(301)}}),
            "page.caption",
        ),
        (json!({"page": {"instruction": "A", "prompt": "A wolf"}}), "page.prompt"),
        (json!({}), "page"),
    ] {
        let error = ada
            .generate(&path, "k1", &body)
            .await
            .expect_error(422, "validation_failed");
        assert_eq!(error["details"][0]["field"], field, "{body}");
    }
    ada.generate("/pages/page_none/refine", "k1", &wish("A"))
        .await
        .expect_error(404, "not_found");
    assert_eq!(ada.credits().await, 4);
}

#[tokio::test]
async fn imported_artwork_is_refined_and_counts_as_drawn_then() {
    let app = TestApp::start().await;
    let ada = app.account(5).await;
    let page = app.imported_page(&ada, "Mine").await;
    let path = format!("/pages/{page}");
    app.accepted(&ada, &format!("{path}/refine"), &wish("Add a cat")).await;
    app.draw_everything().await;
    assert_eq!(ada.look(&path, "page").await["origin"], "generated");
    app.check_books().await;
}

#[tokio::test]
async fn a_server_that_draws_from_photographs_alone_refuses_an_instruction() {
    let app = TestApp::builder()
        .image_provider("linepress.photo", json!({}))
        .start()
        .await;
    let ada = app.account(3).await;
    let page = app.imported_page(&ada, "Mine").await;
    let reply = ada
        .generate(&format!("/pages/{page}/refine"), "k1", &wish("Add a cat"))
        .await;
    reply.expect_fields(&["page.instruction"]);
    assert_eq!(ada.credits().await, 3);
}

#[tokio::test]
async fn a_provider_that_can_change_pictures_is_preferred_to_one_before_it_that_cannot() {
    let app = TestApp::builder()
        .image_provider("linepress.sketchbook", json!({}))
        .next_image_provider("testbed.plain", json!({}))
        .start()
        .await;
    let ada = app.account(5).await;
    let path = format!("/pages/{}", app.ready_page(&ada, "A fox").await);
    let accepted = app.accepted(&ada, &format!("{path}/refine"), &wish("Add a cat")).await;
    app.draw_everything().await;
    let note = ada.operation(&accepted).await.items.swap_remove(0).note.unwrap();
    assert!(note.starts_with("drawn from image/jpeg"), "{note}");
}

#[tokio::test]
async fn a_page_deleted_while_its_refinement_waits_is_canceled_and_refunded() {
    let app = TestApp::start().await;
    let ada = app.account(5).await;
    let path = format!("/pages/{}", app.ready_page(&ada, "A fox").await);
    let accepted = app.accepted(&ada, &format!("{path}/refine"), &wish("Add a cat")).await;
    ada.delete(&path).await.expect_no_content();
    assert_eq!(ada.status(&accepted).await, OperationStatus::Failed);
    assert_eq!(ada.operation(&accepted).await.items[0].instruction, None);
    assert_eq!(ada.credits().await, 4);
    app.check_books().await;
}
