//! `/admin/accounts/{id}` and the changes below it.
use linepress_accounts::accounts::{self, NewApiKey, Plan};
use serde_json::{Value, json};

use crate::test_app::{Actor, OPERATOR, TestApp, book_of};
use crate::testing;

/// Returns the address at which operators find the client's account.
async fn path_of(client: &Actor) -> String {
    format!("/admin/accounts/{}", client.account_id().await)
}

#[tokio::test]
async fn an_account_is_shown_with_its_credits_keys_and_limits() {
    let app = TestApp::start().await;
    let operator = app.operator().await;
    let ada = app.account(5).await;
    app.ready_page(&ada, "A fox").await;
    let shown = operator.get(&path_of(&ada).await).await.expect(200);
    assert_eq!(shown["managed_account"]["credits"], 4);
    assert_eq!(shown["managed_account"]["suspended_at"], Value::Null);
    let usage = &shown["usage"];
    assert_eq!(
        [&usage["spent"], &usage["refunded"], &usage["active_keys"]],
        [&json!(1), &json!(0), &json!(1)]
    );
    assert_eq!(usage["limits"], ada.look("/me", "account").await["limits"]);
    operator
        .get("/admin/accounts/acct_01KAFMYG00000000000000000A")
        .await
        .expect_error(404, "not_found");
}

#[tokio::test]
async fn credits_are_added_and_withdrawn_once_for_each_key() {
    let app = TestApp::start().await;
    let operator = app.operator().await;
    let ada = app.account(5).await;
    let path = format!("{}/credits", path_of(&ada).await);
    let sold = json!({"amount": 10, "reason": "Paid by invoice 4711"});
    for replayed in [false, true] {
        let reply = operator.generate(&path, "k1", &sold).await;
        assert_eq!(reply.expect(200)["balance"]["credits"], 15);
        assert_eq!(reply.headers.contains_key("idempotency-replayed"), replayed);
    }
    let other = json!({"amount": 11, "reason": "Paid by invoice 4711"});
    operator
        .generate(&path, "k1", &other)
        .await
        .expect_error(409, "idempotency_conflict");
    assert_eq!(ada.credits().await, 15);
    let back = json!({"amount": -15, "reason": "Paid by mistake"});
    assert_eq!(operator.post(&path, &back).await.expect(200)["balance"]["credits"], 0);
    for (amount, reason, field) in [
        (-1, "Paid by mistake", "credits"),
        (0, "Nothing", "amount"),
        (1_000_000_001, "Too much", "amount"),
        (1, " ", "reason"),
        (1, "two\nlines", "reason"),
    ] {
        let reply = operator.post(&path, &json!({"amount": amount, "reason": reason})).await;
        reply.expect_fields(&[field]);
    }
    assert_eq!(ada.credits().await, 0);
}

#[tokio::test]
async fn nothing_is_given_to_an_unverified_address_by_mistake() {
    let app = TestApp::builder().config(|config| config.sign_up = true).start().await;
    let operator = app.operator().await;
    let fields = [("email", "kate@example.com"), ("password", "correct horse battery")];
    app.browser().post("/sign-up", &fields).await.expect_redirect("/");
    let kate = accounts::find(&app.server, "kate@example.com").await.unwrap().unwrap();
    let path = format!("/admin/accounts/{}", kate.id);
    let plan = |accept: bool| json!({"managed_account": {"plan": "business", "accept_unverified": accept}});
    operator
        .patch(&path, &plan(false))
        .await
        .expect_fields(&["managed_account.account"]);
    let credits = |accept: bool| json!({"amount": 1, "reason": "A gift", "accept_unverified": accept});
    let credits_path = format!("{path}/credits");
    operator
        .post(&credits_path, &credits(false))
        .await
        .expect_fields(&["account"]);
    let changed = operator.patch(&path, &plan(true)).await.expect(200);
    assert_eq!(changed["managed_account"]["plan"], "business");
    operator.post(&credits_path, &credits(true)).await.expect(200);
}

