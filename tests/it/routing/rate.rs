//! A limit on the calls to a provider per minute, shared by all nodes.
use std::time::Duration;

use linepress_core::operations::OperationStatus;
use linepress_core::testing;
use linepress_platform::config::ProviderSettings;

use crate::test_app::{TestApp, book_of};

#[tokio::test]
async fn the_calls_of_all_nodes_are_spread_over_the_minute() {
    let app = TestApp::builder()
        .config(|config| {
            let settings = ProviderSettings {
                per_minute: Some(6),
                ..ProviderSettings::default()
            };
            config.providers.insert("testbed.plain".into(), settings);
        })
        .start()
        .await;
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
