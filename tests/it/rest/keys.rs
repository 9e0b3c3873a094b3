//! `/keys`: keys that are made, listed, rotated and revoked over REST.
use std::time::Duration;

use crate::testing;
use linepress_accounts::accounts::{NewApiKey, Plan};
use linepress_platform::scopes::Scope;
use serde_json::{Value, json};

use crate::test_app::{Actor, Log, TestApp};

const HOUR: Duration = Duration::from_secs(3600);

async fn make(ada: &Actor, key: Value) -> Value {
    let reply = ada.post("/keys", &json!({"key": key})).await;
    reply.expect_free();
    reply.expect(201)
}

fn secret(reply: &Value) -> &str {
    reply["secret"].as_str().unwrap()
}

fn id(reply: &Value) -> &str {
    reply["key"]["id"].as_str().unwrap()
}

#[tokio::test]
async fn a_key_is_made_with_its_terms_and_shown_without_its_secret() {
    let app = TestApp::start().await;
    let ada = app.account(1).await;
    let body = json!({"key": {
        "name": " The shop's server ",
        "scopes": ["credits:spend", "books:read", "books:write"],
        "expires_at": "2026-12-31T23:00:00+01:00",
        "credit_cap": 20,
        "credit_period": "day",
        "allowed_networks": ["203.0.113.77/24", "2001:db8::1"],
    }});
    let reply = ada.post("/keys", &body).await;
    let made = reply.expect(201);
    let location = format!("http://linepress.test/api/v1/keys/{}", id(&made));
    assert_eq!(reply.header("location"), location);
    let key = &made["key"];
    assert!(secret(&made).starts_with(key["prefix"].as_str().unwrap()));
    let mut shown = key.clone();
    for random in ["id", "prefix"] {
        shown.as_object_mut().unwrap().remove(random);
    }
    assert_eq!(
        shown,
        json!({
            "name": "The shop's server",
            "status": "active",
            "test": false,
            "scopes": ["books:read", "books:write", "credits:spend"],
            "expires_at": "2026-12-31T22:00:00.000Z",
            "credit_cap": 20,
            "credit_period": "day",
            "credits_spent": 0,
            "allowed_networks": ["203.0.113.0/24", "2001:db8::1/128"],
            "last_used_at": null,
            "previous_secret_expires_at": null,
            "created_at": "2026-11-21T12:00:00.000Z",
            "revoked_at": null,
        })
    );
    let read = ada.get(&format!("/keys/{}", id(&made))).await;
    assert_eq!(read.expect(200), json!({"key": key}));
    let listed = ada.get("/keys").await;
    let keys = listed.expect(200)["keys"].clone();
    assert_eq!((&keys[0], keys.as_array().unwrap().len()), (key, 2));
    for reply in [read, listed] {
        assert!(!String::from_utf8_lossy(&reply.body).contains(secret(&made)));
    }
}

#[tokio::test]
async fn a_key_without_terms_has_all_scopes_and_makes_another() {
    let app = TestApp::start().await;
    let ada = app.account(1).await;
    let made = make(&ada, json!({"name": "All"})).await;
    let key = &made["key"];
    assert_eq!(key["scopes"], json!(["books:read", "books:write", "credits:spend"]));
    assert_eq!(key["allowed_networks"], json!([]));
    for none in ["expires_at", "credit_cap", "credit_period"] {
        assert_eq!(key[none], Value::Null, "{none}");
    }
    make(&app.with_key(secret(&made)), json!({"name": "Another"})).await;
}

