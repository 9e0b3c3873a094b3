//! Calls into components that misbehave, each followed by one that must work.
use std::time::{Duration, Instant};

use linepress_model::Audience;
use linepress_plugin_host::{CallError, Drawing, PromptToReview, Purpose, Review, Verdict};
use serde_json::{Value, json};

use super::folder::{Folder, draw, woods};

/// Draws with one provider, and then checks that the good provider still works.
async fn draw_with(name: &str) -> Result<Drawing, CallError> {
    let plugins = Folder::with(&[name, "plain"]).load().await;
    assert_eq!(plugins.refusals(), []);
    let outcome = draw(&plugins, name, 1).await;
    draw(&plugins, "plain", 1).await.unwrap();
    outcome
}

#[tokio::test]
async fn a_provider_draws_the_same_for_the_same_seed() {
    let plugins = Folder::with(&["plain"]).load().await;
    let drawing = draw(&plugins, "plain", 1).await.unwrap();
    assert_eq!(drawing.media_type, "image/png");
    assert_eq!(drawing, draw(&plugins, "plain", 1).await.unwrap());
    assert_ne!(drawing, draw(&plugins, "plain", 2).await.unwrap());
}

#[tokio::test]
async fn a_panic_costs_one_call() {
    let error = draw_with("trap").await.unwrap_err();
    let reason = "wasm trap: wasm `unreachable` instruction executed";
    assert_eq!(error, CallError::Trapped(reason.into()));
    assert!(!error.is_final());
}

#[tokio::test]
async fn an_endless_loop_ends_at_its_deadline() {
    let error = draw_with("spin").await.unwrap_err();
    assert_eq!(error, CallError::Deadline(Duration::from_secs(1)));
}

#[tokio::test]
async fn a_sleep_ends_at_its_deadline() {
    let folder = Folder::with(&["slow"]).configure("slow", json!({"milliseconds": 60_000}));
    folder.rewrite("slow", "deadline-s = 60", "deadline-s = 1");
    let plugins = folder.load().await;
    assert_eq!(
        draw(&plugins, "slow", 1).await,
        Err(CallError::Deadline(Duration::from_secs(1)))
    );
}

#[tokio::test]
async fn a_provider_cannot_exceed_its_memory_limit() {
    assert_eq!(
        draw_with("glutton").await,
        Err(CallError::OutOfMemory { limit_mib: 32 })
    );
}

#[tokio::test]
async fn a_provider_holds_a_bounded_number_of_the_hosts_resources() {
    let error = draw_with("hoarder").await.unwrap_err();
    assert!(
        matches!(&error, CallError::Trapped(reason) if reason.contains("handle limit")),
        "{error}"
    );
}

#[tokio::test]
async fn bytes_that_are_no_image_are_an_invalid_response() {
    let error = draw_with("garbage").await.unwrap_err();
    assert_eq!(
        error,
        CallError::InvalidResponse("17 bytes that are not image/png".into())
    );
}

#[tokio::test]
async fn an_oversized_response_is_not_copied() {
    let error = draw_with("flood").await.unwrap_err();
    assert_eq!(error, CallError::ResponseTooLarge { limit: 17 << 20 });
}

#[tokio::test]
async fn a_providers_error_reaches_the_caller() {
    for (fail, expected) in [
        ("unavailable", CallError::Unavailable("down for the night".into())),
        ("refused", CallError::Refused("not a picture for children".into())),
        ("invalid", CallError::Invalid("nothing to draw".into())),
        ("rate-limited", CallError::RateLimited(Some(Duration::from_secs(7)))),
        ("other", CallError::Failed("the pencil broke".into())),
    ] {
        let plugins = Folder::with(&["flaky"])
            .configure("flaky", json!({"fail": fail}))
            .load()
            .await;
        let error = draw(&plugins, "flaky", 1).await.unwrap_err();
        assert_eq!(error, expected);
        assert_eq!(error.is_final(), ["refused", "invalid"].contains(&fail), "{fail}");
        assert_eq!(error.retry_after().is_some(), fail == "rate-limited");
        draw(&plugins, "flaky", 2).await.unwrap();
    }
}

