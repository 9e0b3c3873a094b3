//! A reviewer that fails or is not there: drawings go on or wait, as the settings say.
use std::time::Duration;

use linepress_core::operations::{FailureCode, OperationStatus};
use linepress_platform::config::OnReviewFailure;
use serde_json::json;

use super::{CRITIC, drawn, error, provider, reviewed_by};
use crate::test_app::Log;
use crate::testing;

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