#[tokio::test]
async fn every_wrong_term_is_named_and_nothing_is_made() {
    let app = TestApp::start().await;
    let ada = app.account(1).await;
    let many: Vec<_> = (0..51).map(|number| format!("10.0.0.{number}")).collect();
    for (wrong, fields) in [
        (json!({"name": ""}), &["key.name"][..]),
        (json!({"name": "x".repeat(101)}), &["key.name"]),
        (json!({"name": "two\nlines"}), &["key.name"]),
        (json!({"name": "A", "scopes": []}), &["key.scopes"]),
        (json!({"name": "A", "scopes": ["admin"]}), &["key.scopes[0]"]),
        (
            json!({"name": "A", "expires_at": "2026-11-21T12:00:00Z"}),
            &["key.expires_at"],
        ),
        (json!({"name": "A", "expires_at": "tomorrow"}), &["key.expires_at"]),
        (json!({"name": "A", "credit_cap": -1}), &["key.credit_cap"]),
        (json!({"name": "A", "credit_period": "day"}), &["key.credit_period"]),
        (
            json!({"name": "A", "credit_cap": 1, "credit_period": "hour"}),
            &["key.credit_period"],
        ),
        (
            json!({"name": "", "allowed_networks": ["10.0.0.0/8", "here", "1.2.3.4/33"]}),
            &["key.name", "key.allowed_networks[1]", "key.allowed_networks[2]"],
        ),
        (
            json!({"name": "A", "allowed_networks": many}),
            &["key.allowed_networks"],
        ),
        (json!({"name": "A", "networks": []}), &["key.networks"]),
    ] {
        let reply = ada.post("/keys", &json!({"key": wrong})).await;
        reply.expect_fields(fields);
        reply.expect_free();
    }
    assert_eq!(ada.count("keys").await, 1);
}

#[tokio::test]
async fn a_repeated_request_makes_one_key_and_does_not_show_it_again() {
    let app = TestApp::start().await;
    let ada = app.account(1).await;
    let body = json!({"key": {"name": "The shop"}});
    let made = ada.generate("/keys", "k1", &body).await.expect(201);
    let error = ada
        .generate("/keys", "k1", &body)
        .await
        .expect_error(409, "idempotency_conflict");
    let message = error["message"].as_str().unwrap();
    assert!(
        message.contains(id(&made)) && message.contains("revoke or rotate"),
        "{message}"
    );
    assert!(!error.to_string().contains(secret(&made)));
    for other in [json!({"key": {"name": "Another"}}), json!({"key": {"name": ""}})] {
        ada.generate("/keys", "k1", &other)
            .await
            .expect_error(409, "idempotency_conflict");
    }
    let path = format!("/keys/{}/rotate", id(&made));
    ada.generate(&path, "k1", &json!({}))
        .await
        .expect_error(409, "idempotency_conflict");
    let rotated = ada
        .generate(&path, "k2", &json!({"overlap_hours": 1}))
        .await
        .expect(200);
    let again = ada.generate(&path, "k2", &json!({"overlap_hours": 1})).await;
    let error = again.expect_error(409, "idempotency_conflict");
    assert!(error["message"].as_str().unwrap().contains(id(&made)), "{error}");
    ada.generate(&path, "k2", &json!({"overlap_hours": 2}))
        .await
        .expect_error(409, "idempotency_conflict");
    app.with_key(secret(&rotated)).get("/me").await.expect(200);
    assert_eq!(ada.count("keys").await, 2);
}

#[tokio::test]
async fn a_rotated_key_has_both_secrets_until_the_overlap_ends() {
    let app = TestApp::start().await;
    let ada = app.account(5).await;
    let made = make(
        &ada,
        json!({"name": "The shop", "scopes": ["books:read"], "credit_cap": 3}),
    )
    .await;
    let path = format!("/keys/{}/rotate", id(&made));
    let rotated = ada.post(&path, &json!({"overlap_hours": 2})).await.expect(200);
    assert_ne!(secret(&rotated), secret(&made));
    let mut expected = made["key"].clone();
    expected["prefix"] = rotated["key"]["prefix"].clone();
    expected["previous_secret_expires_at"] = "2026-11-21T14:00:00.000Z".into();
    assert_eq!(rotated["key"], expected, "the same key with the same terms");
    let (old, new) = (app.with_key(secret(&made)), app.with_key(secret(&rotated)));
    for key in [&old, &new] {
        key.get("/me").await.expect(200);
        let page = json!({"page": {"title": "A"}});
        key.generate("/pages", &app.new_key(), &page)
            .await
            .expect_error(403, "insufficient_scope");
    }
    app.server.clock.advance(2 * HOUR);
    old.get("/me").await.expect_error(401, "unauthorized");
    new.get("/me").await.expect(200);
    let shown = ada.get(&format!("/keys/{}", id(&made))).await.expect(200);
    assert_eq!(shown["key"]["previous_secret_expires_at"], Value::Null);
}

