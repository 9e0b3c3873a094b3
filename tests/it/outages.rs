//! Outages of providers, of the object store and of the server, which lose no picture and no credit.
use std::time::Duration;

use crate::testing;
use linepress_core::operations::OperationStatus;
use linepress_core::worker::Workers;
use linepress_platform::config::ProviderSettings;
use linepress_platform::database::Dialect;
use serde_json::json;
use tracing::Level;

use crate::test_app::{Log, TestApp, book_of, wait_until};

const HOUR: Duration = Duration::from_secs(3600);

/// Returns the counted attempts of each drawing.
async fn attempts(app: &TestApp) -> Vec<i64> {
    sqlx::query_scalar("SELECT attempts FROM drawings ORDER BY operation_id, position")
        .fetch_all(&app.server.database.read)
        .await
        .unwrap()
}

/// Works for this much time of the test's clock, checking once a second; returns the number of calls to the provider.
async fn work_for(app: &TestApp, time: Duration) -> usize {
    let end = app.server.clock.now().plus(time);
    let mut asked = 0;
    while app.server.clock.now() < end {
        if testing::work_once(&app.server).await.unwrap() {
            asked += 1;
        } else {
            app.server.clock.advance(Duration::from_secs(1));
        }
    }
    asked
}

#[tokio::test]
async fn a_provider_that_limits_its_rate_is_paused_on_every_node_and_costs_no_attempt() {
    let app = TestApp::builder()
        .image_provider("testbed.flaky", json!({"fail": "rate-limited", "seeds": "all"}))
        .start()
        .await;
    let ada = app.account(5).await;
    let accepted = ada.generate("/books", "k1", &book_of(5)).await.accepted();
    let other = app.another_node().await;

    assert!(testing::work_once(&app.server).await.unwrap());
    // The provider asked for a pause of seven seconds.
    app.server.clock.advance(Duration::from_secs(6));
    assert!(testing::claim(&app.server).await.unwrap().is_none());
    assert!(testing::claim(&other).await.unwrap().is_none());
    app.server.clock.advance(Duration::from_secs(2));
    assert!(testing::work_once(&other).await.unwrap());
    assert_eq!(attempts(&app).await, [0; 6]);

    // Far more calls than the attempts that a drawing has.
    assert!(work_for(&app, 2 * HOUR).await > 500);
    assert_eq!(ada.status(&accepted).await, OperationStatus::Running);
    let well = app
        .another_node_with(|config| {
            let settings = json!({"fail": "rate-limited", "prompt": "no prompt holds this"});
            config.plugins.insert("testbed.flaky".into(), settings);
        })
        .await;
    app.server.clock.advance(Duration::from_secs(10));
    while testing::work_once(&well).await.unwrap() {}
    assert_eq!(ada.status(&accepted).await, OperationStatus::Succeeded);
    assert_eq!(ada.credits().await, 0);
    app.check_ledger().await;
}

#[tokio::test]
async fn an_outage_is_retried_with_growing_pauses_until_the_time_limit() {
    let app = TestApp::builder()
        .image_provider("testbed.flaky", json!({"fail": "unavailable", "seeds": "all"}))
        .config(|config| config.outage_patience_hours = 3)
        .start()
        .await;
    let ada = app.account(1).await;
    let accepted = app.new_page(&ada, "A fox").await;
    // The first call is made at once, the next after 2, 4, 8, 16 and 32 seconds, and then one every minute.
    assert_eq!(work_for(&app, Duration::from_secs(63)).await, 7);
    let asked = work_for(&app, HOUR).await;
    assert!((58..=62).contains(&asked), "{asked}");
    assert_eq!(ada.status(&accepted).await, OperationStatus::Running);
    assert_eq!(attempts(&app).await, [0]);
    work_for(&app, 2 * HOUR).await;
    assert_eq!(ada.status(&accepted).await, OperationStatus::Failed);
    assert_eq!(ada.credits().await, 1);
    app.check_ledger().await;
}

