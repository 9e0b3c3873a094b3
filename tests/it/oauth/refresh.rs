//! Refresh tokens: rotated, used concurrently, and stolen.
use std::time::Duration;

use crate::testing;
use linepress_accounts::accounts;
use linepress_accounts::grants;
use serde_json::{Value, json};

use super::{Client, EMAIL, REDIRECT, Scene, expect_refusal};

#[tokio::test]
async fn a_refresh_token_gives_new_tokens_after_an_hour_and_after_a_month() {
    let mut scene = Scene::new().await;
    let mut tokens = scene.tokens().await;
    for _ in 0..4 {
        scene.app.server.clock.advance(Duration::from_secs(30 * 24 * 3600));
        assert!(!scene.opens(&tokens).await);
        let next = scene.client.refresh(&scene.app, &tokens).await.expect(200);
        assert_ne!(next["refresh_token"], tokens["refresh_token"]);
        assert!(scene.opens(&next).await);
        tokens = next;
    }
    scene.app.server.clock.advance(Duration::from_secs(60 * 24 * 3600));
    let before = scene.issued().await;
    expect_refusal(&scene.client.refresh(&scene.app, &tokens).await, 400, "invalid_grant");
    assert_eq!(scene.issued().await, before);
}

#[tokio::test]
async fn several_machines_may_refresh_concurrently() {
    let mut scene = Scene::new().await;
    let tokens = scene.tokens().await;
    let (app, client) = (&scene.app, &scene.client);
    let replies = futures::future::join_all((0..11).map(|_| client.refresh(app, &tokens))).await;
    let all: Vec<Value> = replies.iter().map(|reply| reply.expect(200)).collect();
    for one in &all {
        assert!(scene.opens(one).await);
    }
    let before = scene.issued().await;
    expect_refusal(&scene.client.refresh(&scene.app, &tokens).await, 400, "invalid_grant");
    assert_eq!(scene.issued().await, before);
    // The reuse exceeded the limit, but the tokens of the family remain valid.
    assert!(scene.opens(&all[3]).await);
    scene.client.refresh(&scene.app, &all[5]).await.expect(200);
}

#[tokio::test]
async fn a_grant_has_at_most_fifty_unused_refresh_tokens() {
    let mut scene = Scene::new().await;
    let mut newest = scene.tokens().await;
    let mut oldest = None;
    for _ in 0..6 {
        let parent = newest.clone();
        for _ in 0..11 {
            scene.app.server.clock.advance(Duration::from_secs(1));
            newest = scene.client.refresh(&scene.app, &parent).await.expect(200);
            oldest.get_or_insert_with(|| newest.clone());
        }
    }
    let unused: i64 = sqlx::query_scalar("SELECT COUNT(*) FROM refresh_tokens WHERE used_at IS NULL")
        .fetch_one(&scene.app.server.database.read)
        .await
        .unwrap();
    assert_eq!(unused, 50);
    let before = scene.issued().await;
    let oldest = scene.client.refresh(&scene.app, &oldest.unwrap()).await;
    expect_refusal(&oldest, 400, "invalid_grant");
    assert_eq!(scene.issued().await, before);
    // The tokens of other machines remain valid.
    assert!(scene.opens(&newest).await);
    scene.client.refresh(&scene.app, &newest).await.expect(200);
}

#[tokio::test]
async fn a_refresh_token_that_is_reused_later_revokes_the_whole_family() {
    let mut scene = Scene::new().await;
    let first = scene.tokens().await;
    let second = scene.client.refresh(&scene.app, &first).await.expect(200);
    scene.app.server.clock.advance(Duration::from_secs(120));
    let sibling = scene.client.refresh(&scene.app, &first).await.expect(200);
    let third = scene.client.refresh(&scene.app, &second).await.expect(200);
    scene.app.server.clock.advance(Duration::from_secs(1));
    let before = scene.issued().await;
    expect_refusal(&scene.client.refresh(&scene.app, &first).await, 400, "invalid_grant");
    for tokens in [&first, &second, &sibling, &third] {
        assert!(!scene.opens(tokens).await);
        expect_refusal(&scene.client.refresh(&scene.app, tokens).await, 400, "invalid_grant");
    }
    assert_eq!(scene.issued().await, before);
    // A new grant starts another family.
    let new_tokens = scene.tokens().await;
    assert!(scene.opens(&new_tokens).await);
}

#[tokio::test]
async fn a_stolen_refresh_token_is_worthless_to_another_client_and_revokes_nothing() {
    let mut scene = Scene::new().await;
    let thief = json!({"redirect_uris": [REDIRECT], "token_endpoint_auth_method": "none"});
    let thief = Client::register(&scene.app, thief).await;
    let first = scene.tokens().await;
    let second = scene.client.refresh(&scene.app, &first).await.expect(200);
    scene.app.server.clock.advance(Duration::from_secs(600));
    let before = scene.issued().await;
    for tokens in [&first, &second] {
        expect_refusal(&thief.refresh(&scene.app, tokens).await, 400, "invalid_grant");
    }
    // An access token cannot be used as a refresh token.
    let access = json!({"refresh_token": second["access_token"]});
    expect_refusal(&scene.client.refresh(&scene.app, &access).await, 400, "invalid_grant");
    assert_eq!(scene.issued().await, before);
    assert!(scene.opens(&second).await);
}

#[tokio::test]
async fn a_refresh_can_only_narrow_the_scopes_of_the_access_token() {
    let mut scene = Scene::new().await;
    let code = scene
        .client
        .code(&mut scene.browser, &[("scope", "books:read books:write")])
        .await;
    let tokens = scene.client.redeem(&scene.app, &code).await.expect(200);
    let narrow = scene
        .client
        .refresh_with(&scene.app, &tokens, &[("scope", "books:read")])
        .await
        .expect(200);
    assert_eq!(narrow["scope"], "books:read");
    let before = scene.issued().await;
    for scope in ["books:read credits:spend", "credits:spend", "credits:spend admin"] {
        let reply = scene
            .client
            .refresh_with(&scene.app, &narrow, &[("scope", scope)])
            .await;
        expect_refusal(&reply, 400, "invalid_scope");
    }
    let reply = scene
        .client
        .refresh_with(&scene.app, &narrow, &[("resource", "https://other.test/mcp")])
        .await;
    expect_refusal(&reply, 400, "invalid_target");
    assert_eq!(scene.issued().await, before);
    let wide = scene.client.refresh(&scene.app, &narrow).await.expect(200);
    assert_eq!(wide["scope"], "books:read books:write");
}

#[tokio::test]
async fn a_late_rotation_does_not_undo_a_revocation() {
    let mut scene = Scene::new().await;
    let tokens = scene.tokens().await;
    let account = accounts::find(&scene.app.server, EMAIL).await.unwrap().unwrap();
    let granted = grants::list_of(&scene.app.server, &account).await.unwrap();
    let id = &granted[0].app.grant_id;
    // Some rotations precede the revocation and some follow it; in either order no token works afterwards.
    let (app, client) = (&scene.app, &scene.client);
    let rotations = futures::future::join_all((0..6).map(|_| client.refresh(app, &tokens)));
    let (replies, revoked) = tokio::join!(rotations, testing::revoke_grant(&app.server, id));
    assert!(revoked.unwrap());
    for reply in replies.iter().filter(|reply| reply.status == 200) {
        assert!(!scene.opens(&reply.json()).await);
        expect_refusal(
            &scene.client.refresh(&scene.app, &reply.json()).await,
            400,
            "invalid_grant",
        );
    }
    assert!(grants::list_of(&scene.app.server, &account).await.unwrap().is_empty());
}
