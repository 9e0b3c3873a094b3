//! A server to measure, with the system's clock and randomness and an operator's default settings.
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};
use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::http::{Request, StatusCode, header};
use linepress::server;
use linepress_accounts::accounts::{self, Plan};
use linepress_operator::startup::Scope;
use linepress_platform::app::App;
use linepress_platform::config::{Config, Limits, log_filter};
use serde_json::Value;
use sqlx::{AssertSqlSafe, Connection as _, Executor as _};
use tempfile::TempDir;
use tokio::net::TcpListener;
use tower::ServiceExt as _;

/// More credits than any measurement spends.
const CREDITS: i64 = 1_000_000_000;

/// A server that is deleted with all its data when it is dropped.
pub(crate) struct BenchApp {
    pub server: App,
    pub account: String,
    pub key: String,
    _folder: TempDir,
}

impl BenchApp {
    /// Starts a server with these plugins of the test bed, one account and an API key.
    pub(crate) async fn start(plugins: &[&str]) -> anyhow::Result<Self> {
        Self::start_on(plugins, String::new()).await
    }

    /// Starts the server on this database, or on a new SQLite file if the URL is empty.
    pub(crate) async fn start_on(plugins: &[&str], database_url: String) -> anyhow::Result<Self> {
        let started = Self::start_with(plugins, |config, _| {
            config.database_url = database_url;
            Ok(())
        });
        // On the heap: the compiler lays out nested futures only down to a limited depth.
        Box::pin(started).await
    }

    /// Starts the server with changed settings, which may depend on the contents of the plugin folder.
    pub(crate) async fn start_with(
        plugins: &[&str],
        change: impl FnOnce(&mut Config, &Path) -> anyhow::Result<()>,
    ) -> anyhow::Result<Self> {
        let folder = tempfile::tempdir()?;
        let plugins_dir = folder.path().join("plugins.d");
        std::fs::create_dir(&plugins_dir)?;
        for id in plugins {
            std::os::unix::fs::symlink(
                from_environment("LINEPRESS_TEST_TESTBED")?.join(id),
                plugins_dir.join(id),
            )?;
        }
        let mut config = Config {
            data_dir: folder.path().to_owned(),
            plugins_dir: plugins_dir.clone(),
            image_providers: vec!["testbed.plain".into()],
            // The benchmarks request more pages than an account may have by default, and faster, and draw none of them.
            limits: Limits {
                changes_per_minute: 1_000_000,
                pages: 1_000_000,
                generations: 1_000_000,
                uploads: 1_000_000,
                ..Limits::default()
            },
            ..Config::default()
        };
        change(&mut config, &plugins_dir)?;
        let program = from_environment("LINEPRESS_TEST_BINARY")?;
        let server = linepress_operator::testing::open_with(config.completed()?, Scope::Everything, program).await?;
        ensure!(
            server.plugins.refusals().is_empty(),
            "refused: {:?}",
            server.plugins.refusals()
        );
        let (account, key) = account(&server, "ada@example.com").await?;
        Ok(Self {
            server,
            account,
            key,
            _folder: folder,
        })
    }

    /// Creates another account; returns its API key.
    pub(crate) async fn another_key(&self, email: &str) -> anyhow::Result<String> {
        let (_, key) = account(&self.server, email).await?;
        Ok(key)
    }

    pub(crate) fn router(&self) -> Router {
        server::router(self.server.clone())
    }
}

/// Creates an account and an API key; returns the account's id and the key.
async fn account(server: &App, email: &str) -> anyhow::Result<(String, String)> {
    let account = linepress_accounts::testing::create_account(server, email, Plan::Business, CREDITS).await?;
    let (_, secret) = linepress_accounts::testing::create_key(server, &account, "bench").await?;
    Ok((account.id.to_string(), secret.expose().into()))
}

