//! Revocation of grants, tokens and accounts, and the time it takes to have an effect.
use std::time::Duration;

use crate::testing;
use linepress_accounts::accounts::{self, Account};
use linepress_accounts::caller::Caller;
use linepress_accounts::grants;
use linepress_platform::database::Dialect;
use linepress_platform::error::ErrorKind;
use linepress_platform::ids::BookId;
use linepress_platform::scopes::Scopes;
use linepress_platform::subscription::Plan;
use linepress_reviews::links::{self, NewReviewLink};
use serde_json::json;

use super::{Client, EMAIL, REDIRECT, Scene, expect_refusal};
use crate::test_app::TestApp;

async fn ada(scene: &Scene) -> (Account, Caller) {
    let account = accounts::find(&scene.app.server, EMAIL).await.unwrap().unwrap();
    (account, scene.app.owner(EMAIL).await)
}

#[tokio::test]
async fn a_user_disconnects_an_app_at_once_and_may_connect_it_again() {
    let mut scene = Scene::new().await;
    let tokens = scene.tokens().await;
    // Ids of the same millisecond have no order.
    scene.app.server.clock.advance(Duration::from_millis(1));
    let kept = scene.tokens().await;
    scene.app.server.clock.advance(Duration::from_millis(1));
    let code = scene.code().await;
    let (_, caller) = ada(&scene).await;
    let connected = grants::list_for(&scene.app.server, &caller).await.unwrap();
    assert_eq!(connected.len(), 3);
    assert_eq!(
        (connected[2].client_name.as_str(), &connected[2].client_host),
        ("An app without a name", &None)
    );
    let waiting = &connected[0].grant_id;
    for grant in [&connected[2].grant_id, waiting] {
        assert!(grants::revoke(&scene.app.server, &caller, grant).await.unwrap());
        assert!(!grants::revoke(&scene.app.server, &caller, grant).await.unwrap());
    }
    let before = scene.issued().await;
    assert!(!scene.opens(&tokens).await && scene.opens(&kept).await);
    expect_refusal(&scene.client.refresh(&scene.app, &tokens).await, 400, "invalid_grant");
    expect_refusal(&scene.client.redeem(&scene.app, &code).await, 400, "invalid_grant");
    assert_eq!(scene.issued().await, before);
    let again = scene.tokens().await;
    assert!(scene.opens(&again).await);
}

#[tokio::test]
async fn an_app_that_is_disconnected_during_its_call_makes_no_review_link() {
    let app = TestApp::start().await;
    let ada = app.account(5).await;
    let book = BookId::from_client(&app.ready_book(&ada, &["A fox"]).await);
    let granted = app.grant(EMAIL, Scopes::ALL, None).await;
    let resource = app.server.config.mcp_url();
    let called = grants::caller_of_token(&app.server, &granted.access_token, &resource).await;
    let caller = called.unwrap().unwrap();
    let new = NewReviewLink::default();
    let made = links::create(&app.server, &caller, &book, &new).await.unwrap();
    assert!(made.is_some());
    assert!(testing::revoke_grant(&app.server, &granted.grant_id).await.unwrap());
    let refused = links::create(&app.server, &caller, &book, &new).await.err().unwrap();
    assert!(matches!(refused.kind, ErrorKind::GrantRevoked), "{refused}");
    let made: i64 = sqlx::query_scalar("SELECT COUNT(*) FROM review_links")
        .fetch_one(&app.server.database.read)
        .await
        .unwrap();
    assert_eq!(made, 1);
}

#[tokio::test]
async fn a_user_cannot_revoke_the_grants_of_another() {
    let mut scene = Scene::new().await;
    let tokens = scene.tokens().await;
    let (_, caller) = ada(&scene).await;
    scene.app.person("eve@example.com", Plan::Business, 1).await;
    let eve = scene.app.owner("eve@example.com").await;
    let grant = &grants::list_for(&scene.app.server, &caller).await.unwrap()[0].grant_id;
    assert!(!grants::revoke(&scene.app.server, &eve, grant).await.unwrap());
    assert!(grants::list_for(&scene.app.server, &eve).await.unwrap().is_empty());
    assert!(scene.opens(&tokens).await);
}

#[tokio::test]
async fn an_app_can_revoke_only_its_own_tokens() {
    let mut scene = Scene::new().await;
    let (tokens, other) = (scene.tokens().await, scene.tokens().await);
    let thief = json!({"redirect_uris": [REDIRECT], "token_endpoint_auth_method": "none"});
    let thief = Client::register(&scene.app, thief).await;
    let give = async |client: &Client, token: &serde_json::Value| {
        let fields = [("token", token.as_str().unwrap()), ("token_type_hint", "access_token")];
        client.send(&scene.app, "/oauth/revoke", &fields).await.status
    };
    assert_eq!(give(&thief, &tokens["access_token"]).await, 200);
    assert_eq!(give(&thief, &tokens["refresh_token"]).await, 200);
    assert_eq!(give(&scene.client, &json!("nonsense")).await, 200);
    assert!(scene.opens(&tokens).await);
    // An access token is revoked alone, and a refresh token with its whole family.
    let next = scene.client.refresh(&scene.app, &tokens).await.expect(200);
    assert_eq!(give(&scene.client, &tokens["access_token"]).await, 200);
    assert!(!scene.opens(&tokens).await && scene.opens(&next).await);
    assert_eq!(give(&scene.client, &next["refresh_token"]).await, 200);
    assert!(!scene.opens(&next).await);
    expect_refusal(&scene.client.refresh(&scene.app, &next).await, 400, "invalid_grant");
    assert!(scene.opens(&other).await);
    let reply = scene.client.send(&scene.app, "/oauth/revoke", &[]).await;
    expect_refusal(&reply, 400, "invalid_request");
    let nobody = super::form(&scene.app, "/oauth/revoke", &[("client_id", "nobody"), ("token", "x")]).await;
    expect_refusal(&nobody, 401, "invalid_client");
}

