//! The record of a drawing and of its reviews: their plugins, durations and costs.
use linepress_drawings::spending::{self, Spending};
use linepress_operator::monitoring::Monitor;
use serde_json::json;

use crate::test_app::{Log, TestApp, book_of};

#[tokio::test]
async fn a_drawing_keeps_its_provider_model_and_cost() {
    let settings = json!({"prompt": "no prompt holds this", "model": "flux-2-pro", "cost": "0.0395"});
    let app = TestApp::builder()
        .image_provider("testbed.flaky", settings)
        .start()
        .await;
    let ada = app.account(1).await;
    app.ready_page(&ada, "A fox").await;
    let row: (String, String, String, i64, i64, i64) = sqlx::query_as(
        "SELECT provider, provider_version, model, attempts, draw_microseconds, cost_microdollars FROM drawings",
    )
    .fetch_one(&app.server.database.read)
    .await
    .unwrap();
    assert_eq!(
        (&*row.0, &*row.1, &*row.2, row.3, row.5),
        ("testbed.flaky", "0.1.0", "flux-2-pro", 1, 39_500)
    );
    assert!(row.4 > 0);
}

#[tokio::test]
async fn the_spending_report_lists_cost_and_credits_by_provider_and_model() {
    let settings = json!({"fail": "asked", "seeds": "all", "model": "m1", "cost": "0.04"});
    let app = TestApp::builder()
        .image_provider("testbed.flaky", settings)
        .config(|config| config.drawing_attempts = 2)
        .start()
        .await;
    let ada = app.account(10).await;
    ada.generate("/books", "k1", &book_of(3)).await.expect(202);
    app.new_page(&ada, "refused").await;
    app.new_page(&ada, "trap").await;
    app.draw_everything().await;
    let spent = |day| spending::since(&app.server, day);
    let mut all = spent(None).await.unwrap();
    for line in &mut all {
        assert!(std::mem::take(&mut line.draw_microseconds) > 0);
    }
    let line = |model: &str, drawings, failures, attempts, cost, credits| Spending {
        provider: "testbed.flaky".into(),
        model: model.into(),
        drawings,
        failures,
        attempts,
        draw_microseconds: 0,
        cost_microdollars: cost,
        credits,
        reviews: 0,
    };
    // The cover is free. The failed drawing produced no picture, and so has no model.
    assert_eq!(all, [line("", 0, 2, 3, 0, 0), line("m1", 4, 0, 4, 160_000, 3)]);
    let paid = ada.get("/me").await.expect(200)["account"]["credits"].clone();
    assert_eq!(paid, json!({"available": 7, "spent": 5, "refunded": 2}));
    let tomorrow = app.server.clock.now().plus(std::time::Duration::from_secs(24 * 3600));
    assert_eq!(spent(Some(tomorrow)).await.unwrap(), []);
    assert_eq!(spent(Some(app.server.clock.now())).await.unwrap().len(), 2);
}

#[tokio::test]
async fn the_spending_report_lists_the_calls_and_the_cost_of_the_reviewer() {
    for (settings, expected) in [
        // A prompt and two pictures, then a prompt.
        (json!({}), vec![("eye-1", 4, 4, 8_000)]),
        // Two prompts are reviewed, and the picture of the first is stored without a review.
        (
            json!({"fail": "unavailable", "call": "picture"}),
            vec![("", 1, 0, 0), ("eye-1", 2, 2, 4_000)],
        ),
    ] {
        let app = TestApp::builder()
            .config(|config| {
                config.reviewer = "testbed.critic".into();
                config.plugins.insert("testbed.critic".into(), settings);
            })
            .start()
            .await;
        let ada = app.account(5).await;
        for title in ["A wonky fox", "A forbidden fox"] {
            app.new_page(&ada, title).await;
        }
        app.draw_everything().await;
        let all = spending::since(&app.server, None).await.unwrap();
        assert_eq!(all.iter().map(|line| line.drawings).sum::<i64>(), 1);
        let mut reviewed: Vec<Spending> = all
            .into_iter()
            .filter(|line| line.provider == "testbed.critic")
            .collect();
        for line in &mut reviewed {
            assert!(std::mem::take(&mut line.draw_microseconds) > 0);
        }
        let line = |(model, attempts, reviews, cost): (&str, i64, i64, i64)| Spending {
            provider: "testbed.critic".into(),
            model: model.into(),
            attempts,
            reviews,
            cost_microdollars: cost,
            ..Spending::default()
        };
        assert_eq!(reviewed, expected.into_iter().map(line).collect::<Vec<_>>());
        let metrics = Monitor::new(app.server.clone()).text().await.unwrap();
        let cost = "linepress_provider_cost_dollars_total{provider=\"testbed.critic\"} 0.00";
        assert!(metrics.contains(cost), "{metrics}");
    }
}

