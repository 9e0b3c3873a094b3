//! The sandbox of an account: its credits, its keys, and what it shares with the account.
use axum::body::Body;
use linepress_accounts::accounts::{self, Plan};
use linepress_accounts::credits;
use linepress_core::operations::OperationStatus;
use serde_json::{Value, json};

use super::{ADA, TEST_CREDITS, builder, make, opened, sandbox, tester};
use crate::test_app::{Actor, book_of};
use crate::testing;

#[tokio::test]
async fn test_credits_never_run_out() {
    let app = builder().start().await;
    let ada = app.account(9).await;
    let test = tester(&app, &ada).await;
    let mut tx = app.server.database.begin().await.unwrap();
    let sandbox = sandbox(&test).await;
    credits::debit(&app.server, &mut tx, &sandbox, TEST_CREDITS - 1, "")
        .await
        .unwrap();
    tx.commit().await.unwrap();
    let order = test.generate("/books", "k1", &book_of(3)).await;
    order.expect(202);
    assert_eq!(order.header("x-service-credits-consumed"), "3");
    assert_eq!(test.credits().await, TEST_CREDITS + 1 - 3);
    let page = json!({"page": {"title": "A fox"}});
    ada.generate("/books", "k1", &book_of(10))
        .await
        .expect_error(402, "insufficient_credits");
    test.generate("/pages", "k2", &page).await.expect(202);
    app.check_ledger().await;
}

/// Reads the list of keys in parts; returns which are test keys, those last.
async fn are_tests(actor: &Actor) -> Vec<bool> {
    let mut found = Vec::new();
    let mut path = Some("/keys?limit=2".to_owned());
    while let Some(part) = path {
        let list = actor.get(&part).await.expect(200);
        found.extend(list["keys"].as_array().unwrap().iter().map(|key| key["test"] == true));
        let after = list["meta"]["next_cursor"].as_str();
        path = after.map(|after| format!("/keys?limit=2&after={after}"));
    }
    found.sort_unstable();
    found
}

#[tokio::test]
async fn the_owner_manages_test_keys_and_a_test_key_makes_only_its_like() {
    let app = builder().start().await;
    let ada = app.account(9).await;
    let ben = app.account_named("ben@example.com", Plan::Business, 9).await;
    let made = make(&ada, json!({"name": "CI", "test": true})).await;
    let (key, secret) = (&made["key"], made["secret"].as_str().unwrap());
    assert!(secret.starts_with("lp_test_") && secret.len() == 51, "{secret}");
    assert!(key["prefix"].as_str().unwrap().starts_with("lp_test_"), "{key}");
    assert_eq!(key["test"], true);
    let path = format!("/keys/{}", key["id"].as_str().unwrap());
    let test = opened(&app, &made);
    // One sandbox serves all test keys.
    let second = tester(&app, &ada).await;
    assert_eq!(sandbox(&test).await, sandbox(&second).await);

    assert_eq!(are_tests(&ada).await, [false, true, true]);
    assert_eq!(are_tests(&test).await, [true, true]);
    assert_eq!(are_tests(&ben).await, [false]);
    for method in ["GET", "DELETE"] {
        let reply = ben.send(method, &path, &[], Body::empty()).await;
        reply.expect_error(404, "not_found");
    }
    let all = ada.get("/keys").await.expect(200);
    let live = all["keys"].as_array().unwrap().iter().find(|key| key["test"] == false);
    let live = format!("/keys/{}", live.unwrap()["id"].as_str().unwrap());
    test.get(&live).await.expect_error(404, "not_found");

    let like = make(&test, json!({"name": "Another"})).await;
    assert_eq!(like["key"]["test"], true);
    assert_eq!(sandbox(&opened(&app, &like)).await, sandbox(&test).await);
    let rotated = ada.post_nothing(&format!("{path}/rotate")).await.expect(200);
    assert!(rotated["secret"].as_str().unwrap().starts_with("lp_test_"));
    opened(&app, &rotated).get("/me").await.expect(200);
    ada.delete(&path).await.expect_no_content();
    opened(&app, &rotated)
        .get("/me")
        .await
        .expect_error(401, "unauthorized");
    second.get("/me").await.expect(200);
}

#[tokio::test]
async fn the_terms_of_a_test_key_hold_and_a_limited_key_makes_none() {
    let app = builder().start().await;
    let ada = app.account(9).await;
    let limited = opened(
        &app,
        &make(&ada, json!({"name": "CI", "test": true, "credit_cap": 2})).await,
    );
    limited
        .generate("/books", "k1", &book_of(3))
        .await
        .expect_error(402, "credit_cap_reached");
    limited.generate("/books", "k2", &book_of(2)).await.expect(202);
    let live = opened(&app, &make(&ada, json!({"name": "Shop", "credit_cap": 2})).await);
    let new = json!({"key": {"name": "CI", "test": true}});
    for key in [&limited, &live] {
        key.post("/keys", &new).await.expect_error(403, "insufficient_scope");
    }
}

