//! Test keys: requests that cost nothing, in a sandbox, with the replies of live ones.
use std::collections::BTreeSet;
use std::time::Duration;

use crate::testing;
use axum::body::Body;
use linepress_accounts::accounts::{self, Plan};
use linepress_accounts::credits;
use linepress_core::operations::{FailureCode, OperationStatus};
use linepress_platform::ids::AccountId;
use serde_json::{Value, json};

use crate::test_app::{Actor, Builder, Reply, TestApp, book_of};

const ADA: &str = "ada@example.com";
const SKETCHBOOK: &str = "linepress.sketchbook";
/// The balance of a new sandbox.
const TEST_CREDITS: i64 = 1_000_000;

fn builder() -> Builder {
    TestApp::builder().installed(SKETCHBOOK)
}

async fn make(actor: &Actor, key: Value) -> Value {
    actor.post("/keys", &json!({"key": key})).await.expect(201)
}

fn opened(app: &TestApp, made: &Value) -> Actor {
    app.with_key(made["secret"].as_str().unwrap())
}

/// A client with a test key of this account.
async fn tester(app: &TestApp, owner: &Actor) -> Actor {
    opened(app, &make(owner, json!({"name": "CI", "test": true})).await)
}

/// The sandbox of the account with this key.
async fn sandbox(test: &Actor) -> AccountId {
    AccountId::from_text(test.account_id().await)
}

/// The paths of all fields in a body.
fn shape(value: &Value, path: &str, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                shape(value, &format!("{path}.{name}"), found);
            }
        }
        Value::Array(items) if items.iter().any(Value::is_object) => {
            for item in items {
                shape(item, &format!("{path}[]"), found);
            }
        }
        _ => {
            found.insert(path.to_owned());
        }
    }
}

/// The status, the names of the headers, and the fields of a reply.
fn form(reply: &Reply) -> (u16, BTreeSet<String>, BTreeSet<String>) {
    let headers = reply.headers.keys().map(ToString::to_string).collect();
    let mut fields = BTreeSet::new();
    if !reply.body.is_empty() {
        shape(&reply.json(), "", &mut fields);
    }
    (reply.status.as_u16(), headers, fields)
}

#[tokio::test]
async fn a_client_of_a_live_key_works_with_a_test_key_and_pays_nothing() {
    let app = builder().start().await;
    let ada = app.account(9).await;
    let test = tester(&app, &ada).await;
    let character = json!({"character": {"name": "Rosa", "description": "A girl with a red hat", "variants": 2}});
    for (path, body) in [
        ("/books", book_of(2)),
        ("/characters", character),
        ("/pages", json!({"page": {"title": "A fox", "variants": 2}})),
        ("/books", json!({"book": {"title": "", "pages": []}})),
        (
            "/pages",
            json!({"page": {"title": "A fox", "source_upload_id": "upload_1"}}),
        ),
    ] {
        let (mut replies, key) = (Vec::new(), app.new_key());
        for actor in [&ada, &test] {
            replies.push(actor.generate(path, &key, &body).await);
        }
        let consumed = |reply: &Reply| reply.header("x-service-credits-consumed").to_owned();
        assert_eq!(form(&replies[0]), form(&replies[1]), "{path}");
        assert_eq!(consumed(&replies[0]), consumed(&replies[1]), "{path}");
    }
    app.draw_everything().await;
    let plan = json!({"book_plan": {"theme": "A farm", "page_count": 2}});
    let planned = test.post("/book_plans", &plan).await;
    planned.expect_free();
    assert_eq!(planned.expect(200)["book_plan"]["credit_estimate"]["credits"], 2);
    for path in [
        "/books",
        "/pages",
        "/characters",
        "/operations",
        "/me",
        "/ledger",
        "/usage",
    ] {
        let (live, test) = (ada.get(path).await, test.get(path).await);
        assert_eq!(form(&live), form(&test), "{path}");
        assert_ne!(live.body, test.body, "{path}");
    }
    // 2 pages, 2 variants of a character, and 2 of a page.
    assert_eq!((ada.credits().await, test.credits().await), (3, TEST_CREDITS - 6));
    let me = test.get("/me").await.expect(200);
    assert_eq!(me["account"]["email"], ADA);
    assert_ne!(sandbox(&test).await.as_str(), ada.account_id().await);
    app.check_ledger().await;
}

