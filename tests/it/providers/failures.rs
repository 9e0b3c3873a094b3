//! Failures that every API can have, tried with each plugin and followed by a call that must succeed.
use std::time::Duration;

use futures::future::join_all;
use linepress_plugin_host::CallError;
use serde_json::json;

use super::apis::{ALL, Api};
use super::plugin_under_test::PluginUnderTest;
use super::replies::{Reply, no_response, silence};
use crate::test_app::Page;

type Expected = fn(&CallError) -> bool;

/// Responses of the API, with the error that the server must get from the plugin.
fn failures() -> Vec<(&'static str, Page, Expected)> {
    let error = json!({"error": {"code": "x", "type": "x", "message": "words"}});
    let json = |status| Reply::json(status, &error);
    let is_down: Expected = |error| matches!(error, CallError::Unavailable(_));
    let is_wrong: Expected = |error| matches!(error, CallError::Failed(_));
    vec![
        (
            "429 with a delay",
            json(429).header("Retry-After", "7").page(),
            |error| *error == CallError::RateLimited(Some(Duration::from_secs(7))),
        ),
        (
            "429 with a date",
            json(429)
                .header("Date", "Sun, 06 Nov 1994 08:49:00 GMT")
                .header("Retry-After", "Sun, 06 Nov 1994 08:49:37 GMT")
                .page(),
            |error| *error == CallError::RateLimited(Some(Duration::from_secs(37))),
        ),
        ("429", json(429).page(), |error| *error == CallError::RateLimited(None)),
        (
            "a refused key",
            json(401).page(),
            |error| matches!(error, CallError::Unavailable(reason) if reason.contains("key")),
        ),
        (
            "an empty account",
            json(402).page(),
            |error| matches!(error, CallError::Unavailable(reason) if reason.contains("credit")),
        ),
        ("500", json(500).page(), is_down),
        (
            "503 of a proxy",
            Reply::bytes(503, b"<html>no upstream</html>").page(),
            is_down,
        ),
        ("529", json(529).page(), is_down),
        ("no word", no_response(), is_down),
        (
            "half an answer",
            Reply::json(200, &json!({"data": "long enough to be cut"})).cut().page(),
            is_down,
        ),
        ("half a document", Reply::bytes(200, b"{\"data\": [").page(), is_wrong),
        ("a page instead of JSON", Reply::bytes(200, b"<html>").page(), is_wrong),
        ("an empty answer", Reply::bytes(200, b"").page(), is_wrong),
        ("an empty document", Reply::json(200, &json!({})).page(), is_wrong),
    ]
}

async fn check_failures(api: &'static Api) {
    let plugin = PluginUnderTest::for_api(api).await;
    for (name, page, is_expected) in failures() {
        plugin.answers([(api.path, vec![page])]);
        let error = plugin.call().await.unwrap_err();
        assert!(is_expected(&error), "{}: {name}: {error:?}", api.plugin);
        assert_eq!(plugin.lines(), [format!("POST {}", api.path)], "{}: {name}", api.plugin);
    }
    plugin.answers((api.success)());
    plugin.call().await.unwrap();
}

#[tokio::test]
async fn every_plugin_distinguishes_the_failures_of_its_api() {
    join_all(ALL.map(check_failures)).await;
}

async fn end_in_time(api: &'static Api) {
    let plugin = PluginUnderTest::with(api, &json!({"timeout_s": 1})).await;
    let dripping = Page::drip("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n", " ");
    for (name, page) in [("silence", silence()), ("a response that drips", dripping)] {
        plugin.answers([(api.path, vec![page])]);
        let error = plugin.call().await.unwrap_err();
        let is_expected = matches!(&error, CallError::Unavailable(reason) if reason.contains("in time"));
        assert!(is_expected, "{}: {name}: {error:?}", api.plugin);
    }
}

#[tokio::test]
async fn every_plugin_ends_in_time_when_its_api_does_not() {
    join_all(ALL.map(end_in_time)).await;
}

async fn carries_its_key(api: &'static Api) {
    let plugin = PluginUnderTest::for_api(api).await;
    plugin.answers((api.success)());
    plugin.call().await.unwrap();
    let received = plugin.received();
    let first = &received[0];
    assert_eq!(first.line(), format!("POST {}", api.path));
    assert_eq!(first.header(api.key.header), Some(api.key.value), "{}", api.plugin);
    assert_eq!(first.header("host"), Some(api.hosts[0]));
}

#[tokio::test]
async fn every_plugin_asks_its_api_with_the_operators_key() {
    join_all(ALL.map(carries_its_key)).await;
}
