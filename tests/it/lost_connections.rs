//! Connections to PostgreSQL that are lost silently, servers that delay their clients, and read-only sessions. SQLite
//! is a file, so these tests return at once on SQLite.
use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::testing;
use axum::extract::State;
use linepress::server;
use linepress_core::operations::OperationStatus;
use linepress_http::health;
use linepress_platform::app::App;
use linepress_platform::database::{Dialect, WaitLimits};
use serde_json::json;
use sqlx::{AnyConnection, Connection as _, Executor as _};

use crate::recovery::Site;
use crate::test_app::{Actor, Log, Relay, TestApp, block_until, wait_until};

/// Returns the status and the state that `GET /readyz` reports.
async fn readiness(node: &App) -> (u16, String) {
    let (status, state) = ends(health::ready(State(node.clone()))).await;
    (status.as_u16(), state)
}

async fn health(node: &App) -> u16 {
    health::alive(State(node.clone())).await.0.as_u16()
}

/// Much longer than any step that ends takes.
const HANG_TIMEOUT: Duration = Duration::from_secs(90);

/// Fails if a step never ends.
async fn ends<T>(step: impl Future<Output = T>) -> T {
    tokio::time::timeout(HANG_TIMEOUT, step)
        .await
        .expect("the step must end")
}

fn is_postgres(app: &TestApp) -> bool {
    app.server.database.dialect == Dialect::Postgres
}

/// Short limits, for tests that wait until they are exceeded.
fn limits() -> WaitLimits {
    WaitLimits {
        lock: Duration::from_millis(500),
        idle_in_transaction: Duration::from_secs(1),
        statement: Duration::from_secs(1),
        check: Duration::from_millis(500),
        ..WaitLimits::default()
    }
}

fn at(node: &App, actor: &Actor) -> Actor {
    actor.at(server::router(node.clone()))
}

#[tokio::test]
async fn a_node_lost_in_the_middle_of_a_transaction_does_not_block_others() {
    let app = TestApp::start().await;
    if !is_postgres(&app) {
        return;
    }
    let relay = Relay::to(&app.server.config.database_url).await;
    let lost = app.another_node_behind(&relay, limits()).await;
    let ada = app.account(3).await;
    let accepted = [app.new_page(&ada, "A fox").await, app.new_page(&ada, "A hen").await];
    let mut tx = lost.database.begin().await.unwrap();
    for statement in [
        "UPDATE accounts SET plan = plan",
        "UPDATE queue_accounts SET running = running",
        "UPDATE drawings SET attempts = attempts",
    ] {
        sqlx::query(statement).execute(&mut *tx).await.unwrap();
    }
    relay.lose_connections();
    for accepted in &accepted {
        wait_until("it is drawn", async || {
            if let Err(error) = testing::work_once(&app.server).await {
                assert!(error.is_internal(), "{error}");
            }
            ada.status(accepted).await == OperationStatus::Succeeded
        })
        .await;
    }
    assert!(tx.commit().await.is_err());
    app.check_ledger().await;
}

#[tokio::test]
async fn a_node_replaces_connections_that_are_lost_while_in_use() {
    let app = TestApp::start().await;
    if !is_postgres(&app) {
        return;
    }
    let relay = Relay::to(&app.server.config.database_url).await;
    let node = app.another_node_behind(&relay, limits()).await;
    let ada = app.account(3).await;
    // As many requests as the pool has connections: some wait for a response, and those that waited for other
    // requests have gone.
    let mut held = Vec::new();
    for _ in 0..4 {
        held.push(node.database.begin().await.unwrap());
    }
    relay.lose_connections();
    let mut waiting = Vec::new();
    for mut tx in held {
        waiting.push(tokio::spawn(async move {
            let done = sqlx::query("UPDATE accounts SET plan = plan").execute(&mut *tx).await;
            done.unwrap_err()
        }));
    }
    wait_until("all requests have been sent", async || relay.lost_requests() == 4).await;
    for gone in waiting.drain(..2) {
        gone.abort();
    }
    for waiting in waiting {
        let error = ends(waiting).await.unwrap();
        assert!(error.to_string().contains("did not respond within"), "{error}");
    }
    let accepted = ends(async {
        let body = json!({"page": {"title": "A fox"}});
        at(&node, &ada).generate("/pages", "k", &body).await.accepted()
    })
    .await;
    assert!(ends(testing::work_once(&node)).await.unwrap());
    assert_eq!(ada.status(&accepted).await, OperationStatus::Succeeded);
    assert_eq!(readiness(&node).await, (200, "ready\n".into()));
    // Idle connections that were lost are replaced as well.
    relay.lose_connections();
    let me = ends(at(&node, &ada).get("/me")).await;
    me.expect(200);
}

