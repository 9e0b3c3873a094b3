//! The reviewer that the settings name, and the words that no prompt may contain.
use std::time::Duration;

use linepress_core::operations::{FailureCode, Operation, OperationStatus};
use linepress_platform::config::OnReviewFailure;
use serde_json::{Value, json};

use crate::test_app::{Actor, Builder, Log, TestApp};
use crate::testing;

const CRITIC: &str = "testbed.critic";

/// A server with this reviewer, its settings, and what happens when it fails.
fn reviewed_by(reviewer: &str, settings: Value, on_failure: OnReviewFailure) -> Builder {
    TestApp::builder().config(|config| {
        config.reviewer = reviewer.into();
        config.reviewer_on_failure = on_failure;
        config.plugins.insert(reviewer.into(), settings);
    })
}

async fn start() -> TestApp {
    reviewed_by(CRITIC, json!({}), OnReviewFailure::Refuse).start().await
}

/// Orders a page and works until nothing is due. Returns its operation, and the number of attempts.
async fn drawn(app: &TestApp, ada: &Actor, title: &str) -> (Operation, usize) {
    let accepted = app.new_page(ada, title).await;
    let attempts = app.draw_everything().await;
    (ada.operation(&accepted).await, attempts)
}

/// The code and the message of the operation's only drawing.
fn error(operation: &Operation) -> (FailureCode, String) {
    assert_eq!(operation.status, OperationStatus::Failed);
    let error = operation.items[0].error.as_ref().unwrap();
    (error.code, error.message.to_string())
}

/// The provider that was called for the newest drawing.
async fn provider(app: &TestApp) -> Option<String> {
    sqlx::query_scalar("SELECT provider FROM drawings ORDER BY created_at DESC LIMIT 1")
        .fetch_one(&app.server.database.read)
        .await
        .unwrap()
}

#[tokio::test]
async fn a_refused_prompt_reaches_no_provider_and_is_refunded() {
    let app = start().await;
    let ada = app.account(3).await;
    let (operation, attempts) = drawn(&app, &ada, "A forbidden fox").await;
    assert_eq!(error(&operation), (FailureCode::ReviewRefused, "Not here.".into()));
    assert_eq!(operation.items[0].note, None);
    assert_eq!((attempts, provider(&app).await), (1, None));
    assert_eq!(ada.credits().await, 3);
    let page = ada.page(operation.items[0].id.as_str()).await;
    assert_eq!(page.error.unwrap().code, FailureCode::ReviewRefused);
    // Without a sentence of the reviewer, the server's own is shown.
    let (operation, _) = drawn(&app, &ada, "A silent fox").await;
    let (code, message) = error(&operation);
    assert_eq!(code, FailureCode::ReviewRefused);
    assert!(message.contains("reviewer declined"), "{message}");
    app.check_ledger().await;
}

#[tokio::test]
async fn the_prompt_of_a_page_is_reviewed_with_the_texts_of_its_characters() {
    let app = start().await;
    let ada = app.account(3).await;
    let character = app.ready_character(&ada, "Pip").await;
    let rename = json!({"character": {"name": "forbidden"}});
    ada.patch(&format!("/characters/{character}"), &rename)
        .await
        .expect(200);
    let page = json!({"page": {"title": "A walk", "character_ids": [character]}});
    let accepted = app.accepted(&ada, "/pages", &page).await;
    app.draw_everything().await;
    let operation = ada.operation(&accepted).await;
    assert_eq!(error(&operation), (FailureCode::ReviewRefused, "Not here.".into()));
}

#[tokio::test]
async fn a_refused_picture_is_not_stored_and_is_refunded() {
    let app = start().await;
    let ada = app.account(3).await;
    let (operation, attempts) = drawn(&app, &ada, "An ugly fox").await;
    assert_eq!(error(&operation), (FailureCode::ReviewRefused, "Too ugly.".into()));
    assert_eq!((attempts, provider(&app).await.as_deref()), (1, Some("testbed.plain")));
    assert_eq!(ada.credits().await, 3);
    let image = format!("/pages/{}/image", operation.items[0].id);
    ada.get(&image).await.expect_error(404, "not_found");
    let (operation, _) = drawn(&app, &ada, "A fox").await;
    assert_eq!(operation.status, OperationStatus::Succeeded);
    assert_eq!(ada.credits().await, 2);
    app.check_ledger().await;
}