#[tokio::test]
async fn what_a_test_key_makes_is_apart_from_the_account() {
    let app = builder().start().await;
    let ada = app.account(9).await;
    let test = tester(&app, &ada).await;
    let accepted = app.accepted(&test, "/books", &book_of(1)).await;
    app.draw_everything().await;
    let book = format!("/books/{}", accepted.book_id());
    test.get(&book).await.expect(200);
    ada.get(&book).await.expect_error(404, "not_found");
    assert_eq!((ada.count("books").await, test.count("books").await), (0, 1));
    // Keys of requests are apart, too.
    ada.generate("/books", "k1", &book_of(1)).await.expect(202);
    test.generate("/books", "k1", &book_of(2)).await.expect(202);
}

#[tokio::test]
async fn a_test_drawing_is_a_sample_with_a_watermark_in_the_picture_and_in_print() {
    let app = builder().start().await;
    let ada = app.account(9).await;
    let test = tester(&app, &ada).await;
    let accepted = app.accepted(&test, "/books", &book_of(1)).await;
    app.draw_everything().await;
    let operation = test.operation(&accepted).await;
    assert_eq!(operation.status, OperationStatus::Succeeded);
    let page = test.book(&accepted.book_id()).await.pages[0].id.to_string();
    let shown = test.get(&format!("/pages/{page}/attempts")).await.expect(200);
    assert!(
        shown["attempts"][0]["note"].as_str().unwrap().contains("test drawing"),
        "{shown}"
    );
    let cover = format!("/books/{}/cover_image", accepted.book_id());
    for path in [
        format!("/pages/{page}/image"),
        format!("/pages/{page}/image?size=print"),
        cover,
    ] {
        let reply = test.get(&path).await;
        let picture = image::load_from_memory(&reply.body).unwrap().into_luma8();
        // The bar of the first letter: white, with a black line above it.
        let scale = picture.width() / 36;
        let (left, top) = (picture.width() / 2 - 13 * scale, picture.height() / 2 - 7 * scale / 2);
        let tone = |x: u32, y: u32| picture.get_pixel(x, y).0[0];
        for across in 1..4 {
            assert!(tone(left + across * scale, top + scale / 2) > 200, "{path} {across}");
            assert!(tone(left + across * scale, top - scale / 12) < 60, "{path} {across}");
        }
    }
    let pdf = test.get(&format!("/books/{}/pdf", accepted.book_id())).await;
    assert_eq!(pdf.status, 200);
}

#[tokio::test]
async fn errors_come_on_demand_and_are_refunded() {
    let app = builder().start().await;
    let ada = app.account(9).await;
    let test = tester(&app, &ada).await;
    let page = |prompt: &str| json!({"page": {"title": "A fox", "prompt": prompt}});
    for (prompt, code) in [
        ("test:refused", FailureCode::Refused),
        ("test:refused, please", FailureCode::Refused),
        ("test:unavailable", FailureCode::Failed),
    ] {
        let accepted = app.accepted(&test, "/pages", &page(prompt)).await;
        assert_eq!(test.credits().await, TEST_CREDITS - 1);
        app.draw_what_is_due().await;
        let operation = test.operation(&accepted).await;
        assert_eq!(operation.status, OperationStatus::Failed, "{prompt}");
        assert_eq!(operation.items[0].error.as_ref().unwrap().code, code, "{prompt}");
        assert_eq!(test.credits().await, TEST_CREDITS);
    }
    // A live key has them drawn.
    let live = app.accepted(&ada, "/pages", &page("test:refused")).await;
    app.draw_what_is_due().await;
    assert_eq!(ada.status(&live).await, OperationStatus::Succeeded);
    app.check_ledger().await;
}

#[tokio::test]
async fn a_refinement_fails_on_demand_and_the_picture_remains() {
    let app = builder().start().await;
    let ada = app.account(9).await;
    let test = tester(&app, &ada).await;
    let drawn = app
        .accepted(&test, "/pages", &json!({"page": {"title": "A fox"}}))
        .await;
    app.draw_what_is_due().await;
    let refine = format!("/pages/{}/refine", drawn.page_id());
    let refused = app
        .accepted(&test, &refine, &json!({"page": {"instruction": "test:refused"}}))
        .await;
    app.draw_what_is_due().await;
    assert_eq!(test.status(&refused).await, OperationStatus::Failed);
    let refined = app
        .accepted(&test, &refine, &json!({"page": {"instruction": "Remove the hat"}}))
        .await;
    app.draw_what_is_due().await;
    assert_eq!(test.status(&refined).await, OperationStatus::Succeeded);
}

