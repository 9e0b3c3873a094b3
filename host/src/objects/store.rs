//! The SQL of objects that are to be deleted.
use sqlx::{AnyPool, AssertSqlSafe};

use crate::clock::Timestamp;
use crate::database::{Tx, placeholders};

/// Marks objects for deletion at `due`, or moves the moment.
pub(super) async fn mark(tx: &mut Tx, keys: &[&str], due: Timestamp) -> sqlx::Result<()> {
    for key in keys {
        sqlx::query(
            "INSERT INTO discarded_objects (object_key, due_at) VALUES ($1, $2) \
             ON CONFLICT (object_key) DO UPDATE SET due_at = excluded.due_at",
        )
        .bind(*key)
        .bind(due.microseconds())
        .execute(&mut **tx)
        .await?;
    }
    Ok(())
}

pub(super) async fn unmark(tx: &mut Tx, keys: &[&str]) -> sqlx::Result<()> {
    let statement = format!(
        "DELETE FROM discarded_objects WHERE object_key IN ({})",
        placeholders(1, keys.len())
    );
    let mut query = sqlx::query(AssertSqlSafe(statement));
    for key in keys {
        query = query.bind(*key);
    }
    query.execute(&mut **tx).await?;
    Ok(())
}

/// Some of the objects that are due, the oldest first.
pub(super) async fn due(pool: &AnyPool, now: Timestamp, limit: i64) -> sqlx::Result<Vec<String>> {
    sqlx::query_scalar("SELECT object_key FROM discarded_objects WHERE due_at <= $1 ORDER BY due_at LIMIT $2")
        .bind(now.microseconds())
        .bind(limit)
        .fetch_all(pool)
        .await
}
