//! Limits of requests in a minute, the headers that report them, and two nodes that share them.
use std::time::Duration;

use linepress::server;
use linepress_accounts::accounts::Plan;
use serde_json::{Value, json};

use super::limit;
use crate::test_app::{Actor, Reply, TestApp};
use crate::testing;

fn wish() -> Value {
    json!({"book_plan": {"theme": "A woodland day", "page_count": 2}})
}

#[tokio::test]
async fn planning_is_limited_in_a_minute_and_retry_after_is_true() {
    let app = TestApp::builder()
        .config(|config| config.limits.plans_per_minute = 3)
        .start()
        .await;
    let ada = app.account(0).await;
    for used in 0..3 {
        assert_eq!(limit(&ada, "plans_per_minute").await, json!({"limit": 3, "used": used}));
        ada.post("/book_plans", &wish()).await.expect(200);
    }
    assert_eq!(limit(&ada, "plans_per_minute").await, json!({"limit": 3, "used": 3}));
    for _ in 0..4 {
        let refused = ada.post("/book_plans", &wish()).await;
        refused.expect_error(429, "rate_limited");
        refused.expect_free();
        let wait: u64 = refused.header("retry-after").parse().unwrap();
        assert_eq!(wait, 20);
        app.server.clock.advance(Duration::from_secs(wait - 1));
        let early = ada.post("/book_plans", &wish()).await;
        early.expect_error(429, "rate_limited");
        assert_eq!(early.header("retry-after"), "1");
        app.server.clock.advance(Duration::from_secs(1));
        ada.post("/book_plans", &wish()).await.expect(200);
    }
}

#[tokio::test]
async fn retry_after_is_never_too_short_by_a_fraction() {
    // One place becomes free every 8.57 seconds.
    let app = TestApp::builder()
        .config(|config| config.limits.plans_per_minute = 7)
        .start()
        .await;
    let ada = app.account(0).await;
    for _ in 0..7 {
        ada.post("/book_plans", &wish()).await.expect(200);
    }
    for _ in 0..10 {
        let refused = ada.post("/book_plans", &wish()).await;
        refused.expect_error(429, "rate_limited");
        let wait = refused.header("retry-after").parse().unwrap();
        app.server.clock.advance(Duration::from_secs(wait));
        ada.post("/book_plans", &wish()).await.expect(200);
        while ada.post("/book_plans", &wish()).await.status == 200 {}
    }
}

/// The headers `RateLimit-Policy` and `RateLimit` of a response; `None` if it has neither.
fn rate_limit(reply: &Reply) -> Option<(String, String)> {
    let [policy, state] = ["ratelimit-policy", "ratelimit"].map(|name| reply.headers.get(name));
    assert_eq!(policy.is_some(), state.is_some());
    let [policy, state] = [policy?, state?].map(|value| value.to_str().unwrap().to_owned());
    Some((policy, state))
}

#[tokio::test]
async fn responses_report_what_is_left_of_a_rate_limit() {
    let app = TestApp::builder()
        .config(|config| {
            config.limits.plans_per_minute = 3;
            config.limits.changes_per_minute = 6;
        })
        .start()
        .await;
    let ada = app.account(3).await;
    let policy = |name: &str, times: u32| format!("\"{name}\";q={times};w=60");
    let plan = async || rate_limit(&ada.post("/book_plans", &wish()).await);
    for (left, seconds) in [(2, 20), (1, 40), (0, 60), (0, 60)] {
        let state = format!("\"plans_per_minute\";r={left};t={seconds}");
        assert_eq!(plan().await, Some((policy("plans_per_minute", 3), state)));
    }
    app.server.clock.advance(Duration::from_secs(25));
    let state = "\"plans_per_minute\";r=0;t=55".to_owned();
    assert_eq!(plan().await, Some((policy("plans_per_minute", 3), state)));

    let page = json!({"page": {"title": "A"}});
    let generate = async |key: &str, page: &Value| ada.generate("/pages", key, page).await;
    let drawn = generate("p1", &page).await;
    drawn.expect(202);
    let changes = |left: u32, seconds: u32| {
        let state = format!("\"changes_per_minute\";r={left};t={seconds}");
        Some((policy("changes_per_minute", 6), state))
    };
    assert_eq!(rate_limit(&drawn), changes(5, 10));
    // Neither a replay nor a rejected request counts.
    assert_eq!(rate_limit(&generate("p1", &page).await), None);
    let rejected = generate("p2", &json!({"page": {"title": ""}})).await;
    rejected.expect_error(422, "validation_failed");
    assert_eq!(rate_limit(&rejected), None);
    assert_eq!(rate_limit(&ada.get("/me").await), None);
    for key in ["p3", "p4"] {
        generate(key, &page).await.expect(202);
    }
    // The turn of a change that is rolled back is returned.
    let unpaid = generate("p5", &page).await;
    unpaid.expect_error(402, "insufficient_credits");
    assert_eq!(rate_limit(&unpaid), None);
    let key = json!({"key": {"name": "The shop"}});
    let made = ada.generate("/keys", "k1", &key).await;
    made.expect(201);
    let (policies, states) = rate_limit(&made).unwrap();
    assert_eq!(
        policies,
        "\"changes_per_minute\";q=6;w=60, \"new_keys_per_day\";q=100;w=86400"
    );
    assert_eq!(
        states,
        "\"changes_per_minute\";r=2;t=40, \"new_keys_per_day\";r=99;t=864"
    );
}

