//! `POST /pages/{id}/regenerate`.
use linepress_core::operations::OperationStatus;
use serde_json::json;

use crate::test_app::TestApp;

#[tokio::test]
async fn a_regenerated_page_keeps_its_image_until_the_new_one_is_there() {
    let app = TestApp::start().await;
    let ada = app.account(5).await;
    let page = app.ready_page(&ada, "A fox").await;
    let path = format!("/pages/{page}");
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

    app.draw_everything().await;
    let after = ada.get(&path).await.expect(200);
    assert_eq!(after["page"]["image"]["revision"], 2);
    assert_eq!(after["page"]["prompt"], "A red fox");
    assert_ne!(ada.get(&format!("{path}/image")).await.body, before.body);
    assert_eq!(ada.credits().await, 3);
}

#[tokio::test]
async fn a_page_that_is_being_drawn_cannot_be_regenerated() {
    let app = TestApp::start().await;
    let ada = app.account(5).await;
    let body = app.new_page(&ada, "A fox").await;
    let path = format!("/pages/{}/regenerate", body.page_id());
    ada.generate(&path, "k2", &json!({}))
        .await
        .expect_error(409, "generation_active");
    assert_eq!(ada.credits().await, 4);
}

#[tokio::test]
async fn a_failed_regeneration_refunds_the_credit_and_leaves_the_page_ready() {
    let app = TestApp::builder()
        .image_provider(
            "testbed.flaky",
            json!({"fail": "refused", "seeds": "all", "prompt": "storm"}),
        )
        .start()
        .await;
    let ada = app.account(5).await;
    let page = app.ready_page(&ada, "A fox").await;
    let path = format!("/pages/{page}");
    let before = ada.get(&format!("{path}/image")).await;

    let again = ada
        .generate(
            &format!("{path}/regenerate"),
            "k2",
            &json!({"page": {"prompt": "A storm"}}),
        )
        .await
        .accepted();
    app.draw_everything().await;
    let operation = ada.operation(&again).await;
    assert_eq!(operation.status, OperationStatus::Failed);
    assert_eq!((operation.credits.charged, operation.credits.refunded), (1, 1));
    let page = ada.get(&path).await.expect(200);
    assert_eq!(page["page"]["status"], "ready");
    assert_eq!(page["page"]["error"], json!(null));
    assert_eq!(page["page"]["prompt"], "A fox");
    assert_eq!(ada.get(&format!("{path}/image")).await.body, before.body);
    assert_eq!(ada.credits().await, 4);
    app.check_ledger().await;
}

#[tokio::test]
async fn new_words_come_with_the_new_drawing_and_not_before() {
    let app = TestApp::start().await;
    let ada = app.account(5).await;
    let page = app.ready_page(&ada, "A fox").await;
    let path = format!("/pages/{page}");
    let words = async || {
        let page = ada.look(&path, "page").await;
        ["title", "prompt", "caption"].map(|field| page[field].as_str().unwrap().to_owned())
    };
    let wish = json!({"page": {"title": "A wolf", "caption": "Howling"}});
    let accepted = app.accepted(&ada, &format!("{path}/regenerate"), &wish).await;
    assert_eq!(accepted.page().title, "A fox");
    assert_eq!(accepted.operation.items[0].title, "A wolf");
    assert_eq!(words().await, ["A fox", "A fox", ""]);
    app.draw_what_is_due().await;
    assert_eq!(words().await, ["A wolf", "A fox", "Howling"]);
}

#[tokio::test]
async fn a_wrong_regeneration_is_refused_by_the_fields_name_and_costs_nothing() {
    let app = TestApp::start().await;
    let ada = app.account(5).await;
    let page = app.ready_page(&ada, "A fox").await;
    let path = format!("/pages/{page}/regenerate");
    for (body, field) in [
        (json!({"page": {"prompt": " "}}), "page.prompt"),
        (json!({"page": {"prompt": "x".repeat(2001)}}), "page.prompt"),
        (json!({"page": {"title": " "}}), "page.title"),
        (json!({"page": {"caption": "x".repeat(301)}}), "page.caption"),
        (json!({"page": {"aspect": "square"}}), "page.aspect"),
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
    // Without a body, with null, or without a prompt, the page's own prompt is drawn.
    for body in ["", "null", r#"{"page": {"prompt": null}}"#] {
        let key = app.new_key();
        let headers = [("content-type", "application/json"), ("idempotency-key", key.as_str())];
        ada.send("POST", &path, &headers, body.into()).await.expect(202);
        app.draw_what_is_due().await;
    }
    assert_eq!(ada.page(&page).await.image.unwrap().revision, 4);
}

#[tokio::test]
async fn a_prompt_that_is_written_during_a_regeneration_stays() {
    let app = TestApp::start().await;
    let ada = app.account(5).await;
    let path = format!("/pages/{}", app.ready_page(&ada, "A fox").await);
    let body = json!({"page": {"prompt": "A red fox"}});
    app.accepted(&ada, &format!("{path}/regenerate"), &body).await;
    ada.patch(&path, &json!({"page": {"prompt": "A fox at night"}}))
        .await
        .expect(200);
    app.draw_everything().await;
    let page = ada.look(&path, "page").await;
    assert_eq!(page["image"]["revision"], 2);
    assert_eq!(page["prompt"], "A fox at night");
}
