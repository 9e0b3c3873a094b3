//! The common rules of all generation requests: idempotency keys, replays, refusals.
use serde_json::{Value, json};

use crate::test_app::{Resources, TestApp};

#[tokio::test]
async fn a_replay_returns_the_first_response_and_costs_nothing() {
    let app = TestApp::start().await;
    let ada = app.account(3).await;
    let first = ada.generate("/pages", "k1", &json!({"page": {"title": "A fox"}})).await;
    app.draw_everything().await;
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
    let app = TestApp::start().await;
    let ada = app.account(3).await;
    let ben = app
        .account_named("ben@example.com", linepress_accounts::accounts::Plan::Business, 3)
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
async fn a_used_key_with_another_request_conflicts_whatever_else_is_wrong_with_it() {
    let app = TestApp::start().await;
    let ada = app.account(3).await;
    ada.generate("/pages", "k1", &json!({"page": {"title": "A fox"}}))
        .await
        .expect(202);
    for (path, body) in [
        ("/pages", r#"{"page": {"title": ""}}"#),
        ("/pages", r#"{"page": {"titel": "A fox"}}"#),
        ("/pages", r#"{"page": "#),
        ("/books", r#"{"book": {"title": "Woods", "pages": []}}"#),
        ("/pages/page_of_nobody/regenerate", "{}"),
    ] {
        let headers = [("content-type", "application/json"), ("idempotency-key", "k1")];
        let reply = ada.send("POST", path, &headers, body.into()).await;
        reply.expect_error(409, "idempotency_conflict");
    }
    // A new key with an invalid request is not used up.
    let wrong = ada.generate("/pages", "k2", &json!({"page": {"title": ""}})).await;
    wrong.expect_error(422, "validation_failed");
    ada.generate("/pages", "k2", &json!({"page": {"title": "An owl"}}))
        .await
        .expect(202);
}

#[tokio::test]
async fn white_space_and_the_order_of_fields_do_not_make_another_request() {
    let app = TestApp::start().await;
    let ada = app.account(3).await;
    let headers = [("content-type", "application/json"), ("idempotency-key", "k1")];
    let first = r#"{"page": {"title": "A fox", "caption": "Hello"}}"#;
    let second = r#"{ "page":{"caption":"Hello",  "title":"A fox"} }"#;
    ada.send("POST", "/pages", &headers, first.into()).await.expect(202);
    let replay = ada.send("POST", "/pages", &headers, second.into()).await;
    assert_eq!(replay.header("idempotency-replayed"), "true");
}

#[tokio::test]
async fn a_request_refused_for_lack_of_credits_can_be_sent_again_with_its_key() {
    let app = TestApp::start().await;
    let ada = app.account(0).await;
    let body = json!({"page": {"title": "A fox"}});
    ada.generate("/pages", "k1", &body)
        .await
        .expect_error(402, "insufficient_credits");
    let account = linepress_accounts::accounts::find(&app.server, "ada@example.com")
        .await
        .unwrap()
        .unwrap();
    crate::testing::grant(&app.server, &account, 1).await.unwrap();
    ada.generate("/pages", "k1", &body).await.expect(202);
    assert_eq!(ada.credits().await, 0);
}

#[tokio::test]
async fn a_generation_without_a_usable_key_is_refused() {
    let app = TestApp::start().await;
    let ada = app.account(3).await;
    let body = json!({"page": {"title": "A fox"}});
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
    let app = TestApp::start().await;
    let ada = app.account(3).await;
    let body = json!({"page": {"title": "A fox"}});
    ada.generate("/pages", "k1", &body).await.expect(202);
    let day = std::time::Duration::from_secs(24 * 3600);
    app.server.clock.advance(day * 30);
    assert_eq!(crate::testing::forget_idempotency_keys(&app.server).await.unwrap(), 0);
    assert_eq!(
        ada.generate("/pages", "k1", &body)
            .await
            .header("x-service-credits-consumed"),
        "0"
    );
    app.server.clock.advance(day);
    assert_eq!(crate::testing::forget_idempotency_keys(&app.server).await.unwrap(), 1);
}

/// Returns the eight generation requests: path, body, another body, and the name of the resource in the response.
fn requests(resources: &Resources) -> [(String, Value, Value, &'static str); 8] {
    let page = |title: &str| json!({"page": {"title": title}});
    let character = |name: &str| json!({"character": {"name": name}});
    let book = |title: &str| json!({"book": {"title": title, "pages": [{"title": "A"}]}});
    let prompt = json!({"page": {"prompt": "A red fox"}});
    let instruction = |words: &str| json!({"page": {"instruction": words}});
    let taller = json!({"character": {"description": "Taller"}});
    [
        ("/characters".into(), character("Kit"), character("Kitty"), "character"),
        (
            format!("/characters/{}/regenerate", resources.character),
            json!({}),
            taller,
            "character",
        ),
        ("/books".into(), book("B"), book("C"), "book"),
        (format!("/books/{}/pages", resources.book), page("A"), page("B"), "page"),
        (
            format!("/books/{}/cover/regenerate", resources.book),
            json!({}),
            json!({"cover": {"prompt": "Foxes"}}),
            "book",
        ),
        ("/pages".into(), page("A"), page("B"), "page"),
        (
            format!("/pages/{}/regenerate", resources.page),
            json!({}),
            prompt,
            "page",
        ),
        (
            format!("/pages/{}/refine", resources.book_page),
            instruction("Remove the hat"),
            instruction("Add a hat"),
            "page",
        ),
    ]
}

#[tokio::test]
async fn every_generation_requires_an_idempotency_key() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let resources = app.ready_resources(&ada).await;
    for (path, body, ..) in requests(&resources) {
        ada.post(&path, &body)
            .await
            .expect_error(400, "idempotency_key_required");
        for bad in ["", "two words", &"k".repeat(256)] {
            ada.generate(&path, bad, &body)
                .await
                .expect_error(400, "idempotency_key_required");
        }
        let twice = [
            ("content-type", "application/json"),
            ("idempotency-key", "k1"),
            ("idempotency-key", "k1"),
        ];
        ada.send("POST", &path, &twice, body.to_string().into())
            .await
            .expect_error(400, "idempotency_key_required");
    }
    assert_eq!(ada.credits().await, 6);
}

#[tokio::test]
async fn every_generation_is_accepted_with_a_resource_and_an_operation_to_poll() {
    let app = TestApp::start().await;
    let ada = app.account(20).await;
    let resources = app.ready_resources(&ada).await;
    let types = [
        "character.create",
        "character.regenerate",
        "book.create",
        "book.add_page",
        "book.regenerate_cover",
        "page.create",
        "page.regenerate",
        "page.refine",
    ];
    for ((path, body, _, kind), operation_type) in requests(&resources).into_iter().zip(types) {
        let reply = ada.generate(&path, &app.new_key(), &body).await;
        let accepted = reply.expect(202);
        assert_eq!(reply.header("x-service-credits-consumed"), "1", "{path}");
        assert!(!reply.headers.contains_key("idempotency-replayed"));
        let operation = &accepted["operation"];
        assert_eq!(operation["type"], operation_type);
        assert_eq!(
            (&operation["status"], &operation["credits"]["charged"]),
            (&json!("queued"), &json!(1))
        );
        assert_eq!(accepted[kind]["active_operation_id"], operation["id"], "{path}");
        assert_eq!(reply.header("retry-after"), "2");
        assert_eq!(reply.header("location"), operation["url"]);
        assert_eq!(ada.look(reply.header("location"), "operation").await, *operation);
        assert_eq!(
            ada.get(operation["resource"]["url"].as_str().unwrap()).await.status,
            200
        );
        // A book accepts only one generation at a time.
        app.draw_what_is_due().await;
    }
    assert_eq!(ada.credits().await, 9);
    app.check_ledger().await;
}

#[tokio::test]
async fn every_repeated_generation_returns_the_original_and_charges_nothing() {
    let app = TestApp::start().await;
    let ada = app.account(20).await;
    let resources = app.ready_resources(&ada).await;
    for (path, body, ..) in requests(&resources) {
        let key = app.new_key();
        let first = ada.generate(&path, &key, &body).await;
        let before = ada.credits().await;
        for _ in 0..2 {
            let replay = ada.generate(&path, &key, &body).await;
            assert_eq!((replay.status.as_u16(), &replay.body), (202, &first.body), "{path}");
            assert_eq!(replay.header("idempotency-replayed"), "true");
            assert_eq!(replay.header("location"), first.header("location"));
            assert_eq!(replay.header("content-type"), first.header("content-type"));
            replay.expect_free();
            assert_eq!(replay.header("x-service-credits-available"), before.to_string());
            // The same holds later, when the result has been drawn.
            app.draw_what_is_due().await;
        }
        let operation = ada.look(first.header("location"), "operation").await;
        assert_eq!(operation["credits"], json!({"charged": 1, "refunded": 0}));
    }
    assert_eq!(ada.credits().await, 9);
    app.check_ledger().await;
}

#[tokio::test]
async fn every_key_reused_for_a_different_request_conflicts() {
    let app = TestApp::start().await;
    let ada = app.account(20).await;
    let resources = app.ready_resources(&ada).await;
    let requests = requests(&resources);
    for (index, (path, body, other_body, _)) in requests.iter().enumerate() {
        let key = app.new_key();
        ada.generate(path, &key, body).await.expect(202);
        let (other_path, theirs, ..) = &requests[(index + 1) % requests.len()];
        for (path, body) in [(path, other_body), (other_path, theirs)] {
            let reply = ada.generate(path, &key, body).await;
            reply.expect_error(409, "idempotency_conflict");
            reply.expect_free();
        }
        app.draw_what_is_due().await;
    }
    assert_eq!(ada.credits().await, 9);
    assert_eq!(ada.count("operations").await, 11);
}

#[tokio::test]
async fn every_target_that_is_being_drawn_refuses_another_generation() {
    let app = TestApp::start().await;
    let ada = app.account(20).await;
    let resources = app.ready_resources(&ada).await;
    for (path, body, other_body, _) in requests(&resources) {
        if ["/characters", "/books", "/pages"].contains(&path.as_str()) {
            continue;
        }
        app.accepted(&ada, &path, &body).await;
        let reply = ada.generate(&path, "k1", &other_body).await;
        reply.expect_error(409, "generation_active");
        reply.expect_free();
        app.draw_what_is_due().await;
    }
    // A resource that was just created is being drawn as well.
    for (path, body, _, kind) in requests(&resources) {
        let accepted = app.accepted(&ada, &path, &body).await;
        let path = match kind {
            "book" => format!("/books/{}/pages", accepted.book_id()),
            "page" => format!("/pages/{}/regenerate", accepted.page_id()),
            _ => format!("/characters/{}/regenerate", accepted.character_id()),
        };
        let body = if kind == "book" {
            json!({"page": {"title": "A"}})
        } else {
            json!({})
        };
        ada.generate(&path, "k1", &body)
            .await
            .expect_error(409, "generation_active");
        app.draw_what_is_due().await;
    }
    app.check_ledger().await;
}

#[tokio::test]
async fn every_generation_that_the_account_cannot_pay_for_has_no_effect() {
    let app = TestApp::start().await;
    let ada = app.account(3).await;
    let resources = app.ready_resources(&ada).await;
    let lists = ["pages", "characters", "books", "operations"];
    let look = async || {
        let mut seen = Vec::new();
        for list in lists {
            seen.push(ada.get(&format!("/{list}")).await.expect(200));
        }
        seen
    };
    let before = look().await;
    for (path, body, ..) in requests(&resources) {
        let reply = ada.generate(&path, "k1", &body).await;
        reply.expect_error(402, "insufficient_credits");
        reply.expect_free();
        assert_eq!(reply.header("x-service-credits-available"), "0");
    }
    assert_eq!(look().await, before);
    assert_eq!(app.draw_everything().await, 0);
    app.check_books().await;
}