#[tokio::test]
async fn a_suspended_account_is_refused_everywhere_until_it_is_resumed() {
    let app = TestApp::start().await;
    let operator = app.operator().await;
    let ada = app.account(9).await;
    let preview = json!({"character": {"name": "Pip", "public_preview": true}});
    let character = app.accepted(&ada, "/characters", &preview).await.character_id();
    app.draw_what_is_due().await;
    let shown = ada.look(&format!("/characters/{character}"), "character").await;
    let preview = shown["public_preview_url"].as_str().unwrap().to_owned();
    let mut browser = app.browser_of("ada@example.com").await;
    let agent = app.agent("ada@example.com").await;
    let order = app.accepted(&ada, "/books", &book_of(2)).await;
    let path = path_of(&ada).await;
    let upload = ada.new_upload().await;

    let reason = json!({"reason": "The invoice was not paid"});
    let suspended = operator.post(&format!("{path}/suspend"), &reason).await.expect(200);
    let since = suspended["managed_account"]["suspended_at"].clone();
    assert_ne!(since, Value::Null);
    // The drawings that were queued are canceled and refunded.
    assert_eq!(suspended["managed_account"]["credits"], 8);
    app.draw_what_is_due().await;
    ada.get("/me").await.expect_error(401, "unauthorized");
    assert!(!browser.is_signed_in().await);
    let refused = app
        .browser()
        .sign_in("ada@example.com", crate::test_app::PASSWORD)
        .await;
    assert_eq!(refused.status, 422, "{}", refused.text);
    let message = agent.message("tools/list", serde_json::Map::new());
    assert_eq!(agent.send(&message, &[]).await.status, 401);
    assert_eq!(ada.get(&preview).await.status, 404);
    let file = crate::test_app::pictures::png(576, 768);
    assert_eq!(ada.send_to(&upload.url, file).await.status, 404);
    let link = operator.post_nothing(&format!("{path}/password_link")).await;
    link.expect_fields(&["account"]);
    // A second suspension changes nothing.
    app.server.clock.advance(std::time::Duration::from_secs(60));
    let again = operator.post(&format!("{path}/suspend"), &reason).await.expect(200);
    assert_eq!(again["managed_account"]["suspended_at"], since);

    let resumed = operator.post_nothing(&format!("{path}/resume")).await.expect(200);
    assert_eq!(resumed["managed_account"]["suspended_at"], Value::Null);
    let operation = ada.operation(&order).await;
    assert_eq!((operation.progress.failed, operation.credits.refunded), (3, 2));
    assert_eq!(ada.credits().await, 8);
    assert!(browser.is_signed_in().await);
    assert_eq!(ada.get(&preview).await.status, 200);
    app.check_books().await;
}

#[tokio::test]
async fn a_closed_account_is_opened_again_by_a_plan() {
    let app = TestApp::start().await;
    let operator = app.operator().await;
    let ada = app.account(9).await;
    app.accepted(&ada, "/books", &book_of(2)).await;
    let path = path_of(&ada).await;
    let closed = operator.post_nothing(&format!("{path}/close")).await.expect(200);
    let closed = &closed["managed_account"];
    assert_eq!((&closed["plan"], &closed["credits"]), (&json!("free"), &json!(9)));
    assert_ne!(closed["closed_at"], Value::Null);
    ada.get("/me").await.expect_error(401, "unauthorized");
    let plan = json!({"managed_account": {"plan": Plan::Business}});
    let opened = operator.patch(&path, &plan).await.expect(200);
    assert_eq!(opened["managed_account"]["closed_at"], Value::Null);
}

#[tokio::test]
async fn a_password_link_replaces_the_one_before() {
    let app = TestApp::start().await;
    let operator = app.operator().await;
    let ada = app.account(0).await;
    let path = format!("{}/password_link", path_of(&ada).await);
    let mut links = Vec::new();
    for _ in 0..2 {
        let offered = operator.post_nothing(&path).await.expect(200);
        let url = offered["password_link"]["url"].as_str().unwrap();
        links.push(url.strip_prefix("http://linepress.test").unwrap().to_owned());
    }
    let fields = [("password", "correct horse battery")];
    app.browser().post(&links[0], &fields).await.expect(404, "");
    app.browser().post(&links[1], &fields).await.expect_redirect("/");
}

