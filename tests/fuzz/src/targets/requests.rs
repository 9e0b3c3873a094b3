//! Requests to the whole server.
use std::env;
use std::path::PathBuf;
use std::sync::LazyLock;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, HttpBody as _};
use axum::http::{Request, Response, StatusCode, header};
use http_body_util::BodyExt as _;
use linepress::server;
use linepress_accounts::accounts::Plan;
use linepress_operator::startup::Scope;
use linepress_platform::config::{Config, Limits};
use percent_encoding::percent_decode;
use tempfile::TempDir;
use tokio::runtime::{Builder, Runtime};
use tower::ServiceExt as _;

use crate::Input;

const PUBLIC_URL: &str = "http://127.0.0.1:8080";

/// More credits than a run spends.
const CREDITS: i64 = 1_000_000_000;

/// The time after which a request is abandoned, as by a client that disconnects: a client may ask to wait for an
/// operation, and no worker draws here. An abandoned request counts as handled, so this target finds neither a request
/// that waits for ever nor one that fails later than this. A request that computes without a pause is not abandoned.
const MAX_WAIT: Duration = Duration::from_secs(1);

/// The server that all inputs share, with what earlier ones created.
static SERVER: LazyLock<Server> = LazyLock::new(Server::start);

struct Server {
    runtime: Runtime,
    router: Router,
    key: String,
    _folder: TempDir,
}

/// No request makes the server fail. An input is a request as text: method and path, a line for each header, an empty
/// line, and the body. A request without credentials gets an API key.
pub(super) fn run(bytes: &[u8]) -> Input {
    let server = &*SERVER;
    let Some(request) = request(bytes, &server.key).filter(|_| !names_another_server(bytes)) else {
        return Input::Unusable;
    };
    let described = format!("{} {}", request.method(), request.uri());
    let handled = async { tokio::time::timeout(MAX_WAIT, server.router.clone().oneshot(request)).await };
    if let Ok(Ok(response)) = server.runtime.block_on(handled) {
        let status = response.status();
        assert_ne!(status, StatusCode::INTERNAL_SERVER_ERROR, "{described}");
        server.runtime.block_on(check_body(&described, response));
    }
    Input::Used
}

/// Reads the body of a response, unless it is a stream without an end.
async fn check_body(described: &str, response: Response<Body>) {
    let kind = response.headers().get(header::CONTENT_TYPE);
    let is_json = kind.is_some_and(|kind| kind.as_bytes().starts_with(b"application/json"));
    if response.body().size_hint().exact().is_none() {
        return;
    }
    let body = response.into_body().collect().await;
    let body = body.unwrap_or_else(|error| panic!("{described}: {error}")).to_bytes();
    if is_json && !body.is_empty() {
        let parsed = serde_json::from_slice::<serde_json::Value>(&body);
        assert!(
            parsed.is_ok(),
            "{described}: not JSON: {}",
            String::from_utf8_lossy(&body)
        );
    }
}

fn request(bytes: &[u8], key: &str) -> Option<Request<Body>> {
    let end = bytes.windows(2).position(|pair| pair == b"\n\n")?;
    let (head, body) = (str::from_utf8(&bytes[..end]).ok()?, &bytes[end + 2..]);
    let mut lines = head.lines();
    let (method, path) = lines.next()?.split_once(' ')?;
    let mut request = Request::builder().method(method).uri(path);
    let mut has_credentials = false;
    for line in lines {
        let (name, value) = line.split_once(": ")?;
        has_credentials |= ["authorization", "cookie"].contains(&name);
        request = request.header(name, value);
    }
    if !has_credentials {
        request = request.header(header::AUTHORIZATION, format!("Bearer {key}"));
    }
    request.body(Body::from(body.to_owned())).ok()
}

/// True for requests that contain the URL of another server: the server might look for it on the internet.
fn names_another_server(bytes: &[u8]) -> bool {
    let decoded = percent_decode(bytes)
        .decode_utf8_lossy()
        .replace("\\/", "/")
        .replace(PUBLIC_URL, "");
    decoded.contains("//")
}

impl Server {
    fn start() -> Self {
        let folder = tempfile::tempdir().expect("a folder for the data");
        let config = Config {
            data_dir: folder.path().to_owned(),
            plugins_dir: from_environment("LINEPRESS_TEST_PLUGINS"),
            public_url: PUBLIC_URL.into(),
            limits: Limits {
                plans_per_minute: 6_000,
                changes_per_minute: 1_000_000,
                pages: 1_000_000,
                books: 1_000_000,
                characters: 1_000_000,
                generations: 1_000_000,
                uploads: 1_000_000,
                ..Limits::default()
            },
            ..Config::default()
        };
        let config = config.completed().expect("valid settings");
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .expect("a runtime");
        let program = from_environment("LINEPRESS_TEST_BINARY");
        let (router, key) = runtime.block_on(async {
            let app = linepress_operator::testing::open_with(config, Scope::Everything, program)
                .await
                .expect("a server");
            let account =
                linepress_accounts::testing::create_account(&app, "ada@example.com", Plan::Business, CREDITS).await;
            let account = account.expect("an account");
            let (_, key) = linepress_accounts::testing::create_key(&app, &account, "fuzz")
                .await
                .expect("an API key");
            (server::router(app), key.expose().to_owned())
        });
        Self {
            runtime,
            router,
            key,
            _folder: folder,
        }
    }
}

fn from_environment(name: &str) -> PathBuf {
    env::var_os(name)
        .map(PathBuf::from)
        .unwrap_or_else(|| panic!("{name} is not set: run `cargo xtask fuzz` or `cargo xtask test`"))
}
