//! Credits and idempotency: one request, one charge, whatever happens in between.
use futures::future::join_all;
use serde_json::json;

use crate::house::House;

#[tokio::test(flavor = "multi_thread")]
async fn fifty_identical_requests_at_once_make_one_page_and_one_charge() {
    let house = House::open().await;
    let ada = house.account(20).await;
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
    house.check_ledger().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn fifty_requests_against_twenty_credits_make_exactly_twenty_pages() {
    let house = House::open().await;
    let ada = house.account(20).await;
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
    house.check_ledger().await;
}

#[tokio::test]
async fn a_replay_says_what_the_first_answer_said_and_costs_nothing() {
    let house = House::open().await;
    let ada = house.account(3).await;
    let first = ada.generate("/pages", "k1", &json!({"page": {"title": "A fox"}})).await;
    house.draw_everything().await;
    let replay = ada.generate("/pages", "k1", &json!({"page": {"title": "A fox"}})).await;
    assert_eq!(replay.status, 202);
    assert_eq!(replay.body, first.body);
    assert_eq!(replay.header("location"), first.header("location"));
    assert_eq!(replay.header("idempotency-replayed"), "true");
    assert_eq!(replay.header("x-service-credits-consumed"), "0");
    assert_eq!(replay.header("x-service-credits-available"), "2");
    let operation = ada.get(replay.header("location")).await.expect(200);
    assert_eq!(operation["operation"]["credits"]["charged"], 1);
}

#[tokio::test]
async fn a_key_belongs_to_one_request_of_one_account() {
    let house = House::open().await;
    let ada = house.account(3).await;
    let ben = house
        .account_named("ben@example.com", linepress::accounts::Plan::Business, 3)
        .await;
    ada.generate("/pages", "k1", &json!({"page": {"title": "A fox"}}))
        .await
        .expect(202);
    ada.generate("/pages", "k1", &json!({"page": {"title": "An owl"}}))
        .await
        .expect_error(409, "idempotency_conflict");
    ada.generate("/characters", "k1", &json!({"character": {"name": "A fox"}}))
        .await
        .expect_error(409, "idempotency_conflict");
    ben.generate("/pages", "k1", &json!({"page": {"title": "An owl"}}))
        .await
        .expect(202);
    assert_eq!((ada.credits().await, ben.credits().await), (2, 2));
}

#[tokio::test]
async fn white_space_and_the_order_of_fields_make_no_other_request() {
    let house = House::open().await;
    let ada = house.account(3).await;
    let headers = [("content-type", "application/json"), ("idempotency-key", "k1")];
    let first = r#"{"page": {"title": "A fox", "caption": "Hello"}}"#;
    let second = r#"{ "page":{"caption":"Hello",  "title":"A fox"} }"#;
    ada.send("POST", "/pages", &headers, first.into()).await.expect(202);
    let replay = ada.send("POST", "/pages", &headers, second.into()).await;
    assert_eq!(replay.header("idempotency-replayed"), "true");
}

#[tokio::test]
async fn a_refused_request_can_be_mended_and_sent_again_with_its_key() {
    let house = House::open().await;
    let ada = house.account(0).await;
    let body = json!({"page": {"title": "A fox"}});
    ada.generate("/pages", "k1", &body)
        .await
        .expect_error(402, "insufficient_credits");
    let account = linepress::accounts::find(&house.app, "ada@example.com")
        .await
        .unwrap()
        .unwrap();
    linepress::accounts::grant(&house.app, &account, 1).await.unwrap();
    ada.generate("/pages", "k1", &body).await.expect(202);
    assert_eq!(ada.credits().await, 0);
}

#[tokio::test]
async fn a_generation_without_a_usable_key_is_refused() {
    let house = House::open().await;
    let ada = house.account(3).await;
    let body = json!({"page": {"title": "A fox"}});
    for path in ["/pages", "/characters", "/books"] {
        let reply = ada.post(path, &body).await;
        assert!(reply.status == 400 || reply.status == 422, "{path}: {}", reply.status);
    }
    ada.post("/pages", &body)
        .await
        .expect_error(400, "idempotency_key_required");
    for bad in ["", "two words", "é", &"k".repeat(256)] {
        ada.generate("/pages", bad, &body)
            .await
            .expect_error(400, "idempotency_key_required");
    }
    ada.generate("/pages", &"k".repeat(255), &body).await.expect(202);
}

#[tokio::test]
async fn a_key_is_remembered_for_thirty_days() {
    let house = House::open().await;
    let ada = house.account(3).await;
    let body = json!({"page": {"title": "A fox"}});
    ada.generate("/pages", "k1", &body).await.expect(202);
    let day = std::time::Duration::from_secs(24 * 3600);
    house.app.clock.advance(day * 30);
    assert_eq!(linepress::idempotency::forget_old_keys(&house.app).await.unwrap(), 0);
    assert_eq!(
        ada.generate("/pages", "k1", &body)
            .await
            .header("x-service-credits-consumed"),
        "0"
    );
    house.app.clock.advance(day);
    assert_eq!(linepress::idempotency::forget_old_keys(&house.app).await.unwrap(), 1);
}
