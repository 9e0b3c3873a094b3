//! An event is sent until it is accepted, by one node, with the secrets that are valid.
use std::net::{Ipv4Addr, TcpListener};
use std::time::Duration;

use linepress_accounts::accounts::Plan;
use linepress_accounts::webhooks::{self, AttemptResult, Response};
use linepress_egress::Fetcher;
use serde_json::{Value, json};

use super::{LONG, Received, URL, deliver, deliveries, received, signature, start, status, types, webhook};
use crate::test_app::{Page, TestApp, Web};
use crate::testing;

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
            error.starts_with("The name of the host has no address that this server may connect to."),
            "{error}"
        );
    }
    assert_eq!(ada.get(&fine).await.expect(200)["deliveries"][0]["status"], "delivered");
}

#[tokio::test]
async fn the_log_says_why_a_receiver_did_not_answer() {
    let (web, other) = (
        Web::open_for(&["shop.test"]).await,
        Web::open_for(&["other.test"]).await,
    );
    web.page("/closed", Page::Whole(Vec::new()));
    web.page("/strange", Page::Whole(b"SSH-2.0-OpenSSH\r\n\r\n".to_vec()));
    let listen = || TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let (silent, plain) = (listen(), listen());
    let closed_port = listen().local_addr().unwrap();
    let mut settings = web.settings();
    settings.limits.connect = Duration::from_secs(2);
    settings.exceptions.hosts.push("own.test".into());
    for (name, address) in [
        ("refusing.test", closed_port),
        ("own.test", closed_port),
        ("silent.test", silent.local_addr().unwrap()),
        ("plain.test", plain.local_addr().unwrap()),
        ("untrusted.test", other.address),
        ("misnamed.test", web.address),
    ] {
        web.name(name, [address]);
        settings.exceptions.addresses.push(address);
    }
    web.name("private.test", ["10.0.0.7:0".parse().unwrap()]);
    // It ends each connection at once.
    std::thread::spawn(move || plain.incoming().for_each(drop));
    let app = TestApp::builder().webhook_fetcher(Fetcher::new(settings)).start().await;
    let ada = app.account(9).await;
    let mut logs = Vec::new();
    for (url, error) in [
        ("https://nowhere.test/", "The name of the host has no address "),
        ("https://private.test/", "The name of the host has no address "),
        ("https://refusing.test/", "The host refused the connection."),
        ("https://silent.test/", "The host did not respond in time."),
        ("https://untrusted.test/", "This server does not trust the certificate "),
        (
            "https://misnamed.test/",
            "The certificate of the host is for another name.",
        ),
        ("https://plain.test/", "No secure connection to the host can be made."),
        ("https://shop.test/closed", "The host closed the connection "),
        ("https://shop.test/strange", "The response of the host is not HTTP/1.1."),
        // A host in the network behind the server.
        (
            "https://own.test/",
            "There was no response within 15 seconds, or no secure connection ",
        ),
    ] {
        let wanted = json!({"webhook": {"url": url, "events": ["page.ready"]}});
        let made = ada.post("/webhooks", &wanted).await.expect(201);
        let path = format!("/webhooks/{}/deliveries", made["webhook"]["id"].as_str().unwrap());
        logs.push((path, error));
    }
    app.ready_page(&ada, "A fox").await;
    deliver(&app).await;
    for (path, error) in logs {
        let log = ada.get(&path).await.expect(200)["deliveries"].clone();
        assert!(log[0]["error"].as_str().unwrap().starts_with(error), "{error}: {log}");
    }
    drop(silent);
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
async fn each_attempt_renews_the_claim() {
    let (app, _web) = start().await;
    let ada = app.account(9).await;
    webhook(&ada, json!(["page.ready"])).await;
    app.ready_page(&ada, "A fox").await;
    app.ready_page(&ada, "An owl").await;
    let lease = Duration::from_secs(30);
    let mut claimed = webhooks::claim(&app.server, lease).await.unwrap().unwrap();
    app.server.clock.advance(lease * 2 / 3);
    let delivery = webhooks::next_due(&app.server, &claimed).await.unwrap().unwrap();
    let accepted = AttemptResult {
        response: Ok(Response {
            status: 204,
            text: String::new(),
        }),
        duration: Duration::ZERO,
    };
    let concluded = webhooks::conclude(&app.server, &mut claimed, &delivery, &accepted).await;
    assert!(concluded.unwrap());
    app.server.clock.advance(lease * 2 / 3);
    assert!(webhooks::claim(&app.server, lease).await.unwrap().is_none());
    assert!(webhooks::next_due(&app.server, &claimed).await.unwrap().is_some());
}

#[tokio::test]
async fn the_webhooks_of_one_account_do_not_occupy_all_tasks() {
    let (app, _web) = start().await;
    let ada = app.account(9).await;
    let bob = app.account_named("bob@example.com", Plan::Business, 9).await;
    for _ in 0..3 {
        webhook(&ada, json!(["page.ready"])).await;
    }
    app.ready_page(&ada, "A fox").await;
    let lease = Duration::from_secs(30);
    let claim = async || webhooks::claim(&app.server, lease).await.unwrap();
    let claimed = [claim().await.unwrap(), claim().await.unwrap()];
    assert!(claim().await.is_none());
    webhook(&bob, json!(["page.ready"])).await;
    app.ready_page(&bob, "An owl").await;
    assert!(claim().await.is_some());
    // A webhook that rests after a failure does not count.
    webhooks::release(&app.server, &claimed[0], true).await.unwrap();
    assert!(claim().await.is_some());
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
