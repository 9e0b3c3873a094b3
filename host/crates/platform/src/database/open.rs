//! Opening a database: a single connection finds a problem at once, before there are pools, which would retry.
use std::borrow::Cow;
use std::fmt;
use std::fs::Permissions;
use std::io;
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use sqlx::any::AnyConnectOptions;
use sqlx::migrate::{AppliedMigration, Migrate as _, MigrateError};
use sqlx::postgres::PgConnectOptions;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{AnyConnection, AssertSqlSafe, Connection as _, Executor as _};

use super::restoring::{Contents, interrupted_restore};
use super::{Dialect, MIGRATIONS, WaitLimits, is_unavailable};

/// The reason why a database could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error("database_url {0:?} is neither sqlite: nor postgres:")]
    Scheme(String),
    #[error("database_url cannot be parsed")]
    Url(#[source] sqlx::Error),
    #[error("the folder {} of `database_url` does not exist", folder.display())]
    NoFolder { folder: PathBuf },
    #[error("the database {place} cannot be created")]
    Create { place: Place, source: io::Error },
    #[error("the database {place} cannot be opened")]
    Connect { place: Place, source: sqlx::Error },
    #[error("the database {place} cannot be written")]
    ReadOnly { place: Place, source: sqlx::Error },
    #[error("the database {place} did not respond within {} seconds", OPEN_TIMEOUT.as_secs())]
    Silent { place: Place },
    #[error("the database {place} does not exist yet; `linepress serve` creates it")]
    Missing { place: Place },
    #[error("the database {place} is empty; `linepress serve` creates its tables")]
    Empty { place: Place },
    #[error("the database {place} has an earlier version; `linepress serve` migrates it")]
    Outdated { place: Place },
    #[error("the database {place} has a later version than this program; update the program")]
    Newer { place: Place },
    #[error(
        "the restore of the snapshot {snapshot} into the database {place} was interrupted; run `linepress restore` again"
    )]
    HalfRestored { place: Place, snapshot: String },
    #[error("the database {place} cannot be migrated")]
    Migrate { place: Place, source: MigrateError },
}

/// The advice for a damaged database file.
pub const RESTORE: &str = "Stop the server, restore a backup of the database and of the objects, and check the disk.";

impl OpenError {
    /// The advice for the operator.
    pub fn advice(&self) -> &'static str {
        match self {
            Self::Connect { source, .. }
            | Self::ReadOnly { source, .. }
            | Self::Migrate {
                source: MigrateError::Execute(source),
                ..
            } if is_damaged(source) => RESTORE,
            Self::Missing { .. } | Self::Empty { .. } | Self::Outdated { .. } => "Start `linepress serve` once.",
            Self::NoFolder { .. } => "Create the folder, mount its disk, or correct `database_url`.",
            Self::Newer { .. } => "Update the program, or restore the backup that was made before the update.",
            Self::HalfRestored { .. } => {
                "Run `linepress restore` again with the same snapshot, or begin again with an empty database and an empty object store."
            }
            Self::Create { .. } | Self::ReadOnly { .. } => {
                "Let this user write to the file and to its folder, and check that the disk has free space."
            }
            Self::Scheme(_) | Self::Url(_) | Self::Connect { .. } | Self::Silent { .. } | Self::Migrate { .. } => {
                "Check `database_url`, that the database is running, and that this user may use it."
            }
        }
    }
}

impl OpenError {
    /// Returns true when the error may be temporary, because a database server is starting or unreachable. A rejected
    /// user name or password is permanent.
    pub fn may_pass(&self) -> bool {
        let source = match self {
            Self::Silent { .. } => return true,
            Self::Connect { place, source } | Self::ReadOnly { place, source } if matches!(place, Place::Server(_)) => {
                source
            }
            Self::Migrate {
                source: MigrateError::Execute(source),
                place: Place::Server(_),
            } => source,
            _ => return false,
        };
        is_unavailable(source) && !is_refused(source)
    }
}

/// Returns true when the server rejects the user name or password (class 28 in Appendix A of PostgreSQL's manual).
fn is_refused(error: &sqlx::Error) -> bool {
    let code = error.as_database_error().and_then(|error| error.code());
    code.is_some_and(|code| code.starts_with("28"))
}

