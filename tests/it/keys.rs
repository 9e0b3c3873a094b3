//! What an API key allows: its scopes, its networks, its expiry and its spending limit, and what is recorded of its
//! use. `coverage` compares the scopes of every operation; `rest::keys` makes, rotates and revokes keys.
use std::convert::Infallible;
use std::time::Duration;

use crate::testing;
use axum::body::Body;
use futures::future::join_all;
use futures::stream;
use linepress_accounts::accounts::{self, NewApiKey};
use linepress_platform::clock::Timestamp;
use linepress_platform::credit_period::CreditPeriod;
use linepress_platform::ids::KeyId;
use linepress_platform::scopes::Scope;
use serde_json::{Value, json};

use crate::test_app::{Actor, Reply, TestApp, book_of, wait_until};

const HOUR: Duration = Duration::from_secs(3600);
const DAY: Duration = Duration::from_secs(24 * 3600);

/// A key of Ada's account, and a client that uses it.
async fn key(app: &TestApp, terms: NewApiKey) -> (KeyId, Actor) {
    let account = app.account_of("ada@example.com").await;
    let (key, secret) = testing::create_key_with(&app.server, &account, &terms).await.unwrap();
    (key.id, app.with_key(secret.expose()))
}

fn named() -> NewApiKey {
    NewApiKey::named("The shop")
}

async fn shown(ada: &Actor, id: &KeyId) -> Value {
    ada.look(&format!("/keys/{id}"), "key").await
}

async fn spent(ada: &Actor, id: &KeyId) -> i64 {
    shown(ada, id).await["credits_spent"].as_i64().unwrap()
}

async fn order(app: &TestApp, actor: &Actor, pages: usize) -> Reply {
    actor.generate("/books", &app.new_key(), &book_of(pages)).await
}

#[tokio::test]
async fn a_key_works_until_it_expires() {
    let app = TestApp::start().await;
    app.account(5).await;
    let end = app.server.clock.now().plus(HOUR);
    let (_, shop) = key(
        &app,
        NewApiKey {
            expires_at: Some(end),
            ..named()
        },
    )
    .await;
    app.server
        .clock
        .advance(HOUR.checked_sub(Duration::from_secs(1)).unwrap());
    shop.get("/me").await.expect(200);
    app.server.clock.advance(Duration::from_secs(1));
    let reply = shop.get("/me").await;
    let error = reply.expect_error(401, "unauthorized");
    assert!(
        error["message"].as_str().unwrap().contains("may have expired"),
        "{error}"
    );
    assert_eq!(reply.header("www-authenticate"), "Bearer");
}

#[tokio::test]
async fn a_key_works_from_its_networks_only_and_a_trusted_proxy_names_the_client() {
    let app = TestApp::builder()
        .config(|config| config.trusted_proxies = vec!["127.0.0.0/8".parse().unwrap()])
        .start()
        .await;
    let ada = app.account(5).await;
    app.make_operator("ada@example.com").await;
    let networks = ["203.0.113.0/24", "2001:db8::/32"].map(str::to_owned);
    let (_, shop) = key(
        &app,
        NewApiKey {
            allowed_networks: Some(networks.into()),
            ..named()
        },
    )
    .await;
    let from = async |path: &str, forwarded: &str| {
        let headers = [("x-forwarded-for", forwarded)];
        shop.send("GET", path, &headers, Body::empty()).await
    };
    for inside in [
        "203.0.113.9",
        "198.51.100.1, 203.0.113.9",
        "203.0.113.9:4711",
        "::ffff:203.0.113.9",
        "[2001:db8:7::1]",
    ] {
        from("/me", inside).await.expect(200);
    }
    // The client may have written every address but the last one.
    for (outside, address) in [
        ("198.51.100.1", "198.51.100.1"),
        ("203.0.113.9, 198.51.100.1", "198.51.100.1"),
        ("2001:db9::1", "2001:db9::1"),
        ("nonsense", "127.0.0.1"),
    ] {
        for path in ["/me", "/print_formats", "/keys", "/admin/settings"] {
            let reply = from(path, outside).await;
            let error = reply.expect_error(403, "insufficient_scope");
            let message = error["message"].as_str().unwrap();
            assert!(message.contains(&format!("from {address}")), "{message}");
            assert!(message.contains("one of the key's networks"), "{message}");
            reply.expect_free();
        }
    }
    // Without the header, the proxy itself is the client.
    shop.get("/me").await.expect_error(403, "insufficient_scope");
    order(&app, &shop, 1).await.expect_error(403, "insufficient_scope");
    ada.get("/me").await.expect(200);
    assert_eq!(ada.credits().await, 5);
}

