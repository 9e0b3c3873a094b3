//! Callbacks: the `callback_url` of an order gets the event of its end, signed and sent again like the events of
//! webhooks.
use std::time::Duration;

use linepress_accounts::accounts::Plan;
use serde_json::{Value, json};

use crate::test_app::{Actor, Reply, TestApp, Web, book_of};
use crate::testing;
use crate::webhooks::{signature, status};

const URL: &str = "https://shop.test/orders/1";

/// Longer than every delay between two attempts.
const LONG: Duration = Duration::from_secs(9 * 3600);

/// A server, and a receiver of callbacks that responds with 204.
async fn start() -> (TestApp, Web) {
    let web = Web::open_for(&["shop.test"]).await;
    forget(&web);
    let app = TestApp::builder().webhook_fetcher(web.fetcher()).start().await;
    (app, web)
}

/// Forgets what the receiver got. It continues to respond with 204.
fn forget(web: &Web) {
    web.clear();
    for path in ["/orders/1", "/orders/2", "/events"] {
        web.page(path, status("204 No Content"));
    }
}

fn with_callback(mut body: Value, url: &str) -> Value {
    body["callback_url"] = url.into();
    body
}

fn page() -> Value {
    json!({"page": {"title": "A fox"}})
}

async fn deliver(app: &TestApp) {
    while testing::deliver_to_webhook(&app.server).await.unwrap() {}
}

/// The secret of the account's callbacks, and the path of their webhook.
async fn secret(actor: &Actor) -> (String, String) {
    let made = actor.post_nothing("/callback_secret").await.expect(200);
    let path = format!("/webhooks/{}", made["webhook"]["id"].as_str().unwrap());
    (made["secret"].as_str().unwrap().to_owned(), path)
}

/// A callback: the path, the id of its event, its body, and the signature with the text that was signed.
struct Received {
    path: String,
    id: String,
    body: Value,
    signature: String,
    signed: String,
}

fn received(web: &Web) -> Vec<Received> {
    web.requests().iter().map(|request| parsed(request)).collect()
}

fn parsed(request: &str) -> Received {
    let (head, body) = request.split_once("\r\n\r\n").unwrap();
    let header = |name: &str| {
        let mut lines = head.lines().filter_map(|line| line.split_once(": "));
        let found = lines.find(|(other, _)| other.eq_ignore_ascii_case(name));
        found.unwrap_or_else(|| panic!("no {name}: {head}")).1.to_owned()
    };
    Received {
        path: head.split(' ').nth(1).unwrap().to_owned(),
        signed: format!("{}.{}.{body}", header("webhook-id"), header("webhook-timestamp")),
        id: header("webhook-id"),
        signature: header("webhook-signature"),
        body: serde_json::from_str(body).unwrap(),
    }
}

async fn log(actor: &Actor, webhook: &str) -> Vec<Value> {
    let listed = actor.get(&format!("{webhook}/deliveries")).await.expect(200);
    listed["deliveries"].as_array().unwrap().clone()
}

#[tokio::test]
async fn every_order_can_name_an_address_that_gets_its_end_and_nothing_else() {
    let (app, web) = start().await;
    let ada = app.account(50).await;
    let (secret, webhook) = secret(&ada).await;
    let book = app.ready_book(&ada, &["An owl"]).await;
    let drawn = app.ready_page(&ada, "A fox").await;
    let character = app.ready_character(&ada, "Rosa").await;
    let instruction = json!({"page": {"instruction": "Remove the hat"}});
    let orders = [
        ("/books".to_owned(), book_of(1)),
        ("/pages".into(), page()),
        ("/characters".into(), json!({"character": {"name": "Tom"}})),
        (format!("/pages/{drawn}/regenerate"), json!({})),
        (format!("/pages/{drawn}/refine"), instruction),
        (format!("/characters/{character}/regenerate"), json!({})),
        (format!("/books/{book}/cover/regenerate"), json!({})),
        (format!("/books/{book}/pages"), page()),
        (
            format!("/books/{book}/restyle"),
            json!({"book": {"detail": "detailed"}}),
        ),
    ];
    for (path, body) in &orders {
        forget(&web);
        let accepted = app.accepted(&ada, path, &with_callback(body.clone(), URL)).await;
        app.draw_everything().await;
        deliver(&app).await;
        let callbacks = received(&web);
        assert_eq!(callbacks.len(), 1, "{path}");
        let callback = &callbacks[0];
        assert_eq!(callback.path, "/orders/1");
        assert_eq!(callback.signature, signature(&secret, &callback.signed), "{path}");
        assert_eq!(callback.body["type"], "operation.succeeded", "{path}");
        assert_eq!(callback.body["data"]["operation_id"], accepted.operation_id());
        assert_eq!(callback.body["data"]["status"], "succeeded");
    }
    let log = log(&ada, &webhook).await;
    assert_eq!(log.len(), orders.len());
    for entry in log {
        assert_eq!((&entry["url"], &entry["status"]), (&json!(URL), &json!("delivered")));
    }
    // An order without an address calls none.
    forget(&web);
    app.ready_page(&ada, "A pig").await;
    deliver(&app).await;
    assert!(web.requests().is_empty());
}

