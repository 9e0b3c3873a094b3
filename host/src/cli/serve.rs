//! `linepress serve`.
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context as _;
use linepress::app::{App, live_plugins};
use linepress::config::Config;
use linepress::error::chain;
use linepress::http::listener::{self, ConnectionLimits};
use linepress::startup::{self, OpenError, Scope};
use linepress::worker::Workers;
use linepress::{housekeeping, server, sign_in};
use linepress_plugin_host::Pace;
use tokio::net::TcpSocket;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

pub(super) async fn run(config: Config, file: Option<PathBuf>) -> anyhow::Result<()> {
    let listen = config.listen;
    let cannot_listen = || format!("cannot listen on {listen}");
    // Before the plugins are loaded: an address that is taken should be known at once.
    let socket = reserve(listen).with_context(cannot_listen)?;
    let app = open_when_possible(config).await?;
    app.warn_of_refused_plugins();
    app.warn_of_missing_plugins();
    if let Err(problem) = oidc::check_secret(app.config.sign_in.oidc.as_ref()) {
        anyhow::bail!("the settings are wrong: {problem}");
    }
    // And not before they are: compiling them for the first time takes a while, and whoever is let in would wait for it.
    let listener = socket.listen(BACKLOG).with_context(cannot_listen)?;
    let workers = Workers::start(&app);
    let housekeeping = tokio::spawn(housekeeping::run(app.clone()));
    let watch = tokio::spawn(watch_database(app.clone()));
    let plugins = tokio::spawn(live_plugins::follow(app.clone(), file, Pace::default()));
    tracing::info!(%listen, base_url = app.config.base_url(), workers = app.config.workers, "serving");
    offer_first_account(&app).await?;
    let (stop, stopping) = watch::channel(false);
    let router = server::router(app.clone());
    let server = tokio::spawn(listener::serve(
        listener,
        router,
        ConnectionLimits {
            trusted_proxies: app.config.trusted_proxies.clone(),
            ..ConnectionLimits::default()
        },
        told_to_stop(stopping),
    ));
    asked_to_stop().await;
    tracing::info!("stopping");
    stop.send_replace(true);
    housekeeping.abort();
    plugins.abort();
    watch.abort();
    // Neither a client that is slow or silent nor a database that does not respond may keep the server from ending. A second
    // signal ends it at once.
    let drawing = app.config.shutdown_grace() + RELEASE;
    within(
        drawing,
        workers.stop(),
        "some drawings were cut off: they are drawn again",
    )
    .await;
    within(PATIENCE, server, "some requests were cut off").await;
    within(
        FAREWELL,
        app.database.close(),
        "some connections to the database were cut off",
    )
    .await;
    Ok(())
}

/// Waits for a step of the end, for at most this time, or until a second signal.
async fn within<T>(limit: Duration, step: impl Future<Output = T>, otherwise: &str) {
    tokio::select! {
        _ = step => {}
        () = tokio::time::sleep(limit) => tracing::warn!("{otherwise}"),
        () = asked_to_stop() => {}
    }
}

/// Opens the server's parts. After a reboot the database server may start later than this one.
async fn open_when_possible(config: Config) -> Result<App, OpenError> {
    let wait = config.database_wait();
    let begin = tokio::time::Instant::now();
    let mut logged = String::new();
    loop {
        let error = match startup::open(config.clone(), Scope::Everything).await {
            Err(OpenError::Database(error)) if error.may_pass() && begin.elapsed() < wait => chain(&error),
            opened => return opened,
        };
        if error != logged {
            let seconds = wait.as_secs();
            tracing::warn!(
                error,
                "the database is not available yet; the server waits for it for up to {seconds} s"
            );
            logged = error;
        }
        tokio::time::sleep(DATABASE_RETRY).await;
    }
}

/// Between two tries to open the database.
const DATABASE_RETRY: Duration = Duration::from_secs(1);

async fn watch_database(app: App) {
    app.database.watch(&app.clock).await;
}

/// Whoever starts a server for the first time makes their account in the browser.
async fn offer_first_account(app: &App) -> anyhow::Result<()> {
    if let Some(token) = sign_in::offer_first_account(app).await? {
        let link = format!("{}/first-account/{}", app.config.public_url, token.expose());
        // Without the link, which whoever reads the logs could use first.
        tracing::info!("there is no account yet; standard output has the link that makes the first one");
        println!("There is no account yet. Make the first one in a browser, within a day:\n{link}");
    }
    Ok(())
}

/// Connections that wait to be accepted.
const BACKLOG: u32 = 1024;

/// Takes an address, whose connections are refused until somebody listens.
fn reserve(address: SocketAddr) -> io::Result<TcpSocket> {
    let socket = match address {
        SocketAddr::V4(_) => TcpSocket::new_v4()?,
        SocketAddr::V6(_) => TcpSocket::new_v6()?,
    };
    // Else a server that was stopped a moment ago keeps the address from its successor.
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    Ok(socket)
}

/// How long drawings may take to go back to the queue when they have not ended in time.
const RELEASE: Duration = Duration::from_secs(5);

/// How long requests under way may take after the server was asked to stop.
const PATIENCE: Duration = Duration::from_secs(15);

/// How long it may take to close connections to the database.
const FAREWELL: Duration = Duration::from_secs(3);

async fn told_to_stop(mut stopping: watch::Receiver<bool>) {
    // The sender lives as long as the server runs.
    let _ = stopping.wait_for(|stop| *stop).await;
}

async fn asked_to_stop() {
    let mut terminate = signal(SignalKind::terminate()).expect("the runtime handles signals");
    tokio::select! {
        _ = terminate.recv() => {}
        _ = tokio::signal::ctrl_c() => {}
    }
}
