//! Dynamic client registration.
use axum::body::Body;
use serde_json::{Value, json};

use super::{REDIRECT, Scene, expect_refusal};
use crate::test_app::{Actor, TestApp};

async fn with_token(anyone: &Actor, method: &str, url: &str, token: &str) -> crate::test_app::Reply {
    let bearer = format!("Bearer {token}");
    anyone
        .send(method, url, &[("authorization", bearer.as_str())], Body::empty())
        .await
}

#[tokio::test]
async fn an_app_creates_reads_and_deletes_its_registration() {
    let app = TestApp::start().await;
    let anyone = app.anonymous();
    let metadata = json!({
        "redirect_uris": [REDIRECT, "http://localhost/cb"], "client_name": "An agent", "application_type": "native",
        "grant_types": ["authorization_code", "refresh_token"], "response_types": ["code"], "scope": "books:read offline_access",
        "token_endpoint_auth_method": "none", "client_uri": "https://agent.test", "software_id": "x", "contacts": ["a@agent.test"],
    });
    let reply = anyone.post("/oauth/register", &metadata).await;
    let registered = reply.expect(201);
    assert_eq!(reply.header("cache-control"), "no-store");
    let id = registered["client_id"].as_str().unwrap();
    for field in [
        "redirect_uris",
        "client_name",
        "application_type",
        "scope",
        "token_endpoint_auth_method",
        "client_uri",
    ] {
        assert_eq!(registered[field], metadata[field], "{field}");
    }
    assert_eq!(registered["client_id_issued_at"], 1_795_262_400);
    assert!(registered.get("client_secret").is_none() && registered.get("software_id").is_none());
    let url = registered["registration_client_uri"].as_str().unwrap();
    assert_eq!(url, format!("http://linepress.test/oauth/register/{id}"));
    let token = registered["registration_access_token"].as_str().unwrap();
    assert_eq!(with_token(&anyone, "GET", url, token).await.expect(200), registered);
    for wrong in ["", "x", &"x".repeat(43)] {
        for method in ["GET", "DELETE"] {
            expect_refusal(&with_token(&anyone, method, url, wrong).await, 401, "invalid_token");
        }
    }
    assert_eq!(with_token(&anyone, "DELETE", url, token).await.status, 204);
    expect_refusal(&with_token(&anyone, "GET", url, token).await, 401, "invalid_token");
}

#[tokio::test]
async fn an_app_that_names_no_method_gets_a_secret() {
    let app = TestApp::start().await;
    let registered = app
        .anonymous()
        .post("/oauth/register", &json!({"redirect_uris": [REDIRECT]}))
        .await
        .expect(201);
    assert_eq!(registered["token_endpoint_auth_method"], "client_secret_basic");
    assert_eq!(registered["client_secret"].as_str().unwrap().len(), 43);
    assert_eq!(registered["client_secret_expires_at"], 0);
}

#[tokio::test]
async fn an_invalid_registration_is_refused_with_the_reason() {
    let app = TestApp::start().await;
    let anyone = app.anonymous();
    let long = format!("https://agent.test/{}", "x".repeat(2_000));
    let many: Vec<_> = (0..11).map(|number| format!("https://agent.test/{number}")).collect();
    for uris in [
        json!([]),
        json!(null),
        json!(["/callback"]),
        json!(["http://agent.test/cb"]),
        json!(["javascript:alert(1)"]),
        json!(["data:text/html,x"]),
        json!(["https://agent.test/#x"]),
        json!([REDIRECT, "file:///etc/passwd"]),
        json!([long]),
        json!(many),
        json!(["http://localhost.evil.test/cb"]),
        json!(["https://a:b@agent.test/"]),
        json!(["https://agent.test\\@evil.test/"]),
        json!(["https:evil.test/x"]),
        json!(["ms-msdt:/id"]),
        json!(["search-ms://query=x"]),
        json!(["feed:javascript:alert(1)"]),
        json!(["com.example.app:cb"]),
    ] {
        let reply = anyone.post("/oauth/register", &json!({"redirect_uris": uris})).await;
        expect_refusal(&reply, 400, "invalid_redirect_uri");
    }
    for (field, value) in [
        ("token_endpoint_auth_method", json!("private_key_jwt")),
        ("grant_types", json!(["client_credentials"])),
        ("response_types", json!(["token"])),
        ("application_type", json!("toaster")),
        ("client_name", json!("")),
        ("client_name", json!("x".repeat(101))),
        ("client_name", json!("Cla\u{202e}ude")),
        ("client_name", json!("Claude\n\nSign in")),
        ("client_name", json!("Cla\u{e0041}ude")),
        ("client_name", json!("\u{2800}\u{3164}")),
        ("client_name", json!("!!!")),
        ("client_name", json!(7)),
        ("client_uri", json!("x".repeat(3_000))),
        ("redirect_uris", json!("https://agent.test/cb")),
    ] {
        let mut metadata = json!({"redirect_uris": [REDIRECT]});
        metadata[field] = value;
        expect_refusal(
            &anyone.post("/oauth/register", &metadata).await,
            400,
            "invalid_client_metadata",
        );
    }
    for body in [
        "",
        "{",
        "[]",
        "{\"redirect_uris\": [\"https://a.test/\"], \"redirect_uris\": [\"https://b.test/\"]}",
    ] {
        let json = [("content-type", "application/json")];
        let reply = anyone.send("POST", "/oauth/register", &json, body.into()).await;
        expect_refusal(&reply, 400, "invalid_client_metadata");
    }
    // Each address may have this length, but not all of them together.
    let large: Vec<_> = (0..3)
        .map(|number| format!("https://agent.test/{number}{}", "x".repeat(1_900)))
        .collect();
    for metadata in [
        json!({"redirect_uris": large}),
        json!({"redirect_uris": [REDIRECT], "client_uri": "\u{1}".repeat(1_000)}),
    ] {
        expect_refusal(
            &anyone.post("/oauth/register", &metadata).await,
            400,
            "invalid_client_metadata",
        );
    }
    let padded = json!({"redirect_uris": [REDIRECT], "padding": "x".repeat(40_000)});
    expect_refusal(
        &anyone.post("/oauth/register", &padded).await,
        400,
        "invalid_client_metadata",
    );
    assert_eq!(
        linepress_accounts::grants::clients::list(&app.server)
            .await
            .unwrap()
            .len(),
        0
    );
}

