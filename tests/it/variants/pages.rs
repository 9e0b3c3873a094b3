//! Variants of pages.
use std::collections::BTreeSet;
use std::time::Duration;

use futures::future::join_all;
use linepress_accounts::accounts;
use linepress_core::artwork::Status;
use linepress_core::operations::OperationStatus;
use serde_json::{Value, json};

use super::{draw_at_once, id};
use crate::test_app::{Actor, Form, Reply, TestApp, pictures};
use crate::testing;

fn fox(variants: u32) -> Value {
    json!({"page": {"title": "A fox", "variants": variants}})
}

pub(crate) async fn attempts(ada: &Actor, page: &str) -> Vec<Value> {
    super::attempts(ada, &format!("/pages/{page}")).await
}

async fn image(ada: &Actor, path: &str) -> Vec<u8> {
    super::picture(ada, &format!("{path}/image")).await
}

/// Fails unless the page shows its chosen attempt, and returns its attempts.
pub(crate) async fn checked_attempts(ada: &Actor, page: &str) -> Vec<Value> {
    let path = format!("/pages/{page}");
    super::checked_attempts(ada, &path, &format!("{path}/image")).await
}

#[tokio::test]
async fn each_variant_costs_a_credit_and_the_first_is_shown_until_another_is_chosen() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let reply = ada.generate("/pages", "k1", &fox(3)).await;
    assert_eq!(reply.header("x-service-credits-consumed"), "3");
    let accepted = reply.accepted();
    let (page, path) = (accepted.page_id(), format!("/pages/{}", accepted.page_id()));
    assert_eq!(
        (accepted.operation.progress.total, accepted.operation.credits.charged),
        (3, 3)
    );
    assert_eq!(ada.count("pages").await, 1);

    assert!(testing::work_once(&app.server).await.unwrap());
    let first = image(&ada, &path).await;
    let under_way = ada.page(&page).await;
    assert_eq!(under_way.status, Status::Generating);
    assert_eq!(under_way.active_operation_id.as_ref(), Some(&accepted.operation.id));
    let early = attempts(&ada, &page).await;
    ada.post_nothing(&format!("{path}/attempts/{}/choose", id(&early[0])))
        .await
        .expect_error(409, "generation_active");

    app.draw_everything().await;
    let drawn = ada.page(&page).await;
    assert_eq!((drawn.status, drawn.active_operation_id), (Status::Ready, None));
    assert_eq!(drawn.image.unwrap().revision, 1);
    assert_eq!(image(&ada, &path).await, first);
    assert_eq!(ada.status(&accepted).await, OperationStatus::Succeeded);
    let listed = checked_attempts(&ada, &page).await;
    let mut seen = BTreeSet::new();
    for attempt in &listed {
        assert_eq!(attempt["prompt"], "A fox");
        seen.insert(image(&ada, &format!("{path}/attempts/{}", id(attempt))).await);
    }
    assert_eq!((listed.len(), seen.len()), (3, 3), "the variants differ");

    let other = listed.iter().find(|attempt| attempt["chosen"] == false).unwrap();
    ada.post_nothing(&format!("{path}/attempts/{}/choose", id(other)))
        .await
        .expect(200);
    assert_ne!(image(&ada, &path).await, first);
    checked_attempts(&ada, &page).await;
    let replay = ada.generate("/pages", "k1", &fox(3)).await;
    assert_eq!(replay.header("x-service-credits-consumed"), "0");
    ada.generate("/pages", "k1", &fox(2))
        .await
        .expect_error(409, "idempotency_conflict");
    assert_eq!(ada.credits().await, 6);
    assert_eq!(accounts::miscounted(&app.server).await.unwrap(), []);
    app.check_books().await;
}

