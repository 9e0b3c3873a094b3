//! A limit on the calls to a provider per minute, shared by all nodes.
use std::time::Duration;

use crate::testing;
use linepress_core::operations::OperationStatus;
use linepress_platform::config::ProviderSettings;
use serde_json::json;

use crate::test_app::{TestApp, book_of};

/// Starts a server that calls its provider at most six times a minute.
async fn with_a_limited_provider() -> TestApp {
    TestApp::builder()
        .config(|config| {
            let settings = ProviderSettings {
                per_minute: Some(6),
                ..ProviderSettings::default()
            };
            config.providers.insert("testbed.plain".into(), settings);
        })
        .start()
        .await
}

#[tokio::test]
async fn the_calls_of_all_nodes_are_spread_over_the_minute() {
    let app = with_a_limited_provider().await;
    let other = app.another_node().await;
    let ada = app.account(10).await;
    let accepted = ada.generate("/books", "k1", &book_of(10)).await.accepted();
    assert!(testing::work_once(&app.server).await.unwrap());
    for node in [&app.server, &other] {
        assert!(!testing::work_once(node).await.unwrap());
    }
    app.server.clock.advance(Duration::from_millis(9_900));
    assert!(!testing::work_once(&other).await.unwrap());
    app.server.clock.advance(Duration::from_millis(100));
    assert!(testing::work_once(&other).await.unwrap());
    assert!(!testing::work_once(&app.server).await.unwrap());
    let mut seconds = 0;
    while ada.status(&accepted).await != OperationStatus::Succeeded {
        seconds += 1;
        app.server.clock.advance(Duration::from_secs(1));
        while testing::work_once(&app.server).await.unwrap() {}
        assert!(seconds <= 90, "9 drawings are left");
    }
    assert_eq!(seconds, 90);
}

#[tokio::test]
async fn a_call_that_waits_for_the_rate_limit_is_not_made_once_the_provider_is_switched_off() {
    let app = with_a_limited_provider().await;
    let operator = app.operator().await;
    let wait = {
        let server = app.server.clone();
        move || {
            let server = server.clone();
            async move { testing::wait_for_turn(&server, "testbed.plain").await.unwrap() }
        }
    };
    assert!(wait().await);
    let waiting = tokio::spawn(wait());
    let off = "/admin/providers/testbed.plain/switch_off";
    operator.post(off, &json!({"reason": "Too slow"})).await.expect(200);
    assert!(!waiting.await.unwrap());
    app.server.clock.advance(Duration::from_secs(60));
    assert!(!wait().await);
    let on = "/admin/providers/testbed.plain/switch_on";
    operator.post_nothing(on).await.expect(200);
    assert!(wait().await);
}
