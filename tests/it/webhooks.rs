//! Events that are sent to webhooks: which, when, and that none is lost.
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use linepress_accounts::accounts::{self, Plan};
use linepress_accounts::webhooks::{self, AttemptResult, Response};
use serde_json::{Value, json};
use sha2::Sha256;

use crate::test_app::{Actor, MailServer, Page, TestApp, Web, book_of};
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

#[tokio::test]
async fn an_event_is_sent_again_with_the_same_id_until_it_is_accepted() {
    let (app, web) = start().await;
    web.pages(
        "/events",
        [
            status("500 Internal Server Error"),
            status("302 Found\r\nLocation: https://shop.test/elsewhere"),
            status("200 OK"),
        ],
    );
    let ada = app.account(9).await;
    let webhook = webhook(&ada, json!(["page.ready"])).await;
    app.ready_page(&ada, "A fox").await;
    for attempts in 1..=3 {
        deliver(&app).await;
        // Another attempt is not due yet.
        deliver(&app).await;
        assert_eq!(web.requests().len(), attempts);
        app.server.clock.advance(LONG);
    }
    let events = received(&web);
    assert!(
        events
            .iter()
            .all(|event| event.id == events[0].id && event.body == events[0].body)
    );
    let log = deliveries(&ada, &webhook).await;
    assert_eq!(
        (&log[0]["status"], &log[0]["attempts"]),
        (&json!("delivered"), &json!(3))
    );
    let shown = ada.look(&webhook.path, "webhook").await;
    assert_eq!(shown["failing_since"], Value::Null);
}

#[tokio::test]
async fn a_receiver_that_fails_for_a_day_is_paused_until_the_account_resumes_it() {
    let (app, web) = start().await;
    web.page("/events", status("503 Service Unavailable"));
    let ada = app.account(9).await;
    let webhook = webhook(&ada, json!(["page.ready"])).await;
    app.ready_page(&ada, "A fox").await;
    for _ in 0..20 {
        deliver(&app).await;
        app.server.clock.advance(LONG / 3);
    }
    let paused = ada.look(&webhook.path, "webhook").await;
    assert_eq!(paused["pause_reason"], "failures");
    let log = deliveries(&ada, &webhook).await;
    let sent = web.requests().len();
    assert_eq!(log[0]["attempts"], i64::try_from(sent).unwrap());
    assert!(sent >= 5, "{sent}");
    // While it is paused, nothing is recorded for it, and nothing is sent.
    app.ready_page(&ada, "An owl").await;
    deliver(&app).await;
    assert_eq!(
        (deliveries(&ada, &webhook).await.len(), web.requests().len()),
        (1, sent)
    );
    let test = ada.post_nothing(&format!("{}/test", webhook.path)).await;
    test.expect_fields(&["paused"]);

    web.page("/events", status("204 No Content"));
    let resume = json!({"webhook": {"paused": false}});
    let resumed = ada.patch(&webhook.path, &resume).await.expect(200);
    assert_eq!(
        (&resumed["webhook"]["paused_at"], &resumed["webhook"]["failing_since"]),
        (&Value::Null, &Value::Null)
    );
    let replay = format!("{}/deliveries/{}/replay", webhook.path, log[0]["id"].as_str().unwrap());
    let replayed = ada.post_nothing(&replay).await.expect(200);
    assert_eq!(replayed["delivery"]["status"], "waiting");
    deliver(&app).await;
    let log = deliveries(&ada, &webhook).await;
    assert_eq!(log[0]["status"], "delivered");
    let events = received(&web);
    assert_eq!(events.last().unwrap().id, events[0].id);
}

#[tokio::test]
async fn a_receiver_that_is_gone_is_paused_at_once() {
    let (app, web) = start().await;
    web.page("/events", status("410 Gone"));
    let ada = app.account(9).await;
    let webhook = webhook(&ada, json!([])).await;
    app.ready_page(&ada, "A fox").await;
    deliver(&app).await;
    assert_eq!(web.requests().len(), 1);
    let paused = ada.look(&webhook.path, "webhook").await;
    assert_eq!(paused["pause_reason"], "gone");
    // The account paused nothing, and the reason remains when it asks for a pause.
    let pause = json!({"webhook": {"paused": true}});
    let paused = ada.patch(&webhook.path, &pause).await.expect(200);
    assert_eq!(paused["webhook"]["pause_reason"], "gone");
}