#[tokio::test]
async fn variants_of_a_regeneration_replace_the_picture_once() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let book = app.ready_book(&ada, &["An owl"]).await;
    let page = ada.page_ids(&book).await.remove(0);
    let path = format!("/pages/{page}");
    let before = image(&ada, &path).await;
    app.server.clock.advance(Duration::from_secs(60));
    let wish = json!({"page": {"prompt": "An owl asleep", "title": "Asleep", "variants": 2}});
    let accepted = app.accepted(&ada, &format!("{path}/regenerate"), &wish).await;
    app.draw_everything().await;
    let drawn = ada.page(&page).await;
    assert_eq!(drawn.image.unwrap().revision, 2);
    assert_eq!(
        (drawn.prompt.as_str(), drawn.title.as_str()),
        ("An owl asleep", "Asleep")
    );
    let prompts: Vec<Value> = checked_attempts(&ada, &page)
        .await
        .iter()
        .map(|one| one["prompt"].clone())
        .collect();
    assert_eq!(prompts, ["An owl asleep", "An owl asleep", "An owl"]);
    assert_ne!(image(&ada, &path).await, before);
    assert_eq!(ada.operation(&accepted).await.credits.charged, 2);
    assert_eq!(ada.get(&format!("/books/{book}/pdf")).await.status, 200);
    let added = json!({"page": {"title": "A hare", "variants": 2}});
    let added = app.accepted(&ada, &format!("/books/{book}/pages"), &added).await;
    app.draw_everything().await;
    assert_eq!(checked_attempts(&ada, &added.page_id()).await.len(), 2);
    assert_eq!(ada.book(&book).await.active_operation_id, None);
    assert_eq!(ada.credits().await, 4);
    app.check_attempts().await;
    app.check_ledger().await;
}

#[tokio::test]
async fn a_variant_that_fails_is_refunded_on_its_own() {
    let app = TestApp::builder()
        .image_provider("testbed.flaky", json!({"fail": "refused", "seeds": "odd"}))
        .start()
        .await;
    let ada = app.account(40).await;
    let mut statuses = Vec::new();
    for round in 0..8 {
        let before = ada.credits().await;
        let accepted = app.accepted(&ada, "/pages", &fox(4)).await;
        app.draw_everything().await;
        let operation = ada.operation(&accepted).await;
        let (drawn, failed) = (operation.progress.completed, operation.progress.failed);
        assert_eq!(drawn + failed, 4, "round {round}");
        assert_eq!((operation.credits.charged, operation.credits.refunded), (4, failed));
        assert_eq!(ada.credits().await, before - drawn);
        let page = ada.page(&accepted.page_id()).await;
        assert_eq!(page.active_operation_id, None);
        assert_eq!(page.error.is_some(), drawn == 0);
        assert_eq!(page.status == Status::Ready, drawn > 0);
        let kept = checked_attempts(&ada, &accepted.page_id()).await.len();
        assert_eq!(i64::try_from(kept).unwrap(), drawn);
        statuses.push(operation.status);
    }
    assert!(statuses.contains(&OperationStatus::PartiallySucceeded), "{statuses:?}");
    app.check_books().await;
}

#[tokio::test]
async fn canceling_refunds_the_variants_that_have_not_begun() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let accepted = app.accepted(&ada, "/pages", &fox(4)).await;
    assert!(testing::work_once(&app.server).await.unwrap());
    let held = testing::claim(&app.server).await.unwrap().unwrap();
    ada.post_nothing(&format!("/operations/{}/cancel", accepted.operation.id))
        .await
        .expect(200);
    let page = accepted.page_id();
    assert_eq!(ada.page(&page).await.status, Status::Generating);
    testing::attempt(&app.server, &held).await;
    let operation = ada.operation(&accepted).await;
    assert_eq!(operation.status, OperationStatus::PartiallySucceeded);
    assert_eq!((operation.credits.charged, operation.credits.refunded), (4, 2));
    let drawn = ada.page(&page).await;
    assert_eq!((drawn.status, drawn.active_operation_id), (Status::Ready, None));
    assert_eq!(checked_attempts(&ada, &page).await.len(), 2);
    assert_eq!(ada.credits().await, 7);

    // All of them, before any was drawn.
    let accepted = app
        .accepted(&ada, &format!("/pages/{page}/regenerate"), &fox_again(3))
        .await;
    ada.post_nothing(&format!("/operations/{}/cancel", accepted.operation.id))
        .await
        .expect(200);
    assert_eq!(ada.page(&page).await.status, Status::Ready);
    assert_eq!(ada.credits().await, 7);
    app.check_books().await;
}