#[tokio::test]
async fn registrations_are_limited_for_each_address() {
    let app = TestApp::start().await;
    let metadata = json!({"redirect_uris": [REDIRECT]}).to_string();
    let mut registered = 0;
    for number in 0..70 {
        let json = [("content-type", "application/json")];
        let reply = app
            .anonymous()
            .send("POST", "/oauth/register", &json, metadata.clone().into())
            .await;
        match reply.status.as_u16() {
            201 => registered += 1,
            429 => {
                expect_refusal(&reply, 429, "temporarily_unavailable");
                assert!(reply.header("retry-after").parse::<u64>().unwrap() > 0);
            }
            other => panic!("{number}: {other}"),
        }
    }
    assert_eq!(registered, 60);
    assert_eq!(
        linepress_accounts::grants::clients::list(&app.server)
            .await
            .unwrap()
            .len(),
        60
    );
    // Ten addresses that exhaust their limits, and a client from another one.
    for number in 0..600 {
        let from = format!("198.51.100.{}", number % 10);
        let taken = linepress_accounts::grants::clients::take_registration(&app.server, &from, None).await;
        assert!(taken.is_ok(), "{number}");
    }
    let taken = linepress_accounts::grants::clients::take_registration(&app.server, "203.0.113.1", None).await;
    assert!(taken.is_ok());
}

#[tokio::test]
async fn the_networks_of_one_ipv6_customer_share_a_limit() {
    let app = TestApp::start().await;
    let mut taken = 0;
    for number in 0..300 {
        let from: std::net::IpAddr = format!("2001:db8:7:{number:x}::1").parse().unwrap();
        let from = linepress_http::client_address::ClientAddress(from);
        let (address, site) = (from.subject(), from.site());
        let turn = linepress_accounts::grants::clients::take_registration(&app.server, &address, site.as_deref()).await;
        taken += usize::from(turn.is_ok());
    }
    assert_eq!(taken, 240);
}

#[tokio::test]
async fn clients_that_were_never_granted_anything_are_bounded_and_the_oldest_go_first() {
    let mut scene = Scene::new().await;
    // The oldest client, which is in use.
    let tokens = scene.tokens().await;
    let server = &scene.app.server;
    let mut tx = server.database.begin().await.unwrap();
    let now = server.clock.now().microseconds();
    let row = |number: i64| {
        let (at, id) = (now + number, format!("client_{number:026}"));
        let end = at + 24 * 3600 * 1_000_000;
        format!("('{id}', 'x', '[]', 'none', '{{}}', {at}, {end}, '{id}')")
    };
    for first in (0..10_200).step_by(200) {
        let rows: Vec<_> = (first..first + 200).map(row).collect();
        let statement = format!(
            "INSERT INTO oauth_clients (id, name, redirect_uris, auth_method, metadata, created_at, expires_at, \
               registration_hash) VALUES {}",
            rows.join(", ")
        );
        sqlx::query(sqlx::AssertSqlSafe(statement))
            .execute(&mut *tx)
            .await
            .unwrap();
    }
    tx.commit().await.unwrap();
    server.clock.advance(std::time::Duration::from_secs(1));
    crate::testing::forget_grants(server).await.unwrap();
    let left = linepress_accounts::grants::clients::list(server).await.unwrap();
    assert_eq!(left.iter().filter(|client| client.name == "x").count(), 10_000);
    assert!(
        left.iter()
            .all(|client| client.id.as_str() != format!("client_{:026}", 0))
    );
    assert!(scene.opens(&tokens).await);
}

#[tokio::test]
async fn a_registration_is_visible_only_with_its_token() {
    let scene = Scene::new().await;
    let all: Value = serde_json::to_value(
        linepress_accounts::grants::clients::list(&scene.app.server)
            .await
            .unwrap(),
    )
    .unwrap();
    assert!(!all.to_string().contains("hash"), "{all}");
}
