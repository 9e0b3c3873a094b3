//! `/admin/providers`: the image providers, their switches, and what they drew by day.
use std::time::Duration;

use serde_json::json;

use super::operator;
use crate::test_app::TestApp;

const PAGE: &str = "/admin/providers";

#[tokio::test]
async fn the_providers_are_shown_in_their_order_with_what_they_drew() {
    let app = TestApp::builder()
        .image_provider("testbed.plain", json!({}))
        .next_image_provider("acme.absent", json!({}))
        .config(|config| config.reviewer = "testbed.critic".into())
        .start()
        .await;
    let mut browser = operator(&app).await;
    let page = browser.get(PAGE).await;
    for text in [
        "1. testbed.plain",
        "<span class=\"badge ready\">In use</span>",
        "2. acme.absent",
        "<span class=\"badge incomplete\">Not loaded</span>",
        "the plugin acme.absent is not loaded",
        "Nothing was drawn.",
    ] {
        page.expect(200, text);
    }
    let ada = app.account(9).await;
    app.ready_page(&ada, "A fox").await;
    let day = browser.get(PAGE).await;
    day.expect(200, "<time>2026-11-21</time></td><td>testbed.plain")
        .expect(200, "<td class=\"number\">1</td>")
        .expect(200, "testbed.critic <span class=\"small\">eye-1</span>")
        .expect(200, "<td class=\"number\">$0.004</td>");
}

#[tokio::test]
async fn a_provider_that_is_switched_off_draws_nothing_until_it_is_switched_on() {
    let app = TestApp::start().await;
    let mut browser = operator(&app).await;
    let ada = app.account(9).await;
    let form = "/admin/providers/testbed.plain";
    let nothing = browser.submit(PAGE, &format!("{form}/off"), &[("reason", " ")]).await;
    nothing.expect(422, "<details open><summary>Switch off");
    let reason = [("reason", "Too <dark>")];
    let off = browser.submit(PAGE, &format!("{form}/off"), &reason).await;
    off.expect_redirect("/admin/providers?done=switched-off");
    browser
        .get(PAGE)
        .await
        .expect(200, "<span class=\"badge incomplete\">Switched off</span>")
        .expect(200, "Too &#60;dark&#62;");
    app.new_page(&ada, "A fox").await;
    app.draw_what_is_due().await;
    assert_eq!(app.draw_everything().await, 0);
    let on = browser.submit(PAGE, &format!("{form}/on"), &[]).await;
    on.expect_redirect("/admin/providers?done=switched-on");
    assert_eq!(app.draw_everything().await, 1);
    let unknown = browser.submit(PAGE, "/admin/providers/acme.absent/off", &reason).await;
    unknown.expect(404, "There is nothing here");
    browser
        .get("/admin/audit-log")
        .await
        .expect(200, "Provider switched off")
        .expect(200, "Provider switched on");
}

#[tokio::test]
async fn the_pause_of_a_provider_can_be_ended() {
    let app = TestApp::builder()
        .image_provider("testbed.flaky", json!({"fail": "other", "seeds": "all"}))
        .start()
        .await;
    let mut browser = operator(&app).await;
    let ada = app.account(9).await;
    for title in ["A fox", "An owl", "A bear"] {
        app.new_page(&ada, title).await;
    }
    // Five consecutive failures pause a provider.
    app.draw_what_is_due().await;
    app.server.clock.advance(Duration::from_millis(1));
    let paused = browser.get(PAGE).await;
    paused
        .expect(200, "<span class=\"badge waits\">Paused</span>")
        .expect(200, "It is not called until");
    let ended = browser
        .submit(PAGE, "/admin/providers/testbed.flaky/end-pause", &[])
        .await;
    ended.expect_redirect("/admin/providers?done=pause-ended");
    browser
        .get(PAGE)
        .await
        .expect(200, "<span class=\"badge ready\">In use</span>");
}
