//! The number of concurrent calls to a provider, and the duration of a call.
use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use crate::testing;
use linepress_core::operations::{ItemProgress, OperationStatus};
use linepress_core::worker::Workers;
use linepress_drawings::queue::DrawingStatus;
use linepress_platform::config::{Config, ProviderSettings};
use serde_json::json;

use crate::test_app::{Accepted, Actor, Log, TestApp, book_of, wait_until};

async fn running_items(ada: &Actor, accepted: &Accepted) -> usize {
    let items = ada.operation(accepted).await.items;
    let running = items.iter().filter(|item| item.status == DrawingStatus::Running);
    running.count()
}

/// The longest time that the slow provider may take: such a drawing ends only when its server stops.
const MAX_DRAWING_MILLISECONDS: u64 = 60_000;

/// Limits the number of concurrent calls to the test bed's slow provider.
fn limit_concurrency(config: &mut Config, calls: u32) {
    let settings = ProviderSettings {
        concurrency: Some(calls),
        ..ProviderSettings::default()
    };
    config.providers.insert("testbed.slow".into(), settings);
}

/// Starts an app whose portraits are drawn by the test bed's slow provider, one at a time, and whose squares are drawn
/// by another provider at once. A stopping server does not wait for drawings.
async fn with_a_slow_provider(milliseconds: u64) -> TestApp {
    TestApp::builder()
        .image_provider(
            "testbed.flaky",
            json!({"prompt": "no prompt holds this", "aspects": ["square"]}),
        )
        .next_image_provider("testbed.slow", json!({"milliseconds": milliseconds}))
        .config(|config| {
            config.workers = 1;
            config.shutdown_grace_seconds = 0;
            limit_concurrency(config, 1);
        })
        .start()
        .await
}

#[tokio::test]
async fn the_concurrency_of_a_provider_does_not_depend_on_the_cores() {
    let app = TestApp::builder()
        .image_provider("testbed.slow", json!({"milliseconds": MAX_DRAWING_MILLISECONDS}))
        .config(|config| {
            config.workers = 1;
            config.shutdown_grace_seconds = 0;
            limit_concurrency(config, 8);
        })
        .start()
        .await;
    let ada = app.account(20).await;
    let accepted = ada.generate("/books", "k1", &book_of(20)).await.accepted();
    let workers = Workers::start(&app.server);
    wait_until("eight drawings run side by side", async || {
        running_items(&ada, &accepted).await >= 8
    })
    .await;
    // In this time, the server would begin another drawing.
    app.until_reads_have_ended().await;
    assert_eq!(running_items(&ada, &accepted).await, 8);
    workers.stop().await;
    assert_eq!(running_items(&ada, &accepted).await, 0);
}

#[tokio::test]
async fn a_deadline_in_the_settings_may_be_shorter_than_the_plugins_own() {
    let app = TestApp::builder()
        .image_provider("testbed.slow", json!({"milliseconds": 30_000}))
        .config(|config| {
            config.drawing_attempts = 1;
            let settings = ProviderSettings {
                deadline_seconds: Some(1),
                ..ProviderSettings::default()
            };
            config.providers.insert("testbed.slow".into(), settings);
        })
        .start()
        .await;
    let ada = app.account(1).await;
    let accepted = app.new_page(&ada, "A fox").await;
    let log = Log::default();
    let captured = log.capture();
    assert!(testing::work_once(&app.server).await.unwrap());
    drop(captured);
    assert_eq!(ada.status(&accepted).await, OperationStatus::Failed);
    assert!(log.holds("stopped after 1 s"), "{:?}", log.lines());
}

/// Orders a square for another account, and waits until it is drawn: the server has then looked for work again.
async fn has_a_square_drawn(app: &TestApp) {
    let bob = app
        .account_named("bob@example.com", linepress_accounts::accounts::Plan::Business, 1)
        .await;
    let square = json!({"page": {"title": "An owl", "aspect": "square"}});
    let drawn = app.accepted(&bob, "/pages", &square).await;
    wait_until("the square is drawn", async || {
        bob.status(&drawn).await == OperationStatus::Succeeded
    })
    .await;
}