#[tokio::test]
async fn a_callback_comes_next_to_the_events_of_webhooks_and_tells_of_failures() {
    let (app, web) = start().await;
    let ada = app.account(9).await;
    let new = json!({"webhook": {"url": "https://shop.test/events", "events": ["operation.failed"]}});
    ada.post("/webhooks", &new).await.expect(201);
    let accepted = app.accepted(&ada, "/books", &with_callback(book_of(1), URL)).await;
    let cancel = format!("/operations/{}/cancel", accepted.operation_id());
    ada.post_nothing(&cancel).await.expect(200);
    deliver(&app).await;
    let callbacks = received(&web);
    let mut paths: Vec<&str> = callbacks.iter().map(|one| one.path.as_str()).collect();
    paths.sort_unstable();
    assert_eq!(paths, ["/events", "/orders/1"]);
    assert!(callbacks.iter().all(|one| one.body["type"] == "operation.failed"));
    // The webhook of callbacks does not count toward the limit of webhooks.
    for _ in 1..10 {
        ada.post("/webhooks", &new).await.expect(201);
    }
    ada.post("/webhooks", &new)
        .await
        .expect_error(422, "account_limit_reached");
}

#[tokio::test]
async fn a_callback_is_sent_again_and_a_bad_address_delays_no_other() {
    let (app, web) = start().await;
    let ada = app.account(9).await;
    let (_, webhook) = secret(&ada).await;
    web.pages(
        "/orders/1",
        [status("500 Internal Server Error"), status("204 No Content")],
    );
    web.page("/orders/2", status("410 Gone"));
    for url in ["https://shop.test/orders/2", URL] {
        app.accepted(&ada, "/pages", &with_callback(page(), url)).await;
    }
    app.draw_what_is_due().await;
    deliver(&app).await;
    // Both were tried at once, and the one that is gone is not tried again.
    assert_eq!(received(&web).len(), 2);
    app.server.clock.advance(LONG);
    deliver(&app).await;
    let all = received(&web);
    let to = |path: &str| {
        let ids = all.iter().filter(|one| one.path == path).map(|one| one.id.as_str());
        ids.collect::<Vec<_>>()
    };
    let (first, second) = (to("/orders/1"), to("/orders/2"));
    assert_eq!((first.len(), second.len()), (2, 1));
    assert_eq!(first[0], first[1], "the same event");
    let shown = ada.look(&webhook, "webhook").await;
    assert_eq!((&shown["paused_at"], &shown["url"]), (&Value::Null, &json!("")));
    let log = log(&ada, &webhook).await;
    let mut states: Vec<&str> = log.iter().map(|one| one["status"].as_str().unwrap()).collect();
    states.sort_unstable();
    assert_eq!(states, ["delivered", "failed"]);
}

#[tokio::test]
async fn an_address_that_may_not_be_called_is_refused_before_anything_is_charged() {
    let (app, web) = start().await;
    let ada = app.account(9).await;
    let refused = |reply: Reply| {
        reply.expect_fields(&["callback_url"]);
        reply.expect_free();
    };
    for (path, body) in [
        ("/books", book_of(1)),
        ("/pages", page()),
        ("/characters", json!({"character": {"name": "Rosa"}})),
    ] {
        for url in [
            "http://shop.test/orders/1",
            "https://shop.test:8443/",
            "https://127.0.0.1/",
            "shop",
            "https://shöp.test/",
        ] {
            let order = with_callback(body.clone(), url);
            refused(ada.generate(path, &app.new_key(), &order).await);
        }
    }
    assert_eq!((ada.credits().await, ada.count("operations").await), (9, 0));
    assert!(web.requests().is_empty());
    // A ready page is attached at once: there is no end to wait for.
    let book = app.ready_book(&ada, &["An owl"]).await;
    let page = app.ready_page(&ada, "A fox").await;
    let attach = json!({"page_id": page, "callback_url": URL});
    refused(ada.post(&format!("/books/{book}/pages"), &attach).await);
}

#[tokio::test]
async fn the_address_is_a_part_of_the_request_that_a_key_belongs_to() {
    let (app, web) = start().await;
    let ada = app.account(9).await;
    let order = with_callback(book_of(1), URL);
    ada.generate("/books", "k1", &order).await.expect(202);
    let again = ada.generate("/books", "k1", &order).await;
    again.expect(202);
    assert_eq!(again.header("idempotency-replayed"), "true");
    for other in [
        book_of(1),
        with_callback(book_of(1), "https://shop.test/orders/2"),
        with_callback(book_of(1), "nonsense"),
    ] {
        ada.generate("/books", "k1", &other)
            .await
            .expect_error(409, "idempotency_conflict");
    }
    app.draw_what_is_due().await;
    deliver(&app).await;
    assert_eq!(received(&web).len(), 1, "one order, one callback");
}

