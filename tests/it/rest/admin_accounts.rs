//! `/admin/accounts`.
use linepress_accounts::accounts::Plan;
use serde_json::{Value, json};

use crate::test_app::{Actor, OPERATOR, TestApp};

/// Returns the addresses in a list of accounts.
async fn listed(operator: &Actor, query: &str) -> Vec<String> {
    let list = operator.get(&format!("/admin/accounts?{query}")).await.expect(200);
    let accounts = list["managed_accounts"].as_array().unwrap();
    let email = |account: &Value| account["email"].as_str().unwrap().to_owned();
    accounts.iter().map(email).collect()
}

#[tokio::test]
async fn accounts_are_listed_newest_first_and_found_by_a_part_of_the_address_or_by_the_id() {
    let app = TestApp::start().await;
    let ada = app.account(3).await;
    app.server.clock.advance(std::time::Duration::from_secs(1));
    app.account_named("ben_1@example.org", Plan::Free, 0).await;
    app.server.clock.advance(std::time::Duration::from_secs(1));
    let operator = app.operator().await;
    let all = [OPERATOR, "ben_1@example.org", "ada@example.com"];
    assert_eq!(listed(&operator, "").await, all);
    assert_eq!(listed(&operator, "search=EXAMPLE.ORG").await, ["ben_1@example.org"]);
    assert_eq!(listed(&operator, "search=%20ada%20").await, ["ada@example.com"]);
    let id = ada.account_id().await;
    assert_eq!(listed(&operator, &format!("search={id}")).await, ["ada@example.com"]);
    // The wildcards of SQL are ordinary characters.
    assert_eq!(listed(&operator, "search=_").await, ["ben_1@example.org"]);
    for nothing in ["search=%25", "search=!", "search=%00", "search=nobody@"] {
        assert_eq!(listed(&operator, nothing).await, [""; 0], "{nothing}");
    }
    let first = operator.get("/admin/accounts?limit=2&search=example").await.expect(200);
    let after = first["meta"]["next_cursor"].as_str().unwrap();
    assert_eq!(
        listed(&operator, &format!("limit=2&search=example&after={after}")).await,
        ["ada@example.com"]
    );
    for bad in ["limit=0", "after=forged"] {
        operator
            .get(&format!("/admin/accounts?{bad}"))
            .await
            .expect_error(400, "invalid_pagination");
    }
}

#[tokio::test]
async fn an_invited_person_sets_a_password_with_the_link() {
    let app = TestApp::start().await;
    let operator = app.operator().await;
    let new = json!({"managed_account": {"email": "Grace@Example.com", "plan": "business", "credits": 7}});
    let reply = operator.post("/admin/accounts", &new).await;
    let invitation = reply.expect(201);
    let account = &invitation["managed_account"];
    assert_eq!(account["email"], "grace@example.com");
    assert_eq!((&account["role"], &account["credits"]), (&json!("customer"), &json!(7)));
    assert_eq!(account["unverified_since"], Value::Null);
    let shown = operator.get(reply.header("location")).await.expect(200);
    assert_eq!(&shown["managed_account"], account);
    let url = invitation["password_link"]["url"].as_str().unwrap();
    let path = url.strip_prefix("http://linepress.test").unwrap();
    let fields = [("password", "correct horse battery")];
    app.browser().post(path, &fields).await.expect_redirect("/");
    app.browser().post(path, &fields).await.expect(404, "");
    app.browser()
        .sign_in("grace@example.com", "correct horse battery")
        .await
        .expect_redirect("/");
}

#[tokio::test]
async fn an_invitation_that_cannot_be_created_names_its_field_and_creates_nothing() {
    let app = TestApp::start().await;
    let operator = app.operator().await;
    for (new, field) in [
        (json!({"email": OPERATOR, "plan": "free"}), "email"),
        (json!({"email": "nonsense", "plan": "free"}), "email"),
        (json!({"email": "b@example.com", "plan": "gold"}), "plan"),
        (
            json!({"email": "b@example.com", "plan": "free", "role": "king"}),
            "role",
        ),
        (
            json!({"email": "b@example.com", "plan": "free", "credits": -1}),
            "credits",
        ),
        (json!({"email": "b@example.com"}), "plan"),
        (
            json!({"email": "b@example.com", "plan": "free", "admin": true}),
            "admin",
        ),
    ] {
        let reply = operator.post("/admin/accounts", &json!({"managed_account": new})).await;
        reply.expect_fields(&[&format!("managed_account.{field}")]);
    }
    assert_eq!(listed(&operator, "").await, [OPERATOR]);
}

#[tokio::test]
async fn an_operator_needs_the_role_at_the_moment_of_each_request_and_no_app_has_it() {
    let app = TestApp::start().await;
    let operator = app.operator().await;
    let ada = app.account(3).await;
    ada.get("/admin/accounts").await.expect_error(403, "operator_required");
    let id = ada.account_id().await;
    let role = |role: &str| json!({"managed_account": {"role": role}});
    let path = format!("/admin/accounts/{id}");
    let promoted = operator.patch(&path, &role("operator")).await.expect(200);
    assert_eq!(promoted["managed_account"]["role"], "operator");
    ada.get("/admin/accounts").await.expect(200);
    // No operator can lock out themselves by mistake.
    ada.patch(&path, &role("customer"))
        .await
        .expect_fields(&["managed_account.account"]);
    for change in ["close", "suspend"] {
        let reason = json!({"reason": "a mistake"});
        let reply = match change {
            "close" => ada.post_nothing(&format!("{path}/close")).await,
            _ => ada.post(&format!("{path}/suspend"), &reason).await,
        };
        reply.expect_fields(&["account"]);
    }
    operator.patch(&path, &role("customer")).await.expect(200);
    ada.get("/admin/accounts").await.expect_error(403, "operator_required");
}
