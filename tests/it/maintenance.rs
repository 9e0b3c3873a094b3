//! Maintenance: clients can read, changes are refused, and workers begin nothing. Every operation of REST is tested in
//! `coverage`, every tool in `mcp`, and the forms in `web`.
use std::time::Duration;

use crate::testing;
use axum::extract::State;
use linepress::server;
use linepress_core::operations::OperationStatus;
use linepress_http::health;
use linepress_operator::administration::{Actor, installation};
use linepress_platform::app::App;
use linepress_platform::database::Cells;
use linepress_platform::maintenance::Maintenance;
use linepress_platform::scopes::Scopes;

use crate::oauth::form;
use crate::test_app::{Reply, TestApp, pictures};

/// The operator's message in the tests.
pub(crate) const MESSAGE: &str = "Back at 14:00 UTC.";

pub(crate) async fn begin(app: &TestApp) -> Maintenance {
    begin_with(app, MESSAGE).await
}

pub(crate) async fn begin_with(app: &TestApp, message: &str) -> Maintenance {
    let message = message.parse().unwrap();
    let actor = Actor::command_line();
    let begun = installation::begin_maintenance(&app.server, &actor, &message);
    begun.await.unwrap()
}

/// Ends the maintenance; returns whether there was one.
pub(crate) async fn end(app: &TestApp) -> bool {
    let actor = Actor::command_line();
    let ended = installation::end_maintenance(&app.server, &actor);
    ended.await.unwrap()
}

/// Returns the rows of every table, except those that reading changes as well: the marks of PDFs and rate limits. Waits
/// until the last uses of keys are recorded, which happens in the background.
pub(crate) async fn stored(app: &App) -> Vec<(String, Vec<Cells>)> {
    testing::record_key_uses(app).await;
    let mut tx = app.database.begin_snapshot().await.unwrap();
    let mut stored = Vec::new();
    for table in tx.tables(app.database.dialect).await.unwrap() {
        if !["editions", "discarded_objects", "throttles"].contains(&table.name.as_str()) {
            let rows = tx.rows_after(&table, None, 10_000).await.unwrap();
            stored.push((table.name.clone(), rows));
        }
    }
    tx.rollback().await.unwrap();
    stored
}

#[tokio::test]
async fn workers_end_what_they_have_begun_and_begin_nothing() {
    let app = TestApp::start().await;
    let ada = app.account(2).await;
    let orders = [app.new_page(&ada, "A fox").await, app.new_page(&ada, "An owl").await];
    let statuses = async || [ada.status(&orders[0]).await, ada.status(&orders[1]).await];
    let assignment = testing::claim(&app.server).await.unwrap().unwrap();
    begin(&app).await;
    assert!(testing::claim(&app.server).await.unwrap().is_none());
    testing::attempt(&app.server, &assignment).await;
    assert!(!testing::work_once(&app.server).await.unwrap());
    let meanwhile = statuses().await;
    for status in [OperationStatus::Succeeded, OperationStatus::Queued] {
        assert!(meanwhile.contains(&status), "{meanwhile:?}");
    }

    assert!(end(&app).await);
    app.draw_everything().await;
    assert_eq!(statuses().await, [OperationStatus::Succeeded; 2]);
}

#[tokio::test]
async fn every_node_obeys_at_once() {
    let app = TestApp::start().await;
    let ada = app.account(2).await;
    let other = ada.at(server::router(app.another_node().await));
    begin(&app).await;
    other
        .post_nothing("/artwork_uploads")
        .await
        .expect_error(503, "maintenance");
    assert_eq!(other.get("/me").await.status, 200);
    end(&app).await;
    other.post_nothing("/artwork_uploads").await.expect(201);
}

#[tokio::test]
async fn a_file_for_an_upload_is_refused_and_can_be_sent_later() {
    let app = TestApp::start().await;
    let ada = app.account(2).await;
    let upload = ada.new_upload().await;
    begin(&app).await;
    let file = pictures::png(576, 768);
    let refused = app.anonymous().send_to(&upload.url, file.clone()).await;
    refused.expect_error(503, "maintenance");
    assert_eq!(refused.header("retry-after"), "60");
    end(&app).await;
    app.anonymous()
        .send_to(&upload.url, file)
        .await
        .expect_no_content_at_all();
}

#[tokio::test]
async fn a_node_in_maintenance_is_ready_to_be_read() {
    let app = TestApp::start().await;
    assert_eq!(health::ready(State(app.server.clone())).await.1, "ready\n");
    begin(&app).await;
    let (status, text) = health::ready(State(app.server.clone())).await;
    assert_eq!(status, 200, "{text}");
    assert!(text.contains("under maintenance"), "{text}");
}

#[tokio::test]
async fn nothing_expires() {
    let app = TestApp::start().await;
    let ada = app.account(2).await;
    let page = app.imported_page(&ada, "A fox").await;
    ada.delete(&format!("/pages/{page}")).await.expect_no_content();
    ada.delete("/bin").await.expect_no_content();
    app.server.clock.advance(Duration::from_secs(601));
    begin(&app).await;
    assert!(!testing::run_housekeeping_once(&app.server).await);
    assert_eq!(app.objects().len(), 2);
    end(&app).await;
    assert!(testing::run_housekeeping_once(&app.server).await);
    assert_eq!(app.objects().len(), 0);
    assert_eq!(testing::sweep_objects(&app.server).await.unwrap(), 0);
}

/// Fails unless an app is asked to try again.
fn expect_postponed(reply: &Reply) {
    assert_eq!(reply.status, 503);
    assert_eq!(reply.header("retry-after"), "60");
    let error = reply.json();
    assert_eq!(error["error"], "temporarily_unavailable", "{error}");
    let description = error["error_description"].as_str().unwrap();
    // Quotation marks are not allowed there.
    assert!(description.contains("'soon' ? Back/up."), "{description}");
}

#[tokio::test]
async fn tokens_are_neither_issued_nor_revoked_and_remain_valid() {
    let app = TestApp::start().await;
    app.account(2).await;
    let granted = app.grant("ada@example.com", Scopes::ALL, None).await;
    let agent = app.agent_of(Some(&granted.access_token));
    begin_with(&app, "\"soon\" \u{2014} Back\\up.").await;
    let before = stored(&app.server).await;
    let refresh = [
        ("grant_type", "refresh_token"),
        ("refresh_token", &*granted.refresh_token),
        ("client_id", granted.client_id.as_str()),
    ];
    let revoke = [
        ("token", &*granted.access_token),
        ("client_id", granted.client_id.as_str()),
    ];
    expect_postponed(&form(&app, "/oauth/token", &refresh).await);
    expect_postponed(&form(&app, "/oauth/revoke", &revoke).await);
    let client = serde_json::json!({"redirect_uris": ["http://localhost/callback"]});
    expect_postponed(&app.anonymous().post("/oauth/register", &client).await);
    let metadata = app.anonymous().get("/.well-known/oauth-authorization-server").await;
    assert_eq!(metadata.status, 200);
    let mut browser = app.browser();
    browser.get("/oauth/authorize").await.expect(503, "under maintenance");
    assert_eq!(stored(&app.server).await, before);
    // A call records when the grant was last used.
    agent.call("get_account", serde_json::json!({})).await.expect();

    end(&app).await;
    form(&app, "/oauth/token", &refresh).await.expect(200);
}