#[tokio::test]
async fn a_node_whose_database_is_silent_is_unhealthy() {
    let app = TestApp::start().await;
    if !is_postgres(&app) {
        return;
    }
    let relay = Relay::to(&app.server.config.database_url).await;
    let node = app.another_node_behind(&relay, limits()).await;
    let client = at(&node, &app.account(1).await);
    relay.swallow_everything(true);
    ends(node.database.feel_pulse(&node.clock)).await;
    assert_eq!(health(&node).await, 200);
    app.server.clock.advance(Duration::from_secs(61));
    ends(node.database.feel_pulse(&node.clock)).await;
    assert_eq!(health(&node).await, 503);
    assert_eq!(readiness(&node).await.0, 503);
    let page = ends(client.generate("/pages", "k", &json!({"page": {"title": "A fox"}}))).await;
    page.expect_error(503, "overloaded");

    relay.swallow_everything(false);
    ends(node.database.feel_pulse(&node.clock)).await;
    assert_eq!(health(&node).await, 200);
    assert_eq!(readiness(&node).await, (200, "ready\n".into()));
}

#[tokio::test]
async fn a_database_that_refuses_connections_does_not_call_for_a_restart() {
    let app = TestApp::start().await;
    let node = app.node_without_its_database().await;
    ends(node.database.feel_pulse(&node.clock)).await;
    app.server.clock.advance(Duration::from_secs(600));
    assert_eq!(health(&node).await, 200);
}

#[tokio::test]
async fn a_request_that_waits_for_a_locked_table_gets_retry_after() {
    let app = TestApp::start().await;
    if !is_postgres(&app) {
        return;
    }
    let relay = Relay::to(&app.server.config.database_url).await;
    let node = app.another_node_behind(&relay, limits()).await;
    let ada = app.account(1).await;
    let mut tx = app.server.database.begin().await.unwrap();
    sqlx::query("LOCK TABLE accounts IN ACCESS EXCLUSIVE MODE")
        .execute(&mut *tx)
        .await
        .unwrap();
    let page = ends(at(&node, &ada).generate("/pages", "k", &json!({"page": {"title": "A fox"}}))).await;
    page.expect_error(503, "overloaded");
    assert_eq!(page.header("retry-after"), "5");
    assert_eq!(readiness(&node).await.0, 503);
    tx.rollback().await.unwrap();
    at(&node, &ada)
        .generate("/pages", "k", &json!({"page": {"title": "A fox"}}))
        .await
        .expect(202);
}

