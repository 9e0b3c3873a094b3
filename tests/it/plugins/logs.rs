//! The log lines about plugins.
use serde_json::json;

use super::folder::{Folder, draw};
use crate::test_app::Log;

#[tokio::test]
async fn a_failure_is_one_line_with_the_plugin_the_call_and_what_it_printed() {
    let plugins = Folder::with(&["trap"]).load().await;
    let log = Log::default();
    let captured = log.capture();
    draw(&plugins, "trap", 1).await.unwrap_err();
    drop(captured);
    let [line] = &log.lines()[..] else {
        panic!("one line expected: {:?}", log.lines())
    };
    assert!(line.starts_with(" WARN"), "{line}");
    for part in [
        "plugin=\"testbed.trap\"",
        "call=\"draw\"",
        "error=trapped: ",
        "this provider panics over Fox",
    ] {
        assert!(line.contains(part), "{part} is missing: {line}");
    }
}

#[tokio::test]
async fn a_refused_picture_is_not_logged_as_a_warning() {
    let plugins = Folder::with(&["flaky"])
        .configure("flaky", json!({"fail": "refused"}))
        .load()
        .await;
    let log = Log::default();
    let captured = log.capture();
    draw(&plugins, "flaky", 1).await.unwrap_err();
    drop(captured);
    assert!(
        matches!(&log.lines()[..], [line] if line.starts_with(" INFO") && line.contains("not a picture for children"))
    );
}

#[tokio::test]
async fn a_refused_plugin_is_listed_by_its_id_and_logged_by_a_starting_server() {
    let folder = Folder::with(&["stray"]);
    let log = Log::default();
    let captured = log.capture();
    let plugins = folder.load().await;
    drop(captured);
    let [refusal] = &plugins.refusals()[..] else {
        panic!("one refusal expected: {:?}", plugins.refusals())
    };
    assert_eq!(refusal.id.as_deref(), Some("testbed.stray"));
    assert!(refusal.reason.contains("acme:vault/keys"), "{}", refusal.reason);
    assert!(!log.holds("ERROR"), "{:?}", log.lines());
}

#[tokio::test]
async fn a_talkative_plugin_can_neither_flood_nor_forge_the_log() {
    let plugins = Folder::with(&["chatter"]).load().await;
    let log = Log::default();
    let captured = log.capture();
    draw(&plugins, "chatter", 1).await.unwrap();
    drop(captured);
    let lines = log.lines();
    assert_eq!(lines.len(), 101, "a hundred lines, and one about the suppressed lines");
    assert!(
        lines[100].starts_with(" WARN") && lines[100].contains("logs too much"),
        "{}",
        lines[100]
    );
    assert!(
        lines
            .iter()
            .all(|line| line.contains("plugin=\"testbed.chatter\"") && line.len() < 2200)
    );
    assert!(
        lines[0].starts_with(" INFO") && lines[0].contains("drawing ERROR the database is gone"),
        "{}",
        lines[0]
    );
}
