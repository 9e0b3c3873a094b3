//! The marker of a database that is being restored: a table that the restore creates first, and drops in the
//! transaction that inserts the rows. A database with the marker is not opened by any other command.
use sqlx::AnyConnection;
use sqlx::migrate::MigrateError;

use super::open::{Location, OpenError, applied_migrations};
use super::{Database, Dialect, MIGRATIONS, Tx, WaitLimits};

/// The contents of a database that a restore is to fill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Contents {
    /// The database has no table.
    Nothing,
    /// The database has the marker of the restore of this snapshot, which was interrupted.
    HalfRestored(String),
    /// A server has used the database, or the database has tables of another program.
    Tables,
}

/// The snapshot whose restore was interrupted; `None` for a database without the marker.
pub(super) async fn interrupted_restore(
    connection: &mut AnyConnection,
    dialect: Dialect,
) -> sqlx::Result<Option<String>> {
    // A statement on a missing table would appear as an error in the log of PostgreSQL, at each start.
    let markers: i64 = sqlx::query_scalar(dialect.count_markers())
        .fetch_one(&mut *connection)
        .await?;
    if markers == 0 {
        return Ok(None);
    }
    sqlx::query_scalar("SELECT snapshot FROM linepress_restore")
        .fetch_optional(connection)
        .await
}

impl Database {
    /// Connects to a database that is to be restored; creates a SQLite file that is missing.
    pub async fn connect_to_restore(url: &str, connections: u32) -> Result<(Self, Contents), OpenError> {
        let location = Location::of_url(url)?;
        location.create_private()?;
        location.keep_from_others();
        let contents = location.contents().await?;
        Ok((Self::at(location, connections, WaitLimits::of_commands()), contents))
    }

    /// Marks an empty database as half restored.
    pub async fn begin_restore(&self, snapshot: &str) -> sqlx::Result<()> {
        let mut tx = self.begin().await?;
        sqlx::query("CREATE TABLE linepress_restore (snapshot TEXT PRIMARY KEY)")
            .execute(&mut *tx)
            .await?;
        sqlx::query("INSERT INTO linepress_restore (snapshot) VALUES ($1)")
            .bind(snapshot)
            .execute(&mut *tx)
            .await?;
        tx.commit().await
    }

    /// Begins the transaction that inserts the rows of a restore.
    pub async fn begin_restored_rows(&self) -> sqlx::Result<Tx> {
        self.write.begin(self.dialect.begin_restore()).await
    }

    /// Applies the migrations up to this version.
    pub async fn migrate_to(&self, version: i64) -> Result<(), OpenError> {
        let place = self.place.clone();
        let migrated = self.try_to_migrate(Some(version)).await;
        migrated.map_err(|source| OpenError::Migrate { place, source })
    }

    /// The versions of the applied migrations, in order.
    async fn applied_migrations(&self) -> Result<Vec<i64>, OpenError> {
        let read = async {
            let mut connection = self.write.acquire().await?;
            applied_migrations(connection.inner()).await
        };
        let applied = read.await.map_err(|source: MigrateError| OpenError::Migrate {
            place: self.place.clone(),
            source,
        })?;
        let mut versions: Vec<i64> = applied.into_iter().map(|migration| migration.version).collect();
        versions.sort_unstable();
        Ok(versions)
    }

    /// Returns true when a server of an earlier version has used the database.
    pub async fn awaits_migration(&self) -> Result<bool, OpenError> {
        let applied = self.applied_migrations().await?;
        Ok(!applied.is_empty() && MIGRATIONS.iter().any(|migration| !applied.contains(&migration.version)))
    }

    /// Returns true when this program contains the migration.
    pub fn knows_migration(version: i64) -> bool {
        MIGRATIONS.version_exists(version)
    }

    /// Begins a transaction that reads the whole database as it is at one moment, however long that takes.
    pub async fn begin_snapshot(&self) -> sqlx::Result<Tx> {
        self.read_transactions.begin(self.dialect.begin_snapshot()).await
    }
}

impl Tx {
    /// Removes the marker: when this transaction is committed, the database is restored.
    pub async fn end_restore(&mut self) -> sqlx::Result<()> {
        sqlx::query("DROP TABLE linepress_restore").execute(&mut **self).await?;
        Ok(())
    }
}
