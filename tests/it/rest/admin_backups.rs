//! `/admin/backups`: the backups that the server makes itself, and the request for one.
use std::time::Duration;

use crate::testing;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::test_app::{Actor, TestApp};

async fn backups(operator: &Actor) -> Value {
    operator.get("/admin/backups").await.expect(200)["backups"].clone()
}

/// Starts a server that makes backups to this folder every 24 hours.
async fn with_backups(folder: &TempDir) -> TestApp {
    let place = folder.path().join("backups").to_str().unwrap().to_owned();
    TestApp::builder()
        .config(|config| config.backup.dir = place)
        .start()
        .await
}

#[tokio::test]
async fn backups_are_listed_with_the_time_of_the_next_one() {
    let folder = TempDir::new().unwrap();
    let app = with_backups(&folder).await;
    let operator = app.operator().await;
    let none = backups(&operator).await;
    assert!(none["place"].as_str().unwrap().ends_with("/backups"), "{none}");
    assert_eq!(
        (
            &none["last_age_seconds"],
            &none["is_overdue"],
            &none["snapshots"],
            &none["problems"]
        ),
        (&Value::Null, &json!(true), &json!([]), &json!([]))
    );
    // One is due at once.
    assert_eq!(none["next_due_at"], app.server.clock.now().to_string());
    let first = testing::back_up_if_due(&app.server).await.unwrap().unwrap();
    let begun = app.server.clock.now();
    app.server.clock.advance(Duration::from_secs(3600));
    let listed = backups(&operator).await;
    assert_eq!(
        (
            &listed["last_age_seconds"],
            &listed["is_overdue"],
            &listed["is_running"]
        ),
        (&json!(3600), &json!(false), &json!(false))
    );
    let tomorrow = begun.plus(Duration::from_secs(24 * 3600));
    assert_eq!(listed["next_due_at"], tomorrow.to_string());
    let snapshot = &listed["snapshots"][0];
    assert_eq!(
        (&snapshot["name"], &snapshot["missing_objects"]),
        (&json!(first.snapshot.name), &json!(0))
    );
    assert_eq!(snapshot["tables"]["accounts"], 1);
    app.server.clock.advance(Duration::from_secs(24 * 3600));
    let second = testing::back_up_if_due(&app.server).await.unwrap().unwrap();
    let listed = backups(&operator).await;
    assert_eq!(listed["snapshots"][0]["name"], second.snapshot.name);
    assert_eq!(listed["snapshots"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn a_requested_backup_is_made_once() {
    let folder = TempDir::new().unwrap();
    let app = with_backups(&folder).await;
    let operator = app.operator().await;
    testing::back_up_if_due(&app.server).await.unwrap().unwrap();
    app.server.clock.advance(Duration::from_secs(60));
    assert!(testing::back_up_if_due(&app.server).await.unwrap().is_none());
    let requested = operator.post_nothing("/admin/backups").await.expect(200);
    let now = app.server.clock.now().to_string();
    assert_eq!(requested["backups"]["next_due_at"], now);
    app.server.clock.advance(Duration::from_secs(60));
    testing::back_up_if_due(&app.server).await.unwrap().unwrap();
    assert!(testing::back_up_if_due(&app.server).await.unwrap().is_none());
    let log = operator.get("/admin/audit_log?target=backups").await.expect(200);
    let entry = &log["audit_log"][0];
    assert_eq!(
        (&entry["action"], &entry["target_type"]),
        (&json!("backups.request"), &json!("backups"))
    );
    assert_eq!(entry["details"]["place"], requested["backups"]["place"]);
}

#[tokio::test]
async fn what_cannot_be_read_is_reported() {
    let folder = TempDir::new().unwrap();
    let app = with_backups(&folder).await;
    let operator = app.operator().await;
    testing::back_up_if_due(&app.server).await.unwrap().unwrap();
    let newer = folder.path().join("backups/snapshots/newer");
    std::fs::create_dir(&newer).unwrap();
    std::fs::write(newer.join("snapshot.json"), "{\"format\": 99}").unwrap();
    let listed = backups(&operator).await;
    assert_eq!(listed["snapshots"].as_array().unwrap().len(), 1);
    assert_eq!(
        listed["problems"],
        json!(["a newer program made the snapshot newer; update this program"])
    );
}

#[tokio::test]
async fn a_place_that_this_node_does_not_reach_is_reported() {
    let folder = TempDir::new().unwrap();
    let app = with_backups(&folder).await;
    let operator = app.operator().await;
    testing::back_up_if_due(&app.server).await.unwrap().unwrap();
    let place = folder.path().join("backups");
    std::fs::remove_dir_all(&place).unwrap();
    let is_reported = async || {
        let listed = backups(&operator).await;
        let problem = listed["problems"][0].as_str().unwrap_or_default().to_owned();
        listed["snapshots"] == json!([]) && problem.starts_with("this node does not reach ")
    };
    assert!(is_reported().await, "a missing folder");
    std::fs::create_dir(&place).unwrap();
    assert!(is_reported().await, "the folder below a mount point");
}

#[tokio::test]
async fn without_a_place_nothing_can_be_requested() {
    let app = TestApp::start().await;
    let operator = app.operator().await;
    let none = backups(&operator).await;
    assert_eq!((&none["place"], &none["next_due_at"]), (&Value::Null, &Value::Null));
    operator
        .post_nothing("/admin/backups")
        .await
        .expect_error(404, "not_found");
}