fn fox_again(variants: u32) -> Value {
    json!({"page": {"variants": variants}})
}

#[tokio::test]
async fn a_page_deleted_between_its_variants_leaves_nothing_behind() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let accepted = app.accepted(&ada, "/pages", &fox(4)).await;
    assert!(testing::work_once(&app.server).await.unwrap());
    let held = testing::claim(&app.server).await.unwrap().unwrap();
    ada.delete(&format!("/pages/{}", accepted.page_id()))
        .await
        .expect_no_content();
    testing::attempt(&app.server, &held).await;
    let operation = ada.operation(&accepted).await;
    // The provider of the held one was not called: its page was gone.
    assert_eq!((operation.progress.completed, operation.credits.refunded), (1, 3));
    assert_eq!(ada.credits().await, 8);
    assert_eq!(app.draw_everything().await, 0);
    app.check_books().await;
    ada.delete("/bin").await.expect_no_content();
    app.check_books().await;
    assert!(app.objects().is_empty());
}

#[tokio::test]
async fn a_page_whose_book_is_deleted_between_its_variants_is_ready_afterwards() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let book = app.ready_book(&ada, &["An owl"]).await;
    let added = json!({"page": {"title": "A hare", "variants": 3}});
    let accepted = app.accepted(&ada, &format!("/books/{book}/pages"), &added).await;
    let held = testing::claim(&app.server).await.unwrap().unwrap();
    ada.delete(&format!("/books/{book}")).await.expect_no_content();
    testing::attempt(&app.server, &held).await;
    let page = ada.page(&accepted.page_id()).await;
    assert_eq!((page.status, page.active_operation_id), (Status::Ready, None));
    assert_eq!(ada.operation(&accepted).await.credits.refunded, 2);
    assert_eq!(ada.credits().await, 7);
    assert_eq!(accounts::miscounted(&app.server).await.unwrap(), []);
    app.check_books().await;
}

#[tokio::test]
async fn a_closed_account_gets_its_waiting_variants_back() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    app.accepted(&ada, "/pages", &fox(4)).await;
    assert!(testing::work_once(&app.server).await.unwrap());
    let account = accounts::find(&app.server, "ada@example.com").await.unwrap().unwrap();
    let closed = testing::close(&app.server, &account).await.unwrap();
    assert_eq!((closed.drawings, closed.credits), (3, 8));
    app.draw_everything().await;
    assert_eq!(accounts::miscounted(&app.server).await.unwrap(), []);
    app.check_books().await;
}

#[tokio::test]
async fn variants_of_a_photograph_share_it_until_the_last_one_is_drawn() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let upload = ada.new_upload().await;
    ada.send_to(&upload.url, pictures::photograph(900, 600)).await;
    let empty = ada.stored_bytes().await - i64::try_from(pictures::photograph(900, 600).len()).unwrap();
    let wish = json!({"page": {"title": "Our dog", "source_upload_id": upload.id, "variants": 3}});
    let accepted = app.accepted(&ada, "/pages", &wish).await;
    assert!(testing::work_once(&app.server).await.unwrap());
    assert_eq!(accounts::miscounted(&app.server).await.unwrap(), []);
    ada.post_nothing(&format!("/operations/{}/cancel", accepted.operation.id))
        .await
        .expect(200);
    assert_eq!(ada.operation(&accepted).await.credits.refunded, 2);
    assert_eq!(accounts::miscounted(&app.server).await.unwrap(), []);
    ada.delete(&format!("/pages/{}", accepted.page_id()))
        .await
        .expect_no_content();
    ada.delete("/bin").await.expect_no_content();
    assert_eq!(
        ada.stored_bytes().await,
        empty + i64::try_from(pictures::photograph(900, 600).len()).unwrap()
    );

    let upload = ada.new_upload().await;
    ada.send_to(&upload.url, pictures::photograph(900, 600)).await;
    let wish = json!({"page": {"title": "Our dog", "source_upload_id": upload.id, "variants": 2}});
    let accepted = app.accepted(&ada, "/pages", &wish).await;
    app.draw_everything().await;
    assert_eq!(ada.status(&accepted).await, OperationStatus::Succeeded);
    let operation = ada.operation(&accepted).await;
    for item in &operation.items {
        assert_eq!(item.note.as_deref(), Some("drawn from image/jpeg, which is a JPEG"));
    }
    assert_eq!(accounts::miscounted(&app.server).await.unwrap(), []);
    app.check_books().await;
    assert!(!app.objects().iter().any(|key| key.starts_with("sources/")));
}

