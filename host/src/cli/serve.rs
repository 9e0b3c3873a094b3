//! `linepress serve`.
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context as _;
use linepress::app::{self, App, Scope, live_plugins};
use linepress::artwork::uploads;
use linepress::config::Config;
use linepress::error::Error;
use linepress::http::listener::{self, ConnectionLimits};
use linepress::worker::{self, Workers};
use linepress::{drafts, grants, idempotency, objects, queue, server, sign_in, throttle};
use linepress_plugin_host::Pace;
use tokio::net::TcpSocket;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

pub(super) async fn run(config: Config, file: Option<PathBuf>) -> anyhow::Result<()> {
    let listen = config.listen;
    let cannot_listen = || format!("cannot listen on {listen}");
    // Before the plugins are loaded: an address that is taken should be known at once.
    let socket = reserve(listen).with_context(cannot_listen)?;
    let app = app::open(config, Scope::Everything).await?;
    app.warn_of_refused_plugins();
    app.warn_of_missing_plugins();
    if let Err(problem) = sign_in::provider::check_secret(app.config.sign_in.oidc.as_ref()) {
        anyhow::bail!("the settings are wrong: {problem}");
    }
    // And not before they are: compiling them for the first time takes a while, and whoever is let in would wait for it.
    let listener = socket.listen(BACKLOG).with_context(cannot_listen)?;
    let workers = Workers::start(&app);
    let housekeeping = tokio::spawn(housekeep(app.clone()));
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
    // A client that is slow, or silent, must not keep the server: it has as long as a page takes, or until a second signal.
    tokio::select! {
        () = workers.stop() => {}
        () = asked_to_stop() => {}
    }
    tokio::select! {
        _ = server => {}
        () = tokio::time::sleep(PATIENCE) => tracing::warn!("some requests were cut off"),
        () = asked_to_stop() => {}
    }
    app.database.close().await;
    Ok(())
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

/// How long requests under way may take after the server was asked to stop.
const PATIENCE: Duration = Duration::from_secs(15);

async fn told_to_stop(mut stopping: watch::Receiver<bool>) {
    // The sender lives as long as the server runs.
    let _ = stopping.wait_for(|stop| *stop).await;
}

/// Clears away what has served its time.
async fn housekeep(app: App) {
    // Longer than anything takes to be written.
    let day = Duration::from_secs(24 * 3600);
    report(
        "beginnings of objects",
        app.storage.delete_beginnings(app.clock.now().minus(day)).await,
    );
    loop {
        report("what was granted to apps", grants::forget_expired(&app).await);
        report("idempotency keys", idempotency::forget_old_keys(&app).await);
        report("expired uploads", uploads::forget_expired(&app).await);
        report("old drafts", drafts::forget_old(&app).await);
        report("discarded objects", objects::sweep(&app).await);
        report("expired sessions", sign_in::forget_expired(&app).await);
        report("expired links", sign_in::forget_expired_links(&app).await);
        report(
            "sign-ins with a provider",
            sign_in::provider::forget_expired_journeys(&app).await,
        );
        report("what drawings were asked to show", queue::forget_requests(&app).await);
        report("throttles", throttle::forget_old(&app).await);
        tokio::time::sleep(Duration::from_secs(60)).await;
        // Not before the workers had a minute to see whether a provider works again.
        report("drawings that waited too long", worker::give_up(&app).await);
    }
}

fn report(what: &str, cleared: Result<u64, Error>) {
    match cleared {
        Ok(0) => {}
        Ok(cleared) => tracing::info!(what, cleared, "cleared away"),
        Err(error) => tracing::warn!(what, error = error.for_operator(), "could not be cleared away"),
    }
}

async fn asked_to_stop() {
    let mut terminate = signal(SignalKind::terminate()).expect("the runtime handles signals");
    tokio::select! {
        _ = terminate.recv() => {}
        _ = tokio::signal::ctrl_c() => {}
    }
}