#[tokio::test]
async fn a_second_rotation_ends_the_first_secret_and_no_overlap_ends_the_present_one() {
    let app = TestApp::start().await;
    let ada = app.account(5).await;
    let made = make(&ada, json!({"name": "The shop"})).await;
    let path = format!("/keys/{}/rotate", id(&made));
    // Without a body, the overlap is a day.
    let second = ada.post_nothing(&path).await.expect(200);
    assert_eq!(second["key"]["previous_secret_expires_at"], "2026-11-22T12:00:00.000Z");
    let third = ada.post(&path, &json!({})).await.expect(200);
    let works = async |reply: &Value| app.with_key(secret(reply)).get("/me").await.status == 200;
    assert_eq!(
        [works(&made).await, works(&second).await, works(&third).await],
        [false, true, true]
    );
    let fourth = ada.post(&path, &json!({"overlap_hours": 0})).await.expect(200);
    assert_eq!(fourth["key"]["previous_secret_expires_at"], Value::Null);
    assert_eq!(
        [works(&second).await, works(&third).await, works(&fourth).await],
        [false, false, true]
    );
    for hours in [json!(-1), json!(721), json!(1.5), json!("1")] {
        ada.post(&path, &json!({"overlap_hours": hours}))
            .await
            .expect_fields(&["overlap_hours"]);
    }
    assert!(works(&fourth).await);
}

#[tokio::test]
async fn a_key_may_rotate_itself_and_continues_with_its_new_secret() {
    let app = TestApp::start().await;
    let ada = app.account(5).await;
    let made = make(&ada, json!({"name": "The shop"})).await;
    let own = app.with_key(secret(&made));
    let path = format!("/keys/{}/rotate", id(&made));
    let rotated = own.post(&path, &json!({"overlap_hours": 0})).await.expect(200);
    own.get("/me").await.expect_error(401, "unauthorized");
    app.with_key(secret(&rotated)).get("/me").await.expect(200);
}