#[tokio::test]
async fn a_sandbox_follows_the_account_and_is_no_customer() {
    let app = builder().start().await;
    let ada = app.account(9).await;
    let test = tester(&app, &ada).await;
    let operator = app.operator().await;
    let (owner, sandbox) = (ada.account_id().await, sandbox(&test).await);
    let listed = operator.get("/admin/accounts").await.expect(200);
    assert!(!listed.to_string().contains(sandbox.as_str()), "{listed}");
    assert_eq!(listed["managed_accounts"].as_array().unwrap().len(), 2);
    let found = operator.get("/admin/accounts?search=sandbox").await.expect(200);
    assert_eq!(found["managed_accounts"], json!([]));
    let found = operator
        .get(&format!("/admin/accounts?search={sandbox}"))
        .await
        .expect(200);
    assert_eq!(found["managed_accounts"][0]["sandbox_of"], *owner);
    let path = format!("/admin/accounts/{sandbox}");
    let shown = operator.get(&path).await.expect(200);
    assert_eq!(shown["managed_account"]["email"], ADA);
    let health = operator.get("/admin/health").await.expect(200);
    assert_eq!(health["health"]["figures"]["accounts"], 2);

    let reason = json!({"reason": "Not paid"});
    for (action, body) in [
        ("suspend", reason.clone()),
        ("resume", Value::Null),
        ("close", Value::Null),
        ("password_link", Value::Null),
        ("credits", json!({"amount": 5, "reason": "A gift"})),
    ] {
        let path = format!("{path}/{action}");
        let refused = match body {
            Value::Null => operator.post_nothing(&path).await,
            body => operator.post(&path, &body).await,
        };
        assert_eq!(refused.status, 422, "{action}");
        assert!(
            refused.json()["error"]["details"][0]["message"]
                .as_str()
                .unwrap()
                .contains(&*owner)
        );
    }
    let limits = json!({"managed_account": {"limits": {"books": 1}}});
    operator
        .patch(&path, &limits)
        .await
        .expect_error(422, "validation_failed");

    let account = format!("/admin/accounts/{owner}");
    operator.patch(&account, &limits).await.expect(200);
    app.accepted(&test, "/books", &book_of(1)).await;
    test.generate("/books", "k9", &book_of(1))
        .await
        .expect_error(422, "account_limit_reached");
    let free = json!({"managed_account": {"plan": "free"}});
    operator.patch(&account, &free).await.expect(200);
    test.get("/me").await.expect_error(403, "plan_required");
    let business = json!({"managed_account": {"plan": "business"}});
    operator.patch(&account, &business).await.expect(200);
    test.get("/me").await.expect(200);
    operator.post(&format!("{account}/suspend"), &reason).await.expect(200);
    test.get("/me").await.expect_error(401, "unauthorized");
    operator.post_nothing(&format!("{account}/resume")).await.expect(200);
    // The suspension canceled and refunded its drawings.
    assert_eq!(test.credits().await, TEST_CREDITS);
    app.check_ledger().await;
}

#[tokio::test]
async fn a_sandbox_is_closed_with_the_account() {
    let app = builder().start().await;
    let ada = app.account(9).await;
    let test = tester(&app, &ada).await;
    let accepted = app.accepted(&test, "/books", &book_of(2)).await;
    let account = app.account_of(ADA).await;
    let closed = testing::close(&app.server, &account).await.unwrap();
    assert_eq!((closed.keys, closed.drawings, closed.credits), (2, 3, 9));
    test.get("/me").await.expect_error(401, "unauthorized");
    app.draw_everything().await;
    testing::set_plan(&app.server, &account, Plan::Business).await.unwrap();
    let (_, secret) = testing::create_key(&app.server, &account, "again").await.unwrap();
    let ada = app.with_key(secret.expose());
    // Its old keys remain revoked, and a new one finds what was there.
    test.get("/me").await.expect_error(401, "unauthorized");
    let again = tester(&app, &ada).await;
    assert_eq!(again.status(&accepted).await, OperationStatus::Failed);
    assert_eq!(again.credits().await, TEST_CREDITS);
    assert_eq!(accounts::miscounted(&app.server).await.unwrap(), []);
    app.check_ledger().await;
}
