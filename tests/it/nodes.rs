//! Several nodes on one PostgreSQL server, and connections that their requests give up. SQLite has one machine and one
//! clock, so there is nothing to agree on.
use std::time::Duration;

use axum::extract::State;
use futures::FutureExt as _;
use linepress::clock::Clock;
use linepress::database::{Database, Dialect};
use linepress::http::health;
use linepress::worker;

use crate::test_app::TestApp;

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
    let own = app.server.database.clock_difference(&app.server.clock).await.unwrap();
    assert!(own.unwrap() < Database::TOLERABLE_CLOCK_DIFFERENCE);

    let ada = app.account(2).await;
    app.new_page(&ada, "A fox").await;
    let held = worker::claim(&app.server).await.unwrap().unwrap();
    assert!(worker::claim(&ahead).await.unwrap().is_none());
    assert!(linepress::queue::renew(&app.server, &held).await.unwrap());
    // Nor does what the other one queues wait for an hour.
    linepress::queue::release(&ahead, &held).await.unwrap();
    assert!(worker::claim(&app.server).await.unwrap().is_some());
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
    // Everyone who is given such a connection would write into the open transaction, and lose it.
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
