//! Locked pages: their pictures do not change until they are unlocked.
use serde_json::{Value, json};

use crate::test_app::{Actor, Form, TestApp, pictures};
use crate::testing;

async fn set_locked(ada: &Actor, page: &str, locked: bool) -> Value {
    let change = json!({"page": {"locked": locked}});
    let reply = ada.patch(&format!("/pages/{page}"), &change).await;
    reply.expect_free();
    reply.expect(200)["page"].clone()
}

#[tokio::test]
async fn nothing_changes_the_picture_of_a_locked_page_until_it_is_unlocked() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let page = app.ready_page(&ada, "A fox").await;
    let path = format!("/pages/{page}");
    let first = app.chosen_attempt(&page).await;
    app.accepted(&ada, &format!("{path}/regenerate"), &json!({})).await;
    app.draw_what_is_due().await;
    assert_eq!(ada.look(&path, "page").await["locked"], false);
    assert_eq!(set_locked(&ada, &page, true).await["locked"], true);

    let before = ada.look(&path, "page").await;
    let credits = ada.credits().await;
    for (form, body) in [
        ("regenerate", json!({"page": {"prompt": "A hare"}})),
        ("refine", json!({"page": {"instruction": "A hat"}})),
    ] {
        let refused = ada.generate(&format!("{path}/{form}"), &app.new_key(), &body).await;
        let error = refused.expect_error(409, "page_locked");
        assert_eq!(
            error["message"],
            "This page is locked, so its picture does not change. Unlock the page first."
        );
        refused.expect_free();
    }
    ada.post_nothing(&format!("{path}/attempts/{first}/choose"))
        .await
        .expect_error(409, "page_locked");
    let form = || Form::image(&pictures::png(576, 768));
    ada.send_form("PUT", &format!("{path}/image"), form())
        .await
        .expect_error(409, "page_locked");
    assert_eq!(ada.look(&path, "page").await, before);
    assert_eq!(ada.credits().await, credits);

    // Its words change, and it is locked once only.
    let change = json!({"page": {"title": "A hare", "locked": true}});
    let changed = ada.patch(&path, &change).await.expect(200)["page"].clone();
    assert_eq!(
        (&changed["title"], &changed["locked"]),
        (&json!("A hare"), &json!(true))
    );
    ada.patch(&path, &json!({"page": {"locked": null}}))
        .await
        .expect_error(422, "validation_failed");
    ada.patch(&path, &json!({"page": {"locked": "yes"}}))
        .await
        .expect_error(422, "validation_failed");

    assert_eq!(set_locked(&ada, &page, false).await["locked"], false);
    ada.post_nothing(&format!("{path}/attempts/{first}/choose"))
        .await
        .expect(200);
    ada.send_form("PUT", &format!("{path}/image"), form()).await.expect(200);
    app.accepted(&ada, &format!("{path}/regenerate"), &json!({})).await;
    app.draw_what_is_due().await;
    app.check_books().await;
}

#[tokio::test]
async fn a_page_that_is_locked_while_it_is_drawn_gets_its_picture() {
    let app = TestApp::start().await;
    let ada = app.account(3).await;
    let page = app.ready_page(&ada, "A fox").await;
    let path = format!("/pages/{page}");
    app.accepted(&ada, &format!("{path}/regenerate"), &json!({})).await;
    let claimed = testing::claim(&app.server).await.unwrap().unwrap();
    set_locked(&ada, &page, true).await;
    testing::attempt(&app.server, &claimed).await;
    let shown = ada.look(&path, "page").await;
    assert_eq!(
        (&shown["locked"], &shown["image"]["revision"], &shown["status"]),
        (&json!(true), &json!(2), &json!("ready"))
    );
    ada.generate(&format!("{path}/regenerate"), &app.new_key(), &json!({}))
        .await
        .expect_error(409, "page_locked");
}

#[tokio::test]
async fn a_locked_page_can_be_moved_taken_out_deleted_and_restored() {
    let app = TestApp::start().await;
    let ada = app.account(3).await;
    let book = app.ready_book(&ada, &["A fox", "An owl"]).await;
    let mut pages = ada.page_ids(&book).await;
    set_locked(&ada, &pages[0], true).await;
    pages.reverse();
    let order = json!({"page_ids": pages});
    ada.patch(&format!("/books/{book}/pages/order"), &order)
        .await
        .expect(200);
    ada.delete(&format!("/pages/{}", pages[1])).await.expect_no_content();
    let restored = ada
        .post_nothing(&format!("/bin/{}/restore", pages[1]))
        .await
        .expect(200);
    assert_eq!(restored["page"]["locked"], true);
    assert_eq!(ada.page_ids(&book).await, pages);
    ada.delete(&format!("/books/{book}/pages/{}", pages[1]))
        .await
        .expect_no_content();
    app.check_books().await;
}

#[tokio::test]
async fn an_agent_and_the_browser_lock_and_unlock_a_page() {
    let app = TestApp::start().await;
    let ada = app.account(3).await;
    let book = app.ready_book(&ada, &["A fox"]).await;
    let page = ada.page_ids(&book).await.remove(0);
    let path = format!("/library/pages/{page}");
    let mut browser = app.browser_of("ada@example.com").await;
    browser
        .submit(&path, &format!("{path}/lock"), &[("locked", "yes")])
        .await
        .expect_redirect(&format!("{path}?done=locked"));
    browser
        .get(&path)
        .await
        .expect(200, "Unlock the page")
        .expect(200, "disabled><span class=\"per-variant\"><span>Draw again");
    browser
        .get(&format!("/library/books/{book}"))
        .await
        .expect(200, ">Locked<");
    browser
        .submit(
            &path,
            &format!("{path}/draw"),
            &[("price", "1"), ("idempotency_key", "form-1")],
        )
        .await
        .expect(409, "This page is locked");
    let agent = app.agent("ada@example.com").await;
    let arguments = json!({"page_id": page, "idempotency_key": "k1", "confirm_credits": 1});
    agent
        .call("regenerate_page", arguments)
        .await
        .expect_error("page_locked");
    let shown = agent.call("get_page", json!({"page_id": page})).await;
    assert!(shown.text().contains("ready, locked"), "{}", shown.text());
    let unlocked = agent
        .call("update_page", json!({"page_id": page, "locked": false}))
        .await;
    assert_eq!(unlocked.expect()["page"]["locked"], false);
    set_locked(&ada, &page, true).await;
    browser
        .submit(&path, &format!("{path}/lock"), &[])
        .await
        .expect_redirect(&format!("{path}?done=unlocked"));
    assert_eq!(ada.look(&format!("/pages/{page}"), "page").await["locked"], false);
}
