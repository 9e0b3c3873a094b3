//! The SQL of objects that are marked for deletion.
use sqlx::AssertSqlSafe;

use linepress_platform::clock::Timestamp;
use linepress_platform::database::{LeaseClock, Reader, Tx, placeholders, value_rows};
use linepress_platform::ids::AccountId;

/// Marks objects for deletion at `due`; moves the time of those that are already marked.
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

/// Removes the marks that are due by `now`. An object that was marked again since has a later time, because it was
/// written again.
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

/// Up to `limit` objects that are due, the oldest first.
pub(super) async fn due(pool: &Reader, now: Timestamp, limit: i64) -> sqlx::Result<Vec<String>> {
    sqlx::query_scalar("SELECT object_key FROM discarded_objects WHERE due_at <= $1 ORDER BY due_at LIMIT $2")
        .bind(now.microseconds())
        .bind(limit)
        .fetch_all(pool)
        .await
}

/// The objects of an artwork.
#[derive(sqlx::FromRow)]
pub(super) struct ArtworkObjects {
    pub id: String,
    pub account_id: AccountId,
    pub image_key: String,
    pub master_key: String,
    /// The size of the picture.
    pub byte_size: i64,
    /// The size of both objects; the size of the picture alone when the other is not recorded.
    pub stored_bytes: i64,
}

/// Up to `limit` artworks after `id`, in the order of their ids.
pub(super) async fn artworks_after(pool: &Reader, id: &str, limit: i64) -> sqlx::Result<Vec<ArtworkObjects>> {
    sqlx::query_as(
        "SELECT id, account_id, image_key, master_key, byte_size, stored_bytes FROM artworks WHERE id > $1 ORDER BY id LIMIT $2",
    )
    .bind(id)
    .bind(limit)
    .fetch_all(pool)
    .await
}

/// Up to `limit` keys of marked objects after `key`, in order.
pub(super) async fn marked_after(pool: &Reader, key: &str, limit: i64) -> sqlx::Result<Vec<String>> {
    sqlx::query_scalar("SELECT object_key FROM discarded_objects WHERE object_key > $1 ORDER BY object_key LIMIT $2")
        .bind(key)
        .bind(limit)
        .fetch_all(pool)
        .await
}

pub(super) async fn is_marked(pool: &Reader, key: &str) -> sqlx::Result<bool> {
    let found: Option<i64> = sqlx::query_scalar("SELECT due_at FROM discarded_objects WHERE object_key = $1")
        .bind(key)
        .fetch_optional(pool)
        .await?;
    Ok(found.is_some())
}

/// Returns true when the artwork still exists.
pub(super) async fn is_named(pool: &Reader, artwork: &str) -> sqlx::Result<bool> {
    let found: Option<i64> = sqlx::query_scalar("SELECT created_at FROM artworks WHERE id = $1")
        .bind(artwork)
        .fetch_optional(pool)
        .await?;
    Ok(found.is_some())
}

/// Returns true while a backup is being made.
pub(super) async fn is_backup_running(clock: LeaseClock<'_>) -> sqlx::Result<bool> {
    let found: Option<String> = clock
        .query_scalar("SELECT id FROM backups WHERE running = 1 AND held_until > {now}")
        .fetch_optional(&clock.database.read)
        .await?;
    Ok(found.is_some())
}
