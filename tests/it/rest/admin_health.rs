//! `/admin/health`: the quick checks of `linepress doctor`, and figures.
use std::time::Duration;

use serde_json::{Value, json};

use crate::test_app::{Actor, TestApp};

/// Returns the verdicts on a part of the server, each with its finding.
async fn findings(operator: &Actor, subject: &str) -> Vec<(Value, String)> {
    let reply = operator.get("/admin/health").await.expect(200);
    let findings = reply["health"]["findings"].as_array().unwrap().iter();
    let about = findings.filter(|finding| finding["subject"] == subject);
    let about = about.map(|finding| {
        (
            finding["verdict"].clone(),
            finding["finding"].as_str().unwrap().to_owned(),
        )
    });
    about.collect()
}

#[tokio::test]
async fn a_new_server_is_healthy_and_has_figures() {
    let app = TestApp::start().await;
    let operator = app.operator().await;
    let ada = app.account(9).await;
    app.ready_page(&ada, "A fox").await;
    let health = operator.get("/admin/health").await.expect(200)["health"].clone();
    for subject in [
        "database",
        "ledger",
        "counters",
        "storage",
        "image_providers",
        "planner",
        "layout",
    ] {
        let found = findings(&operator, subject).await;
        assert!(
            !found.is_empty() && found.iter().all(|(verdict, _)| verdict == "good"),
            "{subject}: {found:?}"
        );
    }
    // No place for backups is set.
    assert_eq!(findings(&operator, "backup").await[0].0, "note");
    assert!(
        health.to_string().contains("prints with its fonts"),
        "typesetting in a child process is checked: {health}"
    );
    assert_eq!(health["verdict"], "note", "{health}");
    let figures = &health["figures"];
    assert_eq!(
        (&figures["accounts"], &figures["pages"], &figures["books"]),
        (&json!(2), &json!(1), &json!(0))
    );
    assert!(figures["database_bytes"].as_u64().unwrap() > 10_000);
    assert!(figures["stored_bytes"].as_i64().unwrap() > 0);
}

#[tokio::test]
async fn a_problem_is_reported_with_advice() {
    let app = TestApp::builder()
        .next_image_provider("acme.absent", json!({}))
        .start()
        .await;
    let operator = app.operator().await;
    let ada = app.account(9).await;
    let statement = "UPDATE accounts SET credits = credits + 1 WHERE id = $1";
    let mut tx = app.server.database.begin().await.unwrap();
    sqlx::query(statement)
        .bind(ada.account_id().await.as_str())
        .execute(&mut *tx)
        .await
        .unwrap();
    tx.commit().await.unwrap();
    let health = operator.get("/admin/health").await.expect(200)["health"].clone();
    assert_eq!(health["verdict"], "bad");
    let ledger = &findings(&operator, "ledger").await[0];
    assert!(
        ledger.0 == "bad"
            && ledger
                .1
                .starts_with("the balance is not the sum of its entries for acct_"),
        "{ledger:?}"
    );
    let providers = findings(&operator, "image_providers").await;
    assert!(
        providers.contains(&(json!("bad"), "the plugin acme.absent is not loaded".into())),
        "{providers:?}"
    );
    let findings = health["findings"].as_array().unwrap();
    for finding in findings {
        assert_eq!(finding["verdict"] == "bad", finding["advice"].is_string(), "{finding}");
    }
}

#[tokio::test]
async fn a_plugin_that_waits_for_approval_is_a_note_unless_a_setting_names_it() {
    let waits = |found: &[(Value, String)], verdict: &str| {
        let wanted = |(is, text): &(Value, String)| is == verdict && text.contains("waits for approval: it asks");
        assert!(found.iter().any(wanted), "{found:?}");
    };
    let app = TestApp::builder().installed("testbed.courier").start().await;
    let operator = app.operator().await;
    waits(&findings(&operator, "plugin").await, "note");
    let health = operator.get("/admin/health").await.expect(200)["health"].clone();
    assert_eq!(health["verdict"], "note", "{health}");

    let app = TestApp::builder()
        .next_image_provider("testbed.courier", json!({}))
        .start()
        .await;
    let operator = app.operator().await;
    waits(&findings(&operator, "image_providers").await, "bad");
}

#[tokio::test]
async fn a_result_is_used_again_for_some_seconds() {
    let app = TestApp::start().await;
    let operator = app.operator().await;
    assert_eq!(findings(&operator, "ledger").await[0].0, "good");
    let mut tx = app.server.database.begin().await.unwrap();
    sqlx::query("UPDATE accounts SET credits = credits + 1")
        .execute(&mut *tx)
        .await
        .unwrap();
    tx.commit().await.unwrap();
    assert_eq!(findings(&operator, "ledger").await[0].0, "good");
    app.server.clock.advance(Duration::from_secs(10));
    assert_eq!(findings(&operator, "ledger").await[0].0, "bad");
}
