//! `linepress maintenance`, and other commands while the server is read-only.
use serde_json::{Value, json};

use super::Operator;

#[tokio::test]
async fn an_operator_begins_watches_and_ends_maintenance() {
    let operator = Operator::new().await;
    assert!(operator.reads("maintenance status").contains("can be changed"));
    assert!(operator.reads_json("maintenance status").is_null());
    let begun = operator
        .command("maintenance on")
        .args(["--message", "Back at 14:00 UTC."])
        .output();
    assert!(begun.unwrap().status.success());
    let status = operator.reads("maintenance status");
    assert!(
        status.contains("read-only since") && status.contains("Back at 14:00 UTC."),
        "{status}"
    );
    let first = operator.reads_json("maintenance status");
    assert_eq!(first["message"], "Back at 14:00 UTC.");
    // The second command changes the message, and not the beginning.
    operator.reads("maintenance on --message Later.");
    let second = operator.reads_json("maintenance status");
    assert_eq!(second["message"], "Later.");
    assert_eq!(second["began_at"], first["began_at"]);
    let wrong = operator
        .command("maintenance on")
        .args(["--message", "two\nlines"])
        .output();
    assert!(super::error_of(&wrong.unwrap()).contains("one line"));

    let report = operator.reads("doctor");
    assert!(
        report.contains("read-only since") && report.contains("All is well."),
        "{report}"
    );
    operator.reads("account create --email ada@example.com");
    assert!(operator.reads("maintenance off").contains("can be changed"));
    operator.reads("maintenance off");
    assert!(operator.reads_json("maintenance status").is_null());
    assert!(!operator.reads("doctor").contains("read-only since"));

    let log = operator.reads_json("audit-log --target maintenance");
    let log = log.as_array().unwrap().iter();
    let entries: Vec<_> = log
        .map(|entry| (&entry["action"], &entry["details"], &entry["operator_id"]))
        .collect();
    // The last is the first, and ending it again changed nothing.
    let (begun, ended) = (json!("maintenance.begin"), json!("maintenance.end"));
    let message = |text: &str| json!({ "message": text });
    assert_eq!(
        entries,
        [
            (&ended, &json!({}), &Value::Null),
            (&begun, &message("Later."), &Value::Null),
            (&begun, &message("Back at 14:00 UTC."), &Value::Null),
        ]
    );
}

#[tokio::test]
async fn a_server_restored_from_a_backup_made_in_maintenance_can_be_changed() {
    let operator = Operator::new().await;
    operator.reads("account create --email ada@example.com");
    operator.reads("maintenance on");
    operator.reads("backup copies");
    let other = Operator::before_the_first_start().await;
    let copies = operator.path().join("copies");
    other.reads(&format!("restore {}", copies.display()));
    assert!(other.reads_json("maintenance status").is_null());
    assert!(other.reads("account list").contains("ada@example.com"));
}