#[tokio::test]
async fn nothing_is_claimed_while_no_provider_is_loaded() {
    let app = TestApp::start().await;
    let ada = app.account(1).await;
    let accepted = app.new_page(&ada, "A fox").await;
    let without = app
        .another_node_with(|config| config.image_providers = vec!["acme.none".into()])
        .await;
    assert!(testing::claim(&without).await.unwrap().is_none());
    assert_eq!(attempts(&app).await, [0]);
    app.draw_what_is_due().await;
    assert_eq!(ada.status(&accepted).await, OperationStatus::Succeeded);
}

#[tokio::test]
async fn a_picture_is_stored_after_an_outage_of_the_object_store_and_not_drawn_again() {
    let app = TestApp::builder().objects_in_a_folder().start().await;
    let ada = app.account(1).await;
    let accepted = app.new_page(&ada, "A fox").await;
    let folder = app.object_folder();
    std::fs::remove_dir_all(&folder).unwrap();
    std::fs::write(&folder, "in the way").unwrap();
    let log = Log::default();
    let captured = log.capture_up_to(Level::DEBUG);
    let back = async {
        let retries = || log.count("the same error was logged before");
        wait_until("storing the picture is retried twice", async || retries() >= 2).await;
        std::fs::remove_file(&folder).unwrap();
        std::fs::create_dir(&folder).unwrap();
    };
    let (worked, ()) = tokio::join!(testing::work_once(&app.server), back);
    drop(captured);
    assert!(worked.unwrap());
    // There are two lines for any number of retries: one with the cause, and one when the outage is over.
    let lines = log.lines();
    let errors: Vec<_> = lines.iter().filter(|line| line.contains("ERROR")).collect();
    assert!(errors.len() == 1 && errors[0].contains("objects"), "{errors:?}");
    assert!(
        !log.holds("Something went wrong") && log.holds("the problem logged before is over"),
        "{lines:?}"
    );
    assert_eq!(ada.status(&accepted).await, OperationStatus::Succeeded);
    assert_eq!(attempts(&app).await, [1]);
    let path = format!("/pages/{}/image", accepted.page_id());
    assert_eq!(ada.get(&path).await.status, 200);
}

