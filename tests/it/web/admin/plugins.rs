//! `/admin/plugins`: the plugins, and the approval of what they request.
use serde_json::json;
use tempfile::TempDir;

use super::operator;
use crate::test_app::TestApp;
use crate::testing;

const PAGE: &str = "/admin/plugins";

#[tokio::test]
async fn a_plugin_is_approved_and_its_approval_withdrawn() {
    let folder = TempDir::new().unwrap();
    let settings = folder.path().join("linepress.toml");
    std::fs::write(&settings, "").unwrap();
    let app = TestApp::builder()
        .image_provider("testbed.courier", json!({}))
        .config(|config| config.file = Some(settings.clone()))
        .start()
        .await;
    let mut browser = operator(&app).await;
    let page = browser.get(PAGE).await;
    for text in [
        "<h2>testbed.courier</h2>",
        "<span class=\"badge waits\">Waits for approval</span> image provider, version 0.1.0",
        "to reach <code>https://pictures.test:443</code> (GET, POST)",
        "the secret <strong>api_key</strong>, sent to https://pictures.test:443 as x-key: not set",
        "<span class=\"badge ready\">Loaded</span>",
    ] {
        page.expect(200, text);
    }
    let form = "/admin/plugins/testbed.courier";
    let digest = page.value_of("digest");
    let stale = browser
        .submit(PAGE, &format!("{form}/allow"), &[("digest", "another")])
        .await;
    stale.expect(422, "is not that of the present files");
    let fields = [("digest", digest.as_str()), ("private", "https://pictures.test:443")];
    let allowed = browser.submit(PAGE, &format!("{form}/allow"), &fields).await;
    allowed.expect_redirect("/admin/plugins?done=allowed");
    browser
        .get(PAGE)
        .await
        .expect(200, "https://pictures.test:443 (private)")
        .expect(200, "Withdraw the approval")
        .expect(
            200,
            "The server stops using this plugin within seconds. Its drawings go to the next image provider, or wait.",
        );
    assert!(
        std::fs::read_to_string(&settings)
            .unwrap()
            .contains("private = [\"https://pictures.test:443\"]")
    );
    let denied = browser.submit(PAGE, &format!("{form}/deny"), &[]).await;
    denied.expect_redirect("/admin/plugins?done=denied");
    let absent = browser.submit(PAGE, "/admin/plugins/acme.absent/deny", &[]).await;
    absent.expect(404, "There is nothing here");
    browser
        .get("/admin/audit-log")
        .await
        .expect(200, "Plugin approved")
        .expect(200, "Approval of a plugin withdrawn");
}

#[tokio::test]
async fn a_card_says_what_is_loaded_instead_of_the_present_files() {
    let app = TestApp::start().await;
    let mut browser = operator(&app).await;
    let folder = app.own_plugin("testbed.plain", |copy| {
        let manifest = copy.join("plugin.toml");
        let text = std::fs::read_to_string(&manifest).unwrap();
        let newer = text.replace("version = \"0.1.0\"", "version = \"0.2.0\"");
        std::fs::write(&manifest, newer).unwrap();
    });
    browser
        .get(PAGE)
        .await
        .expect(200, "image provider, version 0.2.0, version 0.1.0 remains loaded");
    app.server.plugins.reload().await.unwrap();
    std::fs::write(folder.join("config.json"), "{}").unwrap();
    browser
        .get(PAGE)
        .await
        .expect(200, "image provider, version 0.2.0, its earlier files remain loaded");
}

#[tokio::test]
async fn services_of_the_server_are_approved_in_words() {
    let folder = TempDir::new().unwrap();
    let settings = folder.path().join("linepress.toml");
    std::fs::write(&settings, "").unwrap();
    let app = TestApp::builder()
        .installed("testbed.keeper")
        .config(|config| config.file = Some(settings.clone()))
        .start()
        .await;
    let mut browser = operator(&app).await;
    let page = browser.get(PAGE).await;
    for text in [
        "<h2>testbed.keeper</h2>",
        "<li>to store up to 256 values, 1 MiB together, in the server",
        "<li>to keep up to 1 MiB in the server",
    ] {
        page.expect(200, text);
    }
    let digest = page.value_of("digest");
    let form = "/admin/plugins/testbed.keeper";
    let allowed = browser
        .submit(PAGE, &format!("{form}/allow"), &[("digest", digest.as_str())])
        .await;
    allowed.expect_redirect("/admin/plugins?done=allowed");
    let text = std::fs::read_to_string(&settings).unwrap();
    assert!(text.contains("permissions = [\"store\", \"cache\"]"), "{text}");
    browser
        .get(PAGE)
        .await
        .expect(200, "<dt>Approved</dt><dd>to store up to 256 values");
    browser
        .get("/admin/audit-log")
        .await
        .expect(200, "version 0.1.0: store, cache");
}