/// Draws everything that is due on a node with the same providers, which draw at once.
async fn draw_without_delay(app: &TestApp) {
    let swift = app
        .another_node_with(|config| {
            config.plugins.insert("testbed.slow".into(), json!({"milliseconds": 0}));
        })
        .await;
    while testing::work_once(&swift).await.unwrap() {}
}

#[tokio::test(flavor = "multi_thread")]
async fn a_slow_drawing_reports_the_progress_of_its_provider() {
    let app = with_a_slow_provider(MAX_DRAWING_MILLISECONDS).await;
    let ada = app.account(1).await;
    let accepted = app.new_page(&ada, "A fox").await;
    let item = async || ada.operation(&accepted).await.items.swap_remove(0);
    assert_eq!(item().await.progress, None);
    let workers = Workers::start(&app.server);
    wait_until("the progress is shown", async || item().await.progress.is_some()).await;
    let shown = item().await;
    assert_eq!(
        (shown.status, shown.progress),
        (DrawingStatus::Running, Some(ItemProgress { done: 1, total: 2 }))
    );
    workers.stop().await;
    assert_eq!(item().await.progress, None);
    draw_without_delay(&app).await;
    let item = item().await;
    assert_eq!((item.status, item.progress), (DrawingStatus::Succeeded, None));
}

#[tokio::test(flavor = "multi_thread")]
async fn drawings_for_a_slow_provider_do_not_block_those_for_another() {
    let app = with_a_slow_provider(MAX_DRAWING_MILLISECONDS).await;
    let ada = app.account(8).await;
    let mut portraits = Vec::new();
    for number in 0..8 {
        portraits.push(app.new_page(&ada, &format!("Fox {number}")).await);
    }
    let workers = Workers::start(&app.server);
    let untried = async || -> i64 {
        sqlx::query_scalar("SELECT COUNT(*) FROM drawings WHERE status = 'queued' AND attempts = 0 AND waits_for = 'testbed.slow' AND first_claimed_at IS NULL")
            .fetch_one(&app.server.database.read)
            .await
            .unwrap()
    };
    // One is being drawn and one waits for its place; the other six were put back without an attempt.
    wait_until("six drawings are put back", async || untried().await >= 6).await;
    has_a_square_drawn(&app).await;
    for portrait in &portraits {
        assert_ne!(ada.status(portrait).await, OperationStatus::Succeeded);
    }
    workers.stop().await;
    draw_without_delay(&app).await;
    for portrait in &portraits {
        assert_eq!(ada.status(portrait).await, OperationStatus::Succeeded);
    }
    assert_eq!(ada.credits().await, 0);
    app.check_ledger().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn drawings_that_wait_for_their_provider_keep_their_order() {
    let app = with_a_slow_provider(200).await;
    let ada = app.account(20).await;
    let mut orders = Vec::new();
    // Ids of the same millisecond have no order.
    let order = async |title: String| {
        app.server.clock.advance(Duration::from_millis(1));
        Rc::new(app.new_page(&ada, &title).await)
    };
    for number in 0..6 {
        orders.push(order(format!("Fox {number}")).await);
    }
    let workers = Workers::start(&app.server);
    let in_order = RefCell::new(orders);
    wait_until("twelve are drawn", async || {
        let known: Vec<Rc<Accepted>> = in_order.borrow().clone();
        let mut statuses = Vec::new();
        // The newest are read first, so that drawings completed meanwhile do not seem to be out of order.
        for order in known.iter().rev() {
            statuses.push(ada.status(order).await == OperationStatus::Succeeded);
        }
        statuses.reverse();
        let succeeded = statuses.iter().filter(|status| **status).count();
        // A place is free as soon as the provider has drawn: the next drawing may be completed while the picture of the
        // one before is still being measured. One that overtakes those that wait is further behind.
        let last = statuses.iter().rposition(|status| *status);
        assert!(last.is_none_or(|last| last <= succeeded), "{statuses:?}");
        // Each completed drawing is followed by a new one, which is due at once.
        for number in known.len()..(succeeded + 6).min(12) {
            let next = order(format!("Owl {number}")).await;
            in_order.borrow_mut().push(next);
        }
        succeeded == 12
    })
    .await;
    workers.stop().await;
    app.check_ledger().await;
}
