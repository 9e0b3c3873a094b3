//! `/admin/settings`: the settings in force.
use super::operator;
use crate::test_app::TestApp;

#[tokio::test]
async fn the_settings_are_shown_with_their_values_and_sources() {
    let app = TestApp::builder()
        .config(|config| config.appearance.name = "Otter & Sons".into())
        .start()
        .await;
    let mut browser = operator(&app).await;
    let page = browser.get("/admin/settings").await;
    for text in [
        "<code>limits.pages</code></th><td><code>10000</code></td><td>default</td>",
        "<code>appearance.name</code></th><td><code>Otter &#38; Sons</code>",
        "<code>sign_in.oidc</code></th><td><span class=\"small\">not set</span>",
    ] {
        page.expect(200, text);
    }
    assert!(!page.text.contains("needs a restart"), "{}", page.text);
}
