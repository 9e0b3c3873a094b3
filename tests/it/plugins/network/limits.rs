//! Limits of the requests of one call.
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use futures::future::BoxFuture;
use linepress_egress::{DialSettings, Dialer, Exceptions, Held, Resolver, Roots};
use linepress_plugin_host::{CallError, DialTransport};
use serde_json::json;

use super::{NOWHERE, grant, granted, outcomes_of};
use crate::plugins::folder::draw;
use crate::test_app::{Page, Web};

#[tokio::test]
async fn the_bytes_that_one_call_receives_are_limited() {
    let web = Web::open().await;
    let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    web.page("/endless", Page::endless(chunked, "8\r\nendless \r\n"));
    web.file("/full", &vec![b'a'; 1 << 20]);
    web.file("/over", &vec![b'a'; (1 << 20) + 1]);
    let outcomes = outcomes_of(
        &web,
        json!([{"path": "/full"}, {"path": "/over"}, {"path": "/endless"}, {"path": "/full"}]),
    )
    .await;
    assert!(outcomes[0].starts_with("200 1048576 "), "{}", outcomes[0]);
    for outcome in &outcomes[1..] {
        let received = outcome.strip_prefix("after ").and_then(|rest| rest.split_once(':'));
        let (received, _) = received.unwrap_or_else(|| panic!("{outcome}"));
        assert!(received.parse::<u64>().unwrap() <= 1 << 20, "{outcome}");
    }
}

#[tokio::test]
async fn endless_headers_reach_no_plugin() {
    let web = Web::open().await;
    web.page("/many", Page::endless("HTTP/1.1 200 OK\r\n", "A: b\r\n"));
    web.page("/long", Page::endless("HTTP/1.1 200 OK\r\nA: ", "aaaaaaaa"));
    assert_eq!(
        outcomes_of(&web, json!([{"path": "/many"}, {"path": "/long"}])).await,
        [NOWHERE; 2]
    );
}

#[tokio::test]
async fn a_slow_response_lasts_no_longer_than_the_call() {
    let web = Web::open().await;
    web.page(
        "/slow",
        Page::drip("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n", "a"),
    );
    let mut folder = granted(&web, json!({"requests": [{"path": "/slow"}]})).await;
    folder.rewrite("courier", "deadline-s = 10", "deadline-s = 1");
    let origins = ["https://pictures.test", "https://*.pictures.test"].map(String::from);
    grant(&mut folder, &origins, &[]).await;
    let error = draw(&folder.load().await, "courier", 1).await.unwrap_err();
    assert!(matches!(error, CallError::Deadline(_)), "{error}");
}

#[tokio::test]
async fn the_requests_of_a_call_are_limited() {
    let web = Web::open().await;
    web.file("/", b"a cat");
    let requests = json!(vec![json!({}); 42]);
    let outcomes = outcomes_of(&web, requests).await;
    assert!(
        outcomes[..40].iter().all(|outcome| outcome == "200 5 a cat"),
        "{outcomes:?}"
    );
    assert_eq!(outcomes[40..], ["ErrorCode::ConnectionLimitReached"; 2]);
    assert_eq!(web.requests().len(), 40);
}

#[tokio::test]
async fn unsent_bodies_are_bounded_by_the_limit_of_handles() {
    let web = Web::open().await;
    let folder = granted(&web, json!({"unsent": 100_000})).await;
    let error = draw(&folder.load().await, "courier", 1).await.unwrap_err();
    assert!(
        matches!(&error, CallError::Trapped(reason) if reason.contains("handle limit")),
        "{error}"
    );
    assert!(web.requests().is_empty());
}

#[tokio::test]
async fn long_texts_of_a_plugin_are_refused() {
    let web = Web::open().await;
    let folder = granted(&web, json!({"unsent": 2, "long": 1 << 20})).await;
    let error = draw(&folder.load().await, "courier", 1).await.unwrap_err();
    let reason = "it passed more than 131072 bytes to a host function";
    assert_eq!(error, CallError::Trapped(reason.into()));
    // A host name that is far too long.
    let outcomes = outcomes_of(&web, json!([{"authority": "a.".repeat(40_000)}])).await;
    assert_eq!(outcomes, [NOWHERE]);
}

#[tokio::test]
async fn refused_requests_count_towards_the_limit() {
    let web = Web::open().await;
    let outcomes = outcomes_of(&web, json!(vec![json!({"authority": "evil.test"}); 41])).await;
    assert_eq!(outcomes[39..], [NOWHERE, "ErrorCode::ConnectionLimitReached"]);
}

/// A resolver that never answers.
#[derive(Default)]
struct Silent {
    held: Mutex<Vec<Held>>,
    most: AtomicUsize,
}

impl Resolver for Silent {
    fn resolve(&self, _: &str) -> BoxFuture<'static, std::io::Result<Vec<SocketAddr>>> {
        let mut held = self.held.lock().unwrap();
        held.push(linepress_egress::held().expect("a look-up holds something"));
        self.most.fetch_max(held.len(), Ordering::Relaxed);
        Box::pin(std::future::pending())
    }
}

#[tokio::test]
async fn the_concurrent_lookups_of_a_plugin_are_limited() {
    let web = Web::open().await;
    let silent = Arc::new(Silent::default());
    let request = json!({"connect_timeout": 10});
    let mut folder = granted(&web, json!({"requests": vec![request; 20]})).await;
    folder.rewrite("courier", "deadline-s = 10", "deadline-s = 2");
    let origins = ["https://pictures.test", "https://*.pictures.test"].map(String::from);
    grant(&mut folder, &origins, &[]).await;
    folder.settings.network.transport = Arc::new(DialTransport::new(Dialer::new(DialSettings {
        resolver: silent.clone(),
        roots: Roots::Only(Vec::new()),
        exceptions: Exceptions::default(),
    })));
    // Each call gives up soon, but its lookup continues.
    draw(&folder.load().await, "courier", 1).await.unwrap_err();
    assert_eq!(silent.most.load(Ordering::Relaxed), 8);
}
