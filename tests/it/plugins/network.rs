//! Network access of components: limited to what the operator granted.
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use futures::future::BoxFuture;
use linepress_egress::{DialSettings, Dialer, Exceptions, Held, Resolver, Roots};
use linepress_metrics::{Metrics, Readings};
use linepress_plugin_host::{
    CallEnd, CallError, CallSink, CredentialSource, DialTransport, EndedCall, Grant, HttpExchange, Preview, Recorder,
};
use serde_json::{Value, json};

use super::folder::{Folder, draw};
use crate::monitoring::exposition::Exposition;
use crate::test_app::{Log, Page, Tripwire, Web};

const ID: &str = "testbed.courier";
const KEY: &str = "s3cret";

/// Creates the courier's folder with a grant for `pictures.test` and its subdomains, and with its key in a file.
async fn granted(web: &Web, settings: Value) -> Folder {
    let mut folder = Folder::with(&["courier"]).configure("courier", settings);
    let key = folder.directory.path().join("key");
    std::fs::write(&key, format!("{KEY}\n")).unwrap();
    folder.settings.network.transport = Arc::new(DialTransport::new(web.dialer()));
    let sources = BTreeMap::from([("api_key".to_owned(), CredentialSource::File(key))]);
    folder.settings.network.credentials.insert(ID.into(), sources);
    let origins = ["https://pictures.test", "https://*.pictures.test"].map(String::from);
    grant(&mut folder, &origins, &[]).await;
    folder
}

async fn grant(folder: &mut Folder, origins: &[String], private: &[String]) {
    let courier = folder.settings.directory.join("courier");
    let digest = Preview::read(&courier, &folder.settings.config).unwrap().digest;
    let grant = Grant {
        digest,
        origins: origins.to_vec(),
        private: private.to_vec(),
        permissions: Default::default(),
    };
    folder.settings.network.grants.insert(ID.into(), grant);
}

/// Draws with the courier; returns the outcome of each request.
async fn outcomes(folder: &Folder) -> Vec<String> {
    let plugins = folder.load().await;
    assert_eq!(plugins.refusals(), []);
    match draw(&plugins, "courier", 1).await {
        Err(CallError::Failed(list)) => serde_json::from_str(&list).unwrap(),
        other => panic!("{other:?}"),
    }
}

async fn outcomes_of(web: &Web, requests: Value) -> Vec<String> {
    outcomes(&granted(web, json!({"requests": requests})).await).await
}

#[tokio::test]
async fn the_requests_of_a_plugin_are_counted() {
    let web = Web::open().await;
    web.file("/", b"a cat");
    web.name("inside.pictures.test", ["127.0.0.1:0".parse().unwrap()]);
    let requests = json!([{}, {"authority": "evil.test"}, {"authority": "inside.pictures.test"}]);
    let mut folder = granted(&web, json!({"requests": requests})).await;
    let metrics = Metrics::new("0.1.0");
    folder.settings.metrics = metrics.plugins.clone();
    outcomes(&folder).await;
    let read = Exposition::parse(&metrics.text(&Readings::default()).unwrap());
    let requests = |outcome| {
        read.sum(
            "linepress_plugin_requests_total",
            &[("plugin", ID), ("outcome", outcome)],
        )
    };
    assert_eq!(
        [requests("answered"), requests("refused"), requests("failed")],
        [1.0, 2.0, 0.0]
    );
    for reason in ["not_granted", "not_public"] {
        let labels = [("client", "plugins"), ("reason", reason)];
        assert_eq!(read.sum("linepress_egress_refusals_total", &labels), 1.0, "{reason}");
    }
}

const NOWHERE: &str = "ErrorCode::DestinationUnavailable";

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

