//! Secrets that are sent with requests, and that neither the plugin nor a log sees.
use std::sync::{Arc, Mutex};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use linepress_plugin_host::{CallEnd, CallSink, EndedCall, HttpExchange, Recorder};
use serde_json::{Value, json};

use super::{KEY, granted, outcomes, outcomes_of};
use crate::test_app::{Log, Page, Web};

#[tokio::test]
async fn a_granted_origin_is_reached_with_a_secret_that_the_plugin_never_sees() {
    let web = Web::open().await;
    web.file("/v1?a=b", b"a cat");
    let requests = json!([{
        "method": "POST",
        "path": "/v1?a=b",
        "body": "draw a cat",
        "headers": [["X-Key", "mine"], ["Authorization", "Bearer mine"], ["Cookie", "mine"], ["Accept", "image/png"],
                    ["Content-Length", "10"]],
    }]);
    assert_eq!(outcomes_of(&web, requests).await, ["200 5 a cat"]);
    let sent = web.requests();
    let [request] = sent.as_slice() else { panic!("{sent:?}") };
    assert!(request.starts_with("POST /v1?a=b HTTP/1.1\r\n"), "{request}");
    assert!(request.contains("\r\nx-key: Key s3cret\r\n"), "{request}");
    assert!(request.contains("\r\nhost: pictures.test\r\n"), "{request}");
    assert!(request.contains("\r\naccept: image/png\r\n"), "{request}");
    assert!(!request.contains("mine"), "{request}");
    assert!(request.ends_with("\r\n\r\ndraw a cat"), "{request}");
}

#[tokio::test]
async fn a_secret_in_a_response_reaches_neither_the_plugin_nor_the_log() {
    let web = Web::open().await;
    web.page("/", Page::Echo);
    let encoded = STANDARD.encode("Key s3cret").trim_end_matches('=').to_owned();
    let said = format!("the key s3cret is wrong, and so is {encoded}");
    let settings = json!({"requests": [{"headers": [["a", "b"]]}, {"authority": "s3cret.evil.test"}], "say": said});
    let mut folder = granted(&web, settings).await;
    let record = folder.directory.path().join("record.jsonl");
    let file = std::fs::File::create(&record).unwrap();
    let transport = folder.settings.network.transport.clone();
    folder.settings.network.transport = Arc::new(Recorder::new(transport, file));
    let log = Log::default();
    let captured = log.capture();
    let outcomes = outcomes(&folder).await;
    drop(captured);
    assert!(web.requests()[0].contains("x-key: Key s3cret"), "{:?}", web.requests());
    assert!(
        outcomes[0].starts_with("401 ") && outcomes[0].contains("x-key: **********"),
        "{outcomes:?}"
    );
    assert_eq!(outcomes[2], "the key (secret) is wrong, and so is (secret)");
    let lines = log.lines();
    for line in ["is wrong", "stderr=", "a request of the plugin was refused"] {
        assert!(log.holds(line), "{line}: {lines:?}");
    }
    let record = std::fs::read_to_string(record).unwrap();
    let exchange: Value = serde_json::from_str(record.lines().next().unwrap()).unwrap();
    let body = STANDARD.decode(exchange["response"]["body"].as_str().unwrap()).unwrap();
    let body = String::from_utf8(body).unwrap();
    assert!(body.contains("x-key: (secret)"), "{body}");
    for text in [record, body, outcomes.concat(), lines.concat()] {
        assert!(!text.contains(KEY) && !text.contains(&encoded), "{text}");
    }
}

/// A log of calls in memory.
#[derive(Debug, Default)]
struct Calls(Mutex<Vec<(String, CallEnd, Vec<HttpExchange>)>>);

impl CallSink for Calls {
    fn ended(&self, call: EndedCall<'_>) {
        self.0.lock().unwrap().push((call.request, call.end, call.exchanges));
    }
}

#[tokio::test]
async fn the_log_of_calls_has_their_requests_without_secrets() {
    let web = Web::open().await;
    web.file("/v1/s3cret?a=b", b"a cat");
    let settings = json!({
        "requests": [
            {"method": "POST", "path": "/v1/s3cret?a=b", "body": "draw a cat", "headers": [["Content-Length", "10"]]},
            {"authority": "s3cret.evil.test"},
        ],
        "say": "the key s3cret is wrong",
    });
    let mut folder = granted(&web, settings).await;
    let calls = Arc::new(Calls::default());
    folder.settings.calls = Some(calls.clone());
    outcomes(&folder).await;
    let calls = calls.0.lock().unwrap();
    let [(request, end, exchanges)] = calls.as_slice() else {
        panic!("{calls:?}")
    };
    assert!(request.contains("\"prompt\""), "{request}");
    assert_eq!(end.outcome(), "failed");
    let answered = &exchanges[0];
    assert_eq!(
        (answered.method.as_str(), answered.url.as_str()),
        ("POST", "https://pictures.test/v1/(secret)")
    );
    assert_eq!(
        (answered.status, answered.sent_bytes, answered.received_bytes),
        (Some(200), 10, 5)
    );
    assert_eq!((exchanges[1].outcome, exchanges[1].status), ("refused", None));
    assert!(!format!("{calls:?}").contains(KEY), "{calls:?}");
}

#[tokio::test]
async fn the_secret_is_sent_only_to_its_own_origin() {
    let web = Web::open().await;
    web.name("files.pictures.test", [web.address]);
    web.file("/cat.png", b"a cat");
    let requests = json!([{"authority": "files.pictures.test", "path": "/cat.png"}]);
    assert_eq!(outcomes_of(&web, requests).await, ["200 5 a cat"]);
    assert!(!web.requests()[0].contains(KEY), "{:?}", web.requests());
}
