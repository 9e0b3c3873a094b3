//! Opens the parts of the server that a command needs.
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use linepress_egress::{Dialer, Fetcher};
use linepress_metrics::{Metrics, PluginMetrics};
use linepress_plugin_host::{
    CompileLimits, DialTransport, LoadError, MaxConcurrentCalls, Network, PluginSettings, Plugins,
};
use linepress_print::{RenderSettings, Renderer};
use tokio::sync::{Notify, Semaphore};

use crate::backup::{self, BackupError, Origin, Target};
use crate::plugin_store::DatabaseStore;
use linepress_core::print::SampleTrial;
use linepress_platform::app::{App, Parts};
use linepress_platform::appearance::{Logo, LogoError};
use linepress_platform::clock::Clock;
use linepress_platform::config::{Config, ObjectPlace};
use linepress_platform::database::{self, Contents, CursorSeal, Database};
use linepress_platform::ended_requests::EndedRequests;
use linepress_platform::fair_share::FairShare;
use linepress_platform::folders::{self, FolderError};
use linepress_platform::importer::{ImportSettings, Importer};
use linepress_platform::oidc::Provider;
use linepress_platform::password_hash::Passwords;
use linepress_platform::print_jobs::Printing;
use linepress_platform::random::Random;
use linepress_platform::recent::Recent;
use linepress_platform::secrets::{self, RootSecret};
use linepress_platform::single_run::{NamedRuns, SingleRun};
use linepress_platform::stop_signal::StopSignal;
use linepress_platform::storage::Storage;

/// The parts of the server that a command needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// An existing database and nothing else. Nothing is created.
    Database,
    /// An existing database with its object store.
    Stores,
    /// All parts. Missing ones are created.
    Everything,
}

