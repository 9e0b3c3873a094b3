//! `/admin/operations`: the operations of all accounts, and the queue.
use linepress_accounts::accounts::Plan;
use serde_json::json;

use super::operator;
use crate::test_app::TestApp;

const ADA: &str = "ada@example.com";

/// Orders a book of two pages for Ada; returns the path of the operation's page.
async fn ordered(app: &TestApp) -> String {
    let ada = app.account_named(ADA, Plan::Business, 9).await;
    let pages = json!([{"title": "An <owl>"}, {"title": "A fox"}]);
    let book = json!({"book": {"title": "Woods", "pages": pages}});
    let accepted = app.accepted(&ada, "/books", &book).await;
    format!("/admin/operations/{}", accepted.operation_id())
}

#[tokio::test]
async fn the_operations_of_all_accounts_are_listed_with_their_progress() {
    let app = TestApp::start().await;
    let mut browser = operator(&app).await;
    browser.get("/admin/operations").await.expect(200, "There is none.");
    let path = ordered(&app).await;
    let list = browser.get("/admin/operations").await;
    for text in [
        "New book",
        ADA,
        "Queued",
        "0 of 3",
        "<dt>Drawings that wait</dt><dd>3</dd>",
        &format!("href=\"{path}\""),
    ] {
        list.expect(200, text);
    }
    browser.get("/admin/operations?only=open").await.expect(200, ADA);
    app.draw_everything().await;
    browser
        .get("/admin/operations")
        .await
        .expect(200, "3 of 3")
        .expect(200, "Done");
    browser
        .get("/admin/operations?only=open")
        .await
        .expect(200, "There is none.");
    browser
        .get("/admin/operations?account=acct_01KAFMYG00000000000000000A")
        .await
        .expect(200, "There is none.");
}

#[tokio::test]
async fn an_operation_shows_its_drawings_and_why_they_wait() {
    let app = TestApp::start().await;
    let mut browser = operator(&app).await;
    let path = ordered(&app).await;
    let waiting = browser.get(&path).await;
    for text in [
        "An &#60;owl&#62;",
        "A fox",
        "Cover",
        "Other drawings have their turn before it.",
        ADA,
    ] {
        waiting.expect(200, text);
    }
    app.draw_everything().await;
    let done = browser.get(&path).await;
    done.expect(200, "by testbed.plain").expect(200, "1 attempt");
    assert!(!done.text.contains("Cancel the operation"), "{}", done.text);
    browser
        .get("/admin/operations/op_01KAFMYG00000000000000000A")
        .await
        .expect(404, "There is nothing here");
}

#[tokio::test]
async fn a_canceled_operation_is_refunded() {
    let app = TestApp::start().await;
    let mut browser = operator(&app).await;
    let path = ordered(&app).await;
    let canceled = browser.submit(&path, &format!("{path}/cancel"), &[]).await;
    canceled.expect_redirect(&format!("{path}?done=canceled"));
    browser
        .get(canceled.header("location"))
        .await
        .expect(200, "canceled and refunded")
        .expect(200, "<dt>Refunded of that</dt><dd>2</dd>");
    browser
        .get("/admin/audit-log")
        .await
        .expect(200, "Operation canceled")
        .expect(200, &format!("<a href=\"{path}\">"));
    app.check_ledger().await;
}

#[tokio::test]
async fn a_drawing_that_waits_for_its_next_attempt_is_tried_again_at_once() {
    let app = TestApp::builder()
        .image_provider("testbed.flaky", json!({"fail": "other", "seeds": "all"}))
        .start()
        .await;
    let mut browser = operator(&app).await;
    let ada = app.account(9).await;
    let path = format!("/admin/operations/{}", app.new_page(&ada, "A fox").await.operation_id());
    app.draw_what_is_due().await;
    let delayed = browser.get(&path).await;
    delayed.expect(200, "It is tried again at");
    let retried = browser.submit(&path, &format!("{path}/retry"), &[]).await;
    retried.expect_redirect(&format!("{path}?done=retried"));
    let due = browser.get(&path).await;
    assert!(!due.text.contains("It is tried again at"), "{}", due.text);
}

#[tokio::test]
async fn nothing_is_drawn_while_the_queue_is_paused() {
    let app = TestApp::start().await;
    let mut browser = operator(&app).await;
    let path = ordered(&app).await;
    let list = "/admin/operations";
    let nothing = browser.submit(list, "/admin/queue/pause", &[("reason", " ")]).await;
    nothing.expect(422, "<details open><summary>Pause the queue");
    let reason = [("reason", "A new <disk>")];
    let paused = browser.submit(list, "/admin/queue/pause", &reason).await;
    paused.expect_redirect("/admin/operations?done=queue-paused");
    assert_eq!(app.draw_everything().await, 0);
    browser
        .get(list)
        .await
        .expect(200, "The queue has been paused since")
        .expect(200, "A new &#60;disk&#62;");
    browser.get(&path).await.expect(200, "An operator paused the queue.");
    let resumed = browser.submit(list, "/admin/queue/resume", &[]).await;
    resumed.expect_redirect("/admin/operations?done=queue-resumed");
    assert_eq!(app.draw_everything().await, 3);
}