/// Returns true when the file is not an intact SQLite database (SQLITE_CORRUPT, SQLITE_NOTADB).
fn is_damaged(error: &sqlx::Error) -> bool {
    let code = error.as_database_error().and_then(|error| error.code());
    code.is_some_and(|code| matches!(code.as_ref(), "11" | "26"))
}

/// The time limit for opening a database; short, because an operator waits for the result.
const OPEN_TIMEOUT: Duration = Duration::from_secs(4);

/// The location of a database, without the password.
#[derive(Clone, Debug)]
pub enum Place {
    File(PathBuf),
    Server(String),
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(file) => file.display().fmt(formatter),
            Self::Server(server) => server.fmt(formatter),
        }
    }
}

/// The database that a URL names.
#[derive(Clone, Debug)]
pub(super) struct Location {
    pub dialect: Dialect,
    pub options: AnyConnectOptions,
    pub place: Place,
}

impl Location {
    pub(super) fn of_url(url: &str) -> Result<Self, OpenError> {
        sqlx::any::install_default_drivers();
        let scheme = || OpenError::Scheme(url.split(':').next().unwrap_or_default().into());
        let dialect = Dialect::of_url(url).ok_or_else(scheme)?;
        let place = match dialect {
            Dialect::Sqlite => url.parse().map(|options: SqliteConnectOptions| {
                let file = options.get_filename();
                Place::File(std::path::absolute(file).unwrap_or_else(|_| file.to_owned()))
            }),
            Dialect::Postgres => url.parse().map(|options: PgConnectOptions| {
                let (user, host, port) = (options.get_username(), options.get_host(), options.get_port());
                let host = options
                    .get_socket()
                    .map_or(host.into(), |folder| folder.to_string_lossy());
                let name = options.get_database().unwrap_or(user);
                Place::Server(format!("postgres://{user}@{host}:{port}/{name}"))
            }),
        };
        Ok(Self {
            dialect,
            place: place.map_err(OpenError::Url)?,
            options: url.parse().map_err(OpenError::Url)?,
        })
    }