#[tokio::test]
async fn the_cost_of_an_invalid_answer_counts() {
    for (provider, reviewer, title, plugin, expected) in [
        // Each of the two attempts at the drawing costs 0.04 dollars.
        ("garbage", "", "A fox", "testbed.garbage", ("", 2, 0, 80_000)),
        // A prompt, and a picture that is to be drawn again without a hint.
        (
            "plain",
            "critic",
            "A hintless fox",
            "testbed.critic",
            ("eye-1", 2, 1, 4_000),
        ),
        // A prompt, a picture, and a description without a text.
        (
            "plain",
            "narrator",
            "A mute fox",
            "testbed.narrator",
            ("eye-2", 3, 2, 7_000),
        ),
    ] {
        let app = TestApp::builder()
            .config(|config| {
                config.image_providers = vec![format!("testbed.{provider}")];
                if !reviewer.is_empty() {
                    config.reviewer = format!("testbed.{reviewer}");
                }
                config.drawing_attempts = 2;
            })
            .start()
            .await;
        let ada = app.account(1).await;
        app.new_page(&ada, title).await;
        app.draw_everything().await;
        let all = spending::since(&app.server, None).await.unwrap();
        let lines: Vec<&Spending> = all.iter().filter(|line| line.provider == plugin).collect();
        assert_eq!(lines.len(), 1, "{all:?}");
        let line = lines[0];
        assert_eq!(
            (&*line.model, line.attempts, line.reviews, line.cost_microdollars),
            expected,
            "{plugin}"
        );
    }
}

#[tokio::test]
async fn an_invalid_cost_is_logged_and_the_picture_is_used() {
    let settings = json!({"prompt": "no prompt holds this", "cost": "a lot"});
    let app = TestApp::builder()
        .image_provider("testbed.flaky", settings)
        .start()
        .await;
    let ada = app.account(1).await;
    let log = Log::default();
    let captured = log.capture();
    app.ready_page(&ada, "A fox").await;
    drop(captured);
    assert!(log.holds("cost=\"a lot\""), "{:?}", log.lines());
}

#[tokio::test]
async fn the_log_names_the_provider_of_each_drawing_and_the_drawings_given_up() {
    let app = TestApp::builder()
        .image_provider("testbed.flaky", json!({"fail": "asked", "seeds": "all"}))
        .config(|config| config.drawing_attempts = 2)
        .start()
        .await;
    let ada = app.account(2).await;
    let log = Log::default();
    let captured = log.capture();
    let drawn = app.new_page(&ada, "A fox").await;
    let failed = app.new_page(&ada, "other").await;
    app.draw_everything().await;
    drop(captured);
    for (level, attempt, page, words) in [
        ("INFO", 1, &drawn, "drawing completed"),
        ("WARN", 1, &failed, "the pencil broke"),
        ("WARN", 1, &failed, "will be retried"),
        ("WARN", 2, &failed, "the pencil broke"),
        (
            "ERROR",
            2,
            &failed,
            "gave up on the drawing; it failed and was refunded",
        ),
        ("ERROR", 2, &failed, "error=\"failed: the pencil broke"),
    ] {
        let page = format!("target_type=\"page\" target_id=\"{}\" ", page.page_id());
        let attempt = format!("attempt={attempt}");
        let words = [
            level,
            "drawing=draw_",
            &page,
            &attempt,
            "plugin=\"testbed.flaky\"",
            words,
        ];
        let says = |line: &String| words.iter().all(|word| line.contains(word));
        assert_eq!(
            log.lines().iter().filter(|line| says(line)).count(),
            1,
            "{words:?}: {:#?}",
            log.lines()
        );
    }
}
