//! `/library/pages/{id}/refine`: the form that changes something in a page's picture.
use std::time::Duration;

use serde_json::json;

use crate::test_app::TestApp;

#[tokio::test]
async fn a_person_refines_a_page_of_the_library() {
    let app = TestApp::start().await;
    let ada = app.account(5).await;
    let page = app.ready_page(&ada, "A fox").await;
    // The newest drawing of the page is the one with the note.
    app.server.clock.advance(Duration::from_secs(1));
    let path = format!("/library/pages/{page}");
    let mut browser = app.browser_of("ada@example.com").await;
    let shown = browser.get(&path).await;
    shown.expect(200, "Change something in this picture");
    assert!(shown.text.contains("Everything else stays as it is."), "{}", shown.text);
    assert!(shown.text.contains("Change it for 1 credit"), "{}", shown.text);
    let form = |instruction: &'static str| {
        [
            ("instruction", instruction),
            ("idempotency_key", "form-1"),
            ("price", "1"),
        ]
    };
    let refused = browser.submit(&path, &format!("{path}/refine"), &form(" ")).await;
    refused.expect(422, "Instruction");
    let accepted = browser
        .submit(&path, &format!("{path}/refine"), &form("Remove the hat"))
        .await;
    accepted.expect_redirect(&format!("{path}?done=drawing"));
    app.draw_everything().await;
    assert_eq!(
        ada.look(&format!("/pages/{page}"), "page").await["image"]["revision"],
        2
    );
    let drawn = browser.get(&path).await;
    drawn.expect(200, "with the change &#34;Remove the hat&#34;");
}

#[tokio::test]
async fn the_form_says_that_a_server_without_such_a_provider_draws_the_page_again() {
    let app = TestApp::builder()
        .image_provider("linepress.sketchbook", json!({}))
        .start()
        .await;
    let ada = app.account(5).await;
    let path = format!("/library/pages/{}", app.ready_page(&ada, "A fox").await);
    let mut browser = app.browser_of("ada@example.com").await;
    browser
        .get(&path)
        .await
        .expect(200, "This server cannot change a picture")
        .expect(200, "Draw it again with this change for 1 credit");
}