/// Creates an empty database on this PostgreSQL server; returns its URL.
pub(crate) async fn create_database(server: &str, name: &str) -> anyhow::Result<String> {
    sqlx::any::install_default_drivers();
    let mut admin = sqlx::AnyConnection::connect(server).await?;
    admin
        .execute(AssertSqlSafe(format!("CREATE DATABASE bench_{name}")))
        .await?;
    admin.close().await?;
    let (base, _) = server.rsplit_once('/').context("an address with a database")?;
    Ok(format!("{base}/bench_{name}"))
}

/// Fails if a counter of an account differs from the number of rows it counts.
pub(crate) async fn check(server: &App) -> anyhow::Result<()> {
    let miscounted = accounts::miscounted(server).await?;
    ensure!(miscounted.is_empty(), "the counters are wrong for {miscounted:?}");
    Ok(())
}

/// Sends `POST /pages` without a network; returns the body of the response.
pub(crate) async fn create_page(router: &Router, key: &str, idempotency_key: &str) -> anyhow::Result<Bytes> {
    let request = Request::post("/api/v1/pages")
        .header(header::AUTHORIZATION, format!("Bearer {key}"))
        .header(header::CONTENT_TYPE, "application/json")
        .header("idempotency-key", idempotency_key)
        .body(Body::from(
            r#"{"page":{"title":"A fox in the woods","prompt":"A fox who waters the flowers."}}"#,
        ))?;
    let Ok(response) = router.clone().oneshot(request).await;
    let status = response.status();
    let body = to_bytes(response.into_body(), usize::MAX).await?;
    ensure!(
        status == StatusCode::ACCEPTED,
        "{status}: {}",
        String::from_utf8_lossy(&body)
    );
    Ok(body)
}

/// Sends a request with this API key; returns the JSON of the response.
pub(crate) async fn send(
    app: &BenchApp,
    key: &str,
    request: axum::http::request::Builder,
    body: Body,
    expected: StatusCode,
) -> anyhow::Result<Value> {
    Ok(serde_json::from_slice(
        &receive(app, key, request, body, expected).await?,
    )?)
}

/// Sends a request with this API key; returns the bytes of the response.
pub(crate) async fn receive(
    app: &BenchApp,
    key: &str,
    request: axum::http::request::Builder,
    body: Body,
    expected: StatusCode,
) -> anyhow::Result<Bytes> {
    let request = request.header(header::AUTHORIZATION, format!("Bearer {key}"));
    let Ok(response) = app.router().oneshot(request.body(body)?).await;
    let status = response.status();
    let body = to_bytes(response.into_body(), usize::MAX).await?;
    ensure!(status == expected, "{status}: {}", String::from_utf8_lossy(&body));
    Ok(body)
}

/// Has a page drawn; returns its id.
pub(crate) async fn drawn_page(app: &BenchApp) -> anyhow::Result<String> {
    let body = create_page(&app.router(), &app.key, "page").await?;
    let body: Value = serde_json::from_slice(&body)?;
    let id = body["page"]["id"].as_str().context("the response has no page")?;
    ensure!(
        linepress_core::testing::work_once(&app.server).await?,
        "there was nothing to draw"
    );
    Ok(id.to_owned())
}

/// Serves on a free local port until the process ends.
pub(crate) async fn serve(router: Router) -> anyhow::Result<SocketAddr> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    let address = listener.local_addr()?;
    tokio::spawn(async move { axum::serve(listener, router).await });
    Ok(address)
}

/// Starts a log with the server's default filter that is written nowhere, so that the cost of each request's span is
/// measured.
pub(crate) fn start_log() {
    tracing_subscriber::fmt()
        .with_env_filter(log_filter(&Config::default().log))
        .with_writer(std::io::sink)
        .init();
}

/// Returns the path in a variable that `cargo xtask bench` sets.
pub(crate) fn from_environment(name: &str) -> anyhow::Result<PathBuf> {
    let path = std::env::var_os(name).with_context(|| format!("{name} is not set: run `cargo xtask bench`"))?;
    Ok(Path::new(&path).to_owned())
}
