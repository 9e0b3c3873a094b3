//! Events that are sent to webhooks: which, when, and that none is lost.
mod pauses;
mod sending;

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use linepress_accounts::accounts::{self, Plan};
use serde_json::{Value, json};
use sha2::Sha256;

use crate::test_app::{Actor, Page, TestApp, Web, book_of};
use crate::testing;

const URL: &str = "https://shop.test/events";

/// Longer than every delay between two attempts.
const LONG: Duration = Duration::from_secs(9 * 3600);

/// A server, and a receiver of events that responds with 204.
async fn start() -> (TestApp, Web) {
    let web = Web::open_for(&["shop.test"]).await;
    web.page("/events", status("204 No Content"));
    let app = TestApp::builder().webhook_fetcher(web.fetcher()).start().await;
    (app, web)
}

pub(crate) fn status(line: &str) -> Page {
    Page::Whole(format!("HTTP/1.1 {line}\r\nContent-Length: 2\r\n\r\nok").into_bytes())
}

/// A webhook of the account, with its secret.
struct Webhook {
    path: String,
    secret: String,
}

async fn webhook(actor: &Actor, events: Value) -> Webhook {
    let made = actor
        .post("/webhooks", &json!({"webhook": {"url": URL, "events": events}}))
        .await
        .expect(201);
    Webhook {
        path: format!("/webhooks/{}", made["webhook"]["id"].as_str().unwrap()),
        secret: made["secret"].as_str().unwrap().into(),
    }
}

/// Sends what is due to all webhooks.
async fn deliver(app: &TestApp) {
    while testing::deliver_to_webhook(&app.server).await.unwrap() {}
}

/// A request that a receiver got.
#[derive(Debug)]
struct Received {
    id: String,
    signature: String,
    signed: String,
    body: Value,
}

fn received(web: &Web) -> Vec<Received> {
    web.requests().iter().map(|request| parsed(request)).collect()
}

fn parsed(request: &str) -> Received {
    let (head, body) = request.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("POST /events "), "{head}");
    let header = |name: &str| {
        let mut lines = head.lines().filter_map(|line| line.split_once(": "));
        let found = lines.find(|(other, _)| other.eq_ignore_ascii_case(name));
        found.unwrap_or_else(|| panic!("no {name}: {head}")).1.to_owned()
    };
    Received {
        signed: format!("{}.{}.{body}", header("webhook-id"), header("webhook-timestamp")),
        id: header("webhook-id"),
        signature: header("webhook-signature"),
        body: serde_json::from_str(body).unwrap(),
    }
}

/// The signature of a text, as a receiver computes it.
pub(crate) fn signature(secret: &str, signed: &str) -> String {
    let key = STANDARD.decode(secret.strip_prefix("whsec_").unwrap()).unwrap();
    let mut mac = Hmac::<Sha256>::new_from_slice(&key).unwrap();
    mac.update(signed.as_bytes());
    format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()))
}

/// The types of events in the order of their times, and of the alphabet for events of the same time.
fn types(received: &[Received]) -> Vec<&str> {
    let text = |event: &'_ Received, field: &str| event.body[field].as_str().unwrap().to_owned();
    let mut sorted: Vec<&Received> = received.iter().collect();
    sorted.sort_by_key(|event| (text(event, "timestamp"), text(event, "type")));
    sorted
        .iter()
        .map(|event| event.body["type"].as_str().unwrap())
        .collect()
}

/// The event of this type.
fn of_type<'a>(received: &'a [Received], kind: &str) -> &'a Received {
    received.iter().find(|event| event.body["type"] == kind).unwrap()
}

async fn deliveries(actor: &Actor, webhook: &Webhook) -> Vec<Value> {
    let listed = actor.get(&format!("{}/deliveries", webhook.path)).await.expect(200);
    listed["deliveries"].as_array().unwrap().clone()
}