#[tokio::test]
async fn a_picture_is_drawn_once_more_with_a_hint_and_charged_once() {
    let app = start().await;
    let ada = app.account(3).await;
    for (title, left) in [("A wonky fox", 2), ("A hopeless fox", 1)] {
        let (operation, attempts) = drawn(&app, &ada, title).await;
        assert_eq!((operation.status, attempts), (OperationStatus::Succeeded, 2), "{title}");
        assert_eq!(ada.credits().await, left);
    }
    app.check_ledger().await;
}

#[tokio::test]
async fn the_provider_gets_the_hint_in_its_prompt() {
    let settings = json!({"fail": "refused", "seeds": "all", "prompt": "Correct this: Fewer legs."});
    let app = reviewed_by(CRITIC, json!({}), OnReviewFailure::Pass)
        .image_provider("testbed.flaky", settings)
        .start()
        .await;
    let ada = app.account(3).await;
    let (operation, attempts) = drawn(&app, &ada, "A wonky fox").await;
    assert_eq!(attempts, 2);
    assert_eq!(error(&operation).0, FailureCode::Refused);
}

#[tokio::test]
async fn a_hint_survives_the_death_of_a_worker() {
    let app = start().await;
    let ada = app.account(3).await;
    let accepted = app.new_page(&ada, "A hopeless fox").await;
    assert!(testing::work_once(&app.server).await.unwrap());
    assert_eq!(ada.status(&accepted).await, OperationStatus::Running);
    // Its worker dies before the second picture.
    let lost = testing::claim(&app.server).await.unwrap().unwrap();
    assert_eq!(lost.review_hint.as_deref(), Some("Fewer legs."));
    drop(lost);
    app.expire_leases();
    assert_eq!(app.draw_everything().await, 1);
    assert_eq!(ada.status(&accepted).await, OperationStatus::Succeeded);
    assert_eq!(ada.credits().await, 2);
    app.check_ledger().await;
}

/// Settings with which the reviewer fails, by the failure and the calls that fail.
const FAILURES: [(&str, &str); 5] = [
    ("unavailable", ""),
    ("rate-limited", "prompt"),
    ("other", "picture"),
    ("trap", "prompt"),
    ("slow", "picture"),
];

#[tokio::test]
async fn a_drawing_goes_on_without_a_reviewer_that_fails() {
    for (fail, call) in FAILURES {
        let settings = json!({"fail": fail, "call": call});
        let app = reviewed_by(CRITIC, settings, OnReviewFailure::Pass).start().await;
        let ada = app.account(3).await;
        let (operation, attempts) = drawn(&app, &ada, "A fox").await;
        assert_eq!((operation.status, attempts), (OperationStatus::Succeeded, 1), "{fail}");
        assert_eq!(ada.credits().await, 2);
        app.check_ledger().await;
    }
}

#[tokio::test]
async fn a_drawing_waits_for_a_reviewer_that_is_down_if_the_settings_say_so() {
    for (fail, call) in &FAILURES[..2] {
        let settings = json!({"fail": fail, "call": call});
        let app = reviewed_by(CRITIC, settings, OnReviewFailure::Refuse).start().await;
        let ada = app.account(3).await;
        let log = Log::default();
        let captured = log.capture();
        let accepted = app.new_page(&ada, "A fox").await;
        for _ in 0..10 {
            app.draw_what_is_due().await;
            app.server.clock.advance(Duration::from_secs(60));
        }
        drop(captured);
        assert_eq!(ada.status(&accepted).await, OperationStatus::Running, "{fail}");
        assert_eq!(provider(&app).await, None);
        let is_wait = |line: &String| line.contains("drawing is tried again later") && line.contains("error=");
        assert!(log.lines().iter().any(is_wait), "{:?}", log.lines());
        // Another node has no reviewer any more.
        let other = app.another_node_with(|config| config.reviewer.clear()).await;
        assert!(testing::work_once(&other).await.unwrap());
        assert_eq!(ada.status(&accepted).await, OperationStatus::Succeeded, "{fail}");
        assert_eq!(ada.credits().await, 2);
        app.check_ledger().await;
    }
}