#[tokio::test]
async fn only_granted_origins_are_reached() {
    let web = Web::open().await;
    let tripwire = Tripwire::set();
    let [four, six] = tripwire.addresses()[..] else {
        panic!("the tripwire must have two addresses")
    };
    web.name("evil.test", [four]);
    web.name("inside.pictures.test", [four, six]);
    web.file("/", b"a cat");
    let port = four.port();
    let requests = json!([
        {"authority": "evil.test"},
        {"authority": "pictures.test.evil.test"},
        {"authority": "evilpictures.test"},
        {"authority": format!("pictures.test:{port}")},
        {"authority": "pictures.test:443@evil.test"},
        {"authority": format!("pictures.test@127.0.0.1:{port}")},
        {"authority": format!("2130706433:{port}")},
        {"authority": format!("0x7f.1:{port}")},
        {"authority": format!("127.1:{port}"), "scheme": "http"},
        {"authority": format!("[::ffff:127.0.0.1]:{port}")},
        {"authority": format!("localhost:{port}"), "scheme": "http"},
        {"authority": format!("pictures.test:{port}"), "scheme": "http"},
        {"authority": "inside.pictures.test"},
        {"method": "CONNECT", "authority": format!("pictures.test:{port}")},
        {"method": "TRACE"},
        {"method": "CONNECT"},
        {"method": "PURGE"},
        {"method": "POST", "authority": "files.pictures.test"},
        {"scheme": "ftp"},
        {"authority": ""},
    ]);
    let count = requests.as_array().unwrap().len();
    let outcomes = outcomes_of(&web, requests).await;
    assert_eq!(outcomes.len(), count);
    for (place, outcome) in outcomes.iter().enumerate() {
        assert!(!outcome.starts_with("200"), "{place}: {outcome}");
    }
    assert_eq!(tripwire.touched(), 0);
    assert_eq!(web.requests(), Vec::<String>::new());
}

#[tokio::test]
async fn a_name_that_leads_to_the_metadata_service_is_not_dialled() {
    let web = Web::open().await;
    for (name, address) in [
        ("meta.pictures.test", "169.254.169.254:0"),
        ("mapped.pictures.test", "[::ffff:169.254.169.254]:0"),
        ("loop.pictures.test", "127.0.0.1:0"),
    ] {
        web.name(name, [address.parse().unwrap()]);
        assert_eq!(
            outcomes_of(&web, json!([{"authority": name}])).await,
            [NOWHERE],
            "{name}"
        );
    }
}

#[tokio::test]
async fn a_redirect_leads_only_to_granted_origins_and_without_the_secret() {
    let web = Web::open().await;
    let tripwire = Tripwire::set();
    web.name("files.pictures.test", [web.address]);
    web.file("/cat.png", b"a cat");
    web.redirect("/there", "https://files.pictures.test/cat.png");
    web.redirect("/inside", &format!("http://{}/", tripwire.addresses()[0]));
    let requests = json!([{"path": "/there", "follow": true}, {"path": "/inside", "follow": true}]);
    assert_eq!(outcomes_of(&web, requests).await, ["200 5 a cat", NOWHERE]);
    assert_eq!(tripwire.touched(), 0);
    let with_secret = web.requests().iter().filter(|request| request.contains(KEY)).count();
    assert_eq!(
        (with_secret, web.requests().len()),
        (2, 3),
        "only the two requests to the origin of the credential"
    );
}

#[tokio::test]
async fn the_reason_for_a_missing_response_is_not_revealed() {
    let web = Web::open().await;
    // A port without a listener, and an unknown name.
    let closed = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    web.name("closed.pictures.test", [closed]);
    let requests = json!([
        {"authority": "closed.pictures.test"},
        {"authority": "unknown.pictures.test"},
        {"authority": "not.granted.test"},
    ]);
    assert_eq!(outcomes_of(&web, requests).await, [NOWHERE; 3]);
}

