//! Attempts: how many are stored, how long, and that each resource shows the chosen one whatever happens at once.
use std::time::Duration;

use futures::future::join_all;
use linepress_accounts::accounts;
use linepress_core::testing;
use serde_json::{Value, json};

use crate::test_app::{Actor, Form, TestApp, pictures};
use crate::variants::id;
use crate::variants::pages::{attempts, checked_attempts, paid_after_creation, usual_statuses};

async fn replace(ada: &Actor, page: &str) {
    let form = Form::image(&pictures::png(576, 768));
    ada.send_form("PUT", &format!("/pages/{page}/image"), form)
        .await
        .expect(200);
}

async fn choose(ada: &Actor, page: &str, attempt: &Value) {
    ada.post_nothing(&format!("/pages/{page}/attempts/{}/choose", id(attempt)))
        .await
        .expect(200);
}

#[tokio::test]
async fn beyond_the_maximum_the_attempt_is_discarded_that_was_not_shown_for_the_longest_time() {
    let app = TestApp::builder()
        .config(|config| config.attempts.max_per_picture = 3)
        .start()
        .await;
    let ada = app.account(1).await;
    let page = app.imported_page(&ada, "A fox").await;
    for _ in 0..2 {
        app.server.clock.advance(Duration::from_secs(60));
        replace(&ada, &page).await;
    }
    let [third, second, first] = attempts(&ada, &page).await.try_into().unwrap();
    app.server.clock.advance(Duration::from_secs(60));
    choose(&ada, &page, &first).await;
    app.server.clock.advance(Duration::from_secs(60));
    replace(&ada, &page).await;
    let left = attempts(&ada, &page).await;
    assert_eq!((left.len(), id(&left[1]), id(&left[2])), (3, id(&third), id(&first)));
    let gone = ada.get(&format!("/pages/{page}/attempts/{}/image", id(&second))).await;
    gone.expect_error(404, "not_found");
    app.check_books().await;
    assert_eq!(app.objects().len(), 6);

    let mut browser = app.browser_of("ada@example.com").await;
    let shown = browser.get(&format!("/library/pages/{page}")).await;
    shown.expect(200, "Up to 3 pictures are stored, each for 90 days");
    let listed = app.agent("ada@example.com").await;
    let listed = listed.call("list_attempts", json!({"page_id": page})).await;
    let limits = "at most 3 attempts of it, each for 90 days";
    assert!(listed.text().contains(limits), "{}", listed.text());
    let account = ada.look("/me", "account").await;
    assert_eq!(
        account["limits"]["attempts_per_picture"],
        json!({"limit": 3, "used": null})
    );
}

#[tokio::test]
async fn an_old_attempt_is_discarded_unless_it_is_chosen() {
    let app = TestApp::start().await;
    let ada = app.account(1).await;
    let page = app.imported_page(&ada, "A fox").await;
    let alone = ada.stored_bytes().await;
    let day = Duration::from_secs(24 * 3600);
    // Its age counts from its replacement.
    app.server.clock.advance(day * 100);
    replace(&ada, &page).await;
    app.server.clock.advance(day * 89);
    assert_eq!(testing::forget_attempts(&app.server).await.unwrap(), 0);
    app.server.clock.advance(day * 2);
    assert_eq!(testing::forget_attempts(&app.server).await.unwrap(), 1);
    let left = attempts(&ada, &page).await;
    assert_eq!((left.len(), &left[0]["chosen"]), (1, &json!(true)));
    assert_eq!(ada.stored_bytes().await, alone);
    assert_eq!(accounts::miscounted(&app.server).await.unwrap(), []);
    app.check_books().await;
    assert_eq!(app.objects().len(), 2);
}

#[tokio::test]
async fn earlier_pictures_make_room_for_new_files() {
    let app = TestApp::builder()
        .config(|config| config.limits.stored_mb = 1)
        .start()
        .await;
    let ada = app.account(1).await;
    let page = app.imported_page(&ada, "A fox").await;
    let one = ada.stored_bytes().await;
    replace(&ada, &page).await;
    assert_eq!(ada.stored_bytes().await, 2 * one);
    // A file that needs the room of the earlier picture.
    let upload = ada.new_upload().await;
    let mut file = pictures::png(16, 16);
    file.resize(usize::try_from(1_000_000 - one).unwrap(), 7);
    let sent = app.anonymous().send_to(&upload.url, file).await;
    sent.expect_no_content_at_all();
    assert_eq!(attempts(&ada, &page).await.len(), 1);
    assert_eq!(ada.stored_bytes().await, 1_000_000);
    // No room is left, so nothing remains of the picture that is replaced.
    replace(&ada, &page).await;
    assert_eq!(attempts(&ada, &page).await.len(), 1);
    assert_eq!(accounts::miscounted(&app.server).await.unwrap(), []);
    app.check_attempts().await;
}

#[tokio::test]
async fn a_deleted_page_and_a_closed_account_leave_no_earlier_pictures() {
    let app = TestApp::start().await;
    let ada = app.account(1).await;
    let (stays, goes) = (
        app.imported_page(&ada, "A fox").await,
        app.imported_page(&ada, "An owl").await,
    );
    for page in [&stays, &goes] {
        replace(&ada, page).await;
    }
    assert_eq!(app.referred().await.len(), 8);
    ada.delete(&format!("/pages/{goes}")).await.expect_no_content();
    assert_eq!(app.referred().await.len(), 8);
    ada.delete("/bin").await.expect_no_content();
    assert_eq!(app.referred().await.len(), 4);
    let account = accounts::find(&app.server, "ada@example.com").await.unwrap().unwrap();
    testing::close(&app.server, &account).await.unwrap();
    // The account may be opened again, and then still has its page.
    assert_eq!(app.referred().await, app.objects_of_page(&stays).await);
    app.check_books().await;
    assert_eq!(app.objects().len(), 2);
}

#[tokio::test]
async fn attempts_that_are_chosen_replaced_and_deleted_at_once_lose_nothing() {
    let app = TestApp::start().await;
    let ada = app.account(40).await;
    for round in 0..8 {
        let page = app.ready_page(&ada, "A fox").await;
        replace(&ada, &page).await;
        let path = format!("/pages/{page}");
        let [first, second] = attempts(&ada, &page).await.try_into().unwrap();
        let before = ada.credits().await;
        let ask = async |step: usize| {
            let reply = match step {
                0 | 3 => {
                    ada.post_nothing(&format!("{path}/attempts/{}/choose", id(&first)))
                        .await
                }
                1 | 4 => {
                    ada.post_nothing(&format!("{path}/attempts/{}/choose", id(&second)))
                        .await
                }
                2 => {
                    ada.generate(&format!("{path}/regenerate"), &app.new_key(), &json!({}))
                        .await
                }
                5 => {
                    let form = Form::image(&pictures::png(576, 768));
                    ada.send_form("PUT", &format!("{path}/image"), form).await
                }
                6 if round % 2 == 1 => ada.delete(&path).await,
                _ => {
                    app.draw_what_is_due().await;
                    ada.get(&format!("{path}/attempts")).await
                }
            };
            (step, reply)
        };
        // Each round begins with another step.
        let statuses = usual_statuses(join_all((0..8).map(|step| ask((step + round) % 8))).await);
        app.draw_everything().await;
        app.check_attempts().await;
        let paid = paid_after_creation(&app, &page).await;
        assert_eq!(ada.credits().await, before - paid, "{statuses:?}");
        if ada.get(&path).await.status == 200 {
            assert!(!checked_attempts(&ada, &page).await.is_empty());
        }
    }
    app.check_books().await;
}