#[tokio::test]
async fn a_drawing_whose_reviewer_fails_on_it_ends_after_some_attempts() {
    for ((fail, call), expected) in FAILURES[2..].iter().zip([8, 3, 3]) {
        let settings = json!({"fail": fail, "call": call});
        let app = reviewed_by(CRITIC, settings, OnReviewFailure::Refuse).start().await;
        let ada = app.account(3).await;
        let (operation, attempts) = drawn(&app, &ada, "A fox").await;
        assert_eq!(
            (error(&operation).0, attempts),
            (FailureCode::Failed, expected),
            "{fail}"
        );
        assert_eq!(ada.credits().await, 3);
        app.check_ledger().await;
    }
}

#[tokio::test]
async fn no_picture_is_paid_for_while_the_reviewer_is_down() {
    let settings = json!({"fail": "unavailable", "call": "picture"});
    let app = reviewed_by(CRITIC, settings, OnReviewFailure::Refuse).start().await;
    let ada = app.account(3).await;
    let accepted = app.new_page(&ada, "A fox").await;
    assert!(testing::work_once(&app.server).await.unwrap());
    assert!(provider(&app).await.is_some());
    // From now on, prompts fail as well.
    let other = app
        .another_node_with(|config| {
            config.plugins.insert(CRITIC.into(), json!({"fail": "unavailable"}));
        })
        .await;
    let log = Log::default();
    let captured = log.capture();
    for _ in 0..20 {
        app.server.clock.advance(Duration::from_secs(60));
        testing::work_once(&other).await.unwrap();
    }
    drop(captured);
    assert_eq!(ada.status(&accepted).await, OperationStatus::Running);
    assert!(!log.holds("subject=\"picture\""), "{:?}", log.lines());
}

#[tokio::test]
async fn a_refused_prompt_does_not_keep_others_from_testing_a_failing_provider() {
    let app = reviewed_by(CRITIC, json!({}), OnReviewFailure::Refuse)
        .image_provider(
            "testbed.flaky",
            json!({"fail": "unavailable", "seeds": "all", "prompt": "storm"}),
        )
        .start()
        .await;
    let ada = app.account(3).await;
    let down = app.new_page(&ada, "A storm").await;
    for _ in 0..8 {
        testing::work_once(&app.server).await.unwrap();
        app.server.clock.advance(Duration::from_secs(20));
    }
    ada.delete(&format!("/pages/{}", down.page_id()))
        .await
        .expect_no_content();
    app.server.clock.advance(Duration::from_secs(60));
    let refused = app.new_page(&ada, "A forbidden fox").await;
    assert!(testing::work_once(&app.server).await.unwrap());
    assert_eq!(ada.status(&refused).await, OperationStatus::Failed);
    let accepted = app.new_page(&ada, "A fox").await;
    assert!(testing::work_once(&app.server).await.unwrap());
    assert_eq!(ada.status(&accepted).await, OperationStatus::Succeeded);
}

#[tokio::test]
async fn a_redraw_without_a_hint_is_a_failure_of_the_reviewer() {
    let app = reviewed_by(CRITIC, json!({}), OnReviewFailure::Pass).start().await;
    let ada = app.account(1).await;
    let (operation, attempts) = drawn(&app, &ada, "A hintless fox").await;
    assert_eq!((operation.status, attempts), (OperationStatus::Succeeded, 1));
}

#[tokio::test]
async fn a_reviewer_that_fails_repeatedly_is_paused_and_works_again_later() {
    let settings = json!({"fail": "unavailable"});
    let app = reviewed_by(CRITIC, settings, OnReviewFailure::Pass).start().await;
    let ada = app.account(9).await;
    let log = Log::default();
    let captured = log.capture();
    for _ in 0..4 {
        app.new_page(&ada, "A fox").await;
    }
    app.draw_what_is_due().await;
    assert_eq!(log.count("a plugin call failed"), 5, "{:?}", log.lines());
    assert!(log.holds("reviewer paused"), "{:?}", log.lines());
    // One line for each prompt and picture, whether its call failed or was not made.
    assert_eq!(log.count("the drawing is not reviewed"), 8, "{:?}", log.lines());
    assert!(log.holds("outcome=\"passed\""), "{:?}", log.lines());
    // Another node is testing whether it works again.
    let mut tx = app.server.database.begin().await.unwrap();
    sqlx::query("UPDATE provider_pauses SET probing_until = until + 70000000 WHERE provider = $1")
        .bind(CRITIC)
        .execute(&mut *tx)
        .await
        .unwrap();
    tx.commit().await.unwrap();
    app.server.clock.advance(Duration::from_secs(60));
    app.new_page(&ada, "A fox").await;
    app.draw_what_is_due().await;
    assert_eq!(log.count("a plugin call failed"), 5, "{:?}", log.lines());
    app.server.clock.advance(Duration::from_secs(60));
    app.new_page(&ada, "A fox").await;
    app.draw_what_is_due().await;
    assert_eq!(log.count("a plugin call failed"), 6, "{:?}", log.lines());
    drop(captured);
    assert_eq!(ada.credits().await, 3);
}