#[tokio::test]
async fn the_secret_of_callbacks_is_replaced_with_an_overlap_and_an_order_makes_the_first() {
    let (app, web) = start().await;
    let ada = app.account(9).await;
    let order = async || {
        forget(&web);
        app.accepted(&ada, "/pages", &with_callback(page(), URL)).await;
        app.draw_what_is_due().await;
        deliver(&app).await;
        received(&web).remove(0)
    };
    order().await;
    let listed = ada.get("/webhooks").await.expect(200);
    assert_eq!(listed["webhooks"].as_array().unwrap().len(), 1);
    assert!(listed["webhooks"][0]["callbacks_since"].is_string());
    let (first, webhook) = secret(&ada).await;
    let reply = ada.post("/callback_secret", &json!({"overlap_hours": 1})).await;
    let reply = reply.expect(200);
    let second = reply["secret"].as_str().unwrap();
    assert!(webhook.ends_with(reply["webhook"]["id"].as_str().unwrap()));
    let callback = order().await;
    let both = [signature(second, &callback.signed), signature(&first, &callback.signed)];
    assert_eq!(callback.signature, both.join(" "));
    ada.post("/callback_secret", &json!({"overlap_hours": 169}))
        .await
        .expect_fields(&["overlap_hours"]);
    for (change, field) in [
        (json!({"url": "https://shop.test/events"}), "webhook.url"),
        (json!({"events": ["page.ready"]}), "webhook.events"),
    ] {
        let reply = ada.patch(&webhook, &json!({"webhook": change})).await;
        reply.expect_fields(&[field]);
    }
    ada.post_nothing(&format!("{webhook}/test"))
        .await
        .expect_fields(&["webhook"]);
    let limited = json!({"key": {"name": "Shop", "credit_cap": 5}});
    let made = ada.post("/keys", &limited).await.expect(201);
    let limited = app.with_key(made["secret"].as_str().unwrap());
    limited
        .post_nothing("/callback_secret")
        .await
        .expect_error(403, "insufficient_scope");
    limited
        .generate("/pages", "k9", &with_callback(page(), URL))
        .await
        .expect(202);
}

#[tokio::test]
async fn paused_callbacks_are_not_sent_and_a_delivery_can_be_repeated() {
    let (app, web) = start().await;
    let ada = app.account(9).await;
    let (_, webhook) = secret(&ada).await;
    app.accepted(&ada, "/pages", &with_callback(page(), URL)).await;
    app.draw_what_is_due().await;
    deliver(&app).await;
    let delivery = log(&ada, &webhook).await[0]["id"].as_str().unwrap().to_owned();
    let replay = format!("{webhook}/deliveries/{delivery}/replay");
    ada.post_nothing(&replay).await.expect(200);
    deliver(&app).await;
    let callbacks = received(&web);
    assert_eq!((callbacks.len(), &callbacks[0].id), (2, &callbacks[1].id));
    let pause = |paused: bool| json!({"webhook": {"paused": paused}});
    ada.patch(&webhook, &pause(true)).await.expect(200);
    app.accepted(&ada, "/pages", &with_callback(page(), URL)).await;
    app.draw_what_is_due().await;
    ada.patch(&webhook, &pause(false)).await.expect(200);
    deliver(&app).await;
    assert_eq!(received(&web).len(), 2);
    ada.delete(&webhook).await.expect_no_content();
    assert_eq!(ada.get("/webhooks").await.expect(200)["webhooks"], json!([]));
}

#[tokio::test]
async fn orders_from_before_the_webhook_of_callbacks_was_deleted_have_none() {
    let (app, web) = start().await;
    let ada = app.account(9).await;
    let (_, webhook) = secret(&ada).await;
    app.accepted(&ada, "/pages", &with_callback(page(), URL)).await;
    ada.delete(&webhook).await.expect_no_content();
    // Another one is made with the next order.
    let later = with_callback(page(), "https://shop.test/orders/2");
    app.accepted(&ada, "/pages", &later).await;
    app.draw_everything().await;
    deliver(&app).await;
    let paths: Vec<String> = received(&web).into_iter().map(|one| one.path).collect();
    assert_eq!(paths, ["/orders/2"]);
}

#[tokio::test]
async fn the_browser_shows_the_callbacks_with_their_addresses() {
    let (app, _web) = start().await;
    let mut ada = app.person("ada@example.com", Plan::Business, 9).await;
    let account = app.account_of("ada@example.com").await;
    let (_, key) = testing::create_key(&app.server, &account, "shop").await.unwrap();
    let shop = app.with_key(key.expose());
    let (_, webhook) = secret(&shop).await;
    app.accepted(&shop, "/pages", &with_callback(page(), URL)).await;
    app.draw_what_is_due().await;
    deliver(&app).await;
    let list = ada.get("/account/webhooks").await;
    list.expect(200, "Callbacks of single orders")
        .expect(200, "name a callback_url");
    let shown = ada.get(&format!("/account{webhook}")).await;
    shown.expect(200, "A drawing order succeeded").expect(200, URL);
    assert!(!shown.text.contains("Send a test") && !shown.text.contains("Address and events"));
}
