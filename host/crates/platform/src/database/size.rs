//! The size of the database.
use super::{Database, Dialect, Place};

impl Database {
    /// The size of the database in bytes: of its file, with changes that are not yet part of it, or of the tables and
    /// indexes on a server.
    pub async fn size(&self) -> sqlx::Result<u64> {
        let size: i64 = match (self.dialect, &self.place) {
            (Dialect::Sqlite, Place::File(file)) => {
                let mut log = file.clone().into_os_string();
                log.push("-wal");
                let changes = std::fs::metadata(log).map_or(0, |log| log.len());
                return Ok(std::fs::metadata(file)?.len() + changes);
            }
            (Dialect::Sqlite, Place::Server(_)) => 0,
            (Dialect::Postgres, _) => {
                let statement = "SELECT pg_database_size(current_database())";
                sqlx::query_scalar(statement).fetch_one(&self.read).await?
            }
        };
        Ok(u64::try_from(size).unwrap_or(0))
    }
}
