//! Several nodes on one PostgreSQL server, and connections of abandoned requests. SQLite runs on one machine with one
//! clock, so that nodes cannot disagree.
use std::time::Duration;

use crate::testing;
use axum::extract::State;
use futures::FutureExt as _;
use linepress::server;
use linepress_accounts::sign_in;
use linepress_core::operations::OperationStatus;
use linepress_http::health;
use linepress_platform::clock::Clock;
use linepress_platform::config::Config;
use linepress_platform::database::{Database, Dialect};
use serde_json::json;

use crate::test_app::{Log, TestApp, pictures, wait_until};

#[tokio::test]
async fn a_commit_completes_although_its_caller_is_canceled() {
    let app = TestApp::start().await;
    let database = &app.server.database;
    let log = Log::default();
    let captured = log.capture();
    let mut tx = database.begin().await.unwrap();
    sqlx::query("INSERT INTO secrets (name, value) VALUES ('fox', 'red')")
        .execute(&mut *tx)
        .await
        .unwrap();
    assert!(tx.commit().now_or_never().is_none());
    wait_until("every connection is idle", async || {
        database.connections().iter().all(|pool| pool.in_use == 0)
    })
    .await;
    let stored: String = sqlx::query_scalar("SELECT value FROM secrets WHERE name = 'fox'")
        .fetch_one(&database.read)
        .await
        .unwrap();
    assert_eq!(stored, "red");
    drop(captured);
    assert!(!log.holds("no transaction in progress"), "{:?}", log.lines());
}

#[tokio::test]
async fn a_node_whose_clock_is_ahead_takes_no_drawing_from_another() {
    let app = TestApp::builder().clock(Clock::System).start().await;
    let ahead = app.another_node_at(Clock::Ahead(Duration::from_secs(3600))).await;
    let difference = ahead.database.clock_difference(&ahead.clock).await.unwrap();
    if app.server.database.dialect == Dialect::Sqlite {
        assert_eq!(difference, None);
        return;
    }
    assert!(difference.unwrap() > Duration::from_secs(3500));
    let ready = health::ready(State(ahead.clone())).await;
    assert!(ready.1.contains("differs from the database's by 3"), "{ready:?}");
    assert_eq!(ready.0, 503, "{ready:?}");
    let own = app.server.database.clock_difference(&app.server.clock).await.unwrap();
    assert!(own.unwrap() < Database::TOLERABLE_CLOCK_DIFFERENCE);

    let ada = app.account(2).await;
    app.new_page(&ada, "A fox").await;
    let held = testing::claim(&app.server).await.unwrap().unwrap();
    assert!(testing::claim(&ahead).await.unwrap().is_none());
    assert!(testing::renew(&app.server, &held).await.unwrap());
    // The other node's drawings do not have to wait for an hour either.
    testing::release(&ahead, &held).await.unwrap();
    assert!(testing::claim(&app.server).await.unwrap().is_some());
}

#[tokio::test]
async fn a_transaction_whose_request_ended_while_it_began_is_not_left_open() {
    let app = TestApp::start().await;
    let database = &app.server.database;
    for polls in 0..40 {
        let mut begin = Box::pin(database.begin());
        for _ in 0..polls {
            if begin.as_mut().now_or_never().is_some() {
                break;
            }
            tokio::task::yield_now().await;
        }
    }
    // Any request that got such a connection would write into the open transaction and lose its changes.
    let ada = app.account(1).await;
    app.ready_page(&ada, "A fox").await;
    if database.dialect == Dialect::Postgres {
        let open: i64 = sqlx::query_scalar(
            "SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database() AND state = 'idle in transaction'",
        )
        .fetch_one(&database.read)
        .await
        .unwrap();
        assert_eq!(open, 0);
    }
    let other = app.another_node().await;
    let pages: i64 = sqlx::query_scalar("SELECT COUNT(*) FROM pages WHERE status = 'ready'")
        .fetch_one(&other.database.read)
        .await
        .unwrap();
    assert_eq!(pages, 1);
}

#[tokio::test]
async fn a_clock_that_is_a_little_off_is_reported_and_does_no_harm() {
    let app = TestApp::builder().clock(Clock::System).start().await;
    if app.server.database.dialect == Dialect::Sqlite {
        return;
    }
    let ahead = app.another_node_at(Clock::Ahead(Duration::from_secs(30))).await;
    let ready = health::ready(State(ahead.clone())).await;
    assert!(
        ready.1.starts_with("ready; the clock of this machine differs"),
        "{ready:?}"
    );
    assert_eq!(ready.0, 200);
    assert!(testing::run_housekeeping_once(&ahead).await);
}