#[tokio::test]
async fn the_log_contains_each_verdict_with_its_model_and_its_cost() {
    let app = start().await;
    let ada = app.account(1).await;
    let log = Log::default();
    let captured = log.capture();
    drawn(&app, &ada, "A fox").await;
    drop(captured);
    for subject in ["prompt", "picture"] {
        let named = format!("subject=\"{subject}\"");
        let is_its = |line: &String| line.contains("review completed") && line.contains(&named);
        let lines: Vec<String> = log.lines().into_iter().filter(is_its).collect();
        assert_eq!(lines.len(), 1, "{:?}", log.lines());
        for part in [CRITIC, "verdict=\"pass\"", "eye-1", "cost_microdollars=2000"] {
            assert!(lines[0].contains(part), "{part}: {}", lines[0]);
        }
    }
}

#[tokio::test]
async fn without_its_reviewer_a_drawing_passes_or_waits_as_the_settings_say() {
    for (on_failure, status) in [
        (OnReviewFailure::Pass, OperationStatus::Succeeded),
        (OnReviewFailure::Refuse, OperationStatus::Failed),
    ] {
        let app = reviewed_by("acme.absent", json!({}), on_failure)
            .config(|config| config.outage_patience_hours = 1)
            .start()
            .await;
        let ada = app.account(1).await;
        let (operation, attempts) = drawn(&app, &ada, "A forbidden fox").await;
        assert_eq!(operation.status, status);
        let has_waited = on_failure == OnReviewFailure::Refuse;
        assert_eq!(attempts > 50, has_waited, "{attempts}");
        assert_eq!(!app.server.missing_plugins().is_empty(), has_waited);
        assert_eq!(ada.credits().await, i64::from(has_waited));
        app.check_ledger().await;
    }
}

#[tokio::test]
async fn the_drawings_of_test_keys_are_not_reviewed() {
    let app = reviewed_by(CRITIC, json!({}), OnReviewFailure::Refuse)
        .installed("linepress.sketchbook")
        .start()
        .await;
    let ada = app.account(1).await;
    let made = ada
        .post("/keys", &json!({"key": {"name": "CI", "test": true}}))
        .await
        .expect(201);
    let test = app.with_key(made["secret"].as_str().unwrap());
    let (operation, _) = drawn(&app, &test, "A forbidden fox").await;
    assert_eq!(operation.status, OperationStatus::Succeeded);
}

/// A server that draws no owls for children, and nothing of Acme for anyone.
async fn start_without_owls() -> TestApp {
    TestApp::builder()
        .config(|config| {
            config.blocked_words.child = vec!["Owl".into()];
            config.blocked_words.adult = vec!["Acme".into()];
        })
        .start()
        .await
}

