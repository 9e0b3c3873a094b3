//! Metrics: what a node counts, and the listener that offers it; and traces.
use std::net::SocketAddr;
use std::time::Duration;

use crate::testing;
use linepress_http::listener::{self, ConnectionLimits};
use linepress_http::metrics;
use linepress_metrics::{MEDIA_TYPE, RequestOutcome};
use linepress_operator::monitoring::Monitor;
use serde_json::json;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use crate::maintenance;
use crate::test_app::{TestApp, book_of};
use exposition::Exposition;

pub(crate) mod exposition;
mod names;
mod program;
mod traces;

/// Returns the head and the body of the response to a request.
async fn ask(address: SocketAddr, path: &str) -> (String, String) {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let request = format!("GET {path} HTTP/1.1\r\nHost: linepress.test\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut response = String::new();
    stream.read_to_string(&mut response).await.unwrap();
    let (head, body) = response.split_once("\r\n\r\n").unwrap();
    (head.to_owned(), body.to_owned())
}

/// Returns the present metrics of the node.
async fn scrape(app: &TestApp) -> Exposition {
    Exposition::parse(&Monitor::new(app.server.clone()).text().await.unwrap())
}

/// Starts a server that draws, fails and refuses, and uses it in every way that is counted.
async fn use_everything(backups: &TempDir) -> TestApp {
    let settings = json!({"fail": "asked", "seeds": "all", "cost": "0.04"});
    let app = TestApp::builder()
        .image_provider("testbed.flaky", settings)
        .config(|config| {
            config.drawing_attempts = 2;
            config.backup.dir = backups.path().to_str().unwrap().into();
        })
        .start()
        .await;
    let ada = app.account(20).await;
    let book = app.ready_book(&ada, &["A fox", "An owl"]).await;
    for _ in 0..2 {
        assert_eq!(
            ada.get(&format!("/books/{book}/pdf?format=us_letter")).await.status,
            200
        );
    }
    assert_eq!(
        ada.get(&format!("/books/{book}/pdf?format=a4_landscape")).await.status,
        422
    );
    app.new_page(&ada, "refused").await;
    app.new_page(&ada, "trap").await;
    app.draw_everything().await;
    let page = json!({"title": "A cat", "image_url": "https://127.0.0.1/cat.png"});
    ada.post("/pages/import", &page)
        .await
        .expect_error(422, "validation_failed");
    ada.get("/pages/topsecret").await.expect_error(404, "not_found");
    ada.get("/topsecret").await.expect_error(404, "not_found");
    testing::back_up_if_due(&app.server).await.unwrap().unwrap();
    app
}

#[tokio::test]
async fn a_node_counts_requests_drawings_pdfs_plugin_calls_and_credits() {
    let backups = TempDir::new().unwrap();
    let app = use_everything(&backups).await;
    let read = scrape(&app).await;
    let count = |name: &str, labels: &[(&str, &str)]| read.sum(&format!("linepress_{name}"), labels);

    // The two pages and the cover of a book were drawn; one other page was refused, and one failed.
    let drawn = [("provider", "testbed.flaky"), ("outcome", "drawn")];
    assert_eq!(count("drawing_attempts_total", &drawn), 3.0);
    assert_eq!(
        count("drawing_attempts_total", &[("outcome", "generation_refused")]),
        1.0
    );
    assert_eq!(count("drawing_attempts_total", &[("outcome", "retried")]), 1.0);
    assert_eq!(
        count("drawing_attempts_total", &[("outcome", "generation_failed")]),
        1.0
    );
    assert_eq!(count("drawing_duration_seconds_count", &[]), 6.0);
    assert_eq!(count("provider_cost_dollars_total", &[]), 0.12);
    assert_eq!(count("credits_total", &[("kind", "charge")]), 4.0);
    assert_eq!(count("credits_total", &[("kind", "refund")]), 2.0);
    assert_eq!(count("queue_drawings", &[]), 0.0);
    assert_eq!(count("queue_oldest_age_seconds", &[]), 0.0);
    assert_eq!(count("provider_available", &[("provider", "testbed.flaky")]), 1.0);

    let pdfs = |outcome| count("pdf_requests_total", &[("outcome", outcome)]);
    assert_eq!([pdfs("made"), pdfs("stored"), pdfs("failed")], [1.0, 1.0, 0.0]);
    assert_eq!(count("pdf_making_duration_seconds_count", &[]), 1.0);

    let calls = |outcome| {
        let labels = [("plugin", "testbed.flaky"), ("call", "draw"), ("outcome", outcome)];
        count("plugin_calls_total", &labels)
    };
    assert_eq!(
        [calls("completed"), calls("refused"), calls("trapped")],
        [3.0, 1.0, 2.0]
    );
    for share in ["memory", "deadline"] {
        let name = format!("plugin_call_{share}_used_ratio");
        let labels = [("plugin", "testbed.flaky"), ("le", "1.0")];
        assert_eq!(count(&format!("{name}_bucket"), &labels), 6.0, "{share}");
        assert!(count(&format!("{name}_sum"), &[]) > 0.0, "{share}");
    }

    let route = [
        ("interface", "rest"),
        ("method", "GET"),
        ("route", "/api/v1/pages/{id}"),
        ("status", "404"),
    ];
    assert_eq!(count("http_requests_total", &route), 1.0);
    let unmatched = [("route", "unmatched"), ("status", "404")];
    assert_eq!(count("http_requests_total", &unmatched), 1.0);
    let timed = count("http_request_duration_seconds_count", &[]);
    assert_eq!(count("http_requests_total", &[]), timed);
    let imports = [("client", "imports"), ("reason", "not_public")];
    assert!(count("egress_refusals_total", &imports) >= 1.0);

    assert_eq!(count("database_up", &[]), 1.0);
    assert!(count("database_connections", &[]) >= 1.0);
    assert_eq!(count("build_info", &[("version", env!("CARGO_PKG_VERSION"))]), 1.0);
    assert!(read.sum("process_cpu_seconds_total", &[]) > 0.0);
    assert!(read.sum("process_resident_memory_bytes", &[]) > 1e6);
}

#[tokio::test]
async fn the_age_of_the_last_backup_is_measured_and_so_is_maintenance() {
    let backups = TempDir::new().unwrap();
    let app = TestApp::builder()
        .config(|config| {
            config.backup.dir = backups.path().to_str().unwrap().into();
            config.backup.every_hours = 6;
        })
        .start()
        .await;
    let read = scrape(&app).await;
    assert!(!read.families.contains_key("linepress_backup_age_seconds"));
    assert_eq!(read.sum("linepress_backup_interval_seconds", &[]), 21_600.0);
    assert_eq!(read.sum("linepress_maintenance", &[]), 0.0);

    testing::back_up_if_due(&app.server).await.unwrap().unwrap();
    app.server.clock.advance(Duration::from_secs(90));
    maintenance::begin_with(&app, "").await;
    let read = scrape(&app).await;
    assert_eq!(read.sum("linepress_backup_age_seconds", &[]), 90.0);
    assert_eq!(read.sum("linepress_maintenance", &[]), 1.0);

    let app = TestApp::start().await;
    let read = scrape(&app).await;
    assert!(!read.families.contains_key("linepress_backup_interval_seconds"));
}

#[tokio::test]
async fn the_queue_is_measured_by_its_length_and_its_oldest_drawing() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    ada.generate("/books", "k", &book_of(3)).await.expect(202);
    app.server.clock.advance(Duration::from_secs(90));
    app.new_page(&ada, "A fox").await;
    let monitor = Monitor::new(app.server.clone());
    let read = Exposition::parse(&monitor.text().await.unwrap());
    let queued = [("state", "queued")];
    assert_eq!(read.sum("linepress_queue_drawings", &queued), 5.0);
    assert_eq!(read.sum("linepress_queue_oldest_age_seconds", &[]), 90.0);

    // The same reading is used for some seconds, so that readers cannot load the database.
    app.draw_what_is_due().await;
    let read = Exposition::parse(&monitor.text().await.unwrap());
    assert_eq!(read.sum("linepress_queue_drawings", &queued), 5.0);
    app.server.clock.advance(Duration::from_secs(5));
    let read = Exposition::parse(&monitor.text().await.unwrap());
    assert_eq!(read.sum("linepress_queue_drawings", &[]), 0.0);
}

