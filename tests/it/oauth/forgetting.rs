//! What has expired goes, and what is in use stays.
use std::time::Duration;

use linepress::grants;
use linepress::grants::clients;

use super::Scene;

const DAY: Duration = Duration::from_secs(24 * 3600);

#[tokio::test]
async fn codes_and_tokens_that_have_expired_are_forgotten() {
    let mut scene = Scene::new().await;
    let mut tokens = scene.tokens().await;
    scene.code().await;
    assert_eq!(scene.issued().await, [2, 2, 1, 1]);
    scene.app.server.clock.advance(DAY / 2);
    grants::forget_expired(&scene.app.server).await.unwrap();
    // A replay of the code would still be noticed.
    assert_eq!(scene.issued().await, [2, 2, 0, 1]);
    scene.app.server.clock.advance(DAY);
    grants::forget_expired(&scene.app.server).await.unwrap();
    assert_eq!(scene.issued().await, [1, 0, 0, 1]);
    for _ in 0..4 {
        scene.app.server.clock.advance(50 * DAY);
        grants::forget_expired(&scene.app.server).await.unwrap();
        tokens = scene.client.refresh(&scene.app, &tokens).await.expect(200);
    }
    assert!(scene.opens(&tokens).await);
    scene.app.server.clock.advance(62 * DAY);
    grants::forget_expired(&scene.app.server).await.unwrap();
    assert_eq!(scene.issued().await, [0, 0, 0, 0]);
    assert_eq!(clients::list(&scene.app.server).await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_client_that_nobody_used_is_forgotten_after_ninety_days() {
    let scene = Scene::new().await;
    scene.app.server.clock.advance(90 * DAY - Duration::from_secs(1));
    grants::forget_expired(&scene.app.server).await.unwrap();
    assert_eq!(clients::list(&scene.app.server).await.unwrap().len(), 1);
    scene.app.server.clock.advance(Duration::from_secs(1));
    grants::forget_expired(&scene.app.server).await.unwrap();
    assert!(clients::list(&scene.app.server).await.unwrap().is_empty());
    let page = scene.app.browser().get(&scene.client.address(&[])).await;
    page.expect(400, "This app cannot be connected");
}
