//! The number of concurrent calls to a provider, and the duration of a call.
use std::time::{Duration, Instant};

use linepress_core::worker::{self, Workers};
use linepress_platform::config::ProviderSettings;
use serde_json::json;

use crate::test_app::{Actor, Log, TestApp, book_of, wait_until};

async fn running_items(ada: &Actor, accepted: &serde_json::Value) -> usize {
    let operation = ada.operation(accepted).await;
    let items = operation["items"].as_array().unwrap();
    items.iter().filter(|item| item["status"] == "running").count()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_concurrency_of_a_provider_does_not_depend_on_the_cores() {
    let app = TestApp::builder()
        .image_provider("testbed.slow", json!({"milliseconds": 1500}))
        .config(|config| {
            config.workers = 1;
            let settings = ProviderSettings {
                concurrency: Some(8),
                ..ProviderSettings::default()
            };
            config.providers.insert("testbed.slow".into(), settings);
        })
        .start()
        .await;
    let ada = app.account(20).await;
    let accepted = ada.generate("/books", "k1", &book_of(20)).await.expect(202);
    let workers = Workers::start(&app.server);
    wait_until("eight drawings run side by side", async || {
        running_items(&ada, &accepted).await >= 8
    })
    .await;
    assert_eq!(running_items(&ada, &accepted).await, 8);
    workers.stop().await;
    let drawn = ada.operation(&accepted).await["progress"]["completed"]
        .as_u64()
        .unwrap();
    assert!((8..20).contains(&drawn), "{drawn}");
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
    assert!(worker::work_once(&app.server).await.unwrap());
    drop(captured);
    assert_eq!(ada.status(&accepted).await, "failed");
    assert!(log.holds("stopped after 1 s"), "{:?}", log.lines());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_slow_drawing_reports_the_progress_of_its_provider() {
    let app = TestApp::builder()
        .image_provider("testbed.slow", json!({"milliseconds": 8_000}))
        .start()
        .await;
    let ada = app.account(1).await;
    let accepted = app.new_page(&ada, "A fox").await;
    let item = async || ada.operation(&accepted).await["items"][0].clone();
    assert_eq!(item().await["progress"], json!(null));
    let workers = Workers::start(&app.server);
    let shown = loop {
        let item = item().await;
        if item["status"] == "succeeded" || !item["progress"].is_null() {
            break item;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    };
    assert_eq!(
        (&shown["status"], &shown["progress"]),
        (&json!("running"), &json!({"done": 1, "total": 2}))
    );
    workers.stop().await;
    let item = item().await;
    assert_eq!(
        (&item["status"], &item["progress"]),
        (&json!("succeeded"), &json!(null))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn drawings_for_a_slow_provider_do_not_block_those_for_another() {
    let app = TestApp::builder()
        .image_provider(
            "testbed.flaky",
            json!({"prompt": "no prompt holds this", "aspects": ["square"]}),
        )
        .next_image_provider("testbed.slow", json!({"milliseconds": 3_000}))
        .config(|config| {
            config.workers = 1;
            let settings = ProviderSettings {
                concurrency: Some(1),
                ..ProviderSettings::default()
            };
            config.providers.insert("testbed.slow".into(), settings);
        })
        .start()
        .await;
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
    let bob = app
        .account_named("bob@example.com", linepress_core::accounts::Plan::Business, 1)
        .await;
    let square = json!({"page": {"title": "An owl", "aspect": "square"}});
    let drawn = app.accepted(&bob, "/pages", &square).await;
    wait_until("the square is drawn", async || bob.status(&drawn).await == "succeeded").await;
    let mut waiting = 0;
    for portrait in &portraits {
        waiting += usize::from(ada.status(portrait).await != "succeeded");
    }
    assert!(waiting > 1, "{waiting}");
    for portrait in &portraits {
        wait_until("each portrait is drawn", async || {
            ada.status(portrait).await == "succeeded"
        })
        .await;
    }
    workers.stop().await;
    assert_eq!(ada.credits().await, 0);
    app.check_ledger().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn drawings_that_wait_for_their_provider_keep_their_order() {
    let app = TestApp::builder()
        .image_provider(
            "testbed.flaky",
            json!({"prompt": "no prompt holds this", "aspects": ["square"]}),
        )
        .next_image_provider("testbed.slow", json!({"milliseconds": 200}))
        .config(|config| {
            config.workers = 1;
            let settings = ProviderSettings {
                concurrency: Some(1),
                ..ProviderSettings::default()
            };
            config.providers.insert("testbed.slow".into(), settings);
        })
        .start()
        .await;
    let ada = app.account(20).await;
    let mut orders = Vec::new();
    // Ids of the same millisecond have no order.
    let order = async |title: String| {
        app.server.clock.advance(Duration::from_millis(1));
        app.new_page(&ada, &title).await
    };
    for number in 0..6 {
        orders.push(order(format!("Fox {number}")).await);
    }
    let workers = Workers::start(&app.server);
    let began = Instant::now();
    let mut drawn = 0;
    while drawn < 12 {
        assert!(began.elapsed() < Duration::from_secs(120));
        let mut statuses = Vec::new();
        // The newest are read first, so that drawings completed during the loop do not seem to be out of order.
        for order in orders.iter().rev() {
            statuses.push(ada.status(order).await == "succeeded");
        }
        statuses.reverse();
        let succeeded = statuses.iter().filter(|status| **status).count();
        assert!(statuses[..succeeded].iter().all(|status| *status), "{statuses:?}");
        // Each completed drawing is followed by a new one, which is due at once.
        for number in drawn..succeeded {
            if orders.len() < 12 {
                orders.push(order(format!("Owl {number}")).await);
            }
        }
        drawn = succeeded;
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    workers.stop().await;
    app.check_ledger().await;
}
