//! `GET /operations/{id}`.
use crate::testing;
use linepress_core::operations::{FailureCode, Operation, OperationStatus};
use serde_json::json;

use crate::test_app::TestApp;

#[tokio::test]
async fn an_operation_reports_its_progress_until_it_has_ended() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let body = json!({"book": {"title": "B", "pages": [{"title": "One"}, {"title": "Two"}]}});
    let accepted = ada.generate("/books", "k1", &body).await;
    let url = accepted.header("location").to_owned();

    let look = async || {
        let reply = ada.get(&url).await;
        let operation = reply.expect(200)["operation"].clone();
        (
            operation["status"].as_str().unwrap().to_owned(),
            operation["progress"].clone(),
            reply.headers.contains_key("retry-after"),
        )
    };
    assert_eq!(
        look().await,
        ("queued".into(), json!({"completed": 0, "failed": 0, "total": 3}), true)
    );
    assert!(testing::work_once(&app.server).await.unwrap());
    assert_eq!(
        look().await,
        ("running".into(), json!({"completed": 1, "failed": 0, "total": 3}), true)
    );
    assert!(testing::work_once(&app.server).await.unwrap());
    assert!(testing::work_once(&app.server).await.unwrap());
    assert_eq!(
        look().await,
        (
            "succeeded".into(),
            json!({"completed": 3, "failed": 0, "total": 3}),
            false
        )
    );
    assert!(!testing::work_once(&app.server).await.unwrap());
    insta::assert_json_snapshot!(ada.get(&url).await.expect(200));
}

#[tokio::test]
async fn an_operation_that_partly_fails_refunds_what_it_did_not_deliver() {
    let app = TestApp::builder()
        .image_provider(
            "testbed.flaky",
            json!({"fail": "refused", "seeds": "all", "prompt": "storm"}),
        )
        .start()
        .await;
    let ada = app.account(9).await;
    let pages = json!([{"title": "Sun"}, {"title": "Wind", "prompt": "A storm"}, {"title": "Rain"}]);
    let body = ada
        .generate("/books", "k1", &json!({"book": {"title": "Weather", "pages": pages}}))
        .await
        .accepted();
    assert_eq!(ada.credits().await, 6);
    app.draw_everything().await;

    let operation = ada.operation(&body).await;
    assert_eq!(operation.status, OperationStatus::PartiallySucceeded);
    let progress = operation.progress;
    assert_eq!((progress.completed, progress.failed, progress.total), (3, 1, 4));
    assert_eq!((operation.credits.charged, operation.credits.refunded), (3, 1));
    assert_eq!(operation.error, None);
    assert_eq!(operation.items[2].error.as_ref().unwrap().code, FailureCode::Refused);
    assert_eq!(ada.credits().await, 7);
    assert_eq!(
        ada.get("/me").await.expect(200)["account"]["credits"],
        json!({"available": 7, "spent": 3, "refunded": 1})
    );

    let path = format!("/books/{}", body.book_id());
    let book = &ada.get(&path).await.expect(200)["book"];
    assert_eq!(book["status"], "incomplete");
    let failed = book["pages"][1]["id"].as_str().unwrap();
    let error = ada
        .get(&format!("{path}/pdf"))
        .await
        .expect_error(422, "book_not_ready");
    assert_eq!(
        error["details"],
        json!([{"field": "pages[1]", "message": format!("{failed} is failed")}])
    );
    app.check_ledger().await;
}

#[tokio::test]
async fn an_item_shows_what_the_provider_says_about_its_drawing() {
    let app = TestApp::builder()
        .image_provider(
            "testbed.flaky",
            json!({"fail": "refused", "seeds": "all", "prompt": "storm", "note": "Not\nthe \u{202e}\u{0}best.\u{1b}[31m"}),
        )
        .start()
        .await;
    let ada = app.account(9).await;
    let pages = json!([{"title": "Sun"}, {"title": "Wind", "prompt": "A storm"}]);
    let body = ada
        .generate("/books", "k1", &json!({"book": {"title": "Weather", "pages": pages}}))
        .await
        .accepted();
    let notes = |operation: &Operation| -> Vec<_> { operation.items.iter().map(|item| item.note.clone()).collect() };
    assert_eq!(notes(&body.operation), [None, None, None]);
    app.draw_everything().await;
    let note = Some("Not the best. [31m".to_owned());
    let expected = [note.clone(), note, None];
    assert_eq!(notes(&ada.operation(&body).await), expected);
    let listed = ada.get("/operations").await.expect(200)["operations"][0].clone();
    assert_eq!(notes(&serde_json::from_value(listed).unwrap()), expected);
}

#[tokio::test]
async fn the_sketchbook_reports_the_words_that_it_cannot_draw() {
    let app = TestApp::builder()
        .image_provider("linepress.sketchbook", json!({}))
        .start()
        .await;
    let ada = app.account(9).await;
    for (key, prompt, note) in [
        ("k1", "A fox in the forest", None),
        (
            "k2",
            "A fox riding a zeppelin",
            Some("No drawing of \"zeppelin\" is known."),
        ),
        (
            "k3",
            "A zeppelin",
            Some("No drawing of \"zeppelin\" is known: the page shows the word."),
        ),
    ] {
        let body = json!({"page": {"title": "One", "prompt": prompt}});
        let accepted = ada.generate("/pages", key, &body).await.accepted();
        app.draw_everything().await;
        let drawn = ada.operation(&accepted).await;
        assert_eq!(drawn.items[0].note.as_deref(), note, "{prompt}");
    }
}

#[tokio::test]
async fn an_unknown_operation_is_not_found() {
    let app = TestApp::start().await;
    let ada = app.account(1).await;
    ada.get("/operations/op_none").await.expect_error(404, "not_found");
    ada.post("/operations/op_none/cancel", &json!({}))
        .await
        .expect_error(404, "not_found");
}