    /// Creates the file of a SQLite database if its URL allows that, readable by its owner only. SQLite gives the files
    /// that it creates next to it the same permissions.
    pub(super) fn create_private(&self) -> Result<(), OpenError> {
        let may_create = |(name, value): (Cow<'_, str>, _)| name == "mode" && value == "rwc";
        let Place::File(file) = &self.place else { return Ok(()) };
        if let Some(folder) = file.parent().filter(|folder| !folder.exists()) {
            return Err(OpenError::NoFolder { folder: folder.into() });
        }
        if !self.options.database_url.query_pairs().any(may_create) {
            return Ok(());
        }
        match std::fs::OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(file)
        {
            Ok(_) => Ok(()),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            Err(source) => Err(OpenError::Create {
                place: self.place.clone(),
                source,
            }),
        }
    }

    /// Removes other users' access to a database file.
    pub(super) fn keep_from_others(&self) {
        if let Place::File(file) = &self.place {
            keep_from_others(file);
        }
    }

    /// Checks that the database accepts a connection and can be written.
    pub(super) async fn check(&self) -> Result<(), OpenError> {
        self.within_open_timeout(async {
            let mut connection = self.connect().await?;
            let checked = self.check_restored(&mut connection).await;
            // The connection has served its purpose, so an error while closing it does not matter.
            let _ = connection.close().await;
            checked
        })
        .await
    }

    /// Checks the same, and that a server of this version has used the database.
    pub(super) async fn check_existing(&self) -> Result<(), OpenError> {
        let place = || self.place.clone();
        if matches!(&self.place, Place::File(file) if !file.exists()) {
            return Err(OpenError::Missing { place: place() });
        }
        self.within_open_timeout(async {
            let mut connection = self.connect().await?;
            let restored = self.check_restored(&mut connection).await;
            let applied = applied_migrations(&mut connection).await;
            let _ = connection.close().await;
            restored?;
            let applied = applied.map_err(|source| OpenError::Migrate { place: place(), source })?;
            let is_applied = |version| applied.iter().any(|migration| migration.version == version);
            if applied.is_empty() {
                return Err(OpenError::Empty { place: place() });
            }
            if applied
                .iter()
                .any(|migration| !MIGRATIONS.version_exists(migration.version))
            {
                return Err(OpenError::Newer { place: place() });
            }
            if !MIGRATIONS.iter().all(|migration| is_applied(migration.version)) {
                return Err(OpenError::Outdated { place: place() });
            }
            Ok(())
        })
        .await
    }

    /// Fails when the restore of the database was interrupted.
    async fn check_restored(&self, connection: &mut AnyConnection) -> Result<(), OpenError> {
        let place = || self.place.clone();
        match interrupted_restore(connection, self.dialect).await {
            Ok(None) => Ok(()),
            Ok(Some(snapshot)) => Err(OpenError::HalfRestored {
                place: place(),
                snapshot,
            }),
            Err(source) => Err(OpenError::Connect { place: place(), source }),
        }
    }

    /// The contents of a database that is to be restored.
    pub(super) async fn contents(&self) -> Result<Contents, OpenError> {
        let looked = async {
            let mut connection = self.connect().await?;
            let contents = contents(&mut connection, self.dialect).await;
            let _ = connection.close().await;
            contents.map_err(|source| OpenError::Connect {
                place: self.place.clone(),
                source,
            })
        };
        self.within_open_timeout(looked).await
    }

    async fn within_open_timeout<T>(&self, looked: impl Future<Output = Result<T, OpenError>>) -> Result<T, OpenError> {
        let place = self.place.clone();
        let in_time = tokio::time::timeout(OPEN_TIMEOUT, looked).await;
        in_time.unwrap_or(Err(OpenError::Silent { place }))
    }

    async fn connect(&self) -> Result<AnyConnection, OpenError> {
        let place = || self.place.clone();
        let connect = |source| OpenError::Connect { place: place(), source };
        let mut connection = AnyConnection::connect_with(&self.options).await.map_err(connect)?;
        let settings = self.dialect.connection_settings(WaitLimits::default());
        connection.execute(AssertSqlSafe(settings)).await.map_err(connect)?;
        let writes = connection.execute(self.dialect.check_of_writing()).await;
        writes.map_err(|source| OpenError::ReadOnly { place: place(), source })?;
        Ok(connection)
    }
}

/// Removes the access of users outside the file's group to a database, which holds hashes of passwords and keys: the
/// file of a restored backup often has default permissions. The access of its group is left to the operator.
fn keep_from_others(file: &Path) {
    const OTHERS: u32 = 0o007;
    for suffix in ["", "-wal", "-shm"] {
        let mut path = file.as_os_str().to_owned();
        path.push(suffix);
        let path = Path::new(&path);
        let Ok(mode) = std::fs::metadata(path).map(|file| file.permissions().mode()) else {
            continue;
        };
        if mode & OTHERS == 0 {
            continue;
        }
        let file = path.display();
        match std::fs::set_permissions(path, Permissions::from_mode(mode & !OTHERS)) {
            Ok(()) => {
                tracing::warn!(%file, "database file was accessible to every user of this machine; access removed");
            }
            Err(error) => {
                tracing::warn!(%file, %error, "database file is accessible to every user of this machine, and access cannot be removed");
            }
        }
    }
}

/// The migrations that were applied; none when their table does not exist.
pub(super) async fn applied_migrations(connection: &mut AnyConnection) -> Result<Vec<AppliedMigration>, MigrateError> {
    const NO_SUCH_TABLE_IN_POSTGRES: &str = "42P01";
    match connection.list_applied_migrations("_sqlx_migrations").await {
        Err(MigrateError::Execute(sqlx::Error::Database(error)))
            if error.code().is_some_and(|code| code == NO_SUCH_TABLE_IN_POSTGRES)
                || error.message().contains("no such table") =>
        {
            Ok(Vec::new())
        }
        listed => listed,
    }
}

async fn contents(connection: &mut AnyConnection, dialect: Dialect) -> sqlx::Result<Contents> {
    if let Some(snapshot) = interrupted_restore(connection, dialect).await? {
        return Ok(Contents::HalfRestored(snapshot));
    }
    let tables: i64 = sqlx::query_scalar(dialect.count_tables()).fetch_one(connection).await?;
    Ok(if tables == 0 {
        Contents::Nothing
    } else {
        Contents::Tables
    })
}