#[tokio::test]
async fn the_events_of_an_order_are_signed_and_tell_what_was_drawn() {
    let (app, web) = start().await;
    let ada = app.account(9).await;
    let webhook = webhook(&ada, json!([])).await;
    let accepted = app.accepted(&ada, "/books", &book_of(2)).await;
    app.draw_what_is_due().await;
    deliver(&app).await;
    let events = received(&web);
    assert_eq!(types(&events), ["operation.succeeded", "page.ready", "page.ready"]);
    for event in &events {
        assert_eq!(event.signature, signature(&webhook.secret, &event.signed));
    }
    let page = &of_type(&events, "page.ready").body["data"]["page_id"];
    let shown = ada.look(&format!("/books/{}", accepted.book_id()), "book").await;
    assert!(
        shown["pages"]
            .as_array()
            .unwrap()
            .iter()
            .any(|other| &other["id"] == page),
        "{shown}"
    );
    let last = of_type(&events, "operation.succeeded");
    let ended = &last.body["data"];
    assert_eq!(ended["operation_id"], accepted.operation_id());
    assert_eq!(ended["status"], "succeeded");
    assert_eq!(ended["resource"]["id"], accepted.book_id());
    let log = deliveries(&ada, &webhook).await;
    assert_eq!(log.len(), 3);
    let logged = log.iter().find(|delivery| delivery["event_id"] == last.id).unwrap();
    assert_eq!(
        (&logged["status"], &logged["attempts"]),
        (&json!("delivered"), &json!(1))
    );
    assert_eq!(
        (&logged["response_status"], &logged["due_at"]),
        (&json!(204), &Value::Null)
    );
    // Nothing is sent twice.
    deliver(&app).await;
    assert_eq!(web.requests().len(), 3);
}

#[tokio::test]
async fn a_webhook_gets_the_events_of_its_types_alone() {
    let (app, web) = start().await;
    let operator = app.operator().await;
    let ada = app.account(6).await;
    let eve = app.account_named("eve@example.com", Plan::Business, 9).await;
    webhook(&ada, json!(["credits.low", "plan.changed", "operation.failed"])).await;
    for client in [&ada, &eve] {
        app.ready_page(client, "A fox").await;
        app.ready_page(client, "An owl").await;
    }
    let path = format!("/admin/accounts/{}", ada.account_id().await);
    for plan in ["free", "business"] {
        operator
            .patch(&path, &json!({"managed_account": {"plan": plan}}))
            .await
            .expect(200);
    }
    deliver(&app).await;
    let events = received(&web);
    assert_eq!(types(&events), ["credits.low", "plan.changed", "plan.changed"]);
    assert_eq!(of_type(&events, "credits.low").body["data"], json!({"available": 4}));
    let plans: Vec<_> = events.iter().map(|event| &event.body["data"]["plan"]).collect();
    assert!(
        plans.contains(&&json!("free")) && plans.contains(&&json!("business")),
        "{plans:?}"
    );
}

#[tokio::test]
async fn operations_that_fail_are_told_apart() {
    let web = Web::open_for(&["shop.test"]).await;
    web.page("/events", status("200 OK"));
    let app = TestApp::builder()
        .image_provider(
            "testbed.flaky",
            json!({"fail": "refused", "seeds": "all", "prompt": "storm"}),
        )
        .webhook_fetcher(web.fetcher())
        .start()
        .await;
    let ada = app.account(9).await;
    webhook(&ada, json!([])).await;
    let pages = json!([{"title": "Sun"}, {"title": "Wind", "prompt": "A storm"}]);
    app.accepted(&ada, "/books", &json!({"book": {"title": "Weather", "pages": pages}}))
        .await;
    app.draw_everything().await;
    app.accepted(&ada, "/pages", &json!({"page": {"title": "Wind", "prompt": "A storm"}}))
        .await;
    app.draw_everything().await;
    // A canceled order has ended, too.
    let canceled = app.accepted(&ada, "/pages", &json!({"page": {"title": "Sun"}})).await;
    ada.post_nothing(&format!("/operations/{}/cancel", canceled.operation_id()))
        .await
        .expect(200);
    deliver(&app).await;
    let events = received(&web);
    assert_eq!(
        types(&events),
        [
            "operation.partially_succeeded",
            "page.ready",
            "operation.failed",
            "operation.failed"
        ]
    );
    assert_eq!(
        of_type(&events, "operation.partially_succeeded").body["data"]["progress"],
        json!({"completed": 2, "failed": 1, "total": 3})
    );
}

#[tokio::test]
async fn an_event_of_a_change_that_was_rolled_back_is_not_sent() {
    let (app, web) = start().await;
    let ada = app.account(9).await;
    webhook(&ada, json!([])).await;
    let account = accounts::find(&app.server, "ada@example.com").await.unwrap().unwrap();
    let mut tx = app.server.database.begin().await.unwrap();
    accounts::set_plan(&app.server, &mut tx, &account.id, Plan::Business)
        .await
        .unwrap();
    drop(tx);
    deliver(&app).await;
    assert!(web.requests().is_empty());
}
