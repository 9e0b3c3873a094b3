//! `GET /operations/{id}/events`, and requests that prefer to wait.
use std::time::{Duration, Instant};

use axum::body::{Body, to_bytes};
use linepress::server;
use linepress_accounts::accounts;
use linepress_core::operations::{Operation, OperationStatus};
use serde_json::{Value, json};

use crate::test_app::{Actor, Reply, TestApp, book_of};
use crate::testing;

/// An event of a stream.
#[derive(Debug)]
struct Event {
    name: String,
    id: String,
    operation: Operation,
    data: Value,
}

/// Reads a stream to its end.
async fn events(body: Body) -> Vec<Event> {
    let read = tokio::time::timeout(Duration::from_secs(90), to_bytes(body, usize::MAX)).await;
    let text = String::from_utf8(read.expect("the stream ends").unwrap().to_vec()).unwrap();
    let blocks = text.split("\n\n").filter(|block| block.contains("event: "));
    blocks.map(event).collect()
}

fn event(block: &str) -> Event {
    let field = |name: &str| {
        let mut lines = block.lines().filter_map(|line| line.strip_prefix(name));
        lines.next().unwrap_or_else(|| panic!("no {name}in {block}")).to_owned()
    };
    let data: Value = serde_json::from_str(&field("data: ")).unwrap();
    Event {
        name: field("event: "),
        id: field("id: "),
        operation: serde_json::from_value(data["operation"].clone()).unwrap(),
        data,
    }
}

async fn resume(actor: &Actor, path: &str, id: &str) -> Reply {
    actor.send("GET", path, &[("last-event-id", id)], Body::empty()).await
}

#[tokio::test]
async fn events_show_each_state_of_the_operation_as_it_is_read() {
    let app = TestApp::start().await;
    let ada = app.account(3).await;
    let accepted = app.accepted(&ada, "/books", &book_of(2)).await;
    let path = format!("/operations/{}/events", accepted.operation_id());
    let stream = ada.open(&path).await;
    let (received, ()) = tokio::join!(events(stream), app.draw_what_is_due());
    let (first, last) = (received.first().unwrap(), received.last().unwrap());
    assert_eq!(
        (&*first.name, first.operation.status),
        ("progress", OperationStatus::Queued)
    );
    assert_eq!(
        (&*last.name, last.operation.status),
        ("end", OperationStatus::Succeeded)
    );
    let shown = ada
        .get(&format!("/operations/{}", accepted.operation_id()))
        .await
        .expect(200);
    assert_eq!(last.data, shown);

    // A client that missed the end gets it once. Then the status tells it not to connect again.
    let missed = resume(&ada, &path, &first.id).await;
    assert_eq!(missed.status, 200);
    assert_eq!(missed.headers["content-type"], "text/event-stream");
    assert_eq!(missed.headers["cache-control"], "private, no-store");
    assert_eq!(event(std::str::from_utf8(&missed.body).unwrap()).id, last.id);
    let nothing = resume(&ada, &path, &last.id).await;
    assert_eq!((nothing.status.as_u16(), nothing.body.len()), (204, 0));
}

#[tokio::test]
async fn a_client_that_connects_again_gets_only_what_has_changed() {
    let app = TestApp::start().await;
    let ada = app.account(3).await;
    let accepted = app.accepted(&ada, "/books", &book_of(2)).await;
    let path = format!("/operations/{}/events", accepted.operation_id());
    let (received, ()) = tokio::join!(events(ada.open(&path).await), app.draw_what_is_due());
    let other = app.accepted(&ada, "/pages", &json!({"page": {"title": "A fox"}})).await;
    let path = format!("/operations/{}/events", other.operation_id());
    // The id of another operation's event is that of no event here.
    let stream = ada.open_with(&path, &[("last-event-id", &received[0].id)]).await;
    let (received, ()) = tokio::join!(events(stream), app.draw_what_is_due());
    let (first, last) = (received.first().unwrap(), received.last().unwrap());
    assert_eq!(
        (&*first.name, first.operation.status),
        ("progress", OperationStatus::Queued)
    );
    assert_eq!(last.name, "end");
}

#[tokio::test]
async fn events_end_soon_after_the_key_is_revoked() {
    let app = TestApp::start().await;
    let ada = app.account(3).await;
    let accepted = app.accepted(&ada, "/books", &book_of(2)).await;
    let stream = ada
        .open(&format!("/operations/{}/events", accepted.operation_id()))
        .await;
    let account = accounts::find(&app.server, "ada@example.com").await.unwrap().unwrap();
    for key in accounts::list_keys(&app.server, &account).await.unwrap() {
        assert!(testing::revoke_key(&app.server, &key.id).await.unwrap());
    }
    // Nothing is drawn: the stream ends with the key, long before its limit of five minutes.
    let received = events(stream).await;
    assert!(received.iter().all(|event| event.name == "progress"), "{received:?}");
}