#[tokio::test]
async fn closing_an_account_revokes_its_apps_for_good() {
    let mut scene = Scene::new().await;
    let tokens = scene.tokens().await;
    let (account, _) = ada(&scene).await;
    testing::close(&scene.app.server, &account).await.unwrap();
    let before = scene.issued().await;
    assert!(!scene.opens(&tokens).await);
    testing::set_plan(&scene.app.server, &account, Plan::Business)
        .await
        .unwrap();
    assert!(!scene.opens(&tokens).await);
    expect_refusal(&scene.client.refresh(&scene.app, &tokens).await, 400, "invalid_grant");
    assert_eq!(scene.issued().await, before);
}

#[tokio::test]
async fn tokens_for_another_address_of_the_server_are_refused() {
    let mut scene = Scene::new().await;
    let tokens = scene.tokens().await;
    let moved = scene
        .app
        .another_node_with(|config| config.public_url = "https://books.test".into())
        .await;
    let token = tokens["access_token"].as_str().unwrap();
    let found = grants::caller_of_token(&moved, token, &moved.config.mcp_url())
        .await
        .unwrap();
    assert!(found.is_none());
    let before = scene.issued().await;
    let resource = moved.config.mcp_url();
    let client = grants::clients::find(&moved, &scene.client.id).await.unwrap().unwrap();
    let refresh = tokens["refresh_token"].as_str().unwrap();
    let refused = grants::refresh(&moved, &client.id, refresh, None, &resource)
        .await
        .unwrap();
    assert!(matches!(refused, Err(grants::Refusal::Target(_))), "{refused:?}");
    assert_eq!(scene.issued().await, before);
}

#[tokio::test]
async fn refunded_credits_may_be_spent_again() {
    let app = TestApp::builder()
        .image_provider("testbed.flaky", json!({"fail": "other", "seeds": "all"}))
        .start()
        .await;
    app.account(10).await;
    let (agent, granted) = app.agent_with(EMAIL, Scopes::ALL, Some(1)).await;
    let page = |key: &str| json!({"title": "A fox", "idempotency_key": key, "confirm_credits": 1});
    let spent = async || {
        let account = accounts::find(&app.server, EMAIL).await.unwrap().unwrap();
        let all = grants::list_of(&app.server, &account).await.unwrap();
        all.into_iter()
            .find(|one| one.app.grant_id == granted.grant_id)
            .unwrap()
            .app
            .credits_spent
    };
    for key in ["k1", "k2"] {
        agent.call("create_page", page(key)).await.expect();
        assert_eq!(spent().await, 1);
        agent
            .call("create_page", page("other"))
            .await
            .expect_error("credit_cap_reached");
        assert_eq!(spent().await, 1);
        app.draw_everything().await;
        assert_eq!(spent().await, 0);
    }
    app.check_ledger().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_account_is_closed_while_an_app_that_was_connected_meanwhile_spends() {
    let app = TestApp::start().await;
    if app.server.database.dialect != Dialect::Postgres {
        // SQLite has a single writer, so that two transactions cannot deadlock.
        return;
    }
    app.account(5).await;
    let server = &app.server;
    let account = accounts::find(server, "ada@example.com").await.unwrap().unwrap();
    // Closing the account has ended all grants, and waits for the lock on the account.
    let mut holding = server.database.begin().await.unwrap();
    let lock = "UPDATE accounts SET updated_at = updated_at";
    sqlx::query(lock).execute(&mut *holding).await.unwrap();
    let closing = tokio::spawn({
        let (server, account) = (server.clone(), account.clone());
        async move { testing::close(&server, &account).await }
    });
    app.until_another_waits_for(&mut holding).await;
    let granted = app.grant("ada@example.com", Scopes::ALL, None).await;
    let mut spending = server.database.begin().await.unwrap();
    sqlx::query("UPDATE grants SET credits_spent = credits_spent + 1 WHERE revoked_at IS NULL")
        .execute(&mut *spending)
        .await
        .unwrap();
    holding.commit().await.unwrap();
    // Closing the account goes on, and waits for the lock on the grant.
    app.until_another_waits_for(&mut spending).await;
    sqlx::query(lock).execute(&mut *spending).await.unwrap();
    spending.commit().await.unwrap();
    closing.await.unwrap().unwrap();
    let found = grants::caller_of_token(server, &granted.access_token, &server.config.mcp_url()).await;
    assert!(found.unwrap().is_none());
}
