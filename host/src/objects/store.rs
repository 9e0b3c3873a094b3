//! The SQL of objects that are to be deleted.
use sqlx::AssertSqlSafe;

use crate::clock::Timestamp;
use crate::database::{Reader, Tx, placeholders, value_rows};

/// Marks objects for deletion at `due`, or moves the moment.
pub(super) async fn mark(tx: &mut Tx, keys: &[&str], due: Timestamp) -> sqlx::Result<()> {
    for some in keys.chunks(500) {
        let statement = format!(
            "INSERT INTO discarded_objects (due_at, object_key) VALUES {} \
             ON CONFLICT (object_key) DO UPDATE SET due_at = excluded.due_at",
            value_rows(1, 2, some.len(), "")
        );
        let mut query = sqlx::query(AssertSqlSafe(statement));
        for key in some {
            query = query.bind(due).bind(*key);
        }
        query.execute(&mut **tx).await?;
    }
    Ok(())
}

pub(super) async fn unmark(tx: &mut Tx, keys: &[&str]) -> sqlx::Result<()> {
    unmark_due(tx, keys, Timestamp::MAX).await
}

/// Only where the moment has come: what was marked again meanwhile was written again.
pub(super) async fn unmark_due(tx: &mut Tx, keys: &[&str], now: Timestamp) -> sqlx::Result<()> {
    for some in keys.chunks(500) {
        let statement = format!(
            "DELETE FROM discarded_objects WHERE due_at <= $1 AND object_key IN ({})",
            placeholders(2, some.len())
        );
        let mut query = sqlx::query(AssertSqlSafe(statement)).bind(now);
        for key in some {
            query = query.bind(*key);
        }
        query.execute(&mut **tx).await?;
    }
    Ok(())
}

/// Some of the objects that are due, the oldest first.
pub(super) async fn due(pool: &Reader, now: Timestamp, limit: i64) -> sqlx::Result<Vec<String>> {
    sqlx::query_scalar("SELECT object_key FROM discarded_objects WHERE due_at <= $1 ORDER BY due_at LIMIT $2")
        .bind(now.microseconds())
        .bind(limit)
        .fetch_all(pool)
        .await
}
