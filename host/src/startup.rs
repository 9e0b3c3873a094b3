//! Opening the server's parts, as many of them as a command needs.
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use linepress_egress::{Dialer, Fetcher};
use linepress_plugin_host::{
    CompileLimits, DialTransport, LoadError, MaxConcurrentCalls, Network, PluginSettings, Plugins,
};
use linepress_print::{RenderSettings, Renderer};
use tokio::sync::{Notify, Semaphore};

use crate::app::{App, Parts};
use crate::clock::Clock;
use crate::config::Config;
use crate::database::{self, CursorSeal, Database};
use crate::fair_share::FairShare;
use crate::folders::{self, FolderError};
use crate::importer::{ImportSettings, Importer};
use crate::oidc::Provider;
use crate::password_hash::Passwords;
use crate::print::SampleTrial;
use crate::print_jobs::Printing;
use crate::random::Random;
use crate::secrets::{self, RootSecret};
use crate::storage::Storage;

/// How much of the server a command needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Accounts and keys: the database that a server made, and nothing else. Nothing is made.
    Database,
    /// What is missing is made.
    Everything,
}

/// Why the server's parts could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error(transparent)]
    Folder(#[from] FolderError),
    #[error(transparent)]
    Database(#[from] database::OpenError),
    #[error("the secrets that all nodes share cannot be read: {0}")]
    Secrets(sqlx::Error),
    #[error("the object store cannot be opened: {0}")]
    Storage(String),
    #[error("the plugins cannot be loaded: {0}")]
    Plugins(#[from] LoadError),
    #[error("this program's own file cannot be found: {0}")]
    Program(std::io::Error),
}

impl OpenError {
    /// The part of the server that it is about.
    pub fn part(&self) -> &'static str {
        match self {
            Self::Folder(_) | Self::Storage(_) => "storage",
            Self::Database(_) | Self::Secrets(_) => "database",
            Self::Plugins(_) => "plugins",
            Self::Program(_) => "program",
        }
    }

    /// What an operator can do about it.
    pub fn advice(&self) -> String {
        let advice = match self {
            Self::Folder(error) => return error.advice(),
            Self::Plugins(LoadError::Cache { path, .. }) => {
                return format!(
                    "Make {} writable for this user, or remove it: it can be made again.",
                    path.display()
                );
            }
            Self::Database(error) => error.advice(),
            Self::Secrets(_) => "Check that this user may use the database's tables.",
            Self::Storage(_) => "Check `storage_url`, and that this user may write there.",
            Self::Plugins(_) => "Check `plugins_dir`, and that this user may read it.",
            Self::Program(_) => "Start the program by its full path.",
        };
        advice.into()
    }
}

/// Opens database, storage and plugins as the settings say, on the system's clock and randomness.
pub async fn open(config: Config, scope: Scope) -> Result<App, OpenError> {
    open_with(config, scope, own_program()?).await
}

/// The same in a process that is not the linepress binary itself: `program` is, which typesets and compiles.
pub async fn open_with(config: Config, scope: Scope, program: PathBuf) -> Result<App, OpenError> {
    let (url, connections) = (&config.database_url, config.database_connections);
    if scope == Scope::Database {
        let database = Database::connect_existing(url, connections).await?;
        return Ok(App::new(without_files(config, program, database)));
    }
    folders::make_private(&config.data_dir)?;
    let database = Database::connect(url, connections).await?;
    // Of a large database a migration takes a while, in which nothing else happens.
    tracing::info!("bringing the database up to date");
    let begin = Instant::now();
    database.migrate().await?;
    let milliseconds = u64::try_from(begin.elapsed().as_millis()).unwrap_or(u64::MAX);
    tracing::info!(milliseconds, "the database is up to date");
    let storage = storage(&config)?;
    let mark = secrets::mark_store(&database, &Random::system(), &storage).await;
    let mark = mark.map_err(|error| OpenError::Storage(error.for_operator()))?;
    let storage = storage.marked(&mark);
    let importer = importer(&config)?;
    let plugins = Plugins::load(plugin_settings(&config, program.clone())).await?;
    let bare = without_files(config, program, database);
    let cursors = secrets::cursor_seal(&bare.database, &bare.random).await;
    let root_secret = secrets::root(&bare.database, &bare.random).await;
    Ok(App::new(Parts {
        storage,
        importer,
        plugins,
        cursors: cursors.map_err(OpenError::Secrets)?,
        root_secret: root_secret.map_err(OpenError::Secrets)?,
        ..bare
    }))
}

/// What could be opened of the server, and why the rest could not.
pub struct Inspection {
    /// With nothing in place of what is missing: an empty database, a store without objects, no plugins.
    pub app: App,
    pub has_database: bool,
    pub has_storage: bool,
    pub has_plugins: bool,
    pub problems: Vec<OpenError>,
}

/// Opens as much as there is, for whoever looks for what is wrong. Makes folders, but no database.
pub async fn inspect(config: Config) -> Result<Inspection, OpenError> {
    let program = own_program()?;
    let mut problems = Vec::new();
    let database = Database::connect_existing(&config.database_url, config.database_connections).await;
    let database = take(database, &mut problems);
    let (mut storage, mut importer, mut plugins) = (None, None, None);
    // All of these lie below it: its fault would be told four times.
    if take(folders::make_private(&config.data_dir), &mut problems).is_some() {
        storage = take(self::storage(&config), &mut problems);
        importer = take(self::importer(&config), &mut problems);
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

fn own_program() -> Result<PathBuf, OpenError> {
    std::env::current_exe().map_err(OpenError::Program)
}

fn storage(config: &Config) -> Result<Storage, OpenError> {
    let objects = config.objects_dir();
    folders::make(&objects)?;
    Storage::folder(&objects).map_err(|error| OpenError::Storage(error.for_operator()))
}

/// The server's parts where nothing is stored, drawn, planned, laid out, imported or listed.
fn without_files(config: Config, program: PathBuf, database: Database) -> Parts {
    let random = Random::system();
    let mut secret = [0; 32];
    random.fill(&mut secret);
    Parts {
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
        cursors: CursorSeal::new(&secret),
        passwords: Passwords::new(),
        root_secret: RootSecret::own(&random),
        provider: Provider::system(config.sign_in.oidc.as_ref(), &config.denied_networks),
        clock: Clock::System,
        random,
        queued: Notify::new(),
        config,
    }
}

/// Where imports are received and prepared, as the settings say. Makes the folder in which they are received.
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
        // Each may wait for a name that nobody answers for, on a thread of its own.
        total: 64,
        patience: Duration::from_secs(60),
    }
}

/// How many books are planned, and how many are laid out, at a time.
const PLANS: u32 = 4;
const LAYOUTS: u32 = 4;

/// Seven drawings of a provider that asks for no limit of its own.
const RESPONSES_MIB: u32 = 512;
/// The largest drawing that a manifest may allow. A call has its room from its beginning, so that many that wait for the
/// network need as many, and one provider with large drawings must not keep another with small ones waiting.
const RESPONSE_MIB: u32 = 129;

/// As many as all providers of the settings have places. Which of them use the network is not known before they are loaded.
fn drawings(config: &Config) -> u32 {
    let most = |id: &String| config.concurrency(id, true).max(config.concurrency(id, false));
    let places: usize = config.image_providers.iter().map(most).sum();
    u32::try_from(places).unwrap_or(u32::MAX)
}

/// What the plugin host needs to know of the settings; `program` is the linepress binary.
pub fn plugin_settings(config: &Config, program: PathBuf) -> PluginSettings {
    PluginSettings {
        directory: config.plugins_dir.clone(),
        cache_directory: config.data_dir.join("compiled-plugins"),
        program: program.clone(),
        compile_limits: CompileLimits::default(),
        max_concurrent_calls: MaxConcurrentCalls {
            image_providers: drawings(config),
            planners: PLANS,
            layouts: LAYOUTS,
        },
        max_responses_mib: RESPONSES_MIB.max(drawings(config).saturating_mul(RESPONSE_MIB)),
        config: config.plugins.clone(),
        network: Network {
            transport: Arc::new(DialTransport::new(Dialer::system(config.denied_networks.clone()))),
            grants: config.grants.clone(),
            credentials: config.credentials.clone(),
        },
        template_trial: Some(Arc::new(SampleTrial::new(render_settings(config, program)))),
    }
}

/// As many PDFs at a time as there are cores.
pub fn printing() -> Printing {
    Printing::new(cores())
}

/// Files on their way are limited for each account, not in all: connections are.
pub fn transfers(config: &Config) -> FairShare {
    FairShare::new(config.limits.transfers, Semaphore::MAX_PERMITS)
}

/// As many plans at a time as the sandbox has places for planners, and half of them for one account: a planner that asks a
/// model takes a minute, and one account may order ten plans in it.
pub fn planning() -> FairShare {
    FairShare::new(PLANS as usize / 2, PLANS as usize)
}

/// Each holds a connection and looks at the database every second or so, whether it is a page or an agent that waits.
pub fn followers() -> FairShare {
    FairShare::new(6, 200)
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(2, usize::from)
}

/// What the renderer needs to know of the settings; `program` is the linepress binary.
pub fn render_settings(config: &Config, program: PathBuf) -> RenderSettings {
    RenderSettings {
        program,
        timeout: Duration::from_secs(config.print_timeout_seconds),
        memory_limit_bytes: config.print_memory_mib * 1024 * 1024,
        max_concurrent: cores(),
        font_folders: config.font_folders.clone(),
    }
}
