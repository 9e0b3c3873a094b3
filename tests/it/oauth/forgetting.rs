//! Deletion of expired codes, tokens and clients; those in use stay.
use std::time::Duration;

use crate::testing;
use linepress_accounts::grants::clients;
use serde_json::json;

use super::{Client, Scene};

const DAY: Duration = Duration::from_secs(24 * 3600);

#[tokio::test]
async fn expired_codes_and_tokens_are_deleted() {
    let mut scene = Scene::new().await;
    let mut tokens = scene.tokens().await;
    scene.code().await;
    assert_eq!(scene.issued().await, [2, 2, 1, 1]);
    scene.app.server.clock.advance(DAY / 2);
    testing::forget_grants(&scene.app.server).await.unwrap();
    // A replay of the code would still be detected.
    assert_eq!(scene.issued().await, [2, 2, 0, 1]);
    scene.app.server.clock.advance(DAY);
    testing::forget_grants(&scene.app.server).await.unwrap();
    assert_eq!(scene.issued().await, [1, 0, 0, 1]);
    for _ in 0..4 {
        scene.app.server.clock.advance(50 * DAY);
        testing::forget_grants(&scene.app.server).await.unwrap();
        tokens = scene.client.refresh(&scene.app, &tokens).await.expect(200);
    }
    assert!(scene.opens(&tokens).await);
    scene.app.server.clock.advance(62 * DAY);
    testing::forget_grants(&scene.app.server).await.unwrap();
    assert_eq!(scene.issued().await, [0, 0, 0, 0]);
    assert_eq!(clients::list(&scene.app.server).await.unwrap().len(), 1);
}

/// Deletes expired rows; returns the number of remaining clients.
async fn known(scene: &Scene) -> usize {
    testing::forget_grants(&scene.app.server).await.unwrap();
    clients::list(&scene.app.server).await.unwrap().len()
}

#[tokio::test]
async fn a_client_without_a_grant_is_deleted_after_a_day() {
    let mut scene = Scene::new().await;
    let address = scene.client.address(&[]);
    let no = [("decision", "deny")];
    scene.client.decide(&mut scene.browser, &address, &no).await;
    scene.app.server.clock.advance(DAY - Duration::from_secs(1));
    assert_eq!(known(&scene).await, 1);
    scene.app.server.clock.advance(Duration::from_secs(1));
    assert_eq!(known(&scene).await, 0);
    let page = scene.app.browser().get(&address).await;
    page.expect(400, "This app cannot be connected");
}

#[tokio::test]
async fn an_unused_client_is_deleted_after_ninety_days() {
    let mut scene = Scene::new().await;
    scene.tokens().await;
    scene.app.server.clock.advance(90 * DAY - Duration::from_secs(1));
    assert_eq!(known(&scene).await, 1);
    scene.app.server.clock.advance(Duration::from_secs(1));
    assert_eq!(known(&scene).await, 0);
}

#[tokio::test]
async fn a_revoked_client_is_deleted_with_its_grants() {
    let mut scene = Scene::new().await;
    let other = Client::register(&scene.app, json!({"redirect_uris": ["https://other.test/cb"]})).await;
    let tokens = scene.tokens().await;
    assert_eq!(known(&scene).await, 2);
    for client in clients::list(&scene.app.server).await.unwrap() {
        assert!(clients::revoke(&scene.app.server, &client.id).await.unwrap());
    }
    // The grants of the client are stored for a while longer.
    assert_eq!(known(&scene).await, 1);
    assert!(!scene.opens(&tokens).await);
    for client in [&scene.client, &other] {
        let page = scene.app.browser().get(&client.address(&[])).await;
        page.expect(400, "This app cannot be connected");
    }
    scene.app.server.clock.advance(62 * DAY);
    assert_eq!(known(&scene).await, 0);
    assert_eq!(scene.issued().await, [0, 0, 0, 0]);
}