/// The reason why the server's parts could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error("`{setting}`: {source}")]
    Folder { setting: &'static str, source: FolderError },
    #[error(transparent)]
    Database(#[from] database::OpenError),
    #[error("the secrets that all nodes share cannot be read: {0}")]
    Secrets(sqlx::Error),
    #[error("the clock of the database cannot be read: {0}")]
    Clock(sqlx::Error),
    #[error("the object store cannot be opened: {0}")]
    Storage(String),
    #[error("`appearance.logo`: {0}")]
    Logo(#[from] LogoError),
    #[error("{setting}the plugins cannot be loaded: {0}", setting = setting_of(.0))]
    Plugins(#[from] LoadError),
    #[error("the backup before the migration failed, so nothing was migrated: {0}")]
    Backup(BackupError),
    #[error("the path of the linepress binary cannot be determined: {0}")]
    Program(std::io::Error),
}

impl OpenError {
    /// The part of the server that caused the error.
    pub fn part(&self) -> &'static str {
        match self {
            Self::Folder { .. } | Self::Storage(_) => "storage",
            Self::Database(_) | Self::Secrets(_) | Self::Clock(_) => "database",
            Self::Logo(_) => "appearance",
            Self::Plugins(_) => "plugins",
            Self::Backup(_) => "backup",
            Self::Program(_) => "program",
        }
    }

    /// The advice for the operator.
    pub fn advice(&self) -> String {
        let advice = match self {
            Self::Folder { source, .. } => return source.advice(),
            Self::Plugins(LoadError::Cache { path, .. }) => {
                return format!(
                    "Make {} writable for this user, or delete it: the server creates it again.",
                    path.display()
                );
            }
            Self::Database(error) => error.advice(),
            Self::Secrets(_) => "Check that this user may use the database's tables.",
            Self::Clock(_) => "Check that the database is running, and start the server again.",
            Self::Storage(_) => {
                "Check `storage_url`, the table `s3` if it names a bucket, and that objects may be written there."
            }
            Self::Backup(_) => {
                "Check that this user may write to `backup.dir`: that the disk of a folder has free space, or that the tables `backup.s3` or `s3` name the server of a bucket."
            }
            Self::Logo(_) => "Name an SVG or PNG file that this user may read, or leave `appearance.logo` empty.",
            Self::Plugins(_) => "Check `plugins_dir`, and that this user may read it.",
            Self::Program(_) => "Start the program by its full path.",
        };
        advice.into()
    }
}

/// Opens database, storage and plugins according to the settings, with the system's clock and randomness.
pub async fn open(config: Config, scope: Scope) -> Result<App, OpenError> {
    open_with(config, scope, own_program()?).await
}

/// Like `open`, for a process that is not the linepress binary itself: `program` is the path of the binary, which
/// typesets and compiles in child processes.
pub(crate) async fn open_with(config: Config, scope: Scope, program: PathBuf) -> Result<App, OpenError> {
    let (url, connections) = (&config.database_url, config.database_connections);
    if scope != Scope::Everything {
        let database = Database::connect_existing(url, connections).await?;
        let storage = match scope {
            Scope::Stores => existing_storage(&config, &database).await?,
            _ => Storage::in_memory(),
        };
        let clock = database.shared_clock(Clock::System).await.map_err(OpenError::Clock)?;
        let bare = without_files(config, program, database);
        return Ok(App::new(Parts { storage, clock, ..bare }));
    }
    let logo = Logo::read(&config.appearance.logo)?;
    folders::make_private(&config.data_dir).map_err(in_data_dir)?;
    let database = Database::connect(url, connections).await?;
    back_up_before_migration(&config, &database).await?;
    // The migration of a large database takes a while, during which the server logs nothing.
    tracing::info!("migrating the database");
    let begin = Instant::now();
    database.migrate().await?;
    let milliseconds = u64::try_from(begin.elapsed().as_millis()).unwrap_or(u64::MAX);
    tracing::info!(milliseconds, "database migrated");
    let storage = storage(&config)?;
    let mark = secrets::mark_store(&database, &Random::system(), &storage).await;
    let mark = mark.map_err(|error| OpenError::Storage(error.for_operator()))?;
    let storage = storage.marked(&mark);
    let importer = importer(&config).map_err(in_data_dir)?;
    let clock = database.shared_clock(Clock::System).await.map_err(OpenError::Clock)?;
    let bare = without_files(config, program.clone(), database);
    let plugins = Plugins::load(PluginSettings {
        metrics: bare.metrics.plugins.clone(),
        calls: Some(bare.plugin_calls.clone()),
        store: Some(Arc::new(DatabaseStore::new(bare.database.clone(), clock.clone()))),
        ..plugin_settings(&bare.config, program)
    });
    let (plugins, cursors, root_secret) = tokio::join!(
        plugins,
        secrets::cursor_seal(&bare.database, &bare.random),
        secrets::root(&bare.database, &bare.random)
    );
    Ok(App::new(Parts {
        logo,
        storage,
        importer,
        plugins: plugins?,
        clock,
        cursors: cursors.map_err(OpenError::Secrets)?,
        root_secret: root_secret.map_err(OpenError::Secrets)?,
        ..bare
    }))
}

/// The object store of an existing database.
async fn existing_storage(config: &Config, database: &Database) -> Result<Storage, OpenError> {
    let mark = secrets::store_mark(database).await.map_err(OpenError::Secrets)?;
    let storage = storage(config)?;
    Ok(match mark {
        Some(mark) => storage.marked(&mark),
        None => storage,
    })
}

/// Opens the database and the object store of the settings for a restore, with the contents of the database. Missing
/// ones are created.
pub async fn open_to_restore(config: &Config) -> Result<(Database, Contents, Storage), OpenError> {
    folders::make_private(&config.data_dir).map_err(in_data_dir)?;
    let (database, contents) = Database::connect_to_restore(&config.database_url, config.database_connections).await?;
    Ok((database, contents, storage(config)?))
}

/// Makes a backup of a database that is about to be migrated, if the settings name a place for backups.
async fn back_up_before_migration(config: &Config, database: &Database) -> Result<(), OpenError> {
    if config.backup.dir.is_empty() || !database.awaits_migration().await? {
        return Ok(());
    }
    tracing::info!("making a backup before the database is migrated");
    let storage = existing_storage(config, database).await?;
    let (clock, random) = (Clock::System, Random::system());
    let origin = Origin {
        database,
        storage: &storage,
        clock: &clock,
        random: &random,
    };
    folders::make_private(&config.incoming_dir()).map_err(in_data_dir)?;
    let target = Target::create(&config.backup.dir, config).map_err(OpenError::Backup)?;
    let made = backup::before_migration(origin, &target, &config.incoming_dir()).await;
    if let Some(snapshot) = made.map_err(OpenError::Backup)? {
        tracing::info!(snapshot = snapshot.name, "backup completed");
    }
    Ok(())
}

/// The parts of the server that could be opened, and the errors of the others.
pub struct Inspection {
    /// A part that could not be opened is replaced by an empty one: a database in memory, a store without objects, no
    /// plugins.
    pub app: App,
    pub has_database: bool,
    pub has_storage: bool,
    pub has_plugins: bool,
    pub problems: Vec<OpenError>,
}

/// Opens as many parts as possible, for a diagnosis. Creates folders, but no database.
pub async fn inspect(config: Config) -> Result<Inspection, OpenError> {
    let program = own_program()?;
    let mut problems = Vec::new();
    let database = Database::connect_existing(&config.database_url, config.database_connections).await;
    let database = take(database, &mut problems);
    take(Logo::read(&config.appearance.logo), &mut problems);
    let (mut storage, mut importer, mut plugins) = (None, None, None);
    // Storage, importer and plugins lie below the data folder: each would report the error of that folder again.
    if take(
        folders::make_private(&config.data_dir).map_err(in_data_dir),
        &mut problems,
    )
    .is_some()
    {
        storage = take(self::storage(&config), &mut problems);
        importer = take(self::importer(&config).map_err(in_data_dir), &mut problems);
        plugins = take(
            Plugins::load(plugin_settings(&config, program.clone())).await,
            &mut problems,
        );
    }
    if let Some(database) = &database
        && let Some(Some(mark)) = take(
            secrets::store_mark(database).await.map_err(OpenError::Secrets),
            &mut problems,
        )
    {
        storage = storage.map(|storage: Storage| storage.marked(&mark));
    }
    let (has_database, has_storage, has_plugins) = (database.is_some(), storage.is_some(), plugins.is_some());
    let database = match database {
        Some(database) => database,
        None => Database::unconnected("sqlite::memory:", 1)?,
    };
    let bare = without_files(config, program, database);
    Ok(Inspection {
        app: App::new(Parts {
            storage: storage.unwrap_or(bare.storage),
            importer: importer.unwrap_or(bare.importer),
            plugins: plugins.unwrap_or(bare.plugins),
            ..bare
        }),
        has_database,
        has_storage,
        has_plugins,
        problems,
    })
}

fn take<T, E: Into<OpenError>>(opened: Result<T, E>, problems: &mut Vec<OpenError>) -> Option<T> {
    opened.map_err(|error| problems.push(error.into())).ok()
}

/// The setting that an error of the plugins belongs to, as the beginning of its message.
fn setting_of(error: &LoadError) -> &'static str {
    match error {
        LoadError::Folder { .. } | LoadError::TooManyFolders { .. } => "`plugins_dir`: ",
        LoadError::Cache { .. } => "`data_dir`: ",
        LoadError::Engine(_) => "",
    }
}

fn in_data_dir(source: FolderError) -> OpenError {
    OpenError::Folder {
        setting: "data_dir",
        source,
    }
}

fn own_program() -> Result<PathBuf, OpenError> {
    std::env::current_exe().map_err(OpenError::Program)
}

/// Opens the store of the objects, and creates its folder.
pub fn storage(config: &Config) -> Result<Storage, OpenError> {
    let place = config
        .object_place()
        .map_err(|problem| OpenError::Storage(problem.into()))?;
    if let ObjectPlace::Folder(folder) = &place {
        folders::make(folder).map_err(|source| OpenError::Folder {
            setting: if config.storage_url.is_empty() {
                "data_dir"
            } else {
                "storage_url"
            },
            source,
        })?;
    }
    Storage::at(&place, config).map_err(|error| OpenError::Storage(error.for_operator()))
}

/// The parts of a server that has only a database: no objects, plugins, received files or shared secrets.
fn without_files(config: Config, program: PathBuf, database: Database) -> Parts {
    let random = Random::system();
    let mut secret = [0; 32];
    random.fill(&mut secret);
    Parts {
        logo: None,
        database,
        storage: Storage::in_memory(),
        plugins: Plugins::none(),
        renderer: Renderer::new(render_settings(&config, program)),
        printing: printing(),
        transfers: transfers(&config),
        planning: planning(),
        followers: followers(),
        importer: Importer::new(import_settings(&config)),
        fetcher: Fetcher::system(&config.import_private_hosts, &config.denied_networks),
        public_fetcher: Fetcher::system(&[], &config.denied_networks),
        webhook_fetcher: Fetcher::system(&config.webhook_private_hosts, &config.denied_networks),
        cursors: CursorSeal::new(&secret),
        passwords: Passwords::new(),
        root_secret: RootSecret::ephemeral(&random),
        provider: Provider::system(config.sign_in.oidc.as_ref(), &config.denied_networks),
        metrics: metrics(),
        clock: Clock::System,
        random,
        queued: Notify::new(),
        mails: Notify::new(),
        webhooks: Notify::new(),
        stopping: StopSignal::default(),
        backup_listing: SingleRun::default(),
        storage_check: SingleRun::default(),
        key_uses: NamedRuns::default(),
        ended_requests: EndedRequests::default(),
        plugin_calls: Arc::default(),
        health: Recent::default(),
        config,
    }
}

/// The importer that the settings describe. Creates the folder in which files are received.
pub fn importer(config: &Config) -> Result<Importer, FolderError> {
    folders::make_private(&config.incoming_dir())?;
    Ok(Importer::new(import_settings(config)))
}

fn import_settings(config: &Config) -> ImportSettings {
    ImportSettings {
        incoming: config.incoming_dir(),
        budget_mebibytes: config.import_memory_mib,
        time_limit: Duration::from_secs(config.import_timeout_seconds),
        per_account: 4,
        // Each may block a thread on the resolution of a host name.
        total: 64,
        max_wait: Duration::from_secs(60),
    }
}

/// The number of planner calls, of layout calls and of reviewer calls that may run concurrently.
const MAX_CONCURRENT_PLANS: u32 = 4;
const MAX_CONCURRENT_LAYOUTS: u32 = 4;
const MAX_CONCURRENT_REVIEWS: u32 = 8;

/// The largest response that a manifest may allow. A call reserves this memory from its start: calls that wait for the
/// network hold it too, and a provider with large drawings must not delay one with small drawings.
const MAX_RESPONSE_MIB: u32 = 129;

/// The settings of the plugin host; `program` is the path of the linepress binary.
pub fn plugin_settings(config: &Config, program: PathBuf) -> PluginSettings {
    PluginSettings {
        directory: config.plugins_dir.clone(),
        bundled: config.bundled_plugins.clone(),
        cache_directory: config.data_dir.join("compiled-plugins"),
        program: program.clone(),
        compile_limits: CompileLimits::default(),
        max_concurrent_calls: MaxConcurrentCalls {
            image_providers: config.drawing_places(),
            planners: MAX_CONCURRENT_PLANS,
            layouts: MAX_CONCURRENT_LAYOUTS,
            reviewers: MAX_CONCURRENT_REVIEWS,
        },
        max_responses_mib: config.drawing_places().saturating_mul(MAX_RESPONSE_MIB),
        config: config.plugins.clone(),
        network: Network {
            transport: Arc::new(DialTransport::new(Dialer::system(config.denied_networks.clone()))),
            grants: config.grants.clone(),
            credentials: config.credentials.clone(),
        },
        template_trial: Some(Arc::new(SampleTrial::new(render_settings(config, program)))),
        metrics: PluginMetrics::default(),
        calls: None,
        store: None,
    }
}

/// Metrics that are all zero.
pub fn metrics() -> Metrics {
    Metrics::new(env!("CARGO_PKG_VERSION"))
}

/// Limits the PDFs that are made concurrently to the number of cores.
pub fn printing() -> Printing {
    Printing::new(cores())
}

/// Limits files in transfer per account. There is no total limit, because connections are limited.
pub fn transfers(config: &Config) -> FairShare {
    FairShare::new(config.limits.transfers, Semaphore::MAX_PERMITS)
}

/// Limits concurrent book plans to the number of planner calls in total, and to half of it per account: a planner that
/// calls a language model takes about a minute, in which an account may order ten plans.
pub fn planning() -> FairShare {
    FairShare::new(MAX_CONCURRENT_PLANS as usize / 2, MAX_CONCURRENT_PLANS as usize)
}

/// Limits the clients that follow operations, browsers and agents alike, to 6 per account and 200 in total: each holds
/// a connection and queries the database about every second.
pub fn followers() -> FairShare {
    FairShare::new(6, 200)
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(2, usize::from)
}

/// The settings of the renderer; `program` is the path of the linepress binary.
pub fn render_settings(config: &Config, program: PathBuf) -> RenderSettings {
    RenderSettings {
        program,
        timeout: Duration::from_secs(config.print_timeout_seconds),
        memory_limit_bytes: config.print_memory_mib * 1024 * 1024,
        max_concurrent: cores(),
        font_folders: config.font_folders.clone(),
    }
}
