//! Credits and idempotency: each request is charged once.
use futures::future::join_all;
use serde_json::json;

use crate::test_app::TestApp;

#[tokio::test(flavor = "multi_thread")]
async fn fifty_identical_requests_at_once_make_one_page_and_one_charge() {
    let app = TestApp::start().await;
    let ada = app.account(20).await;
    let body = json!({"page": {"title": "A fox"}});
    let replies = join_all((0..50).map(|_| {
        let (ada, body) = (ada.clone(), body.clone());
        tokio::spawn(async move { ada.generate("/pages", "the-same-key", &body).await })
    }))
    .await;
    let replies: Vec<_> = replies.into_iter().map(Result::unwrap).collect();
    assert!(
        replies
            .iter()
            .all(|reply| reply.status == 202 && reply.body == replies[0].body)
    );
    let consumed: i64 = replies
        .iter()
        .map(|reply| reply.header("x-service-credits-consumed").parse::<i64>().unwrap())
        .sum();
    assert_eq!(consumed, 1);
    assert_eq!(
        replies
            .iter()
            .filter(|reply| reply.headers.contains_key("idempotency-replayed"))
            .count(),
        49
    );
    assert_eq!(
        ada.get("/pages").await.expect(200)["pages"].as_array().unwrap().len(),
        1
    );
    assert_eq!(ada.credits().await, 19);
    app.check_ledger().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn fifty_requests_against_twenty_credits_make_exactly_twenty_pages() {
    let app = TestApp::start().await;
    let ada = app.account(20).await;
    let replies = join_all((0..50).map(|number| {
        let ada = ada.clone();
        let body = json!({"page": {"title": format!("Page {number}")}});
        tokio::spawn(async move { ada.generate("/pages", &format!("key-{number}"), &body).await })
    }))
    .await;
    let replies: Vec<_> = replies.into_iter().map(Result::unwrap).collect();
    assert_eq!(replies.iter().filter(|reply| reply.status == 202).count(), 20);
    for refused in replies.iter().filter(|reply| reply.status != 202) {
        refused.expect_error(402, "insufficient_credits");
    }
    assert_eq!(
        ada.get("/pages?limit=100").await.expect(200)["pages"]
            .as_array()
            .unwrap()
            .len(),
        20
    );
    assert_eq!(ada.credits().await, 0);
    app.check_ledger().await;
}