#[tokio::test]
async fn credits_are_counted_once_their_transaction_is_committed() {
    let app = TestApp::start().await;
    app.account(9).await;
    let agent = app.agent("ada@example.com").await;
    let charged = async || scrape(&app).await.sum("linepress_credits_total", &[("kind", "charge")]);
    let mut order =
        json!({"title": "Woods", "pages": [{"title": "A fox"}, {"title": "An owl"}], "idempotency_key": "k"});
    // Without a confirmed price, the order is accepted and rolled back.
    let rehearsed = agent.call("create_book", order.clone()).await;
    rehearsed.expect_error("confirmation_required");
    assert_eq!(charged().await, 0.0);
    order["confirm_credits"] = 2.into();
    agent.call("create_book", order.clone()).await.expect();
    agent.call("create_book", order).await.expect();
    assert_eq!(charged().await, 2.0);
}

#[tokio::test]
async fn metrics_without_a_database_say_so_and_contain_what_was_counted() {
    let app = TestApp::start().await;
    app.account(1).await.get("/me").await.expect(200);
    app.server.database.close().await;
    let read = scrape(&app).await;
    assert_eq!(read.sum("linepress_database_up", &[]), 0.0);
    assert!(!read.families.contains_key("linepress_queue_drawings"));
    assert_eq!(read.sum("linepress_http_requests_total", &[("status", "200")]), 1.0);
}

#[tokio::test]
async fn metrics_are_on_their_own_listener_only() {
    let app = TestApp::start().await;
    let ada = app.account(1).await;
    let socket = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = socket.local_addr().unwrap();
    let limits = ConnectionLimits::default();
    let router = metrics::router(app.server.clone());
    let served = tokio::spawn(listener::serve(socket, router, limits, std::future::pending()));
    let (head, body) = ask(address, "/metrics").await;
    assert!(head.starts_with("HTTP/1.1 200 "), "{head}");
    assert!(head.contains(&format!("content-type: {MEDIA_TYPE}")), "{head}");
    Exposition::parse(&body);
    for path in ["/", "/api/v1/me", "/healthz", "/sign-in", "/mcp"] {
        let (head, _) = ask(address, path).await;
        assert!(head.starts_with("HTTP/1.1 404 "), "{path}: {head}");
    }
    served.abort();
    let browser = app.browser().get("/metrics").await;
    assert_eq!(browser.status, 404);
    ada.get("/metrics").await.expect_error(404, "not_found");
}

/// Adds what a server without network plugins and without mail never counts.
fn count_what_is_off(app: &TestApp) {
    let plugins = &app.server.metrics.plugins;
    plugins.request_ended("acme.flux", RequestOutcome::Answered);
    plugins.rolled_back("acme.flux");
    app.server.metrics.mails.attempted("book_ready", "sent");
    app.server.metrics.webhooks.attempted("accepted");
    app.server.metrics.webhooks.paused("failures");
}