#[tokio::test]
async fn a_plan_of_the_wrong_length_is_for_the_caller_to_check() {
    let plugins = Folder::with(&["babbler", "echo"]).load().await;
    let babbler = plugins.planner("testbed.babbler").unwrap();
    assert_eq!(babbler.plan(woods("woods", 5)).await.unwrap().pages.len(), 8);
    let error = babbler.plan(woods("an epic", 5)).await.unwrap_err();
    assert_eq!(error, CallError::ResponseTooLarge { limit: 4 << 20 });

    let echo = plugins.planner("testbed.echo").unwrap();
    let plan = echo.plan(woods("woods", 5)).await.unwrap();
    assert_eq!((plan.title.as_str(), plan.pages.len()), ("woods", 5));
}

/// Has the testbed's reviewer, with these settings, review a prompt.
async fn review_with(settings: Value, text: &str) -> Result<Review, CallError> {
    let plugins = Folder::with(&["critic"]).configure("critic", settings).load().await;
    let prompt = PromptToReview {
        purpose: Purpose::Page,
        text: text.into(),
        title: "A fox".into(),
        audience: Audience::Child,
    };
    let reviewer = plugins.reviewer("testbed.critic").unwrap();
    reviewer.review_prompt(prompt).await
}

#[tokio::test]
async fn a_reviewer_that_misbehaves_costs_one_call() {
    let review = review_with(json!({}), "A forbidden fox").await.unwrap();
    assert_eq!(review.verdict, Verdict::Refuse(Some("Not here.".into())));
    let trapped = review_with(json!({"fail": "trap"}), "A fox").await.unwrap_err();
    assert!(matches!(trapped, CallError::Trapped(_)), "{trapped}");
    let slow = review_with(json!({"fail": "slow"}), "A fox").await.unwrap_err();
    assert_eq!(slow, CallError::Deadline(Duration::from_secs(1)));
    let flood = review_with(json!({}), "An endless fox").await.unwrap_err();
    assert_eq!(flood, CallError::ResponseTooLarge { limit: 4 << 20 });
}

/// A single-threaded runtime, which the guests have to share.
#[tokio::test]
async fn endless_loops_do_not_starve_other_calls() {
    let folder = Folder::with(&["spin", "plain"]);
    folder.rewrite("spin", "deadline-s = 1", "deadline-s = 60");
    let plugins = folder.load().await;
    let spinning: Vec<_> = (0..3)
        .map(|seed| {
            let plugins = plugins.clone();
            tokio::spawn(async move { draw(&plugins, "spin", seed).await })
        })
        .collect();
    tokio::task::yield_now().await;

    draw(&plugins, "plain", 1).await.unwrap();
    for _ in 0..5 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    assert!(
        spinning.iter().all(|call| !call.is_finished()),
        "other calls ran only after the loops"
    );
    for call in spinning {
        call.abort();
        assert!(call.await.unwrap_err().is_cancelled());
    }
}

#[tokio::test]
async fn calls_beyond_the_pool_wait_for_a_place() {
    let mut folder = Folder::with(&["slow"]);
    folder.settings.max_concurrent_calls.image_providers = 1;
    // The wait for a place does not count towards the deadline, although three turns take longer than one deadline.
    folder
        .settings
        .config
        .insert("testbed.slow".into(), json!({"milliseconds": 1_100}));
    folder.rewrite("slow", "deadline-s = 60", "deadline-s = 3");
    let plugins = folder.load().await;
    let began = Instant::now();
    let (first, second, third) = tokio::join!(
        draw(&plugins, "slow", 1),
        draw(&plugins, "slow", 2),
        draw(&plugins, "slow", 3)
    );
    first.and(second).and(third).unwrap();
    // Together they would take a third of this time. A slow machine only takes longer.
    assert!(began.elapsed() >= Duration::from_millis(3_300));
}

#[tokio::test]
async fn a_dropped_call_releases_its_place() {
    let mut folder = Folder::with(&["spin", "plain"]);
    folder.settings.max_concurrent_calls.image_providers = 1;
    folder.rewrite("spin", "deadline-s = 1", "deadline-s = 5");
    let plugins = folder.load().await;
    for seed in 0..3 {
        let call = tokio::time::timeout(Duration::from_millis(50), draw(&plugins, "spin", seed));
        assert!(call.await.is_err(), "the loop must not end");
        draw(&plugins, "plain", seed).await.unwrap();
    }
}