#[tokio::test]
async fn a_changed_address_begins_anew_and_an_owners_pause_gives_up_nothing() {
    let (app, web) = start().await;
    web.page("/events", status("503 Service Unavailable"));
    let ada = app.account(9).await;
    let webhook = webhook(&ada, json!(["page.ready"])).await;
    app.ready_page(&ada, "A fox").await;
    deliver(&app).await;
    let shown = ada.look(&webhook.path, "webhook").await;
    assert_ne!(shown["failing_since"], Value::Null);
    let moved = json!({"webhook": {"url": "https://shop.test/elsewhere"}});
    let moved = ada.patch(&webhook.path, &moved).await.expect(200);
    assert_eq!(moved["webhook"]["failing_since"], Value::Null);

    let pause = |paused: bool| json!({"webhook": {"paused": paused}});
    ada.patch(&webhook.path, &pause(true)).await.expect(200);
    app.server.clock.advance(LONG);
    web.page("/elsewhere", status("204 No Content"));
    deliver(&app).await;
    assert_eq!(deliveries(&ada, &webhook).await[0]["status"], "waiting");
    ada.patch(&webhook.path, &pause(false)).await.expect(200);
    deliver(&app).await;
    assert_eq!(deliveries(&ada, &webhook).await[0]["status"], "delivered");
}

#[tokio::test]
async fn an_attempt_at_an_address_that_was_changed_meanwhile_pauses_nothing() {
    let (app, web) = start().await;
    let ada = app.account(9).await;
    let webhook = webhook(&ada, json!(["page.ready"])).await;
    app.ready_page(&ada, "A fox").await;
    let claimed = webhooks::claim(&app.server, LONG).await.unwrap().unwrap();
    let due = webhooks::next_due(&app.server, &claimed).await.unwrap().unwrap();
    let moved = json!({"webhook": {"url": "https://shop.test/elsewhere"}});
    ada.patch(&webhook.path, &moved).await.expect(200);
    assert!(webhooks::next_due(&app.server, &claimed).await.unwrap().is_none());
    let gone = AttemptResult {
        response: Ok(Response {
            status: 410,
            text: String::new(),
        }),
        duration: Duration::ZERO,
    };
    webhooks::conclude(&app.server, &claimed, &due, &gone).await.unwrap();
    let shown = ada.look(&webhook.path, "webhook").await;
    assert_eq!(shown["paused_at"], Value::Null);
    drop(web);
}

#[tokio::test]
async fn the_owner_is_told_once_that_a_webhook_was_paused() {
    let (web, mail) = (Web::open_for(&["shop.test"]).await, MailServer::start().await);
    web.page("/events", status("410 Gone"));
    let builder = TestApp::builder().config(|config| mail.configure(config));
    let app = builder.webhook_fetcher(web.fetcher()).start().await;
    let ada = app.account(9).await;
    let webhook = webhook(&ada, json!(["page.ready"])).await;
    let deliver_mail = async || while testing::deliver_mail(&app.server).await.unwrap() {};
    app.ready_page(&ada, "A fox").await;
    app.ready_page(&ada, "An owl").await;
    deliver(&app).await;
    deliver_mail().await;
    let letter = mail.take_one();
    assert_eq!(
        letter.header("Subject"),
        "Linepress no longer sends events to your webhook"
    );
    for said in [URL, "410", "http://linepress.test/account/webhooks"] {
        assert!(letter.text.contains(said), "{}", letter.text);
    }
    // A notice that is no longer true is not sent.
    let resume = json!({"webhook": {"paused": false}});
    ada.patch(&webhook.path, &resume).await.expect(200);
    app.ready_page(&ada, "A hare").await;
    deliver(&app).await;
    ada.patch(&webhook.path, &resume).await.expect(200);
    deliver_mail().await;
    assert!(mail.take().is_empty());
}

#[tokio::test]
async fn a_slow_or_refused_receiver_does_not_delay_the_events_of_others() {
    let web = Web::open_for(&["shop.test", "slow.test"]).await;
    web.page("/events", status("204 No Content"));
    web.name("private.test", ["10.0.0.7:0".parse().unwrap()]);
    let app = TestApp::builder().webhook_fetcher(web.fetcher()).start().await;
    let ada = app.account(9).await;
    let to = async |url: &str| {
        let made = ada
            .post("/webhooks", &json!({"webhook": {"url": url}}))
            .await
            .expect(201);
        format!("/webhooks/{}/deliveries", made["webhook"]["id"].as_str().unwrap())
    };
    let (private, missing) = (
        to("https://private.test/events").await,
        to("https://nowhere.test/").await,
    );
    let fine = to(URL).await;
    app.ready_page(&ada, "A fox").await;
    deliver(&app).await;
    assert_eq!(web.requests().len(), 2);
    for path in [private, missing] {
        let log = ada.get(&path).await.expect(200)["deliveries"].clone();
        assert_eq!(
            (&log[1]["attempts"], &log[1]["response_status"]),
            (&json!(1), &Value::Null)
        );
        let error = log[1]["error"].as_str().unwrap();
        // The words do not tell which of the two it was.
        assert!(
            error.starts_with("There was no response within 15 seconds, or no secure connection"),
            "{error}"
        );
    }
    assert_eq!(ada.get(&fine).await.expect(200)["deliveries"][0]["status"], "delivered");
}