#[tokio::test]
async fn a_blocked_word_is_refused_before_anything_is_charged() {
    let app = start_without_owls().await;
    let ada = app.account(9).await;
    let mine = app.imported_page(&ada, "A fox").await;
    for (path, body, field) in [
        ("/pages", json!({"page": {"title": "A NUDE statue"}}), "page.prompt"),
        (
            "/pages",
            json!({"page": {"title": "Art", "prompt": "An owl."}}),
            "page.prompt",
        ),
        (
            "/pages",
            json!({"page": {"title": "Art", "style": "Owl feathers"}}),
            "page.style",
        ),
        (
            "/characters",
            json!({"character": {"name": "Pip", "description": "The fox of Acme"}}),
            "character.description",
        ),
        (
            "/characters",
            json!({"character": {"name": "Pip", "style": "Acme posters"}}),
            "character.description",
        ),
        (
            "/books",
            json!({"book": {"title": "B", "pages": [{"page_id": mine}, {"title": "A hare"}, {"title": "An owl"}]}}),
            "book.pages[2]",
        ),
        (
            "/books",
            json!({"book": {"title": "B", "style": "Owl feathers", "pages": [{"title": "A fox"}]}}),
            "book.style",
        ),
        (
            "/books",
            json!({"book": {"title": "B", "cover": {"prompt": "An owl"}, "pages": [{"title": "A fox"}]}}),
            "book.cover.prompt",
        ),
    ] {
        ada.generate(path, "k1", &body).await.expect_fields(&[field]);
    }
    assert_eq!(ada.credits().await, 9);
    // The key is free, and adults may see both.
    let body = json!({"book": {"title": "B", "audience": "adult", "pages": [{"title": "A nude owl"}]}});
    ada.generate("/books", "k1", &body).await.expect(202);
    assert_eq!(ada.credits().await, 8);
    let refined = json!({"page": {"instruction": "Add an owl"}});
    ada.generate(&format!("/pages/{mine}/refine"), "k2", &refined)
        .await
        .expect_fields(&["page.instruction"]);
}

#[tokio::test]
async fn a_blocked_word_is_refused_when_pages_are_added_or_drawn_again() {
    let app = start_without_owls().await;
    let ada = app.account(9).await;
    let book = app.ready_book(&ada, &["A fox", "A hare"]).await;
    let page = ada.page_ids(&book).await.remove(0);
    let (book, page) = (format!("/books/{book}"), format!("/pages/{page}"));
    let restyle = format!("{book}/restyle");
    for (path, body, field) in [
        (
            format!("{page}/regenerate"),
            json!({"page": {"prompt": "An owl"}}),
            "page.prompt",
        ),
        (
            format!("{book}/pages"),
            json!({"page": {"title": "An owl"}}),
            "page.prompt",
        ),
        (
            format!("{book}/pages"),
            json!({"page": {"title": "A bear", "style": "Owl feathers"}}),
            "page.style",
        ),
        (
            restyle.clone(),
            json!({"book": {"style": "Owl feathers"}}),
            "book.style",
        ),
    ] {
        ada.generate(&path, "k1", &body).await.expect_fields(&[field]);
    }
    ada.patch(&page, &json!({"page": {"title": "An owl"}}))
        .await
        .expect(200);
    ada.generate(&restyle, "k1", &json!({"book": {"detail": "simple"}}))
        .await
        .expect_fields(&["book.pages"]);
    assert_eq!(ada.credits().await, 7);
}

#[tokio::test]
async fn the_words_of_a_character_are_screened_for_the_audience_of_each_page() {
    let app = start_without_owls().await;
    let ada = app.account(9).await;
    let described = json!({"character": {"name": "Pip", "description": "An owl"}});
    let styled = json!({"character": {"name": "Pia", "style": "Owl feathers"}});
    let mut characters = Vec::new();
    for body in [described, styled] {
        characters.push(app.accepted(&ada, "/characters", &body).await.character_id());
    }
    app.draw_everything().await;
    let renamed = app.ready_character(&ada, "Rex").await;
    let rename = json!({"character": {"name": "Owl"}});
    ada.patch(&format!("/characters/{renamed}"), &rename).await.expect(200);
    characters.push(renamed);
    for character in characters {
        let page = json!({"page": {"title": "A walk", "character_ids": [character]}});
        ada.generate("/pages", "k1", &page)
            .await
            .expect_fields(&["page.prompt"]);
        let pages = json!([{"title": "A walk", "character_ids": [character]}]);
        let adult = json!({"book": {"title": "B", "audience": "adult", "pages": pages}});
        app.accepted(&ada, "/books", &adult).await;
    }
}

#[tokio::test]
async fn an_operator_can_turn_the_words_of_the_server_off() {
    let app = TestApp::builder()
        .config(|config| config.blocked_words.built_in = false)
        .start()
        .await;
    let ada = app.account(1).await;
    app.new_page(&ada, "A nude statue").await;
}