#[tokio::test]
async fn the_open_streams_of_an_account_are_limited() {
    let app = TestApp::start().await;
    let ada = app.account(3).await;
    let accepted = app.accepted(&ada, "/books", &book_of(2)).await;
    let path = format!("/operations/{}/events", accepted.operation_id());
    let mut open = Vec::new();
    for _ in 0..6 {
        open.push(ada.open(&path).await);
    }
    let refused = ada.get(&path).await;
    refused.expect_error(429, "rate_limited");
    assert_eq!(refused.header("retry-after"), "5");
    // A request that prefers to wait is answered at once instead.
    let order = json!({"page": {"title": "A fox"}});
    let headers = [
        ("content-type", "application/json"),
        ("idempotency-key", "k"),
        ("prefer", "wait=50"),
    ];
    let reply = ada.send("POST", "/pages", &headers, order.to_string().into()).await;
    assert_eq!(reply.expect(202)["operation"]["status"], "queued");
    assert!(!reply.headers.contains_key("preference-applied"));
}

#[tokio::test]
async fn an_order_that_prefers_to_wait_is_answered_when_it_has_ended() {
    let app = TestApp::start().await;
    let ada = app.account(3).await;
    let order = json!({"page": {"title": "A fox"}});
    let headers = [
        ("content-type", "application/json"),
        ("idempotency-key", "k"),
        ("prefer", "respond-async, wait=50"),
    ];
    let drawing = async {
        let is_queued = async || ada.get("/operations").await.expect(200)["operations"][0].is_object();
        crate::test_app::wait_until("the order is accepted", is_queued).await;
        app.draw_what_is_due().await;
    };
    let ordered = ada.send("POST", "/pages", &headers, order.to_string().into());
    let (reply, ()) = tokio::join!(ordered, drawing);
    let body = reply.expect(202);
    assert_eq!(body["operation"]["status"], "succeeded");
    assert_eq!(reply.header("preference-applied"), "wait");
    assert!(!reply.headers.contains_key("retry-after"));
    let operation = ada.get(reply.header("location")).await.expect(200);
    assert_eq!(operation["operation"], body["operation"]);
    // Without the preference, a repetition gets the reply as it was stored.
    let stored = ada.generate("/pages", "k", &order).await;
    assert_eq!(stored.expect(202)["operation"]["status"], "queued");
    assert_eq!(stored.header("idempotency-replayed"), "true");
    assert_eq!(ada.credits().await, 2);
}

#[tokio::test]
async fn a_wait_ends_with_its_time() {
    let app = TestApp::start().await;
    let ada = app.account(3).await;
    let accepted = app.accepted(&ada, "/pages", &json!({"page": {"title": "A fox"}})).await;
    let path = format!("/operations/{}", accepted.operation_id());
    for wait in ["wait=0", "wait=1"] {
        let reply = ada.send("GET", &path, &[("prefer", wait)], Body::empty()).await;
        assert_eq!(reply.expect(200)["operation"]["status"], "queued");
        assert_eq!(
            (reply.header("preference-applied"), reply.header("retry-after")),
            ("wait", "2")
        );
    }
    let missing = "/operations/op_01KAFMYG00000000000000000A";
    let reply = ada.send("GET", missing, &[("prefer", "wait=50")], Body::empty()).await;
    reply.expect_error(404, "not_found");
}

#[tokio::test]
async fn a_stop_of_the_server_ends_streams_and_waits_and_a_client_resumes_at_another_node() {
    let app = TestApp::start().await;
    let ada = app.account(3).await;
    let accepted = app.accepted(&ada, "/books", &book_of(1)).await;
    let path = format!("/operations/{}/events", accepted.operation_id());
    let other = ada.at(server::router(app.another_node().await));
    let stream = ada.open(&path).await;
    let waits = format!("/operations/{}", accepted.operation_id());
    let waiting = ada.send("GET", &waits, &[("prefer", "wait=50")], Body::empty());
    let begun = Instant::now();
    let stop = async {
        tokio::time::sleep(Duration::from_millis(200)).await;
        app.server.stopping.give();
    };
    let (received, waited, ()) = tokio::join!(events(stream), waiting, stop);
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    assert_eq!(waited.expect(200)["operation"]["status"], "queued");
    assert_eq!(received.len(), 1, "{received:?}");
    assert_eq!(received[0].name, "progress");

    app.draw_what_is_due().await;
    let resumed = resume(&other, &path, &received[0].id).await;
    let text = String::from_utf8(resumed.body.to_vec()).unwrap();
    assert!(text.starts_with("event: end\n"), "{text}");
}
