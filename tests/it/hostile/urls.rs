//! URLs that lead to the internal network, sent where clients send them.
use serde_json::json;

use crate::fetch::hostile::hostile_urls;
use crate::test_app::{TestApp, Tripwire, Web};

#[tokio::test]
async fn no_import_reaches_the_internal_network() {
    let web = Web::open().await;
    let tripwire = Tripwire::set();
    let urls = hostile_urls(&web, &tripwire);
    let app = TestApp::builder().fetcher(web.fetcher()).start().await;
    let ada = app.account(1).await;
    // Evenly, so that every kind is among them.
    let sample: Vec<_> = urls.iter().step_by(urls.len() / 200).collect();
    assert!(sample.len() >= 200, "{}", sample.len());
    for url in sample {
        let reply = ada
            .post("/pages/import", &json!({"title": "A cat", "image_url": url}))
            .await;
        let error = reply.expect_error(422, "validation_failed");
        assert_eq!(error["details"][0]["field"], "image_url", "{url}: {error}");
        assert_eq!(tripwire.touched(), 0, "{url}");
    }
    assert_eq!(ada.get("/pages").await.expect(200)["pages"], json!([]));
    assert!(app.objects().is_empty());
}
