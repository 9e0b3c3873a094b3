//! The common properties of all responses: headers, the error envelope, request ids.
use std::time::Duration;

use axum::body::Body;
use linepress_platform::database::Dialect;

use crate::test_app::{Log, TestApp};

#[tokio::test]
async fn every_authenticated_response_reports_the_balance_and_its_cost() {
    let app = TestApp::start().await;
    let ada = app.account(4).await;
    for path in ["/me", "/print_formats", "/pages", "/pages/none", "/nowhere"] {
        let reply = ada.get(path).await;
        assert_eq!(reply.header("x-service-credits-available"), "4");
        assert_eq!(reply.header("x-service-credits-consumed"), "0");
    }
}

#[tokio::test]
async fn a_request_id_of_the_client_is_used_if_it_is_safe_for_the_log() {
    let app = TestApp::start().await;
    let ada = app.account(4).await;
    let with_id = async |id: &str| {
        ada.send("GET", "/pages/none", &[("x-request-id", id)], Body::empty())
            .await
    };
    let reply = with_id("Trace-1.2_3").await;
    assert_eq!(reply.header("x-request-id"), "Trace-1.2_3");
    reply.expect_error(404, "not_found");
    for bad in ["", "two words", "semi;colon", &"x".repeat(129)] {
        assert!(with_id(bad).await.header("x-request-id").starts_with("req_"), "{bad}");
    }
}

#[tokio::test]
async fn the_brand_names_the_headers() {
    let app = TestApp::builder()
        .config(|config| config.brand = "Acme".into())
        .start()
        .await;
    let reply = app.account(4).await.get("/me").await;
    assert_eq!(reply.header("x-acme-api-version"), "v1");
    assert_eq!(reply.header("x-acme-credits-available"), "4");
    assert!(!reply.headers.contains_key("x-service-api-version"));
}

/// Returns the status of a path outside of every interface.
async fn status(app: &TestApp, path: &str) -> u16 {
    use tower::ServiceExt as _;
    let router = linepress::server::router(app.server.clone());
    let request = axum::http::Request::get(path).body(Body::empty()).unwrap();
    router.oneshot(request).await.unwrap().status().as_u16()
}

#[tokio::test]
async fn health_and_readiness_differ() {
    let app = TestApp::start().await;
    assert_eq!(
        (status(&app, "/healthz").await, status(&app, "/readyz").await),
        (200, 200)
    );
    app.server.database.close().await;
    assert_eq!(
        (status(&app, "/healthz").await, status(&app, "/readyz").await),
        (200, 503)
    );
}

#[tokio::test]
async fn a_server_that_cannot_write_to_storage_is_not_ready() {
    let app = TestApp::builder().objects_in_a_folder().start().await;
    let objects = app.object_folder();
    assert_eq!(status(&app, "/readyz").await, 200);
    assert!(app.objects().is_empty(), "the probe leaves nothing behind");
    std::fs::remove_dir_all(&objects).unwrap();
    std::fs::write(&objects, "in the way").unwrap();
    assert_eq!(status(&app, "/readyz").await, 200, "not every request writes a probe");
    app.server.clock.advance(Duration::from_secs(6));
    assert_eq!(status(&app, "/readyz").await, 503);
    std::fs::remove_file(&objects).unwrap();
    std::fs::create_dir(&objects).unwrap();
    app.server.clock.advance(Duration::from_secs(6));
    assert_eq!(status(&app, "/readyz").await, 200);
}

#[tokio::test]
async fn a_server_without_its_folder_for_uploads_is_not_ready() {
    let app = TestApp::start().await;
    let incoming = app.server.config.incoming_dir();
    std::fs::remove_dir_all(&incoming).unwrap();
    std::fs::write(&incoming, "in the way").unwrap();
    let log = Log::default();
    let captured = log.capture();
    assert_eq!(status(&app, "/readyz").await, 503);
    drop(captured);
    assert!(log.holds("incoming is not a folder"), "{:?}", log.lines());
}

#[tokio::test]
async fn a_server_with_a_read_only_database_is_not_ready() {
    let app = TestApp::start().await;
    if app.server.database.dialect != Dialect::Sqlite {
        return;
    }
    assert_eq!(status(&app, "/readyz").await, 200);
    // The pragma affects only the one connection that writes.
    let mut tx = app.server.database.begin().await.unwrap();
    sqlx::query("PRAGMA query_only = ON").execute(&mut *tx).await.unwrap();
    tx.commit().await.unwrap();
    app.server.clock.advance(Duration::from_secs(6));
    assert_eq!(status(&app, "/readyz").await, 503);
}