#[tokio::test(flavor = "multi_thread")]
async fn variants_that_end_at_the_same_time_leave_one_picture_and_an_idle_page() {
    let app = TestApp::start().await;
    let ada = app.account(40).await;
    for _ in 0..8 {
        let accepted = app.accepted(&ada, "/pages", &fox(4)).await;
        assert_eq!(draw_at_once(&app).await, 4);
        let page = ada.page(&accepted.page_id()).await;
        assert_eq!((page.status, page.active_operation_id), (Status::Ready, None));
        assert_eq!(page.image.unwrap().revision, 1);
        assert_eq!(checked_attempts(&ada, &accepted.page_id()).await.len(), 4);
    }
    assert_eq!(ada.credits().await, 8);
    app.check_books().await;
}

#[tokio::test]
async fn a_stale_worker_adds_no_variant() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let accepted = app.accepted(&ada, "/pages", &fox(2)).await;
    let silent = testing::claim(&app.server).await.unwrap().unwrap();
    app.expire_leases();
    app.draw_everything().await;
    testing::attempt(&app.server, &silent).await;
    assert_eq!(checked_attempts(&ada, &accepted.page_id()).await.len(), 2);
    assert_eq!(ada.credits().await, 7);
    app.check_books().await;
}

#[tokio::test]
async fn more_variants_than_the_server_stores_or_than_four_are_refused() {
    let app = TestApp::builder()
        .config(|config| config.attempts.max_per_picture = 2)
        .start()
        .await;
    let ada = app.account(3).await;
    for number in [json!(0), json!(5), json!(3), json!(-1), json!("2"), json!(1.5)] {
        let body = json!({"page": {"title": "A fox", "variants": number}});
        let error = ada
            .generate("/pages", "k1", &body)
            .await
            .expect_error(422, "validation_failed");
        assert_eq!(error["details"][0]["field"], "page.variants", "{number}");
    }
    assert_eq!(ada.count("pages").await, 0);
    let page = app.accepted(&ada, "/pages", &fox(2)).await.page_id();
    app.draw_everything().await;
    assert_eq!(checked_attempts(&ada, &page).await.len(), 2);
    // The earlier pictures make room for both.
    ada.generate(&format!("/pages/{page}/regenerate"), "k2", &fox_again(2))
        .await
        .expect_error(402, "insufficient_credits");
    assert_eq!(ada.credits().await, 1);
    app.check_books().await;
}

#[tokio::test]
async fn an_agent_confirms_the_price_of_all_variants() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let agent = app.agent("ada@example.com").await;
    let wish = |confirmed: i64| json!({"title": "A fox", "variants": 3, "idempotency_key": "k1", "confirm_credits": confirmed});
    let refused = agent.call("create_page", wish(1)).await;
    refused.expect_error("confirmation_required");
    assert_eq!(refused.0["structuredContent"]["credits_required"], 3);
    assert!(refused.text().contains("in 3 variants"), "{}", refused.text());
    assert_eq!(ada.credits().await, 9);
    let accepted = agent.call("create_page", wish(3)).await;
    let accepted = accepted.expect();
    app.draw_everything().await;
    let operation = json!({"operation_id": accepted["operation"]["id"]});
    let ended = agent.call("get_operation", operation).await;
    let next = ended.expect()["next"].as_str().unwrap().to_owned();
    assert!(next.contains("choose_attempt"), "{next}");
    assert_eq!(ada.credits().await, 6);
}