#[tokio::test]
async fn an_operator_resets_the_second_factor_of_another_account() {
    let app = TestApp::start().await;
    let operator = app.operator().await;
    let ada = app.account(0).await;
    let path = path_of(&ada).await;
    let since = async || operator.get(&path).await.expect(200)["managed_account"]["second_factor_since"].clone();
    assert_eq!(since().await, Value::Null);
    let mut browser = app.browser_of("ada@example.com").await;
    browser.turn_on_second_factor(&app).await;
    assert_eq!(since().await, json!("2026-11-21T12:00:00.000Z"));
    let listed = operator.get("/admin/accounts?search=ada").await.expect(200);
    assert_eq!(listed["managed_accounts"][0]["second_factor_since"], since().await);
    app.browser().begin_sign_in("ada@example.com").await;
    for _ in 0..2 {
        let reset = operator.post_nothing(&format!("{path}/reset_second_factor")).await;
        let reset = reset.expect(200);
        assert_eq!(reset["managed_account"]["second_factor_since"], Value::Null);
    }
    app.browser_of("ada@example.com").await;
    let log = operator.get("/admin/audit_log").await.expect(200);
    let actions: Vec<&Value> = log["audit_log"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| &entry["action"])
        .collect();
    let resets = actions
        .iter()
        .filter(|action| **action == "account.reset_second_factor");
    assert_eq!(resets.count(), 1, "the second reset changes nothing: {actions:?}");
    // Turning off one's own needs the password and a code.
    let own = format!("{}/reset_second_factor", path_of(&operator).await);
    operator.post_nothing(&own).await.expect_fields(&["account"]);
}

#[tokio::test]
async fn an_order_that_is_accepted_during_the_suspension_of_its_account_is_refunded() {
    let app = TestApp::start().await;
    let operator = app.operator().await;
    let ada = app.account(9).await;
    let order = app.accepted(&ada, "/books", &book_of(2)).await;
    let account_path = path_of(&ada).await;
    // The suspension canceled what was queued before this order was committed.
    let mut tx = app.server.database.begin().await.unwrap();
    sqlx::query("UPDATE accounts SET suspended_at = created_at WHERE email = 'ada@example.com'")
        .execute(&mut *tx)
        .await
        .unwrap();
    tx.commit().await.unwrap();
    app.draw_what_is_due().await;
    let path = format!("/admin/operations/{}", order.operation_id());
    let shown = operator.get(&path).await.expect(200);
    for drawing in shown["drawings"].as_array().unwrap() {
        assert_eq!(
            (&drawing["status"], &drawing["attempts"], &drawing["provider"]),
            (&json!("failed"), &json!(1), &Value::Null)
        );
    }
    let account = operator.get(&account_path).await.expect(200);
    assert_eq!(account["managed_account"]["credits"], 9);
    app.check_books().await;
}

#[tokio::test]
async fn an_account_has_limits_of_its_own_until_they_are_taken_back() {
    let app = TestApp::builder()
        .config(|config| config.limits.pages = 1)
        .start()
        .await;
    let operator = app.operator().await;
    let ada = app.account(9).await;
    let eve = app.account_named("eve@example.com", Plan::Business, 9).await;
    let path = path_of(&ada).await;
    let own = json!({"pages": 2, "pages_per_book": 1, "stored_mb": 3, "plans_per_minute": 1});
    let limits = |limits: Value| json!({"managed_account": {"limits": limits}});
    let changed = operator.patch(&path, &limits(own.clone())).await.expect(200);
    assert_eq!(changed["managed_account"]["limits"], own);

    let shown = ada.look("/me", "account").await["limits"].clone();
    for (name, limit) in [
        ("pages", 2),
        ("pages_per_book", 1),
        ("stored_bytes", 3_000_000),
        ("plans_per_minute", 1),
    ] {
        assert_eq!(shown[name]["limit"], limit, "{name}");
    }
    let page = json!({"page": {"title": "A fox"}});
    for (client, key, status) in [
        (&ada, "1", 202),
        (&ada, "2", 202),
        (&ada, "3", 422),
        (&eve, "1", 202),
        (&eve, "2", 422),
    ] {
        let reply = client.generate("/pages", key, &page).await;
        assert_eq!(reply.status, status, "{key}");
    }
    let plan = |pages: u32| json!({"book_plan": {"theme": "Foxes", "page_count": pages}});
    let too_long = ada.post("/book_plans", &plan(2)).await;
    assert_eq!(
        too_long.expect_error(422, "account_limit_reached")["code"],
        "account_limit_reached"
    );
    ada.post("/book_plans", &plan(1)).await.expect(200);
    ada.post("/book_plans", &plan(1))
        .await
        .expect_error(429, "rate_limited");

    // What exceeds a lower limit remains.
    let back = json!({"pages": null, "books": null, "stored_mb": 4});
    let changed = operator.patch(&path, &limits(back)).await.expect(200);
    let left = json!({"pages_per_book": 1, "stored_mb": 4, "plans_per_minute": 1});
    assert_eq!(changed["managed_account"]["limits"], left);
    let pages = &ada.look("/me", "account").await["limits"]["pages"];
    assert_eq!((&pages["limit"], &pages["used"]), (&json!(1), &json!(2)));
    let log = operator.get("/admin/audit_log").await.expect(200)["audit_log"].clone();
    let entries = log.as_array().unwrap().iter();
    let changes = entries.filter(|entry| entry["action"] == "account.set_limits");
    let changes: Vec<_> = changes.map(|entry| &entry["details"]["limits"]).collect();
    assert!(
        changes.len() == 2 && changes.contains(&&own) && changes.contains(&&left),
        "{log}"
    );
}