#[tokio::test]
async fn a_slow_drawing_takes_a_minute_and_occupies_no_provider() {
    let app = builder().start().await;
    let ada = app.account(9).await;
    let test = tester(&app, &ada).await;
    let slow = json!({"page": {"title": "A fox", "prompt": "test:slow"}});
    let accepted = app.accepted(&test, "/pages", &slow).await;
    app.draw_what_is_due().await;
    assert_eq!(test.status(&accepted).await, OperationStatus::Running);
    app.server.clock.advance(Duration::from_secs(59));
    app.draw_what_is_due().await;
    assert_eq!(test.status(&accepted).await, OperationStatus::Running);
    app.server.clock.advance(Duration::from_secs(1));
    app.draw_what_is_due().await;
    assert_eq!(test.status(&accepted).await, OperationStatus::Succeeded);
}

#[tokio::test]
async fn test_drawings_neither_wait_for_the_providers_of_the_settings_nor_count_against_them() {
    let app = builder()
        .config(|config| config.image_providers = vec![SKETCHBOOK.into()])
        .start()
        .await;
    let ada = app.account(9).await;
    let test = tester(&app, &ada).await;
    let operator = app.operator().await;
    let reason = json!({"reason": "Too slow"});
    let switch = format!("/admin/providers/{SKETCHBOOK}/switch_off");
    operator.post(&switch, &reason).await.expect(200);
    let live = app.accepted(&ada, "/pages", &json!({"page": {"title": "A fox"}})).await;
    let drawn = app
        .accepted(&test, "/pages", &json!({"page": {"title": "A fox"}}))
        .await;
    let failing = json!({"page": {"title": "A fox", "prompt": "test:unavailable"}});
    for _ in 0..6 {
        app.accepted(&test, "/pages", &failing).await;
    }
    app.draw_what_is_due().await;
    assert_eq!(test.status(&drawn).await, OperationStatus::Succeeded);
    assert_eq!(ada.status(&live).await, OperationStatus::Queued);
    let spent = operator.get("/admin/spending?days=7").await.expect(200);
    assert_eq!(spent["spending"], json!([]));
    let metrics = linepress_operator::monitoring::Monitor::new(app.server.clone())
        .text()
        .await
        .unwrap();
    let credits = metrics
        .lines()
        .filter(|line| line.starts_with("linepress_credits_total"));
    let charged: Vec<&str> = credits.filter(|line| line.contains("\"charge\"")).collect();
    assert!(charged.len() == 1 && charged[0].ends_with(" 1"), "{charged:?}");
    let switch = format!("/admin/providers/{SKETCHBOOK}/switch_on");
    operator.post_nothing(&switch).await.expect(200);
    app.draw_what_is_due().await;
    assert_eq!(ada.status(&live).await, OperationStatus::Succeeded);
}

#[tokio::test]
async fn a_test_drawing_does_not_keep_customers_waiting_for_a_provider_that_stays_down() {
    let app = builder()
        .image_provider("testbed.flaky", json!({"fail": "unavailable", "seeds": "all"}))
        .config(|config| config.outage_patience_hours = 3)
        .start()
        .await;
    let ada = app.account(9).await;
    let test = tester(&app, &ada).await;
    // After five failures the provider is paused, so the others were never tried.
    let accepted = ada.generate("/books", "k1", &book_of(8)).await.accepted();
    app.draw_what_is_due().await;
    app.server.clock.advance(Duration::from_secs(4 * 3600));
    let drawn = app.new_page(&test, "An owl").await;
    app.draw_what_is_due().await;
    assert_eq!(test.status(&drawn).await, OperationStatus::Succeeded);
    assert!(testing::give_up(&app.server).await.unwrap() > 0);
    assert_eq!(ada.status(&accepted).await, OperationStatus::Failed);
    assert_eq!(ada.credits().await, 9);
    app.check_books().await;
}

#[tokio::test]
async fn test_keys_draw_while_no_provider_of_the_settings_is_loaded() {
    let app = builder()
        .config(|config| config.image_providers = vec!["acme.none".into()])
        .start()
        .await;
    let ada = app.account(9).await;
    let test = tester(&app, &ada).await;
    let page = json!({"page": {"title": "A fox"}});
    ada.generate("/pages", "k1", &page)
        .await
        .expect_error(503, "generation_unavailable");
    let accepted = app.accepted(&test, "/pages", &page).await;
    app.draw_what_is_due().await;
    assert_eq!(test.status(&accepted).await, OperationStatus::Succeeded);
    for (actor, draws) in [(&ada, false), (&test, true)] {
        let me = actor.get("/me").await.expect(200);
        assert_eq!(me["account"]["capabilities"]["generate"], draws);
    }
}

#[tokio::test]
async fn a_server_without_the_provider_for_tests_refuses_their_orders() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let test = tester(&app, &ada).await;
    let order = test.generate("/books", "k1", &book_of(1)).await;
    order.expect_error(503, "generation_unavailable");
    order.expect_free();
    ada.generate("/books", "k1", &book_of(1)).await.expect(202);
}

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
