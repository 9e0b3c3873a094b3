//! `/assets/{version}/{name}`: the files that pages load.
use crate::test_app::TestApp;

/// Returns the addresses of the files that a page loads.
fn loaded(page: &str) -> Vec<&str> {
    let addresses = page.split('"').filter(|text| text.starts_with("/assets/"));
    addresses.collect()
}

#[tokio::test]
async fn assets_are_cached_for_ever_under_an_address_that_depends_on_their_content() {
    let app = TestApp::start().await;
    let mut anyone = app.browser();
    let front = anyone.get("/").await;
    assert_eq!(front.header("cache-control"), "private, no-store");
    let policy = front.header("content-security-policy");
    assert!(
        !policy.contains("unsafe-inline") && !policy.contains("http"),
        "{policy}"
    );
    let loaded = loaded(&front.text);
    assert_eq!(loaded.len(), 6, "{loaded:?}");
    for (address, kind) in loaded.iter().zip([
        // Fonts that arrive late would shift the text of the page.
        "font/woff2",
        "font/woff2",
        "font/woff2",
        "text/css; charset=utf-8",
        "image/svg+xml",
        "text/javascript; charset=utf-8",
    ]) {
        let file = anyone.open(address).await;
        assert_eq!(file.status(), 200, "{address}");
        assert_eq!(file.headers()["content-type"], kind);
        assert_eq!(file.headers()["cache-control"], "public, max-age=31536000, immutable");
        assert_eq!(file.headers()["x-content-type-options"], "nosniff");
    }
}

#[tokio::test]
async fn a_file_of_another_version_is_not_cached_and_unknown_files_are_not_found() {
    let app = TestApp::start().await;
    let mut anyone = app.browser();
    let other = anyone.open("/assets/0123456789abcdef/style.css").await;
    assert_eq!(
        (other.status().as_u16(), &other.headers()["cache-control"]),
        (200, &"no-store".parse().unwrap())
    );
    for nothing in [
        "/assets/x/none.css",
        "/assets/x/..%2Fmod.rs",
        "/assets/x/%FF",
        "/assets/x",
    ] {
        assert_eq!(anyone.open(nothing).await.status(), 404, "{nothing}");
    }
}