#[tokio::test]
async fn an_untrusted_client_cannot_claim_an_address() {
    let app = TestApp::start().await;
    app.account(5).await;
    let terms = NewApiKey {
        allowed_networks: Some(vec!["203.0.113.0/24".into()]),
        ..named()
    };
    let (_, shop) = key(&app, terms).await;
    let headers = [("x-forwarded-for", "203.0.113.9")];
    let reply = shop.send("GET", "/me", &headers, Body::empty()).await;
    reply.expect_error(403, "insufficient_scope");
}

#[tokio::test]
async fn a_key_spends_up_to_its_limit_and_what_is_refunded_again() {
    let app = TestApp::start().await;
    let ada = app.account(50).await;
    let (id, shop) = key(
        &app,
        NewApiKey {
            credit_cap: Some(4),
            ..named()
        },
    )
    .await;
    order(&app, &shop, 3).await.expect(202);
    let refused = order(&app, &shop, 2).await;
    let error = refused.expect_error(402, "credit_cap_reached");
    assert_eq!(
        error["message"],
        "This needs 2 credits and the API key may spend 1 more of its limit of 4. Send a key with a higher limit."
    );
    refused.expect_free();
    assert_eq!(spent(&ada, &id).await, 3);
    let accepted = app.accepted(&shop, "/pages", &json!({"page": {"title": "A"}})).await;
    order(&app, &shop, 1).await.expect_error(402, "credit_cap_reached");
    let cancel = format!("/operations/{}/cancel", accepted.operation_id());
    shop.post_nothing(&cancel).await.expect(200);
    assert_eq!(spent(&ada, &id).await, 3);
    order(&app, &shop, 1).await.expect(202);
    app.draw_everything().await;
    // Without a period, the limit never begins again; other keys have their own.
    app.server.clock.advance(400 * DAY);
    order(&app, &shop, 1).await.expect_error(402, "credit_cap_reached");
    order(&app, &ada, 1).await.expect(202);
    app.check_ledger().await;
}

#[tokio::test]
async fn a_limit_begins_again_with_each_period_and_no_refund_of_an_earlier_one_counts() {
    let app = TestApp::start().await;
    let ada = app.account(50).await;
    for (period, word, next) in [
        (CreditPeriod::Day, "a day", "2026-11-22T00:00:00Z"),
        (CreditPeriod::Month, "a month", "2026-12-01T00:00:00Z"),
    ] {
        let (id, shop) = key(
            &app,
            NewApiKey {
                credit_cap: Some(2),
                credit_period: Some(period),
                ..named()
            },
        )
        .await;
        let early = app.accepted(&shop, "/books", &book_of(2)).await;
        let error = order(&app, &shop, 1).await.expect_error(402, "credit_cap_reached");
        assert!(error["message"].as_str().unwrap().contains(word), "{error}");
        let next: Timestamp = serde_json::from_value(next.into()).unwrap();
        app.server
            .clock
            .advance(next.minus(Duration::from_secs(1)).since(app.server.clock.now()));
        order(&app, &shop, 1).await.expect_error(402, "credit_cap_reached");
        assert_eq!(spent(&ada, &id).await, 2);
        app.server.clock.advance(Duration::from_secs(1));
        assert_eq!(spent(&ada, &id).await, 0, "{period}");
        order(&app, &shop, 1).await.expect(202);
        // What was spent in the earlier period is refunded to the account, not to the present period.
        let cancel = format!("/operations/{}/cancel", early.operation_id());
        shop.post_nothing(&cancel).await.expect(200);
        assert_eq!(spent(&ada, &id).await, 1);
        order(&app, &shop, 2).await.expect_error(402, "credit_cap_reached");
        order(&app, &shop, 1).await.expect(202);
    }
    app.draw_everything().await;
    app.check_ledger().await;
}

#[tokio::test]
async fn concurrent_orders_do_not_exceed_the_limit_of_a_key() {
    let app = TestApp::start().await;
    let ada = app.account(50).await;
    let terms = NewApiKey {
        credit_cap: Some(3),
        credit_period: Some(CreditPeriod::Day),
        ..named()
    };
    let (id, shop) = key(&app, terms).await;
    let replies = join_all((0..8).map(|_| order(&app, &shop, 1))).await;
    let accepted = replies.iter().filter(|reply| reply.status == 202).count();
    assert_eq!((accepted, spent(&ada, &id).await), (3, 3));
    for refused in replies.iter().filter(|reply| reply.status != 202) {
        refused.expect_error(402, "credit_cap_reached");
    }
    app.draw_everything().await;
    assert_eq!(ada.credits().await, 47);
    app.check_ledger().await;
}