#[tokio::test]
async fn two_nodes_send_each_event_once_and_an_event_of_a_lost_node_is_sent_by_the_other() {
    let (app, web) = start().await;
    let ada = app.account(9).await;
    let webhook = webhook(&ada, json!(["page.ready"])).await;
    app.ready_page(&ada, "A fox").await;
    app.ready_page(&ada, "An owl").await;
    // A node that claims the webhook and dies.
    let lease = Duration::from_secs(600);
    let claimed = webhooks::claim(&app.server, lease).await.unwrap();
    assert!(claimed.is_some());
    deliver(&app).await;
    assert!(web.requests().is_empty());
    app.server.clock.advance(lease);
    let (one, other) = tokio::join!(
        testing::deliver_to_webhook(&app.server),
        testing::deliver_to_webhook(&app.server)
    );
    one.unwrap();
    other.unwrap();
    let events = received(&web);
    assert_eq!(events.len(), 2);
    assert_ne!(events[0].id, events[1].id);
    assert_eq!(deliveries(&ada, &webhook).await.len(), 2);
}

#[tokio::test]
async fn both_secrets_sign_while_they_overlap() {
    let (app, web) = start().await;
    let ada = app.account(9).await;
    let webhook = webhook(&ada, json!(["page.ready"])).await;
    let rotate = format!("{}/rotate_secret", webhook.path);
    let rotated = ada.post(&rotate, &json!({"overlap_hours": 2})).await.expect(200);
    let secret = rotated["secret"].as_str().unwrap();
    assert_ne!(secret, webhook.secret);
    app.ready_page(&ada, "A fox").await;
    deliver(&app).await;
    app.server.clock.advance(Duration::from_secs(2 * 3600));
    app.ready_page(&ada, "An owl").await;
    deliver(&app).await;
    let events = received(&web);
    let by = |secret: &str, event: &Received| signature(secret, &event.signed);
    let both = format!("{} {}", by(secret, &events[0]), by(&webhook.secret, &events[0]));
    assert_eq!(events[0].signature, both);
    assert_eq!(events[1].signature, by(secret, &events[1]));
    // Without an overlap, the secret before it is invalid at once.
    let rotated = ada.post_nothing(&rotate).await.expect(200);
    app.ready_page(&ada, "A hen").await;
    deliver(&app).await;
    let last = &received(&web)[2];
    assert_eq!(last.signature, by(rotated["secret"].as_str().unwrap(), last));
    ada.post(&rotate, &json!({"overlap_hours": 169}))
        .await
        .expect_fields(&["overlap_hours"]);
}

#[tokio::test]
async fn a_test_is_sent_whatever_events_the_webhook_takes() {
    let (app, web) = start().await;
    web.page("/events", status("200 OK"));
    let ada = app.account(9).await;
    let webhook = webhook(&ada, json!(["credits.low"])).await;
    let sent = ada.post_nothing(&format!("{}/test", webhook.path)).await.expect(200);
    assert_eq!(sent["delivery"]["status"], "waiting");
    deliver(&app).await;
    assert_eq!(types(&received(&web)), ["webhook.test"]);
    let log = deliveries(&ada, &webhook).await;
    assert_eq!(
        (&log[0]["id"], &log[0]["response"]),
        (&sent["delivery"]["id"], &json!("ok"))
    );
}

#[tokio::test]
async fn an_account_that_is_closed_or_suspended_gets_no_events() {
    let (app, web) = start().await;
    let operator = app.operator().await;
    let ada = app.account(9).await;
    webhook(&ada, json!([])).await;
    app.ready_page(&ada, "A fox").await;
    let path = format!("/admin/accounts/{}", ada.account_id().await);
    operator
        .post(&format!("{path}/suspend"), &json!({"reason": "Unpaid"}))
        .await
        .expect(200);
    deliver(&app).await;
    assert!(web.requests().is_empty());
    operator.post_nothing(&format!("{path}/resume")).await.expect(200);
    deliver(&app).await;
    assert_eq!(types(&received(&web)), ["operation.succeeded", "page.ready"]);
    operator.post_nothing(&format!("{path}/close")).await.expect(200);
    operator
        .patch(&path, &json!({"managed_account": {"plan": "business"}}))
        .await
        .expect(200);
    deliver(&app).await;
    assert_eq!(web.requests().len(), 2);
}

#[tokio::test]
async fn deliveries_are_deleted_after_a_month() {
    let (app, _web) = start().await;
    let ada = app.account(9).await;
    let webhook = webhook(&ada, json!([])).await;
    app.ready_page(&ada, "A fox").await;
    deliver(&app).await;
    app.server.clock.advance(Duration::from_secs(29 * 24 * 3600));
    assert!(testing::run_housekeeping_once(&app.server).await);
    assert_eq!(deliveries(&ada, &webhook).await.len(), 2);
    app.server.clock.advance(Duration::from_secs(24 * 3600));
    assert!(testing::run_housekeeping_once(&app.server).await);
    assert!(deliveries(&ada, &webhook).await.is_empty());
}
