//! The command `linepress serve`.
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use super::bundled;
use super::doubts::doubts;
use anyhow::Context as _;
use clap::Args;
use linepress::server;
use linepress_accounts::sign_in;
use linepress_core::worker::Workers;
use linepress_http::listener::{self, ConnectionLimits};
use linepress_http::metrics;
use linepress_operator::housekeeping;
use linepress_operator::loaded_plugins;
use linepress_operator::mailing::Delivery;
use linepress_operator::plugin_call_log::PluginCallLog;
use linepress_operator::plugin_rollback;
use linepress_operator::request_log::RequestLog;
use linepress_operator::startup::{self, OpenError, Scope};
use linepress_operator::webhook_delivery::WebhookDelivery;
use linepress_platform::app::{App, live_plugins};
use linepress_platform::config::{Config, Role};
use linepress_platform::error::chain;
use linepress_platform::oidc;
use linepress_plugin_host::Pace;
use linepress_terminal::print_line;
use rlimit::Resource;
use sd_notify::NotifyState;
use tokio::net::TcpSocket;
use tokio::signal::unix::{SignalKind, signal};
use tokio::task::JoinHandle;

#[derive(Args)]
pub(super) struct Arguments {
    /// The parts of the server's work that this node does: `api`, `worker`, or both with a comma between. Default: the
    /// setting `roles`.
    #[arg(long, value_delimiter = ',')]
    roles: Vec<Role>,
}

pub(super) async fn run(mut config: Config, file: Option<PathBuf>, arguments: Arguments) -> anyhow::Result<()> {
    raise_open_file_limit();
    #[cfg(all(target_os = "linux", target_env = "musl"))]
    disable_huge_pages();
    if !arguments.roles.is_empty() {
        config.take_roles(arguments.roles);
    }
    for doubt in doubts(&config) {
        tracing::warn!(doubt, "a setting is doubtful");
    }
    let listen = config.listen;
    let cannot_listen = || format!("cannot listen on {listen}");
    // Bound before the plugins are loaded, so that an address in use is reported at once.
    let socket = reserve(listen).with_context(cannot_listen)?;
    let metrics_socket = reserve_for_metrics(&config)?;
    remove_old_plugins(&config);
    if config.has_role(Role::Api) {
        // While the plugins are loaded.
        tokio::task::spawn_blocking(server::prepare_interfaces);
    }
    let app = open_when_possible(config).await?;
    app.warn_of_refused_plugins();
    app.warn_of_missing_plugins();
    warn_of_missing_store(&app).await;
    if let Err(problem) = oidc::check_secret(app.config.sign_in.oidc.as_ref()) {
        anyhow::bail!("the settings are invalid: {problem}");
    }
    if let Err(problem) = app.config.mail.password() {
        anyhow::bail!("the settings are invalid: {problem}");
    }
    // Listens only after the plugins are loaded: compiling them for the first time takes a while, and clients would
    // wait.
    let listener = socket.listen(BACKLOG).with_context(cannot_listen)?;
    // The system chooses the port if the setting is 0.
    let listen = listener.local_addr()?;
    let background = Background::start(&app, file);
    let plugin_calls = PluginCallLog::start(&app);
    let request_log = app.config.has_role(Role::Api).then(|| RequestLog::start(&app));
    if app.config.has_role(Role::Api) {
        tracing::info!(%listen, base_url = app.config.base_url(), workers = background.workers(&app), "the server is serving requests");
        offer_first_account(&app).await?;
    } else {
        tracing::info!(%listen, workers = background.workers(&app), "the worker is drawing, and serving only its health checks");
    }
    let metrics = match metrics_socket {
        Some(socket) => Some(serve_metrics(socket, &app)?),
        None => None,
    };
    let router = server::router(app.clone());
    let server = tokio::spawn(listener::serve(
        listener,
        router,
        ConnectionLimits {
            trusted_proxies: app.config.trusted_proxies.clone(),
            ..ConnectionLimits::default()
        },
        stop_signaled(app.clone()),
    ));
    // From here on a signal stops the server gracefully.
    let stop_signal = asked_to_stop();
    notify_systemd(NotifyState::Ready);
    stop_signal.await;
    tracing::info!("the server is stopping");
    notify_systemd(NotifyState::Stopping);
    app.stopping.give();
    // Neither a slow or silent client nor an unresponsive database may keep the server from ending. A second signal
    // ends it at once.
    background.stop(&app).await;
    within(REQUESTS_TIMEOUT, server, "shutdown interrupted some requests").await;
    if let Some(request_log) = request_log {
        let otherwise = "shutdown interrupted the request log; it lacks some requests";
        within(DATABASE_CLOSE_TIMEOUT, request_log.stop(), otherwise).await;
    }
    let otherwise = "shutdown interrupted the log of plugin calls; it lacks some calls";
    within(DATABASE_CLOSE_TIMEOUT, plugin_calls.stop(), otherwise).await;
    // Until here, so that the last drawings and requests are counted.
    if let Some(metrics) = metrics {
        metrics.abort();
    }
    within(
        DATABASE_CLOSE_TIMEOUT,
        app.database.close(),
        "shutdown interrupted some database connections",
    )
    .await;
    Ok(())
}