#[tokio::test]
async fn a_plugin_is_used_and_configured_in_the_browser() {
    let folder = TempDir::new().unwrap();
    let settings = folder.path().join("linepress.toml");
    std::fs::write(&settings, "image_providers = [\"testbed.plain\"]\n").unwrap();
    let app = TestApp::builder()
        .installed("testbed.slow")
        .config(|config| config.file = Some(settings.clone()))
        .start()
        .await;
    let schema = json!({
        "type": "object",
        "properties": {
            "milliseconds": {
                "type": "integer", "maximum": 1000, "default": 500, "description": "The duration of a drawing.",
            },
            "busy": {"type": "boolean"},
        },
    });
    app.describe_settings("testbed.slow", &schema).await;
    let text = || std::fs::read_to_string(&settings).unwrap();
    let mut browser = operator(&app).await;
    let form = "/admin/plugins/testbed.slow";
    browser
        .get(PAGE)
        .await
        .expect(200, "The duration of a drawing. Default: 500.");
    browser
        .get(PAGE)
        .await
        .expect(200, "<option value=\"true\">true</option>");
    let wrong = browser
        .submit(PAGE, &format!("{form}/configure"), &[("setting_milliseconds", "7000")])
        .await;
    wrong.expect(422, "must be at most 1000").expect(422, "value=\"7000\"");
    let saved = browser
        .submit(PAGE, &format!("{form}/configure"), &[("setting_milliseconds", "70")])
        .await;
    saved.expect_redirect("/admin/plugins?done=configured");
    assert!(text().contains("milliseconds = 70\n"), "{}", text());
    browser
        .get(PAGE)
        .await
        .expect(200, "name=\"was_setting_milliseconds\" value=\"70\"");
    let used = browser.submit(PAGE, &format!("{form}/use"), &[("position", "1")]).await;
    used.expect_redirect("/admin/plugins?done=used");
    assert!(text().contains("[\"testbed.slow\", \"testbed.plain\"]"), "{}", text());
    let far = browser.submit(PAGE, &format!("{form}/use"), &[("position", "9")]).await;
    far.expect(422, "must be 1 to 2");
    let left = browser.submit(PAGE, &format!("{form}/stop-using"), &[]).await;
    left.expect_redirect("/admin/plugins?done=left-out");
    assert!(
        text().starts_with("image_providers = [\"testbed.plain\"]"),
        "{}",
        text()
    );
    let emptied = browser
        .submit(PAGE, &format!("{form}/configure"), &[("setting_milliseconds", "")])
        .await;
    emptied.expect_redirect("/admin/plugins?done=configured");
    assert!(!text().contains("milliseconds"), "{}", text());
    browser
        .get("/admin/audit-log")
        .await
        .expect(200, "Choice of plugins changed")
        .expect(200, "Settings of a plugin changed");
}

#[tokio::test]
async fn a_reviewer_is_used_and_left_out_in_the_browser() {
    let folder = TempDir::new().unwrap();
    let settings = folder.path().join("linepress.toml");
    std::fs::write(&settings, "reviewer = \"testbed.critic\"\n").unwrap();
    let app = TestApp::builder()
        .config(|config| {
            config.file = Some(settings.clone());
            config.reviewer = "testbed.critic".into();
        })
        .start()
        .await;
    let text = || std::fs::read_to_string(&settings).unwrap();
    let mut browser = operator(&app).await;
    browser.get(PAGE).await.expect(200, "Nothing is reviewed from then on.");
    let form = "/admin/plugins/testbed.critic";
    let left = browser.submit(PAGE, &format!("{form}/stop-using"), &[]).await;
    left.expect_redirect("/admin/plugins?done=left-out");
    assert_eq!(text(), "reviewer = \"\"\n");
    let used = browser.submit(PAGE, &format!("{form}/use"), &[]).await;
    used.expect_redirect("/admin/plugins?done=used");
    assert_eq!(text(), "reviewer = \"testbed.critic\"\n");
}

#[tokio::test]
async fn the_last_calls_of_a_plugin_are_shown() {
    let app = TestApp::start().await;
    let ada = app.account(3).await;
    let page = json!({"page": {"title": "Fox", "prompt": "A <fox>"}});
    ada.generate("/pages", "k1", &page).await.accepted();
    app.draw_everything().await;
    testing::write_plugin_calls(&app.server).await.unwrap();
    let mut browser = operator(&app).await;
    browser
        .get("/admin/plugins/testbed.plain/calls")
        .await
        .expect(
            200,
            "<span class=\"badge ready\">completed</span> <strong>draw</strong>",
        )
        .expect(200, "<dt>prompt</dt><dd>A &#60;fox&#62;</dd>")
        .expect(200, "<dt>returned picture</dt>");
}
