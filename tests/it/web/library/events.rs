//! `/library/operations/{id}/events`: the progress of an operation.
use std::time::Duration;

use axum::body::to_bytes;

use crate::test_app::{TestApp, book_of};

#[tokio::test]
async fn events_report_each_change_and_end_with_the_operation() {
    let app = TestApp::start().await;
    let ada = app.account(3).await;
    let accepted = app.accepted(&ada, "/books", &book_of(2)).await;
    let mut browser = app.browser_of("ada@example.com").await;
    let path = format!("/library/operations/{}/events", accepted.operation_id());
    let events = browser.open(&path).await;
    assert_eq!(events.status(), 200);
    assert_eq!(events.headers()["content-type"], "text/event-stream");
    assert_eq!(events.headers()["x-accel-buffering"], "no");
    assert_eq!(events.headers()["cache-control"], "private, no-store");
    let (events, ()) = tokio::join!(to_bytes(events.into_body(), usize::MAX), async {
        // The stream is read first, and begins with the state at the time of the request.
        app.draw_what_is_due().await;
    });
    let events = String::from_utf8(events.unwrap().to_vec()).unwrap();
    assert!(
        events
            .starts_with("event: progress\ndata: {\"completed\":0,\"failed\":0,\"status\":\"queued\",\"total\":3}\n\n"),
        "{events}"
    );
    assert!(
        events.ends_with("event: end\ndata: {\"completed\":3,\"failed\":0,\"status\":\"succeeded\",\"total\":3}\n\n"),
        "{events}"
    );
    // The events of an operation that has ended end at once.
    let ended = to_bytes(browser.open(&path).await.into_body(), usize::MAX)
        .await
        .unwrap();
    assert!(ended.starts_with(b"event: end\n"));
}

#[tokio::test]
async fn the_open_event_streams_of_an_account_are_limited() {
    let app = TestApp::start().await;
    let ada = app.account(3).await;
    let accepted = app.accepted(&ada, "/books", &book_of(2)).await;
    let mut browser = app.browser_of("ada@example.com").await;
    let path = format!("/library/operations/{}/events", accepted.operation_id());
    let mut open = Vec::new();
    for _ in 0..6 {
        let events = browser.open(&path).await;
        assert_eq!(events.status(), 200);
        open.push(events);
    }
    let refused = browser.open(&path).await;
    assert_eq!(
        (refused.status().as_u16(), &refused.headers()["retry-after"]),
        (429, &"5".parse().unwrap())
    );
    open.pop();
    assert_eq!(browser.open(&path).await.status(), 200);
}

#[tokio::test]
async fn events_end_soon_after_the_session_has_ended() {
    let app = TestApp::start().await;
    let ada = app.account(3).await;
    let accepted = app.accepted(&ada, "/books", &book_of(2)).await;
    let mut browser = app.browser_of("ada@example.com").await;
    let path = format!("/library/operations/{}/events", accepted.operation_id());
    let mut other = browser.clone();
    let events = browser.open(&path).await;
    other
        .submit("/library", "/sign-out", &[])
        .await
        .expect_redirect("/sign-in");
    // Nothing is drawn: the stream ends with the session, long before its limit of five minutes.
    let events = tokio::time::timeout(Duration::from_secs(60), to_bytes(events.into_body(), usize::MAX)).await;
    let events = events.expect("the events end").unwrap();
    assert!(!events.windows(10).any(|part| part == b"event: end"));
    browser
        .get(&path)
        .await
        .expect_redirect(&format!("/sign-in?return_to={}&ended=yes", path.replace('/', "%2F")));
}
