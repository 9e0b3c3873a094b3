//! `linepress plugin spend`.
use serde_json::{Value, json};

use super::{Operator, error_of};
use crate::test_app::TestApp;

#[tokio::test]
async fn an_operator_sees_what_each_provider_and_reviewer_did_and_cost() {
    let settings = json!({"fail": "asked", "seeds": "all", "model": "flux-2-pro", "cost": "0.0395"});
    let app = TestApp::builder()
        .image_provider("testbed.flaky", settings)
        .config(|config| config.reviewer = "testbed.critic".into())
        .start()
        .await;
    let ada = app.account(3).await;
    for title in ["A fox", "An owl", "refused"] {
        app.new_page(&ada, title).await;
    }
    app.draw_everything().await;
    let operator = Operator::new().await;
    let spend = |arguments: &str| {
        let mut command = operator.command(&format!("plugin spend {arguments}"));
        command
            .env("LINEPRESS_DATABASE_URL", &app.server.config.database_url)
            .output()
            .unwrap()
    };
    let listed = |arguments: &str| -> Value {
        let output = spend(&format!("{arguments} --json"));
        assert!(output.status.success(), "{}", error_of(&output));
        serde_json::from_slice(&output.stdout).unwrap()
    };
    let mut all = listed("");
    for line in all.as_array_mut().unwrap() {
        assert!(line["seconds"].take().as_f64().unwrap() > 0.0);
    }
    assert_eq!(
        all,
        json!([
            {"provider": "testbed.critic", "model": "eye-1", "drawings": 0, "failures": 0, "attempts": 5, "seconds": null,
             "cost_usd": "0.010000", "credits": 0, "reviews": 5},
            {"provider": "testbed.flaky", "model": null, "drawings": 0, "failures": 1, "attempts": 1, "seconds": null,
             "cost_usd": "0.000000", "credits": 0, "reviews": 0},
            {"provider": "testbed.flaky", "model": "flux-2-pro", "drawings": 2, "failures": 0, "attempts": 2, "seconds": null,
             "cost_usd": "0.079000", "credits": 2, "reviews": 0}
        ])
    );
    // The clock of the tests is fixed at noon of the day before.
    assert_eq!(listed("--since 2026-11-21").as_array().unwrap().len(), 3);
    assert_eq!(listed("--since 2026-11-22"), json!([]));
    let text = String::from_utf8(spend("").stdout).unwrap();
    assert!(
        text.contains("testbed.flaky\tflux-2-pro\t2 drawings\t0 failures\t2 attempts"),
        "{text}"
    );
    assert!(text.contains("0.079000 USD\t2 credits"), "{text}");
    assert!(text.contains("0.010000 USD\t0 credits\t5 reviews"), "{text}");
    let refused = spend("--since yesterday");
    assert!(!refused.status.success() && error_of(&refused).contains("--since"));
    assert!(error_of(&refused).contains("it must be a date with year, month and day, such as 2026-11-01"));
}