#[tokio::test]
async fn limits_out_of_range_change_nothing() {
    let app = TestApp::start().await;
    let operator = app.operator().await;
    let path = path_of(&app.account(1).await).await;
    for (limits, field) in [
        (json!({"pages": 7, "books": 0}), "managed_account.limits.books"),
        (json!({"pages_per_book": 801}), "managed_account.limits.pages_per_book"),
        (json!({"pages": -1}), "managed_account.limits.pages"),
    ] {
        let change = json!({"managed_account": {"plan": "free", "limits": limits}});
        operator.patch(&path, &change).await.expect_fields(&[field]);
    }
    for limits in [json!({"shelves": 7}), json!({"pages": "many"}), json!(null)] {
        let change = json!({"managed_account": {"limits": limits}});
        operator
            .patch(&path, &change)
            .await
            .expect_error(422, "validation_failed");
    }
    let unchanged = operator.get(&path).await.expect(200)["managed_account"].clone();
    assert_eq!(
        (&unchanged["limits"], &unchanged["plan"]),
        (&json!({}), &json!("business"))
    );
}

#[tokio::test]
async fn two_operators_who_change_different_limits_keep_both_changes() {
    let app = TestApp::start().await;
    let operator = app.operator().await;
    let path = path_of(&app.account(1).await).await;
    let change = |limits: Value| json!({"managed_account": {"limits": limits}});
    let (books, pages) = (change(json!({"books": 5})), change(json!({"pages": 6})));
    let (one, other) = tokio::join!(operator.patch(&path, &books), operator.patch(&path, &pages));
    one.expect(200);
    other.expect(200);
    let account = operator.get(&path).await.expect(200);
    assert_eq!(account["managed_account"]["limits"], json!({"books": 5, "pages": 6}));
}

#[tokio::test]
async fn a_limited_key_of_an_operator_gives_no_access() {
    let app = TestApp::start().await;
    let operator = app.operator().await;
    let ada = app.account(1).await;
    let terms = NewApiKey {
        allowed_networks: Some(vec!["0.0.0.0/0".into()]),
        ..NewApiKey::named("Limited")
    };
    let account = app.account_of(OPERATOR).await;
    let (_, secret) = testing::create_key_with(&app.server, &account, &terms).await.unwrap();
    let limited = app.with_key(secret.expose());
    let paths = [path_of(&ada).await, path_of(&operator).await];
    for path in &paths {
        limited.get(path).await.expect(200);
        for action in ["password_link", "reset_second_factor"] {
            limited
                .post_nothing(&format!("{path}/{action}"))
                .await
                .expect_error(403, "insufficient_scope");
        }
    }
    let role = json!({"managed_account": {"role": "operator"}});
    limited
        .patch(&paths[0], &role)
        .await
        .expect_error(403, "insufficient_scope");
    let plan = json!({"managed_account": {"plan": "free"}});
    limited.patch(&paths[0], &plan).await.expect(200);
    let new = |role: &str| json!({"managed_account": {"email": "ben@example.org", "plan": "free", "role": role}});
    limited
        .post("/admin/accounts", &new("operator"))
        .await
        .expect_error(403, "insufficient_scope");
    limited.post("/admin/accounts", &new("customer")).await.expect(201);
}
