//! Free covers: how many an account gets in a day, and which covers count.
use std::time::Duration;

use linepress_core::operations::{FailureCode, OperationStatus};
use linepress_platform::scopes::Scopes;
use serde_json::{Value, json};

use super::limit;
use crate::test_app::TestApp;
use crate::testing;

#[tokio::test]
async fn books_without_paid_pages_have_a_limited_number_of_covers_a_day() {
    let app = TestApp::builder()
        .config(|config| config.limits.free_covers_per_day = 2)
        .start()
        .await;
    let ada = app.account(1).await;
    let page = app.imported_page(&ada, "A fox").await;
    let body = json!({"book": {"title": "B", "cover": {"prompt": "A fox"}, "pages": [{"page_id": page}]}});
    assert_eq!(limit(&ada, "free_covers_per_day").await, json!({"limit": 2, "used": 0}));
    for key in ["k1", "k2"] {
        let book = ada.generate("/books", key, &body).await.expect(202)["book"]["id"].clone();
        app.draw_everything().await;
        // Deleting the book does not restore the free cover.
        ada.delete(&format!("/books/{}", book.as_str().unwrap()))
            .await
            .expect_no_content();
    }
    assert_eq!(limit(&ada, "free_covers_per_day").await, json!({"limit": 2, "used": 2}));
    let refused = ada.generate("/books", "k3", &body).await;
    refused.expect_error(422, "account_limit_reached");
    // A book with a paid page pays for its cover with the page.
    let paid = json!({"book": {"title": "B", "pages": [{"page_id": page}, {"title": "A"}]}});
    ada.generate("/books", "k4", &paid).await.expect(202);
    app.server.clock.advance(Duration::from_secs(24 * 3600));
    ada.generate("/books", "k3", &body).await.expect(202);
    assert_eq!(limit(&ada, "free_covers_per_day").await, json!({"limit": 2, "used": 1}));
}

/// Starts an app with two free covers a day, in which pages whose titles say so are refused.
async fn two_free_covers() -> TestApp {
    TestApp::builder()
        .image_provider("testbed.flaky", json!({"fail": "asked", "seeds": "all"}))
        .config(|config| config.limits.free_covers_per_day = 2)
        .start()
        .await
}

/// A book whose only page the provider refuses.
fn refused() -> Value {
    json!({"book": {"title": "B", "cover": {"prompt": "A castle"}, "pages": [{"title": "refused"}]}})
}

#[tokio::test]
async fn a_cover_whose_pages_are_refunded_is_a_free_one() {
    let app = two_free_covers().await;
    let ada = app.account(1).await;
    let mut covers = Vec::new();
    for _ in 0..3 {
        let accepted = app.accepted(&ada, "/books", &refused()).await;
        app.draw_everything().await;
        covers.push(ada.operation(&accepted).await.items.swap_remove(0));
    }
    let ended: Vec<_> = covers.iter().map(|cover| cover.status).collect();
    use linepress_drawings::queue::DrawingStatus::{Failed, Succeeded};
    assert_eq!(ended, [Succeeded, Succeeded, Failed]);
    assert_eq!(covers[2].error.as_ref().unwrap().code, FailureCode::FreeCovers);
    // The third order drew no cover, so it used none.
    assert_eq!(limit(&ada, "free_covers_per_day").await, json!({"limit": 2, "used": 2}));
    let fourth = ada.generate("/books", "k4", &refused()).await;
    fourth.expect_error(422, "account_limit_reached");
    assert_eq!(ada.credits().await, 1);
    app.server.clock.advance(Duration::from_secs(24 * 3600));
    assert_eq!(limit(&ada, "free_covers_per_day").await["used"], 0);
    ada.generate("/books", "k4", &refused()).await.expect(202);
    app.check_ledger().await;
}

#[tokio::test]
async fn a_cover_whose_page_was_deleted_while_it_waited_is_a_free_one() {
    let app = two_free_covers().await;
    let ada = app.account(5).await;
    let body = json!({"book": {"title": "B", "pages": [{"title": "A"}]}});
    let mut statuses = Vec::new();
    for _ in 0..3 {
        let accepted = app.accepted(&ada, "/books", &body).await;
        let page = accepted.book().pages[0].id.to_string();
        ada.delete(&format!("/pages/{page}")).await.expect_no_content();
        app.draw_everything().await;
        statuses.push(ada.status(&accepted).await);
    }
    use OperationStatus::{Failed, PartiallySucceeded};
    assert_eq!(statuses, [PartiallySucceeded, PartiallySucceeded, Failed]);
    assert_eq!(ada.credits().await, 5);
    app.check_books().await;
}

#[tokio::test]
async fn the_cap_of_an_app_buys_no_more_free_covers() {
    let app = two_free_covers().await;
    let ada = app.account(5).await;
    let (agent, _) = app.agent_with("ada@example.com", Scopes::ALL, Some(1)).await;
    for number in 0..3 {
        let mut order = refused()["book"].clone();
        order["idempotency_key"] = format!("k{number}").into();
        order["confirm_credits"] = 1.into();
        agent.call("create_book", order.clone()).await.expect();
        app.draw_everything().await;
        // Refunded credits may be spent again.
        assert_eq!(ada.credits().await, 5);
    }
    let drawn: i64 = sqlx::query_scalar("SELECT COUNT(*) FROM books WHERE cover_artwork_id IS NOT NULL")
        .fetch_one(&app.server.database.read)
        .await
        .unwrap();
    assert_eq!(drawn, 2);
}

#[tokio::test]
async fn covers_of_paid_books_beyond_the_free_ones_wait_for_a_page_and_are_drawn() {
    let app = two_free_covers().await;
    let ada = app.account(5).await;
    let mut orders = Vec::new();
    for _ in 0..4 {
        let body = json!({"book": {"title": "B", "pages": [{"title": "A fox"}]}});
        orders.push(app.accepted(&ada, "/books", &body).await);
    }
    // As many concurrent workers as there are covers claim all four of them.
    let mut held = Vec::new();
    while let Some(assignment) = testing::claim(&app.server).await.unwrap() {
        held.push(assignment);
    }
    for assignment in &held {
        testing::attempt(&app.server, assignment).await;
    }
    app.draw_everything().await;
    for order in &orders {
        assert_eq!(ada.status(order).await, OperationStatus::Succeeded);
    }
    assert_eq!(limit(&ada, "free_covers_per_day").await, json!({"limit": 2, "used": 0}));
    assert_eq!(ada.credits().await, 1);
    app.check_books().await;
}
