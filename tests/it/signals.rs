//! Signals between nodes: an order at one node wakes the workers of the others. SQLite has one node, whose workers are
//! woken within the process.
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use linepress_core::operations::OperationStatus;
use linepress_core::worker::Workers;
use linepress_platform::app::App;
use linepress_platform::database::Dialect;
use serde_json::json;

use crate::test_app::{TestApp, wait_until};

/// An interval in which no test looks for work a second time.
const NEVER: Duration = Duration::from_secs(3600);

/// The signals that a node has received, and one for each time that it began to listen.
#[derive(Clone, Default)]
struct Received(Arc<AtomicUsize>);

impl Received {
    /// Begins to receive, and waits until the node listens.
    async fn by(node: &App) -> Self {
        let received = Self::default();
        let (node, counter) = (node.clone(), received.clone());
        tokio::spawn(async move {
            let count = || _ = counter.0.fetch_add(1, Ordering::SeqCst);
            node.database.receive_signals(count).await;
        });
        received.until_more_than(0).await;
        received
    }

    fn number(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }

    async fn until_more_than(&self, number: usize) {
        wait_until("a signal is received", async || self.number() > number).await;
    }
}

#[tokio::test]
async fn an_order_is_signaled_to_another_node_and_a_refused_one_is_not() {
    let app = TestApp::start().await;
    if app.server.database.dialect == Dialect::Sqlite {
        return;
    }
    let received = Received::by(&app.another_node().await).await;
    let ada = app.account(1).await;
    app.new_page(&ada, "A fox").await;
    received.until_more_than(1).await;
    let poor = ada.generate("/pages", "k1", &json!({"page": {"title": "A hen"}})).await;
    poor.expect_error(402, "insufficient_credits");
    // A signal for it would have been sent by now, and signals arrive in the order in which they were sent.
    app.until_reads_have_ended().await;
    app.server.database.signal();
    received.until_more_than(2).await;
    assert_eq!(received.number(), 3);
}

#[tokio::test]
async fn a_node_listens_again_after_its_connection_was_lost() {
    let app = TestApp::start().await;
    if app.server.database.dialect == Dialect::Sqlite {
        return;
    }
    let received = Received::by(&app.another_node().await).await;
    let ended: i64 = sqlx::query_scalar(
        "SELECT COUNT(pg_terminate_backend(pid)) FROM pg_stat_activity \
         WHERE datname = current_database() AND query LIKE 'LISTEN %'",
    )
    .fetch_one(&app.server.database.read)
    .await
    .unwrap();
    assert_eq!(ended, 1);
    // A drawing that was queued in between is found, because listening again counts as a signal.
    received.until_more_than(1).await;
    let ada = app.account(1).await;
    app.new_page(&ada, "A fox").await;
    received.until_more_than(2).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_order_wakes_an_idle_worker_that_does_not_look_for_work_itself() {
    let app = TestApp::start().await;
    let drawing = match app.server.database.dialect {
        Dialect::Sqlite => app.server.clone(),
        Dialect::Postgres => app.another_node().await,
    };
    let workers = Workers::start_polling(&drawing, NEVER);
    let ada = app.account(5).await;
    // Only the first can be found without a signal, when the worker looks for work once at its start.
    for number in 0..5 {
        let accepted = app.new_page(&ada, &format!("Fox {number}")).await;
        wait_until("the page is drawn", async || {
            ada.status(&accepted).await == OperationStatus::Succeeded
        })
        .await;
        app.until_reads_have_ended().await;
    }
    workers.stop().await;
}