#[tokio::test]
async fn a_database_that_is_down_is_reported_within_seconds_with_the_reason() {
    let app = TestApp::start().await;
    let node = app.node_without_its_database().await;
    let ada = app.account(1).await;
    let cut_off = ada.at(linepress::server::router(node.clone()));
    let log = Log::default();
    let captured = log.capture();
    let body = json!({"page": {"title": "A fox"}});
    let (page, ready, claimed) = tokio::join!(
        cut_off.generate("/pages", "k", &body),
        cut_off.get("/readyz"),
        testing::claim(&node),
    );
    drop(captured);
    page.expect_error(503, "overloaded");
    assert_eq!(page.header("retry-after"), "5");
    assert_eq!(ready.status, 503);
    // A worker with a finished picture retries after such an error.
    assert!(claimed.unwrap_err().is_internal());
    // After the time limit for a connection there would be no reason: the server was asked for it long before.
    for line in ["request failed", "not ready"] {
        let has_reason = |text: &String| text.contains(line) && text.contains("Connection refused");
        assert!(log.lines().iter().any(has_reason), "{line}: {:?}", log.lines());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stopping_server_finishes_pictures_in_progress() {
    let app = TestApp::builder()
        .image_provider("testbed.slow", json!({"milliseconds": 500}))
        .config(|config| config.workers = 2)
        .start()
        .await;
    let ada = app.account(20).await;
    let accepted = ada.generate("/books", "k1", &book_of(20)).await.accepted();
    let workers = Workers::start(&app.server);
    wait_until("the operation is running", async || {
        ada.status(&accepted).await == OperationStatus::Running
    })
    .await;
    workers.stop().await;
    let operation = ada.operation(&accepted).await;
    let drawn = operation.progress.completed;
    assert!((1..20).contains(&drawn), "{drawn}");
    assert_eq!(attempts(&app).await.iter().sum::<i64>(), drawn);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_slow_picture_of_a_stopping_server_goes_back_to_the_queue() {
    let app = TestApp::builder()
        .image_provider("testbed.slow", json!({"milliseconds": 5000}))
        .config(|config| {
            config.workers = 1;
            config.shutdown_grace_seconds = 0;
        })
        .start()
        .await;
    let ada = app.account(1).await;
    let accepted = app.new_page(&ada, "A fox").await;
    let workers = Workers::start(&app.server);
    wait_until("the operation is running", async || {
        ada.status(&accepted).await == OperationStatus::Running
    })
    .await;
    workers.stop().await;
    assert_eq!(attempts(&app).await, [0]);
    assert!(testing::claim(&app.server).await.unwrap().is_some());
}

#[tokio::test]
async fn a_drawing_with_an_unreadable_request_fails_at_once_and_is_refunded() {
    let app = TestApp::start().await;
    let ada = app.account(1).await;
    let accepted = app.new_page(&ada, "A fox").await;
    let mut tx = app.server.database.begin().await.unwrap();
    sqlx::query("UPDATE drawings SET request = '{\"of\": \"another version\"}'")
        .execute(&mut *tx)
        .await
        .unwrap();
    tx.commit().await.unwrap();
    assert_eq!(app.draw_everything().await, 1);
    assert_eq!(ada.status(&accepted).await, OperationStatus::Failed);
    assert_eq!(ada.credits().await, 1);
    app.check_ledger().await;
}

#[tokio::test]
async fn a_waiting_page_uses_the_latest_reference() {
    let app = TestApp::builder()
        .image_provider(
            "testbed.flaky",
            json!({"fail": "refused", "seeds": "all", "without_reference": true}),
        )
        .start()
        .await;
    let ada = app.account(3).await;
    let character = app.ready_character(&ada, "Pip").await;
    let body = json!({"page": {"title": "A fox", "character_ids": [character]}});
    let page = app.accepted(&ada, "/pages", &body).await;
    let waiting = testing::claim(&app.server).await.unwrap().unwrap();
    app.accepted(&ada, &format!("/characters/{character}/regenerate"), &json!({}))
        .await;
    assert!(testing::work_once(&app.server).await.unwrap());
    testing::release(&app.server, &waiting).await.unwrap();
    app.server.clock.advance(HOUR);
    testing::sweep_objects(&app.server).await.unwrap();
    app.draw_what_is_due().await;
    assert_eq!(ada.status(&page).await, OperationStatus::Succeeded);
}

#[tokio::test]
async fn a_database_that_was_full_accepts_writes_again() {
    let app = TestApp::start().await;
    let ada = app.account(1).await;
    if app.server.database.dialect != Dialect::Sqlite {
        return;
    }
    let mut tx = app.server.database.begin().await.unwrap();
    // The pragma affects only this connection, and prevents the file from growing.
    sqlx::query("PRAGMA max_page_count = 1")
        .execute(&mut *tx)
        .await
        .unwrap();
    let full = sqlx::query("INSERT INTO provider_pauses (provider, until, failures) VALUES (zeroblob(10000000), 1, 1)")
        .execute(&mut *tx)
        .await;
    let error = full.unwrap_err().to_string();
    assert!(error.contains("full"), "{error}");
    drop(tx);
    app.accepted(&ada, "/pages", &json!({"page": {"title": "A fox"}})).await;
    app.draw_everything().await;
    app.check_books().await;
}

#[tokio::test]
async fn a_reference_that_cannot_be_read_for_a_while_costs_no_attempt() {
    let app = TestApp::builder().objects_in_a_folder().start().await;
    let ada = app.account(2).await;
    let character = app.ready_character(&ada, "Pip").await;
    let key = app
        .objects()
        .into_iter()
        .find(|key| key.starts_with("drawings/"))
        .unwrap();
    let folder = app.object_folder().join(key);
    let (folder, away) = (folder.parent().unwrap(), app.object_folder().join("away"));
    std::fs::rename(folder, &away).unwrap();
    std::fs::write(folder, "in the way").unwrap();
    let body = json!({"page": {"title": "A fox", "character_ids": [character]}});
    let page = app.accepted(&ada, "/pages", &body).await;
    // Much longer than all attempts of a drawing take.
    work_for(&app, Duration::from_secs(600)).await;
    assert_eq!(ada.status(&page).await, OperationStatus::Running);
    assert_eq!(attempts(&app).await, [1, 0]);
    std::fs::remove_file(folder).unwrap();
    std::fs::rename(&away, folder).unwrap();
    app.draw_everything().await;
    assert_eq!(ada.status(&page).await, OperationStatus::Succeeded);
    assert_eq!(attempts(&app).await, [1, 1]);
    app.check_books().await;
}

/// Starts an app whose provider is down and whose drawings wait for at most three hours.
async fn with_a_provider_that_stays_down() -> TestApp {
    TestApp::builder()
        .image_provider("testbed.flaky", json!({"fail": "unavailable", "seeds": "all"}))
        .config(|config| config.outage_patience_hours = 3)
        .start()
        .await
}

#[tokio::test]
async fn drawings_for_a_provider_that_stays_away_are_given_up_and_refunded() {
    let app = with_a_provider_that_stays_down().await;
    let ada = app.account(21).await;
    // After five failures the provider is paused, so most of the drawings were never tried.
    let accepted = ada.generate("/books", "k1", &book_of(20)).await.accepted();
    app.draw_what_is_due().await;
    let without = app
        .another_node_with(|config| config.image_providers = vec!["acme.none".into()])
        .await;
    app.server.clock.advance(2 * HOUR);
    let younger = app.new_page(&ada, "A fox").await;
    for node in [&app.server, &without] {
        assert_eq!(testing::give_up(node).await.unwrap(), 0);
    }
    app.server.clock.advance(2 * HOUR);
    assert_eq!(testing::give_up(&without).await.unwrap(), 21);
    let operation = ada.operation(&accepted).await;
    assert_eq!(operation.status, OperationStatus::Failed);
    assert_eq!((operation.credits.charged, operation.credits.refunded), (20, 20));
    assert_eq!(ada.status(&younger).await, OperationStatus::Queued);
    app.server.clock.advance(2 * HOUR);
    assert_eq!(testing::give_up(&app.server).await.unwrap(), 1);
    assert_eq!(ada.status(&younger).await, OperationStatus::Failed);
    assert_eq!(ada.credits().await, 21);
    let book = ada.get("/books").await.expect(200)["books"][0].clone();
    assert_eq!(
        (&book["status"], &book["cover"]["status"]),
        (&json!("incomplete"), &json!("failed"))
    );
    app.check_books().await;
}

#[tokio::test]
async fn a_drawing_whose_worker_died_is_given_up_and_refunded_while_no_provider_is_loaded() {
    let app = TestApp::builder()
        .config(|config| config.outage_patience_hours = 3)
        .start()
        .await;
    let ada = app.account(1).await;
    let accepted = app.new_page(&ada, "A fox").await;
    let dead = testing::claim(&app.server).await.unwrap().unwrap();
    let without = app
        .another_node_with(|config| config.image_providers = vec!["acme.none".into()])
        .await;
    app.expire_leases();
    // The drawing remains running: no worker claims it, and its own worker could still renew the lease.
    assert!(testing::claim(&without).await.unwrap().is_none());
    testing::give_up_drawings(&without).await;
    assert_eq!(ada.status(&accepted).await, OperationStatus::Running);
    app.server.clock.advance(3 * HOUR);
    assert!(testing::renew(&app.server, &dead).await.unwrap());
    assert_eq!(testing::give_up(&without).await.unwrap(), 0);

    app.expire_leases();
    let log = Log::default();
    let captured = log.capture();
    testing::give_up_drawings(&without).await;
    drop(captured);
    let operation = ada.operation(&accepted).await;
    assert_eq!(operation.status, OperationStatus::Failed);
    assert_eq!((operation.credits.charged, operation.credits.refunded), (1, 1));
    assert_eq!(ada.credits().await, 1);
    assert!(!testing::renew(&app.server, &dead).await.unwrap());
    let page = accepted.page_id();
    let line = log
        .lines()
        .into_iter()
        .find(|line| line.contains("gave up on the drawing"));
    let line = line.unwrap_or_else(|| panic!("{:?}", log.lines()));
    for word in [
        format!("target_type=\"page\" target_id=\"{page}\" "),
        format!("operation={} ", accepted.operation_id()),
        format!("drawing={} ", dead.id),
        "account=acct_".to_owned(),
    ] {
        assert!(line.contains(&word), "{word}: {line}");
    }
    assert_eq!(log.count("housekeeping gave up drawings"), 1, "{:?}", log.lines());
    app.check_books().await;
}

#[tokio::test]
async fn drawings_that_wait_for_a_working_provider_are_not_given_up() {
    let app = with_a_provider_that_stays_down().await;
    let well = app
        .another_node_with(|config| {
            let settings = json!({"prompt": "no prompt holds this"});
            config.plugins.insert("testbed.flaky".into(), settings);
        })
        .await;
    let ada = app.account(20).await;
    ada.generate("/books", "k1", &book_of(10)).await.expect(202);
    app.server.clock.advance(4 * HOUR);
    assert!(testing::work_once(&well).await.unwrap());
    // The provider has been down for a moment only.
    for _ in 0..5 {
        testing::work_once(&app.server).await.unwrap();
    }
    assert!(testing::claim(&well).await.unwrap().is_none());
    assert_eq!(testing::give_up(&app.server).await.unwrap(), 0);
    app.server.clock.advance(4 * HOUR);
    assert_eq!(testing::give_up(&app.server).await.unwrap(), 10);
    app.check_books().await;
}

#[tokio::test]
async fn a_first_picture_is_used_if_the_second_cannot_be_requested() {
    let app = TestApp::builder()
        .image_provider("testbed.flaky", json!({"fail": "blank", "seeds": "all"}))
        .config(|config| {
            let settings = ProviderSettings {
                per_minute: Some(6),
                ..ProviderSettings::default()
            };
            config.providers.insert("testbed.flaky".into(), settings);
        })
        .start()
        .await;
    let ada = app.account(1).await;
    let accepted = app.new_page(&ada, "A fox").await;
    let log = Log::default();
    let captured = log.capture();
    let rename = async |from: &str, to: &str| {
        let mut tx = app.server.database.begin().await.unwrap();
        let statement = format!("ALTER TABLE {from} RENAME TO {to}");
        sqlx::query(sqlx::AssertSqlSafe(statement))
            .execute(&mut *tx)
            .await
            .unwrap();
        tx.commit().await.unwrap();
    };
    let trouble = async {
        wait_until("the first picture is drawn", async || {
            log.holds("picture has faults as a coloring page")
        })
        .await;
        rename("provider_pauses", "elsewhere").await;
        // The rate limit would allow the second call now, if the database could be read.
        app.server.clock.advance(Duration::from_secs(60));
        wait_until("an error is logged", async || log.holds("ERROR")).await;
        rename("elsewhere", "provider_pauses").await;
    };
    let (worked, ()) = tokio::join!(testing::work_once(&app.server), trouble);
    drop(captured);
    assert!(worked.unwrap());
    assert_eq!(ada.status(&accepted).await, OperationStatus::Succeeded);
    assert_eq!(attempts(&app).await, [1]);
    let asked: i64 = sqlx::query_scalar("SELECT attempts FROM provider_days")
        .fetch_one(&app.server.database.read)
        .await
        .unwrap();
    assert_eq!(asked, 1);
    app.check_books().await;
}