#[tokio::test]
async fn a_revoked_or_expired_key_is_neither_used_nor_rotated_and_remains_listed() {
    let app = TestApp::start().await;
    let ada = app.account(5).await;
    let revoked = make(&ada, json!({"name": "Revoked"})).await;
    let expired = make(&ada, json!({"name": "Expired", "expires_at": "2026-11-21T13:00:00Z"})).await;
    let path = format!("/keys/{}", id(&revoked));
    for _ in 0..2 {
        ada.delete(&path).await.expect_no_content();
    }
    app.with_key(secret(&expired)).get("/me").await.expect(200);
    app.server.clock.advance(HOUR);
    for (made, status) in [(&revoked, "revoked"), (&expired, "expired")] {
        let error = app
            .with_key(secret(made))
            .get("/me")
            .await
            .expect_error(401, "unauthorized");
        assert!(
            error["message"].as_str().unwrap().contains("Send another key"),
            "{error}"
        );
        let path = format!("/keys/{}", id(made));
        assert_eq!(ada.get(&path).await.expect(200)["key"]["status"], status);
        let rotation = ada.post_nothing(&format!("{path}/rotate")).await;
        rotation.expect_fields(&["key"]);
    }
    let first = ada.get("/keys?limit=2").await.expect(200);
    let after = first["meta"]["next_cursor"].as_str().unwrap();
    let rest = ada.get(&format!("/keys?limit=2&after={after}")).await.expect(200);
    let names = |list: &Value| {
        let keys = list["keys"].as_array().unwrap().iter();
        keys.map(|key| key["name"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        (names(&first), names(&rest)),
        (vec!["Expired".into(), "Revoked".into()], vec!["test".into()])
    );
    assert_eq!(rest["meta"]["next_cursor"], Value::Null);
}

#[tokio::test]
async fn an_expired_key_makes_room_for_another() {
    let app = TestApp::start().await;
    let ada = app.account(1).await;
    for number in 0..49 {
        make(
            &ada,
            json!({"name": format!("{number}"), "expires_at": "2026-11-21T13:00:00Z"}),
        )
        .await;
    }
    let one_more = json!({"key": {"name": "One more"}});
    let error = ada
        .post("/keys", &one_more)
        .await
        .expect_error(422, "account_limit_reached");
    assert!(error["message"].as_str().unwrap().contains("API keys is 50"), "{error}");
    app.server.clock.advance(HOUR);
    ada.post("/keys", &one_more).await.expect(201);
}

#[tokio::test]
async fn only_a_key_without_limits_manages_keys_and_webhooks() {
    let app = TestApp::start().await;
    let ada = app.account(5).await;
    let account = app.account_of("ada@example.com").await;
    let all = || NewApiKey::named("Limited");
    let spare = make(&ada, json!({"name": "Spare"})).await;
    let webhook = json!({"webhook": {"url": "https://shop.test/events"}});
    let made = ada.post("/webhooks", &webhook).await.expect(201);
    let hook = format!("/webhooks/{}", made["webhook"]["id"].as_str().unwrap());
    for limited in [
        NewApiKey {
            scopes: Some(vec![Scope::BooksRead, Scope::BooksWrite]),
            ..all()
        },
        NewApiKey {
            expires_at: Some(app.server.clock.now().plus(HOUR)),
            ..all()
        },
        NewApiKey {
            credit_cap: Some(1_000),
            ..all()
        },
        NewApiKey {
            allowed_networks: Some(vec!["0.0.0.0/0".into()]),
            ..all()
        },
    ] {
        let (own, secret) = testing::create_key_with(&app.server, &account, &limited).await.unwrap();
        let key = app.with_key(secret.expose());
        key.get("/me").await.expect(200);
        let rotate = format!("/keys/{}/rotate", own.id);
        for reply in [
            key.post("/keys", &json!({"key": {"name": "A"}})).await,
            key.post("/keys", &json!({"key": {"name": "A", "scopes": ["books:read"]}}))
                .await,
            key.get("/keys").await,
            key.get(&format!("/keys/{}", own.id)).await,
            key.post_nothing(&rotate).await,
            key.delete(&format!("/keys/{}", id(&spare))).await,
            key.post("/webhooks", &webhook).await,
            key.patch(&hook, &webhook).await,
            key.post_nothing(&format!("{hook}/rotate_secret")).await,
            key.delete(&hook).await,
        ] {
            let error = reply.expect_error(403, "insufficient_scope");
            let message = error["message"].as_str().unwrap();
            let expected = if limited.scopes.is_some() {
                "credits:spend"
            } else {
                "can manage API keys"
            };
            assert!(message.contains(expected), "{message}");
        }
    }
    app.with_key(secret(&spare)).get("/me").await.expect(200);
}

#[tokio::test]
async fn a_key_of_another_account_is_not_found() {
    let app = TestApp::start().await;
    let ada = app.account(5).await;
    let ben = app.account_named("ben@example.com", Plan::Business, 5).await;
    let made = make(&ada, json!({"name": "The shop"})).await;
    let path = format!("/keys/{}", id(&made));
    ben.get(&path).await.expect_error(404, "not_found");
    ben.delete(&path).await.expect_error(404, "not_found");
    for path in [format!("{path}/rotate"), "/keys/key_none/rotate".into()] {
        ben.post_nothing(&path).await.expect_error(404, "not_found");
    }
    app.with_key(secret(&made)).get("/me").await.expect(200);
}

#[tokio::test]
async fn no_secret_of_a_key_is_logged() {
    let app = TestApp::start().await;
    let ada = app.account(5).await;
    let log = Log::default();
    let captured = log.capture_up_to(tracing::Level::TRACE);
    let made = make(
        &ada,
        json!({"name": "The shop", "allowed_networks": ["203.0.113.0/24"]}),
    )
    .await;
    let rotated = ada
        .post_nothing(&format!("/keys/{}/rotate", id(&made)))
        .await
        .expect(200);
    for secret in [secret(&made), secret(&rotated)] {
        app.with_key(secret)
            .get("/me")
            .await
            .expect_error(403, "insufficient_scope");
    }
    drop(captured);
    assert!(log.holds("/keys"), "{:?}", log.lines());
    for secret in [secret(&made), secret(&rotated), ada.key().unwrap()] {
        // The prefix is not secret, and neither is a part of it.
        assert!(!log.holds(&secret[9..]), "{secret}");
    }
}