#[tokio::test]
async fn both_secrets_of_a_rotated_key_spend_from_one_limit() {
    let app = TestApp::start().await;
    let ada = app.account(50).await;
    let terms = NewApiKey {
        credit_cap: Some(3),
        ..named()
    };
    let (id, old) = key(&app, terms).await;
    order(&app, &old, 1).await.expect(202);
    let rotated = ada.post_nothing(&format!("/keys/{id}/rotate")).await.expect(200);
    let new = app.with_key(rotated["secret"].as_str().unwrap());
    order(&app, &new, 1).await.expect(202);
    order(&app, &old, 1).await.expect(202);
    for actor in [&old, &new] {
        order(&app, actor, 1).await.expect_error(402, "credit_cap_reached");
    }
}

#[tokio::test]
async fn a_refused_order_spends_nothing_of_the_limit() {
    let app = TestApp::start().await;
    let ada = app.account(2).await;
    let terms = NewApiKey {
        credit_cap: Some(10),
        ..named()
    };
    let (id, shop) = key(&app, terms).await;
    order(&app, &shop, 3).await.expect_error(402, "insufficient_credits");
    assert_eq!(spent(&ada, &id).await, 0);
    let body = book_of(1);
    shop.generate("/books", "k1", &body).await.expect(202);
    shop.generate("/books", "k1", &body).await.expect(202);
    assert_eq!(spent(&ada, &id).await, 1, "a replay spends nothing");
}

#[tokio::test]
async fn the_last_use_of_a_key_is_recorded_at_most_once_a_minute() {
    let app = TestApp::start().await;
    let ada = app.account(5).await;
    let (id, shop) = key(&app, named()).await;
    let last_use = async || shown(&ada, &id).await["last_used_at"].clone();
    assert_eq!(last_use().await, Value::Null);
    shop.get("/me").await.expect(200);
    wait_until("the first use is recorded", async || {
        last_use().await == "2026-11-21T12:00:00.000Z"
    })
    .await;
    app.server.clock.advance(Duration::from_secs(60));
    shop.get("/me").await.expect(200);
    assert_eq!(last_use().await, "2026-11-21T12:00:00.000Z");
    app.server.clock.advance(Duration::from_secs(1));
    shop.get("/me").await.expect(200);
    wait_until("a later use is recorded", async || {
        last_use().await == "2026-11-21T12:01:01.000Z"
    })
    .await;
}

#[tokio::test]
async fn a_key_without_a_scope_is_told_which_it_lacks() {
    let app = TestApp::start().await;
    app.account(5).await;
    let terms = NewApiKey {
        scopes: Some(vec![Scope::BooksRead]),
        ..named()
    };
    let (_, shop) = key(&app, terms).await;
    let error = order(&app, &shop, 1).await.expect_error(403, "insufficient_scope");
    assert_eq!(
        error["message"],
        "This API key does not have the scopes for this. It lacks: books:write credits:spend. Send a key that has them, or create one."
    );
}

#[tokio::test]
async fn an_order_is_refused_when_its_key_is_rotated_meanwhile() {
    let app = TestApp::start().await;
    let ada = app.account(5).await;
    let account = app.account_of("ada@example.com").await;
    let (id, shop) = key(&app, named()).await;
    // The request is authenticated before its body is sent.
    let (owner, text) = (ada.clone(), book_of(1).to_string());
    let body = Body::from_stream(stream::once(async move {
        let path = format!("/keys/{id}/rotate");
        owner.post(&path, &json!({"overlap_hours": 0})).await.expect(200);
        Ok::<_, Infallible>(text)
    }));
    let headers = [("content-type", "application/json"), ("idempotency-key", "k1")];
    let reply = shop.send("POST", "/books", &headers, body).await;
    let error = reply.expect_error(401, "unauthorized");
    assert!(
        error["message"].as_str().unwrap().contains("revoked or rotated"),
        "{error}"
    );
    assert_eq!(ada.credits().await, 5);
    assert_eq!(accounts::list_keys(&app.server, &account).await.unwrap().len(), 2);
}
