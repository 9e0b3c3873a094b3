//! Test keys: requests that cost nothing, in a sandbox, with the replies of live ones.
mod drawings;
mod sandbox;

use std::collections::BTreeSet;

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
        (
            "/characters",
            json!({"character": {"name": "Biscuit", "source_upload_id": "upload_1"}}),
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
