//! `/admin/health`: the checks of the server in words.
use serde_json::json;

use super::operator;
use crate::test_app::TestApp;

#[tokio::test]
async fn the_checks_are_shown_with_advice() {
    let app = TestApp::builder()
        .next_image_provider("acme.absent", json!({}))
        .start()
        .await;
    let mut browser = operator(&app).await;
    let page = browser.get("/admin/health").await;
    for text in [
        "There are problems.",
        "<strong>ledger</strong> <span class=\"badge ready\">Good</span>",
        "<span class=\"badge incomplete\">Problem</span>",
        "the plugin acme.absent is not loaded",
        "name another plugin in `image_providers`",
        "<dt>Accounts</dt><dd>1</dd>",
    ] {
        page.expect(200, text);
    }
}
