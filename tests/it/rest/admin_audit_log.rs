//! `/admin/audit_log`.
use linepress_accounts::accounts::{self, Plan};
use serde_json::{Value, json};

use crate::test_app::{Actor, OPERATOR, TestApp};

/// Returns the entries of the log, newest first.
async fn entries(operator: &Actor, query: &str) -> Vec<Value> {
    let log = operator.get(&format!("/admin/audit_log?{query}")).await.expect(200);
    log["audit_log"].as_array().unwrap().clone()
}

#[tokio::test]
async fn each_change_is_recorded_with_the_operator_the_place_and_the_details() {
    let app = TestApp::start().await;
    let operator = app.operator().await;
    let ada = app.account(5).await;
    let id = ada.account_id().await;
    let path = format!("/admin/accounts/{id}");
    let change = json!({"managed_account": {"plan": "free", "role": "operator"}});
    operator.patch(&path, &change).await.expect(200);
    let credits = json!({"amount": -2, "reason": "Paid by mistake"});
    operator.post(&format!("{path}/credits"), &credits).await.expect(200);
    let reason = json!({"reason": "The invoice was not paid"});
    operator.post(&format!("{path}/suspend"), &reason).await.expect(200);
    operator.post_nothing(&format!("{path}/resume")).await.expect(200);
    operator
        .post_nothing(&format!("{path}/password_link"))
        .await
        .expect(200);
    operator.post_nothing(&format!("{path}/close")).await.expect(200);

    let log = entries(&operator, &format!("target={id}")).await;
    let mut recorded: Vec<(&str, &Value)> = Vec::new();
    for entry in &log {
        assert_eq!(entry["operator_email"], OPERATOR);
        assert_eq!(entry["operator_id"], operator.account_id().await);
        assert!(entry["key_id"].as_str().unwrap().starts_with("key_"));
        assert_eq!(entry["address"], "127.0.0.1");
        assert_eq!(
            (&entry["target_type"], &entry["target_id"]),
            (&json!("account"), &json!(id))
        );
        recorded.push((entry["action"].as_str().unwrap(), &entry["details"]));
    }
    let link = recorded
        .iter()
        .find(|(action, _)| *action == "account.offer_password_link");
    assert!(link.unwrap().1["expires_at"].is_string());
    recorded.retain(|(action, _)| *action != "account.offer_password_link");
    recorded.reverse();
    recorded.sort_by_key(|(action, _)| *action);
    assert_eq!(
        recorded,
        [
            (
                "account.change_credits",
                &json!({"amount": -2, "balance": 3, "reason": "Paid by mistake"})
            ),
            ("account.close", &json!({"revoked_keys": 1, "canceled_drawings": 0})),
            ("account.resume", &json!({})),
            ("account.set_plan", &json!({"from": "business", "to": "free"})),
            ("account.set_role", &json!({"from": "customer", "to": "operator"})),
            (
                "account.suspend",
                &json!({"reason": "The invoice was not paid", "canceled_drawings": 0})
            ),
        ]
    );
}

#[tokio::test]
async fn the_log_is_newest_first_and_a_refused_change_leaves_no_entry() {
    let app = TestApp::start().await;
    let operator = app.operator().await;
    // The command line gave the operator the role.
    let log = entries(&operator, "").await;
    assert_eq!(log.len(), 1);
    assert_eq!(
        [
            &log[0]["operator_id"],
            &log[0]["operator_email"],
            &log[0]["address"],
            &log[0]["key_id"]
        ],
        [&Value::Null; 4]
    );
    let ada = app.account_named("ada@example.com", Plan::Free, 0).await;
    let account = accounts::find(&app.server, "ada@example.com").await.unwrap().unwrap();
    let path = format!("/admin/accounts/{}", account.id);
    let credits = format!("{path}/credits");
    let debit = json!({"amount": -5, "reason": "Too much"});
    operator.post(&credits, &debit).await.expect_fields(&["credits"]);
    let plan = json!({"managed_account": {"plan": "business"}});
    ada.patch(&path, &plan).await.expect_error(403, "plan_required");
    operator
        .patch("/admin/accounts/acct_1", &plan)
        .await
        .expect_error(404, "not_found");
    assert_eq!(entries(&operator, "").await.len(), 1);
    for _ in 0..3 {
        app.server.clock.advance(std::time::Duration::from_secs(1));
        operator.patch(&path, &plan).await.expect(200);
    }
    let log = entries(&operator, "limit=3").await;
    let times: Vec<&str> = log.iter().map(|entry| entry["at"].as_str().unwrap()).collect();
    assert!(times.windows(2).all(|pair| pair[0] > pair[1]), "{times:?}");
    assert!(log.iter().all(|entry| entry["action"] == "account.set_plan"));
    assert_eq!(entries(&operator, "target=%00").await.len(), 0);
}
