//! Opening a database: one connection finds at once what stands in the way, before there are pools, which would try again
//! and again.
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

use super::{Dialect, MIGRATIONS, WaitLimits, is_unavailable};

/// Why a database could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error("database_url {0:?} is neither sqlite: nor postgres:")]
    Scheme(String),
    #[error("database_url cannot be understood")]
    Url(#[source] sqlx::Error),
    #[error("the database {place} cannot be made")]
    Create { place: Place, source: io::Error },
    #[error("the database {place} cannot be opened")]
    Connect { place: Place, source: sqlx::Error },
    #[error("the database {place} cannot be written")]
    ReadOnly { place: Place, source: sqlx::Error },
    #[error("the database {place} did not respond within {} seconds", PATIENCE.as_secs())]
    Silent { place: Place },
    #[error("there is no database {place} yet; `linepress serve` makes it")]
    Missing { place: Place },
    #[error("the database {place} is empty; `linepress serve` makes its tables")]
    Empty { place: Place },
    #[error("the database {place} is of an earlier version; `linepress serve` brings it up to date")]
    Outdated { place: Place },
    #[error("the database {place} was made by a later version than this program; update the program")]
    Newer { place: Place },
    #[error("the database {place} cannot be brought up to date")]
    Migrate { place: Place, source: MigrateError },
}

/// What to do about a file that is damaged.
pub const RESTORE: &str =
    "Stop the server, restore a backup of the database and of the objects, and see whether the disk is sound.";

impl OpenError {
    /// What an operator can do about it.
    pub fn advice(&self) -> &'static str {
        match self {
            Self::Connect { source, .. }
            | Self::ReadOnly { source, .. }
            | Self::Migrate {
                source: MigrateError::Execute(source),
                ..
            } if is_damaged(source) => RESTORE,
            Self::Missing { .. } | Self::Empty { .. } | Self::Outdated { .. } => "Start `linepress serve` once.",
            Self::Newer { .. } => "Update the program, or restore the backup that was made before the update.",
            Self::Create { .. } | Self::ReadOnly { .. } => {
                "Let this user write to it, its folder included, and see that its disk has room."
            }
            Self::Scheme(_) | Self::Url(_) | Self::Connect { .. } | Self::Silent { .. } | Self::Migrate { .. } => {
                "Check `database_url`, that the database runs, and that this user may use it."
            }
        }
    }
}

impl OpenError {
    /// Whether a server that is starting, or out of reach, may let this program in later. Who is refused by name is refused
    /// again.
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

/// Whether the server does not accept the name or the password (class 28 in Appendix A of PostgreSQL's manual).
fn is_refused(error: &sqlx::Error) -> bool {
    let code = error.as_database_error().and_then(|error| error.code());
    code.is_some_and(|code| code.starts_with("28"))
}

/// Whether SQLite found that its file is no whole database (SQLITE_CORRUPT, SQLITE_NOTADB).
fn is_damaged(error: &sqlx::Error) -> bool {
    let code = error.as_database_error().and_then(|error| error.code());
    code.is_some_and(|code| matches!(code.as_ref(), "11" | "26"))
}

/// How long a database may take to let somebody in: an operator is waiting.
const PATIENCE: Duration = Duration::from_secs(4);

/// Where a database is, without the password.
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

/// A database that is named by a URL.
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

    /// Makes the file of a SQLite database that may be made, with an owner who alone may read it. SQLite gives the files
    /// that it puts beside it the same permissions.
    pub(super) fn create_private(&self) -> Result<(), OpenError> {
        let may_create = |(name, value): (Cow<'_, str>, _)| name == "mode" && value == "rwc";
        let Place::File(file) = &self.place else { return Ok(()) };
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

    /// Makes a file private that every user of the machine may read.
    pub(super) fn keep_from_others(&self) {
        if let Place::File(file) = &self.place {
            keep_from_others(file);
        }
    }

    /// Whether somebody is let in, and may write.
    pub(super) async fn check(&self) -> Result<(), OpenError> {
        self.within_patience(async {
            let connection = self.connect().await?;
            // It was of use already.
            let _ = connection.close().await;
            Ok(())
        })
        .await
    }

    /// The same, and whether a server of this version has used it.
    pub(super) async fn check_existing(&self) -> Result<(), OpenError> {
        let place = || self.place.clone();
        if matches!(&self.place, Place::File(file) if !file.exists()) {
            return Err(OpenError::Missing { place: place() });
        }
        self.within_patience(async {
            let mut connection = self.connect().await?;
            let applied = applied_migrations(&mut connection).await;
            let _ = connection.close().await;
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

    async fn within_patience(&self, looked: impl Future<Output = Result<(), OpenError>>) -> Result<(), OpenError> {
        let place = self.place.clone();
        let in_time = tokio::time::timeout(PATIENCE, looked).await;
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

/// Takes from every other user of the machine the right to read a database, which holds hashes of passwords and keys: a
/// backup that was restored is often a file with the rights of any other. Those of its group are an operator's choice.
fn keep_from_others(file: &Path) {
    const OTHERS: u32 = 0o007;
    for beside in ["", "-wal", "-shm"] {
        let mut path = file.as_os_str().to_owned();
        path.push(beside);
        let path = Path::new(&path);
        let Ok(mode) = std::fs::metadata(path).map(|file| file.permissions().mode()) else {
            continue;
        };
        if mode & OTHERS == 0 {
            continue;
        }
        let file = path.display();
        match std::fs::set_permissions(path, Permissions::from_mode(mode & !OTHERS)) {
            Ok(()) => tracing::warn!(%file, "every user of this machine could read the database: it was made private"),
            Err(error) => tracing::warn!(%file, %error, "every user of this machine can read the database"),
        }
    }
}

/// None where there is no table of them.
async fn applied_migrations(connection: &mut AnyConnection) -> Result<Vec<AppliedMigration>, MigrateError> {
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