/// The work of a node that no request causes.
struct Background {
    /// `None` on a node without the role `worker`.
    drawing: Option<Workers>,
    /// `None` on such a node, and on a server that sends no mail.
    mail: Option<Delivery>,
    /// `None` on a node without the role `worker`.
    webhooks: Option<WebhookDelivery>,
    tasks: Vec<JoinHandle<()>>,
}

impl Background {
    fn start(app: &App, file: Option<PathBuf>) -> Self {
        let mut tasks = vec![
            tokio::task::spawn_blocking(read_certificates),
            tokio::spawn(watch_database(app.clone())),
            tokio::spawn(live_plugins::follow(app.clone(), file, Pace::default())),
            tokio::spawn(plugin_rollback::follow(app.clone())),
            tokio::spawn(loaded_plugins::follow(app.clone())),
        ];
        let drawing = app.config.has_role(Role::Worker).then(|| {
            tasks.push(tokio::spawn(housekeeping::run(app.clone())));
            Workers::start(app)
        });
        let sends_mail = app.config.has_role(Role::Worker) && app.config.mail.is_on();
        Self {
            drawing,
            mail: sends_mail.then(|| Delivery::start(app)),
            webhooks: app.config.has_role(Role::Worker).then(|| WebhookDelivery::start(app)),
            tasks,
        }
    }

    /// The number of pictures that this node computes at a time.
    fn workers(&self, app: &App) -> usize {
        match self.drawing {
            Some(_) => app.config.workers,
            None => 0,
        }
    }

    /// Stops the tasks, and waits for the drawings, mails and events in progress.
    async fn stop(self, app: &App) {
        for task in self.tasks {
            task.abort();
        }
        // Mails have the time that drawings have, so that they do not delay the stop further.
        let limit = app.config.shutdown_grace() + RELEASE_TIMEOUT;
        let mail = async {
            if let Some(mail) = self.mail {
                let otherwise = "shutdown interrupted the sending of some mails; they may be sent twice";
                within(limit, mail.stop(), otherwise).await;
            }
        };
        let webhooks = async {
            if let Some(webhooks) = self.webhooks {
                let otherwise = "shutdown interrupted the sending of some events; they are sent again";
                within(limit, webhooks.stop(), otherwise).await;
            }
        };
        let drawing = Self::stop_drawing(self.drawing, limit);
        tokio::join!(mail, webhooks, drawing);
    }

    async fn stop_drawing(workers: Option<Workers>, limit: Duration) {
        let Some(workers) = workers else { return };
        within(
            limit,
            workers.stop(),
            "shutdown interrupted some drawings; they will be drawn again",
        )
        .await;
    }
}

/// Reads the certificates of the system, so that no request waits for them, and logs if there are none. The server can
/// do everything without them except connect to other servers.
fn read_certificates() {
    if let Err(problem) = linepress_egress::read_system_certificates() {
        tracing::warn!(
            problem,
            "the certificates of the system cannot be read; no server can be reached over https"
        );
    }
}

/// Reports a state to systemd, for a unit with `Type=notify`.
fn notify_systemd(state: NotifyState<'_>) {
    if let Err(error) = sd_notify::notify(&[state]) {
        tracing::warn!(%error, "systemd cannot be notified");
    }
}

/// Removes the plugins that another version of this program unpacked.
fn remove_old_plugins(config: &Config) {
    if let Err(error) = linepress_bundle::remove_others(&config.data_dir.join(bundled::FOLDER)) {
        tracing::warn!(%error, "the plugins of a former version of this program cannot be removed");
    }
}

/// Logs that the folder is not the object store of the database. The server starts nevertheless, because the share may
/// be mounted later.
async fn warn_of_missing_store(app: &App) {
    if let Err(error) = app.storage.check_mark().await {
        let problem = error.for_operator();
        tracing::error!(
            problem,
            "the object store is missing: the server stores nothing and is not ready"
        );
    }
}

/// Disables transparent huge pages, which mimalloc requests, for the server and the programs that it starts: 2 MiB remain
/// in memory as long as a part of them is used. docs/benchmarks.md has figures.
#[cfg(all(target_os = "linux", target_env = "musl"))]
#[expect(unsafe_code, reason = "this option of prctl has no safe wrapper")]
fn disable_huge_pages() {
    let (on, unused): (libc::c_ulong, libc::c_ulong) = (1, 0);
    // SAFETY: this option reads its arguments as numbers of this type. If it fails, the process only uses more memory.
    unsafe {
        libc::prctl(libc::PR_SET_THP_DISABLE, on, unused, unused, unused);
    }
}

