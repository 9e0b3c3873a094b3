//! The queue: fair, patient, and independent of any single worker.
use std::time::Duration;

use crate::testing;
use linepress_accounts::accounts::Plan;
use linepress_core::operations::OperationStatus;
use linepress_core::worker::Workers;
use linepress_drawings::queue::DrawingStatus;
use serde_json::json;

use crate::test_app::{TestApp, book_of, wait_until};

#[tokio::test]
async fn a_long_book_does_not_hold_up_another_accounts_page() {
    let app = TestApp::start().await;
    let ada = app.account(100).await;
    let ben = app.account_named("ben@example.com", Plan::Business, 1).await;
    let long = ada.generate("/books", "k1", &book_of(100)).await.accepted();
    for _ in 0..3 {
        assert!(testing::work_once(&app.server).await.unwrap());
        app.server.clock.advance(Duration::from_secs(1));
    }
    let short = app.new_page(&ben, "A fox").await;
    assert!(testing::work_once(&app.server).await.unwrap());
    assert_eq!(ben.status(&short).await, OperationStatus::Succeeded);
    assert_eq!(ada.status(&long).await, OperationStatus::Running);
}

#[tokio::test]
async fn a_provider_that_keeps_failing_fails_what_it_was_asked_and_nothing_else() {
    let app = TestApp::builder()
        .image_provider("testbed.flaky", json!({"fail": "other", "seeds": "odd"}))
        .config(|config| config.drawing_attempts = 3)
        .start()
        .await;
    let ada = app.account(20).await;
    let accepted = ada.generate("/books", "k1", &book_of(20)).await.accepted();
    let attempts = app.draw_everything().await;
    let operation = ada.operation(&accepted).await;
    let failed = operation.progress.failed as usize;
    // Drawings with odd seeds were tried three times, the others once.
    assert!(failed > 2 && failed < 18, "{failed}");
    assert_eq!(attempts, 21 + 2 * failed);
    assert_eq!(operation.status, OperationStatus::PartiallySucceeded);
    app.check_ledger().await;
}

#[tokio::test]
async fn a_refused_prompt_is_tried_once() {
    let app = TestApp::builder()
        .image_provider("testbed.flaky", json!({"fail": "refused", "seeds": "all"}))
        .start()
        .await;
    let ada = app.account(1).await;
    let accepted = app.new_page(&ada, "A fox").await;
    assert_eq!(app.draw_everything().await, 1);
    assert_eq!(ada.status(&accepted).await, OperationStatus::Failed);
    assert_eq!(ada.credits().await, 1);
}

#[tokio::test]
async fn a_misbehaving_provider_costs_attempts_refunds_the_page_and_leaves_the_server_working() {
    for provider in ["testbed.trap", "testbed.garbage", "testbed.flood", "testbed.glutton"] {
        let app = TestApp::builder()
            .config(|config| {
                config.image_providers = vec![provider.into()];
                config.drawing_attempts = 2;
            })
            .start()
            .await;
        let ada = app.account(1).await;
        let accepted = app.new_page(&ada, "A fox").await;
        assert_eq!(ada.credits().await, 0);
        assert_eq!(app.draw_everything().await, 2, "{provider}");
        assert_eq!(ada.status(&accepted).await, OperationStatus::Failed, "{provider}");
        assert_eq!(ada.credits().await, 1, "{provider}");
        app.check_ledger().await;
    }
}

#[tokio::test]
async fn a_worker_whose_lease_expired_cannot_complete_its_drawing() {
    let app = TestApp::start().await;
    let ada = app.account(3).await;
    let accepted = app.new_page(&ada, "A fox").await;
    let silent = testing::claim(&app.server).await.unwrap().unwrap();
    assert_eq!(ada.status(&accepted).await, OperationStatus::Running);
    assert!(testing::claim(&app.server).await.unwrap().is_none());

    app.expire_leases();
    assert!(testing::work_once(&app.server).await.unwrap());
    assert_eq!(ada.status(&accepted).await, OperationStatus::Succeeded);
    let path = format!("/pages/{}", accepted.page_id());
    let completed = ada.get(&path).await.expect(200);

    assert!(!testing::renew(&app.server, &silent).await.unwrap());
    testing::attempt(&app.server, &silent).await;
    testing::release(&app.server, &silent).await.unwrap();
    assert_eq!(ada.get(&path).await.expect(200), completed);
    assert_eq!(app.draw_everything().await, 0);
    assert_eq!(ada.credits().await, 2);
}

#[tokio::test]
async fn a_drawing_that_kills_its_workers_fails_eventually() {
    let app = TestApp::start().await;
    let ada = app.account(1).await;
    let accepted = app.new_page(&ada, "A fox").await;
    for _ in 0..app.server.config.drawing_attempts {
        assert!(testing::claim(&app.server).await.unwrap().is_some());
        app.expire_leases();
    }
    app.draw_everything().await;
    assert_eq!(ada.status(&accepted).await, OperationStatus::Failed);
    assert_eq!(ada.credits().await, 1);
    app.check_ledger().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn workers_draw_side_by_side_and_stop_without_losing_anything() {
    let app = TestApp::builder()
        .image_provider("testbed.slow", json!({"milliseconds": 1_000}))
        .config(|config| config.workers = 4)
        .start()
        .await;
    let ada = app.account(20).await;
    let accepted = ada.generate("/books", "k1", &book_of(20)).await.accepted();
    let workers = Workers::start(&app.server);
    let items_that_are = async |status: DrawingStatus| {
        let items = ada.operation(&accepted).await.items;
        items.iter().filter(|item| item.status == status).count()
    };
    wait_until("four drawings run side by side", async || {
        items_that_are(DrawingStatus::Running).await >= 4
    })
    .await;
    workers.stop().await;

    let left = items_that_are(DrawingStatus::Queued).await;
    assert_eq!(items_that_are(DrawingStatus::Succeeded).await + left, 21);
    assert!(left > 0);
    let swift = app
        .another_node_with(|config| {
            config.plugins.insert("testbed.slow".into(), json!({"milliseconds": 0}));
        })
        .await;
    for _ in 0..left {
        assert!(testing::work_once(&swift).await.unwrap());
    }
    assert!(!testing::work_once(&swift).await.unwrap());
    assert_eq!(ada.status(&accepted).await, OperationStatus::Succeeded);
    assert_eq!(ada.credits().await, 0);
}

#[tokio::test]
async fn one_claim_skips_all_accounts_whose_drawings_were_canceled() {
    let app = TestApp::start().await;
    for number in 0..8 {
        let actor = app
            .account_named(&format!("a{number}@example.com"), Plan::Business, 1)
            .await;
        let accepted = app.new_page(&actor, "A fox").await;
        let page = accepted.page_id();
        actor.delete(&format!("/pages/{page}")).await.expect_no_content();
    }
    let ada = app.account(1).await;
    let accepted = app.new_page(&ada, "An owl").await;
    assert!(testing::work_once(&app.server).await.unwrap());
    assert_eq!(ada.status(&accepted).await, OperationStatus::Succeeded);
    assert!(!testing::work_once(&app.server).await.unwrap());
    let in_line: i64 = sqlx::query_scalar("SELECT COUNT(*) FROM queue_accounts WHERE next_due_at IS NOT NULL")
        .fetch_one(&app.server.database.read)
        .await
        .unwrap();
    assert_eq!(in_line, 0);
}
