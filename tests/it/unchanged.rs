//! Changes that change nothing.
use std::time::Duration;

use serde_json::json;

use crate::test_app::TestApp;

#[tokio::test]
async fn an_empty_change_leaves_the_time_of_the_last_one() {
    let app = TestApp::start().await;
    let ada = app.account(5).await;
    let resources = app.ready_resources(&ada).await;
    for (path, kind, change) in [
        (
            format!("/pages/{}", resources.page),
            "page",
            json!({"caption": "Good night"}),
        ),
        (
            format!("/books/{}", resources.book),
            "book",
            json!({"subtitle": "Good night"}),
        ),
        (
            format!("/characters/{}", resources.character),
            "character",
            json!({"name": "Kit"}),
        ),
    ] {
        let before = ada.look(&path, kind).await;
        app.server.clock.advance(Duration::from_secs(60));
        let same = ada.patch(&path, &json!({kind: {}})).await.expect(200);
        assert_eq!(same[kind], before, "{kind}");
        assert_eq!(ada.look(&path, kind).await, before, "{kind}");
        let changed = ada.patch(&path, &json!({kind: change})).await.expect(200);
        assert_ne!(changed[kind]["updated_at"], before["updated_at"], "{kind}");
        ada.patch(
            &path.replace(|letter: char| letter.is_ascii_digit(), "0"),
            &json!({kind: {}}),
        )
        .await
        .expect_error(404, "not_found");
    }
}