#[tokio::test]
async fn sessions_that_began_while_the_database_was_read_only_are_replaced() {
    let app = TestApp::start().await;
    if !is_postgres(&app) {
        return;
    }
    let ada = app.account(2).await;
    let mut admin = AnyConnection::connect(&app.server.config.database_url).await.unwrap();
    let name: String = sqlx::query_scalar("SELECT CAST(current_database() AS TEXT)")
        .fetch_one(&mut admin)
        .await
        .unwrap();
    let set = |what: &str| sqlx::AssertSqlSafe(format!("ALTER DATABASE {name} {what}"));
    admin
        .execute(set("SET default_transaction_read_only = on"))
        .await
        .unwrap();
    // A failover closes all connections, too. The statement waits for their end, because a session that is only asked
    // to end could still serve the next request.
    admin
        .execute("SELECT pg_terminate_backend(pid, 30000) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()")
        .await
        .unwrap();
    let body = json!({"page": {"title": "A fox"}});
    let refused = ends(ada.generate("/pages", "k", &body)).await;
    refused.expect_error(503, "overloaded");
    assert_eq!(
        readiness(&app.server).await,
        (503, "the database cannot be written\n".into())
    );
    // Reading still works.
    ada.get("/me").await.expect(200);

    admin.execute(set("RESET default_transaction_read_only")).await.unwrap();
    app.server.clock.advance(Duration::from_secs(60));
    // Each connection that is found to be read-only is closed: there are at most as many as the pool has.
    let mut refusals = 0;
    let accepted = loop {
        let reply = ends(ada.generate("/pages", "k", &body)).await;
        if reply.status == 202 {
            break reply.accepted();
        }
        reply.expect_error(503, "overloaded");
        refusals += 1;
        assert!(refusals <= 4, "{refusals}");
    };
    let mut steps = 0;
    while ada.status(&accepted).await != OperationStatus::Succeeded {
        refusals += usize::from(ends(testing::work_once(&app.server)).await.is_err());
        steps += 1;
        assert!(refusals <= 4 && steps <= 100, "{refusals} refusals in {steps} steps");
    }
    assert_eq!(readiness(&app.server).await, (200, "ready\n".into()));
}

#[tokio::test]
async fn a_server_that_closes_accepted_connections_counts_as_a_database_that_is_down() {
    let app = TestApp::start().await;
    let ada = app.account(1).await;
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        loop {
            let (connection, _) = listener.accept().await.unwrap();
            drop(connection);
        }
    });
    let node = app.node_on_database(&format!("postgres://ada@{address}/books")).await;
    let client = at(&node, &ada);
    let log = Log::default();
    let captured = log.capture();
    for key in ["1", "2", "3", "4"] {
        let page = ends(client.generate("/pages", key, &json!({"page": {"title": "A fox"}}))).await;
        page.expect_error(503, "overloaded");
        assert_eq!(page.header("retry-after"), "5");
    }
    app.server.clock.advance(Duration::from_secs(1));
    ends(client.generate("/pages", "5", &json!({"page": {"title": "A fox"}}))).await;
    drop(captured);
    // At most one line a second, with the number of failures that it stands for.
    let lines = log.lines();
    let failed: Vec<_> = lines.iter().filter(|line| line.contains("request failed")).collect();
    assert_eq!(failed.len(), 2, "{lines:?}");
    assert!(
        failed[0].contains("others=0") && failed[1].contains("others=3"),
        "{failed:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_whose_database_is_silent_ends_when_it_is_asked_to() {
    let site = Site::new(100_000).await;
    if !site.database().starts_with("postgres") {
        return;
    }
    let relay = Relay::to(site.database()).await;
    let mut server = site.start_on(&relay.url_of(site.database()));
    // The node cannot release the lease of a drawing that is in progress.
    site.generate(&server, "/pages", &json!({"page": {"title": "A fox"}}));
    relay.swallow_everything(true);
    let id = server.process.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
    block_until("the server ends", || server.process.try_wait().unwrap().is_some());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_starts_before_its_database_waits_for_it() {
    let site = Site::new(0).await;
    if !site.database().starts_with("postgres") {
        return;
    }
    // Bound, so that the port stays free, but not listening, so that it refuses connections.
    let socket = tokio::net::TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let address = socket.local_addr().unwrap();
    let url = site.database();
    let server = url.split_once('@').unwrap().1.split_once('/').unwrap().0;
    let mut process = site
        .command(&url.replace(server, &address.to_string()))
        .arg("serve")
        .env("LINEPRESS_LISTEN", "127.0.0.1:0")
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut log = BufReader::new(process.stderr.take().unwrap()).lines();
    let mut line_with = |words: &str| {
        let found = log.by_ref().map_while(Result::ok).any(|line| line.contains(words));
        assert!(found, "{words}");
    };
    line_with("the database is not available yet");
    let _relay = Relay::listening(url, socket.listen(16).unwrap());
    line_with("serving");
    process.kill().unwrap();
    process.wait().unwrap();
}