#[tokio::test]
async fn a_node_whose_clock_is_weeks_ahead_deletes_nothing_of_the_others() {
    let app = TestApp::builder().clock(Clock::System).start().await;
    if app.server.database.dialect == Dialect::Sqlite {
        return;
    }
    let ahead = app
        .another_node_at(Clock::Ahead(Duration::from_secs(35 * 24 * 3600)))
        .await;
    assert!(!testing::run_housekeeping_once(&ahead).await);

    // Not even on request: the clock of the database decides.
    let ada = app.account(5).await;
    let body = json!({"page": {"title": "A fox"}});
    let first = ada.generate("/pages", "k1", &body).await.expect(202);
    let page = app.imported_page(&ada, "A hen").await;
    ada.delete(&format!("/pages/{page}")).await.expect_no_content();
    let stored = app.objects();
    assert!(!stored.is_empty());
    assert_eq!(testing::forget_idempotency_keys(&ahead).await.unwrap(), 0);
    assert_eq!(testing::sweep_objects(&ahead).await.unwrap(), 0);
    assert_eq!(app.objects(), stored);
    assert_eq!(ada.generate("/pages", "k1", &body).await.expect(202), first);

    // Each node finds the other node's uploads.
    let upload = ada.new_upload().await;
    let there = ada.at(server::router(ahead));
    there
        .send_to(&upload.url, pictures::photograph(1200, 1600))
        .await
        .expect_no_content_at_all();
    ada.post("/pages/import", &json!({"title": "A fox", "upload_id": upload.id}))
        .await
        .expect(201);
}

#[tokio::test]
async fn requests_to_a_node_that_is_ahead_use_up_no_limit_on_others() {
    let app = TestApp::builder().clock(Clock::System).start().await;
    let ada = app.account(5).await;
    if app.server.database.dialect == Dialect::Sqlite {
        return;
    }
    let ahead = app.another_node_at(Clock::Ahead(Duration::from_secs(300))).await;
    let there = ada.at(server::router(ahead));
    let plan = json!({"book_plan": {"theme": "A farm", "page_count": 6, "audience": "toddler", "aspect": "square"}});
    let planned = there.post("/book_plans", &plan).await;
    assert_eq!(planned.status, 200, "{planned:?}");
    let planned = ada.post("/book_plans", &plan).await;
    assert_eq!(planned.status, 200, "{planned:?}");
}

#[tokio::test]
async fn a_node_whose_machine_has_the_wrong_time_uses_the_time_of_the_database() {
    let app = TestApp::builder().clock(Clock::System).start().await;
    if app.server.database.dialect == Dialect::Sqlite {
        return;
    }
    let weeks = Clock::Ahead(Duration::from_secs(35 * 24 * 3600));
    let ahead = app.another_node_at(weeks).await;
    // A link that one node makes is valid at the other.
    for (maker, other) in [(&app.server, &ahead), (&ahead, &app.server)] {
        let link = sign_in::offer_first_account(maker).await.unwrap().unwrap();
        assert!(sign_in::opens_first_account(other, link.expose()).await.unwrap());
    }
    let shared = app.server.database.shared_time_now(&app.server.clock).await.unwrap();
    for node in [&app.server, &ahead] {
        let now = node.clock.now();
        let difference = now.since(shared).max(shared.since(now));
        assert!(difference < Database::MAX_CLOCK_DIFFERENCE, "{difference:?}");
    }
}

#[tokio::test]
async fn a_node_whose_clock_is_weeks_ahead_gives_up_no_drawing() {
    let app = TestApp::builder().clock(Clock::System).start().await;
    if app.server.database.dialect == Dialect::Sqlite {
        return;
    }
    let without_providers = |config: &mut Config| config.image_providers = vec!["acme.none".into()];
    let right = app.another_node_with(without_providers).await;
    let weeks = Clock::Ahead(Duration::from_secs(35 * 24 * 3600));
    let ahead = app.another_node_at_with(weeks, without_providers).await;
    let ada = app.account(5).await;
    let page = app.new_page(&ada, "A fox").await;
    let long_ago = app.server.clock.now().minus(Duration::from_secs(30 * 24 * 3600));
    let mut tx = app.server.database.begin().await.unwrap();
    sqlx::query("UPDATE drawings SET created_at = $1")
        .bind(long_ago)
        .execute(&mut *tx)
        .await
        .unwrap();
    tx.commit().await.unwrap();

    testing::give_up_drawings(&ahead).await;
    assert_eq!(ada.status(&page).await, OperationStatus::Queued);
    testing::give_up_drawings(&right).await;
    assert_eq!(ada.status(&page).await, OperationStatus::Failed);
    assert_eq!(ada.credits().await, 5);
}
