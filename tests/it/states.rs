//! Section 3 of the specification: states and transitions.
use crate::testing;
use linepress_core::artwork::Status;
use linepress_core::books::BookStatus;
use linepress_core::operations::{FailureCode, OperationStatus};
use serde_json::json;

use crate::test_app::TestApp;

async fn with_a_provider_that_refuses_storms() -> TestApp {
    TestApp::builder()
        .image_provider(
            "testbed.flaky",
            json!({"fail": "refused", "seeds": "all", "prompt": "storm"}),
        )
        .start()
        .await
}

#[tokio::test]
async fn succeeded_partially_succeeded_and_failed_are_terminal() {
    let app = with_a_provider_that_refuses_storms().await;
    let ada = app.account(9).await;
    let book = |titles: [&str; 2]| {
        let pages = titles.map(|title| json!({"title": title}));
        json!({"book": {"title": "Weather", "pages": pages}})
    };
    for (path, body, status) in [
        ("/books", book(["sun", "rain"]), OperationStatus::Succeeded),
        ("/books", book(["sun", "storm"]), OperationStatus::PartiallySucceeded),
        ("/pages", json!({"page": {"title": "storm"}}), OperationStatus::Failed),
    ] {
        let accepted = app.accepted(&ada, path, &body).await;
        app.draw_what_is_due().await;
        let ended = ada.operation(&accepted).await;
        assert_eq!(ended.status, status);
        assert!(ended.finished_at.is_some());
        assert_eq!(ended.error.is_some(), status == OperationStatus::Failed);
        let path = format!("/operations/{}", ended.id);
        let shown = ada.look(&path, "operation").await;
        app.draw_everything().await;
        assert_eq!(ada.look(&path, "operation").await, shown);
    }
    assert_eq!(ada.credits().await, 6);
    app.check_ledger().await;
}

#[tokio::test]
async fn a_nonterminal_operation_says_when_to_poll_again() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let accepted = app.new_page(&ada, "A fox").await;
    let path = format!("/operations/{}", accepted.operation.id);
    let look = async || {
        let reply = ada.get(&path).await;
        let retry_after = reply
            .headers
            .get("retry-after")
            .map(|value| value.to_str().unwrap().to_owned());
        (reply.expect(200)["operation"]["status"].clone(), retry_after)
    };
    assert_eq!(look().await, (json!("queued"), Some("2".into())));
    let claimed = testing::claim(&app.server).await.unwrap().unwrap();
    assert_eq!(look().await, (json!("running"), Some("2".into())));
    testing::attempt(&app.server, &claimed).await;
    assert_eq!(look().await, (json!("succeeded"), None));
}

#[tokio::test]
async fn a_page_is_generating_until_it_is_ready_or_has_failed_and_may_be_tried_again() {
    let app = with_a_provider_that_refuses_storms().await;
    let ada = app.account(9).await;
    let accepted = app.new_page(&ada, "storm").await;
    let path = format!("/pages/{}", accepted.page_id());
    let id = accepted.page_id();
    let status = async || ada.page(&id).await.status;
    assert_eq!(status().await, Status::Generating);
    app.draw_what_is_due().await;
    assert_eq!(status().await, Status::Failed);
    let error = ada.page(&id).await.error;
    assert_eq!(error.unwrap().code, FailureCode::Refused);

    let regenerate = format!("{path}/regenerate");
    app.accepted(&ada, &regenerate, &json!({"page": {"prompt": "sun"}}))
        .await;
    assert_eq!(status().await, Status::Generating);
    app.draw_what_is_due().await;
    assert_eq!(status().await, Status::Ready);
    assert_eq!(ada.page(&id).await.error, None);
    // A failed regeneration leaves it ready.
    app.accepted(&ada, &regenerate, &json!({"page": {"prompt": "storm"}}))
        .await;
    app.draw_what_is_due().await;
    assert_eq!(status().await, Status::Ready);
    assert_eq!(ada.credits().await, 8);
}

#[tokio::test]
async fn a_character_is_generating_until_it_is_ready_or_has_failed_and_may_be_tried_again() {
    let app = with_a_provider_that_refuses_storms().await;
    let ada = app.account(9).await;
    let body = json!({"character": {"name": "Pip", "description": "storm"}});
    let accepted = app.accepted(&ada, "/characters", &body).await;
    let path = format!("/characters/{}", accepted.character_id());
    let id = accepted.character_id();
    let status = async || ada.character(&id).await.status;
    assert_eq!(status().await, Status::Generating);
    app.draw_what_is_due().await;
    assert_eq!(status().await, Status::Failed);
    let regenerate = format!("{path}/regenerate");
    app.accepted(&ada, &regenerate, &json!({"character": {"description": "sun"}}))
        .await;
    app.draw_what_is_due().await;
    assert_eq!(status().await, Status::Ready);
    app.accepted(&ada, &regenerate, &json!({"character": {"description": "storm"}}))
        .await;
    app.draw_what_is_due().await;
    assert_eq!(status().await, Status::Ready);
    assert_eq!(ada.character(&id).await.description, "sun");
    assert_eq!(ada.credits().await, 8);
}

#[tokio::test]
async fn a_book_is_generating_then_ready_or_incomplete() {
    let app = with_a_provider_that_refuses_storms().await;
    let ada = app.account(9).await;
    let body = json!({"book": {"title": "Weather", "pages": [{"title": "sun"}, {"title": "storm"}]}});
    let accepted = app.accepted(&ada, "/books", &body).await;
    let path = format!("/books/{}", accepted.book_id());
    let id = accepted.book_id();
    let status = async || ada.book(&id).await.status;
    assert_eq!(status().await, BookStatus::Generating);
    app.draw_what_is_due().await;
    assert_eq!(status().await, BookStatus::Incomplete);
    let storm = ada.page_ids(&accepted.book_id()).await[1].clone();
    let again = json!({"page": {"prompt": "rain"}});
    app.accepted(&ada, &format!("/pages/{storm}/regenerate"), &again).await;
    assert_eq!(status().await, BookStatus::Generating);
    app.draw_what_is_due().await;
    assert_eq!(status().await, BookStatus::Ready);
    for page in ada.page_ids(&accepted.book_id()).await {
        ada.delete(&format!("{path}/pages/{page}")).await.expect_no_content();
    }
    assert_eq!(status().await, BookStatus::Incomplete);
}

#[tokio::test]
async fn a_cover_that_fails_costs_nothing_and_keeps_no_book_from_being_printed() {
    let app = with_a_provider_that_refuses_storms().await;
    let ada = app.account(9).await;
    let body = json!({"book": {"title": "B", "cover": {"prompt": "storm"}, "pages": [{"title": "sun"}]}});
    let accepted = app.accepted(&ada, "/books", &body).await;
    app.draw_what_is_due().await;
    let ended = ada.operation(&accepted).await;
    assert_eq!(ended.status, OperationStatus::PartiallySucceeded);
    assert_eq!((ended.credits.charged, ended.credits.refunded), (1, 0));
    let path = format!("/books/{}", accepted.book_id());
    let book = ada.book(&accepted.book_id()).await;
    assert_eq!((book.status, book.cover.status), (BookStatus::Ready, Status::Failed));
    assert_eq!(ada.get(&format!("{path}/pdf")).await.status, 200);
}