#[tokio::test]
async fn a_request_cannot_smuggle_another_one() {
    let web = Web::open().await;
    web.file("/", b"a cat");
    let smuggled = "a\r\n\r\nGET /second HTTP/1.1\r\nHost: pictures.test\r\n\r\n";
    let requests = json!([
        {"headers": [["x-a", smuggled]]},
        {"headers": [["x-a\r\nx-b", "c"]]},
        {"headers": [["host", "evil.test"]]},
        {"headers": [["transfer-encoding", "chunked"]]},
        {"headers": [["connection", "x-key"]]},
        {"path": "/ HTTP/1.1\r\nHost: evil.test\r\n\r\nGET /second"},
        {"path": "https://evil.test/"},
        {"method": "POST", "headers": [["content-length", "2"]], "body": smuggled},
        {"method": "GET /second HTTP/1.1\r\n"},
    ]);
    for (place, outcome) in outcomes_of(&web, requests).await.iter().enumerate() {
        assert!(!outcome.starts_with("200"), "{place}: {outcome}");
    }
    for request in web.requests() {
        assert!(!request.contains("second") && !request.contains("evil"), "{request}");
    }
}

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

#[tokio::test]
async fn a_plugin_waits_for_approval_and_names_the_command() {
    let web = Web::open().await;
    let mut folder = granted(&web, json!({})).await;
    folder.settings.network.grants.clear();
    assert_eq!(
        folder.refusal().await,
        "it asks to reach https://pictures.test:443 (GET, POST), to reach https://*.pictures.test:443 (GET), to have api_key \
         sent to https://pictures.test:443 as x-key; to approve this: linepress plugin allow testbed.courier"
    );
}

#[tokio::test]
async fn any_change_of_the_folder_requires_approval_again() {
    let web = Web::open().await;
    let folder = granted(&web, json!({})).await;
    let added = folder.settings.directory.join("courier/notes.txt");
    std::fs::write(&added, "new").unwrap();
    let refusal = folder.refusal().await;
    assert!(
        refusal.starts_with("its folder has changed since it was approved"),
        "{refusal}"
    );
    std::fs::remove_file(&added).unwrap();
    assert_eq!(folder.load().await.refusals(), []);
}

#[tokio::test]
async fn a_setting_that_adds_an_origin_requires_approval() {
    let web = Web::open().await;
    let mirror = format!("http://{}", web.address);
    let mut folder = granted(&web, json!({"mirror": mirror})).await;
    let refusal = folder.refusal().await;
    assert!(
        refusal.contains(&format!("{mirror}, which is not granted")),
        "{refusal}"
    );
    let origins = ["https://pictures.test", "https://*.pictures.test", &mirror].map(String::from);
    grant(&mut folder, &origins, &[]).await;
    let refusal = folder.refusal().await;
    assert!(refusal.contains(&format!("--private {mirror}")), "{refusal}");
    grant(&mut folder, &origins, &[mirror]).await;
    assert_eq!(folder.load().await.refusals(), []);
}

#[tokio::test]
async fn a_missing_secret_is_reported_before_the_first_drawing() {
    let web = Web::open().await;
    let mut folder = granted(&web, json!({})).await;
    folder.settings.network.credentials.clear();
    let refusal = folder.refusal().await;
    assert!(refusal.starts_with("it needs the credential api_key"), "{refusal}");
    let nowhere = CredentialSource::Env("NO_SUCH_VARIABLE_OF_A_TEST".into());
    let sources = BTreeMap::from([("api_key".to_owned(), nowhere)]);
    folder.settings.network.credentials.insert(ID.into(), sources);
    let refusal = folder.refusal().await;
    assert!(refusal.contains("NO_SUCH_VARIABLE_OF_A_TEST_FILE"), "{refusal}");
}

#[tokio::test]
async fn a_component_without_requests_has_no_network() {
    let web = Web::open().await;
    let folder = granted(&web, json!({})).await;
    let manifest = folder.settings.directory.join("courier/plugin.toml");
    let text = std::fs::read_to_string(&manifest).unwrap();
    let (head, rest) = text.split_once("[[http]]").unwrap();
    let (_, limits) = rest.split_once("[limits]").unwrap();
    std::fs::write(&manifest, format!("{head}[limits]{limits}")).unwrap();
    let refusal = folder.refusal().await;
    assert!(
        refusal.contains("wasi:http") && refusal.contains("[[http]]"),
        "{refusal}"
    );
}