/// Raises the soft limit on open files to the hard one: each connection, stored object and plugin call needs some, and
/// the usual soft limit of 1,024 is that of programs that use `select`.
fn raise_open_file_limit() {
    let raised = Resource::NOFILE.get().and_then(|(soft, hard)| {
        if soft < hard {
            Resource::NOFILE.set(hard, hard)?;
        }
        Ok(hard)
    });
    match raised {
        Ok(limit) => tracing::debug!(limit, "limit on open files raised"),
        Err(error) => tracing::warn!(%error, "the limit on open files cannot be raised"),
    }
}

/// Waits for a step of the shutdown until the limit or a second signal; logs `otherwise` at the limit.
async fn within<T>(limit: Duration, step: impl Future<Output = T>, otherwise: &str) {
    tokio::select! {
        _ = step => {}
        () = tokio::time::sleep(limit) => tracing::warn!("{otherwise}"),
        () = asked_to_stop() => {}
    }
}

/// Opens the server's parts. Waits for a database server that starts later than this one, for example after a reboot.
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
        tokio::time::sleep(DATABASE_RETRY_DELAY).await;
    }
}

/// The delay between two attempts to open the database.
const DATABASE_RETRY_DELAY: Duration = Duration::from_secs(1);

async fn watch_database(app: App) {
    app.database.watch(&app.clock).await;
}

/// Prints a link with which the operator creates the first account in a browser, if none exists.
async fn offer_first_account(app: &App) -> anyhow::Result<()> {
    if let Some(token) = sign_in::offer_first_account(app).await? {
        let link = format!("{}/first-account/{}", app.config.public_url, token.expose());
        // The link is not logged, because a reader of the logs could use it first.
        tracing::info!("there is no account yet; standard output has the link that creates the first one");
        let hours = sign_in::LINK_LIFETIME.as_secs() / 3600;
        print_line!("There is no account yet. Create the first one in a browser within {hours} hours:\n{link}");
    }
    Ok(())
}

/// The number of connections that may wait to be accepted. Linux lowers it to net.core.somaxconn, which is 4096 by
/// default. A client whose connection finds no place tries again only after a second, then after two more.
const BACKLOG: u32 = 4096;

/// Binds the address of the metrics, if there is one.
fn reserve_for_metrics(config: &Config) -> anyhow::Result<Option<TcpSocket>> {
    let Some(address) = config.metrics_listen else {
        return Ok(None);
    };
    let socket =
        reserve(address).with_context(|| format!("cannot listen on {address}, the address of `metrics_listen`"))?;
    Ok(Some(socket))
}

/// Serves the metrics until the task is aborted.
fn serve_metrics(socket: TcpSocket, app: &App) -> anyhow::Result<JoinHandle<()>> {
    /// Prometheus needs one connection, and an operator's browser a few.
    const MAX_CONNECTIONS: usize = 32;
    let listener = socket
        .listen(BACKLOG)
        .context("cannot listen for requests of metrics")?;
    tracing::info!(listen = %listener.local_addr()?, "the server offers metrics at /metrics");
    let limits = ConnectionLimits {
        max_connections: MAX_CONNECTIONS,
        max_connections_per_peer: MAX_CONNECTIONS,
        ..ConnectionLimits::default()
    };
    let never = std::future::pending();
    Ok(tokio::spawn(listener::serve(
        listener,
        metrics::router(app.clone()),
        limits,
        never,
    )))
}

/// Binds an address. Connections to it are refused until the socket listens.
fn reserve(address: SocketAddr) -> io::Result<TcpSocket> {
    let socket = match address {
        SocketAddr::V4(_) => TcpSocket::new_v4()?,
        SocketAddr::V6(_) => TcpSocket::new_v6()?,
    };
    // Otherwise a server that was just stopped would block the address for its successor.
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    Ok(socket)
}

/// The time for which drawings that have not ended in time may take to return to the queue.
const RELEASE_TIMEOUT: Duration = Duration::from_secs(5);

/// The time that running requests have to end after the server was asked to stop.
const REQUESTS_TIMEOUT: Duration = Duration::from_secs(15);

/// The time limit for closing the connections to the database.
const DATABASE_CLOSE_TIMEOUT: Duration = Duration::from_secs(3);

async fn stop_signaled(app: App) {
    app.stopping.given().await;
}

/// Waits for a signal, beginning with this call and not with the first poll of its result.
fn asked_to_stop() -> impl Future<Output = ()> {
    let [mut terminate, mut interrupt] = [SignalKind::terminate(), SignalKind::interrupt()]
        .map(|kind| signal(kind).expect("the runtime handles signals"));
    async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    }
}