#[tokio::test]
async fn a_person_orders_variants_at_the_price_on_the_button() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let mut browser = app.browser_of("ada@example.com").await;
    let form = browser.get("/library/pages/new").await;
    form.expect(200, "Draw it for 1 credit")
        .expect(200, "Draw it for 4 credits");
    let fields = |variants: &'static str, price: &'static str| {
        [
            ("title", "A fox"),
            ("variants", variants),
            ("idempotency_key", "form-1"),
            ("price", price),
        ]
    };
    let refused = browser
        .submit("/library/pages/new", "/library/pages", &fields("5", "1"))
        .await;
    refused.expect(422, "Variants");
    let refused = browser
        .submit("/library/pages/new", "/library/pages", &fields("3", "2"))
        .await;
    assert_eq!(refused.status, 409);
    assert_eq!(ada.credits().await, 9);
    let accepted = browser
        .submit("/library/pages/new", "/library/pages", &fields("3", "1"))
        .await;
    assert_eq!(accepted.status, 303, "{}", accepted.text);
    let path = accepted
        .header("location")
        .strip_suffix("?done=drawing")
        .unwrap()
        .to_owned();
    app.draw_everything().await;
    let shown = browser.get(&path).await;
    shown.expect(200, "In use");
    assert_eq!(shown.text.matches("Use this picture</button>").count(), 2);
    let again = [("variants", "2"), ("idempotency_key", "form-2"), ("price", "1")];
    browser
        .submit(&path, &format!("{path}/draw"), &again)
        .await
        .expect_redirect(&format!("{path}?done=drawing"));
    assert_eq!(ada.credits().await, 4);
    app.draw_everything().await;
    app.check_books().await;
}

/// The statuses of requests at the same time, by their steps. Fails if one is not usual for a page that others change.
pub(crate) fn usual_statuses(replies: Vec<(usize, Reply)>) -> Vec<u16> {
    let usual = |(step, reply): (usize, Reply)| {
        let status = reply.status.as_u16();
        assert!([200, 202, 204, 404, 409].contains(&status), "step {step}: {status}");
        status
    };
    replies.into_iter().map(usual).collect()
}

/// The credits that were paid for drawings of the page after its creation.
pub(crate) async fn paid_after_creation(app: &TestApp, page: &str) -> i64 {
    sqlx::query_scalar(
        "SELECT CAST(COALESCE(SUM(charged - refunded), 0) AS BIGINT) FROM operations \
         WHERE resource_id = $1 AND type <> 'page.create'",
    )
    .bind(page)
    .fetch_one(&app.server.database.read)
    .await
    .unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn variants_that_are_chosen_refined_redrawn_replaced_deleted_and_restored_at_once_lose_nothing() {
    let app = TestApp::start().await;
    let ada = app.account(200).await;
    for round in 0..10 {
        let accepted = app.accepted(&ada, "/pages", &fox(3)).await;
        let page = accepted.page_id();
        let (path, restore) = (format!("/pages/{page}"), format!("/bin/{page}/restore"));
        app.draw_what_is_due().await;
        let listed = attempts(&ada, &page).await;
        let before = ada.credits().await;
        let ask = async |step: usize| {
            let reply = match step {
                0 | 4 => {
                    let attempt = id(&listed[step % 3]);
                    ada.post_nothing(&format!("{path}/attempts/{attempt}/choose")).await
                }
                1 => {
                    ada.generate(&format!("{path}/regenerate"), &app.new_key(), &fox_again(4))
                        .await
                }
                2 => {
                    let wish = json!({"page": {"instruction": "Remove the hat"}});
                    ada.generate(&format!("{path}/refine"), &app.new_key(), &wish).await
                }
                5 => {
                    let form = Form::image(&pictures::png(576, 768));
                    ada.send_form("PUT", &format!("{path}/image"), form).await
                }
                6 if round % 2 == 1 => ada.delete(&path).await,
                7 if round % 2 == 1 => ada.post_nothing(&restore).await,
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
        if ada.get(&path).await.status == 404 {
            ada.post_nothing(&restore).await.expect(200);
        }
        assert_eq!(ada.page(&page).await.active_operation_id, None);
        assert!(!checked_attempts(&ada, &page).await.is_empty(), "{statuses:?}");
    }
    assert_eq!(accounts::miscounted(&app.server).await.unwrap(), []);
    app.check_books().await;
}
