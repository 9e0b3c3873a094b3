//! What every function is handed: database, storage, plugins, clock, randomness, settings.
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use linepress_egress::Fetcher;
use linepress_plugin_host::{CompileLimits, LoadError, MaxConcurrentCalls, PluginSettings, Plugins};
use linepress_print::{RenderSettings, Renderer};
use tokio::sync::{Notify, Semaphore};

use crate::clock::Clock;
use crate::config::Config;
use crate::database::{CursorSeal, Database};
use crate::fair_share::FairShare;
use crate::importer::{ImportSettings, Importer};
use crate::print::Printing;
use crate::random::Random;
use crate::secrets;
use crate::storage::Storage;

/// The server's parts, handed to every function. Cheap to clone.
#[derive(Clone)]
pub struct App(Arc<Parts>);

/// What an `App` is made of.
pub struct Parts {
    pub config: Config,
    pub database: Database,
    pub storage: Storage,
    pub plugins: Plugins,
    pub renderer: Renderer,
    /// PDFs that are being made.
    pub printing: Printing,
    /// Files that are being sent or received, by account.
    pub transfers: FairShare,
    /// Reads pictures that clients import.
    pub importer: Importer,
    /// Fetches pictures that clients name.
    pub fetcher: Fetcher,
    /// Seals the cursors of lists.
    pub cursors: CursorSeal,
    pub clock: Clock,
    pub random: Random,
    /// Rung when drawings were queued, so that a worker of this process need not wait for its next look.
    pub queued: Notify,
}

impl App {
    pub fn new(parts: Parts) -> Self {
        Self(Arc::new(parts))
    }
}

impl std::ops::Deref for App {
    type Target = Parts;

    fn deref(&self) -> &Parts {
        &self.0
    }
}

/// How much of the server a command needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Accounts and keys need no plugin.
    Database,
    Everything,
}

/// Why the server's parts could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error("the folder {} cannot be made: {cause}", folder.display())]
    DataDir { folder: PathBuf, cause: std::io::Error },
    #[error(transparent)]
    Database(#[from] crate::database::OpenError),
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
    /// What an operator can do about it.
    pub fn advice(&self) -> &'static str {
        match self {
            Self::DataDir { .. } => "Set `data_dir` to a folder that this user may write.",
            Self::Database(_) | Self::Secrets(_) => {
                "Check `database_url`, that the database runs, and that this user may use it."
            }
            Self::Storage(_) => "Check `storage_url`, and that this user may write there.",
            Self::Plugins(_) => "Check `plugins_dir`, and that this user may read it.",
            Self::Program(_) => "Start the program by its full path.",
        }
    }
}

/// Opens database, storage and plugins as the settings say, on the system's clock and randomness.
pub async fn open(config: Config, scope: Scope) -> Result<App, OpenError> {
    let program = std::env::current_exe().map_err(OpenError::Program)?;
    open_with(config, scope, program).await
}

/// The same in a process that is not the linepress binary itself: `program` is, which typesets and compiles.
pub async fn open_with(config: Config, scope: Scope, program: PathBuf) -> Result<App, OpenError> {
    make_private(&config.data_dir).map_err(|cause| OpenError::DataDir {
        folder: config.data_dir.clone(),
        cause,
    })?;
    let database = Database::connect(&config.database_url, config.database_connections).await?;
    database.migrate().await?;
    let storage = Storage::folder(&config.objects_dir())
        .map_err(|error| OpenError::Storage(error.cause().unwrap_or_else(|| error.to_string())))?;
    let plugins = match scope {
        Scope::Database => Plugins::none(),
        Scope::Everything => Plugins::load(plugin_settings(&config, program.clone())).await?,
    };
    let renderer = Renderer::new(render_settings(&config, program));
    let random = Random::system();
    let cursors = secrets::cursor_seal(&database, &random)
        .await
        .map_err(OpenError::Secrets)?;
    Ok(App::new(Parts {
        database,
        storage,
        plugins,
        renderer,
        printing: printing(),
        transfers: transfers(&config),
        importer: importer(&config).map_err(|cause| OpenError::DataDir {
            folder: config.incoming_dir(),
            cause,
        })?,
        fetcher: Fetcher::system(&config.import_private_hosts),
        cursors,
        clock: Clock::System,
        random,
        queued: Notify::new(),
        config,
    }))
}

/// Makes a folder that no other user of the machine can look into. One that is there already stays as it is.
fn make_private(folder: &Path) -> std::io::Result<()> {
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

/// Where imports are received and prepared, as the settings say. Makes the folder in which they are received.
pub fn importer(config: &Config) -> std::io::Result<Importer> {
    let incoming = config.incoming_dir();
    make_private(&incoming)?;
    Ok(Importer::new(ImportSettings {
        incoming,
        budget_mebibytes: config.import_memory_mib,
        time_limit: Duration::from_secs(config.import_timeout_seconds),
        per_account: 4,
        // Each may wait for a name that nobody answers for, on a thread of its own.
        total: 64,
        patience: Duration::from_secs(60),
    }))
}

/// How many books are planned, and how many are laid out, at a time.
const PLANS: u32 = 4;
const LAYOUTS: u32 = 4;

/// Seven drawings of a provider that asks for no limit of its own.
const RESPONSES_MIB: u32 = 512;

/// What the plugin host needs to know of the settings; `program` is the linepress binary.
pub fn plugin_settings(config: &Config, program: PathBuf) -> PluginSettings {
    PluginSettings {
        directory: config.plugins_dir.clone(),
        cache_directory: config.data_dir.join("compiled-plugins"),
        program,
        compile_limits: CompileLimits::default(),
        max_concurrent_calls: MaxConcurrentCalls {
            // Each worker calls one provider.
            image_providers: u32::try_from(config.workers).unwrap_or(u32::MAX),
            planners: PLANS,
            layouts: LAYOUTS,
        },
        max_responses_mib: RESPONSES_MIB,
        config: config.plugins.clone(),
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
    }
}
