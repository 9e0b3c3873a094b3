//! Opens the parts of the server that a command needs.
use std::path::PathBuf;
use std::time::Instant;

use linepress_egress::Fetcher;
use linepress_plugin_host::{LoadError, Plugins};
use linepress_print::Renderer;
use tokio::sync::Notify;

use super::{
    App, Parts, followers, import_settings, importer, planning, plugin_settings, printing, render_settings, transfers,
};
use crate::clock::Clock;
use crate::config::Config;
use crate::database::{self, CursorSeal, Database};
use crate::folders::{self, FolderError};
use crate::importer::Importer;
use crate::random::Random;
use crate::secrets::{self, RootSecret};
use crate::sign_in::Passwords;
use crate::sign_in::provider::Provider;
use crate::storage::Storage;

/// The parts of the server that a command needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// An existing database and nothing else. Nothing is created.
    Database,
    /// All parts. Missing ones are created.
    Everything,
}

/// The reason why the server's parts could not be opened.
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
    #[error("the path of the linepress binary cannot be determined: {0}")]
    Program(std::io::Error),
}

impl OpenError {
    /// The part of the server that caused the error.
    pub fn part(&self) -> &'static str {
        match self {
            Self::Folder(_) | Self::Storage(_) => "storage",
            Self::Database(_) | Self::Secrets(_) => "database",
            Self::Plugins(_) => "plugins",
            Self::Program(_) => "program",
        }
    }

    /// The advice for the operator.
    pub fn advice(&self) -> String {
        let advice = match self {
            Self::Folder(error) => return error.advice(),
            Self::Plugins(LoadError::Cache { path, .. }) => {
                return format!(
                    "Make {} writable for this user, or delete it: the server creates it again.",
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

/// Opens database, storage and plugins according to the settings, with the system's clock and randomness.
pub async fn open(config: Config, scope: Scope) -> Result<App, OpenError> {
    open_with(config, scope, own_program()?).await
}

/// Like `open`, for a process that is not the linepress binary itself: `program` is the path of the binary, which
/// typesets and compiles in child processes.
pub async fn open_with(config: Config, scope: Scope, program: PathBuf) -> Result<App, OpenError> {
    let (url, connections) = (&config.database_url, config.database_connections);
    if scope == Scope::Database {
        let database = Database::connect_existing(url, connections).await?;
        return Ok(App::new(without_files(config, program, database)));
    }
    folders::make_private(&config.data_dir)?;
    let database = Database::connect(url, connections).await?;
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
    let (mut storage, mut importer, mut plugins) = (None, None, None);
    // Storage, importer and plugins lie below the data folder: each would report the error of that folder again.
    if take(folders::make_private(&config.data_dir), &mut problems).is_some() {
        storage = take(self::storage(&config), &mut problems);
        importer = take(super::importer(&config), &mut problems);
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

/// The parts of a server that has only a database: no objects, plugins, received files or shared secrets.
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
        root_secret: RootSecret::ephemeral(&random),
        provider: Provider::system(config.sign_in.oidc.as_ref(), &config.denied_networks),
        clock: Clock::System,
        random,
        queued: Notify::new(),
        config,
    }
}
