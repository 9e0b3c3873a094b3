//! Network access of components: limited to what the operator granted.
mod approval;
mod limits;
mod secrets;

use std::collections::BTreeMap;
use std::sync::Arc;

use linepress_metrics::{Metrics, Readings};
use linepress_plugin_host::{CallError, CredentialSource, DialTransport, Grant, Preview};
use serde_json::{Value, json};

use super::folder::{Folder, draw};
use crate::monitoring::exposition::Exposition;
use crate::test_app::{Tripwire, Web};

const ID: &str = "testbed.courier";
const KEY: &str = "s3cret";
/// The outcome of a request that no server answered, whatever the reason.
const NOWHERE: &str = "ErrorCode::DestinationUnavailable";

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