#[tokio::test]
async fn planning_is_limited_for_each_account_and_no_refused_request_counts() {
    let app = TestApp::builder()
        .config(|config| config.limits.plans_per_minute = 1)
        .start()
        .await;
    let ada = app.account(0).await;
    let ben = app.account_named("ben@example.com", Plan::Business, 0).await;
    ada.post("/book_plans", &json!({"book_plan": {"theme": "", "page_count": 2}}))
        .await
        .expect_error(422, "validation_failed");
    ada.post("/book_plans", &wish()).await.expect(200);
    ada.post("/book_plans", &wish()).await.expect_error(429, "rate_limited");
    ben.post("/book_plans", &wish()).await.expect(200);
}

#[tokio::test]
async fn two_nodes_on_one_database_share_the_limits() {
    let app = TestApp::builder()
        .config(|config| {
            config.limits.plans_per_minute = 2;
            config.limits.pages = 1;
        })
        .start()
        .await;
    let account = testing::create_account(&app.server, "ada@example.com", Plan::Business, 5)
        .await
        .unwrap();
    let (_, secret) = testing::create_key(&app.server, &account, "test").await.unwrap();
    let other = app.another_node().await;
    let here = app.with_key(secret.expose());
    let there = Actor::new(server::router(other.clone()), Some(secret.expose().into()));

    here.post("/book_plans", &wish()).await.expect(200);
    there.post("/book_plans", &wish()).await.expect(200);
    here.post("/book_plans", &wish())
        .await
        .expect_error(429, "rate_limited");
    there
        .post("/book_plans", &wish())
        .await
        .expect_error(429, "rate_limited");
    assert_eq!(
        limit(&there, "plans_per_minute").await,
        limit(&here, "plans_per_minute").await
    );

    let body = json!({"page": {"title": "A fox"}});
    let first = here.generate("/pages", "k1", &body).await;
    let replay = there.generate("/pages", "k1", &body).await;
    assert_eq!(replay.expect(202), first.expect(202));
    replay.expect_free();
    there
        .generate("/pages", "k2", &body)
        .await
        .expect_error(422, "account_limit_reached");
    assert!(testing::work_once(&other).await.unwrap());
    assert!(!testing::work_once(&app.server).await.unwrap());
    assert_eq!(
        here.look(first.header("location"), "operation").await["status"],
        "succeeded"
    );
    let cursor = async |actor: &Actor| actor.get("/pages?limit=1").await.expect(200);
    assert_eq!(cursor(&here).await, cursor(&there).await);
    assert_eq!((here.credits().await, there.credits().await), (4, 4));
    app.check_ledger().await;
}

#[tokio::test]
async fn changes_with_saved_replies_are_limited_per_minute() {
    let app = TestApp::builder()
        .config(|config| config.limits.changes_per_minute = 6)
        .start()
        .await;
    let ada = app.account(9).await;
    let book = app.ready_book(&ada, &["A"]).await;
    let page = app.imported_page(&ada, "A fox").await;
    let path = format!("/books/{book}/pages");
    let body = json!({"page_id": page});
    assert_eq!(limit(&ada, "changes_per_minute").await, json!({"limit": 6, "used": 1}));
    for number in 0..5 {
        let attached = ada.generate(&path, &format!("a{number}"), &body).await;
        attached.expect(200);
        ada.delete(&format!("{path}/{page}")).await.expect_no_content();
    }
    assert_eq!(limit(&ada, "changes_per_minute").await, json!({"limit": 6, "used": 6}));
    let refused = ada.generate(&path, "a5", &body).await;
    refused.expect_error(429, "rate_limited");
    assert_eq!(refused.header("retry-after"), "10");
    let generate = async || ada.generate("/pages", "p1", &json!({"page": {"title": "A"}})).await;
    generate().await.expect_error(429, "rate_limited");
    // Replays still succeed, and so do changes whose replies are not saved.
    ada.generate(&path, "a0", &body).await.expect(200);
    ada.post(&path, &body).await.expect(200);
    app.server.clock.advance(Duration::from_secs(10));
    // A refused change does not count.
    let refused = ada.generate(&path, "a5", &body).await;
    refused.expect_fields(&["page_id"]);
    generate().await.expect(202);
    generate().await.expect(202);
    assert_eq!(ada.credits().await, 7);
}
