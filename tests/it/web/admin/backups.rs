//! `/admin/backups`: the backups in words, and the request for one.
use crate::testing;
use tempfile::TempDir;

use super::operator;
use crate::test_app::TestApp;

const PAGE: &str = "/admin/backups";

#[tokio::test]
async fn backups_are_shown_and_requested() {
    let folder = TempDir::new().unwrap();
    let place = folder.path().join("backups").to_str().unwrap().to_owned();
    let app = TestApp::builder()
        .config(|config| config.backup.dir = place.clone())
        .start()
        .await;
    let mut browser = operator(&app).await;
    browser
        .get(PAGE)
        .await
        .expect(200, &format!("<code>{place}</code>"))
        .expect(200, "None was completed in the last 90 days.")
        .expect(200, "The next one is due now")
        .expect(200, "Backups are missing.");
    let made = testing::back_up_if_due(&app.server).await.unwrap().unwrap();
    browser
        .get(PAGE)
        .await
        .expect(200, &format!("<code>{}</code>", made.snapshot.name))
        .expect(200, "The last one was made less than a minute ago.")
        .expect(200, "The next one is due on <time datetime=\"2026-11-22");
    let requested = browser.submit(PAGE, PAGE, &[]).await;
    requested.expect_redirect("/admin/backups?done=backup-requested");
    browser.get("/admin/audit-log").await.expect(200, "Backup requested");
}

#[tokio::test]
async fn a_server_without_a_place_for_backups_says_so() {
    let app = TestApp::start().await;
    let mut browser = operator(&app).await;
    browser.get(PAGE).await.expect(200, "names no folder and no bucket");
    browser
        .submit("/admin/accounts/new", PAGE, &[])
        .await
        .expect(404, "There is nothing here");
}
