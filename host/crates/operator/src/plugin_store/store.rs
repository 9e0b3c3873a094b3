//! The SQL of the values of plugins.
use serde::Serialize;

use linepress_platform::clock::Timestamp;
use linepress_platform::database::{Reader, Tx};

/// A value that a plugin has stored, without the value itself, which may be a secret.
#[derive(Clone, Debug, Serialize, sqlx::FromRow)]
pub struct StoredValue {
    #[serde(rename = "key")]
    pub name: String,
    /// The size of the key and the value.
    pub byte_size: i64,
    pub updated_at: Timestamp,
}

pub(super) async fn find(pool: &Reader, plugin: &str, key: &str) -> sqlx::Result<Option<String>> {
    sqlx::query_scalar("SELECT value FROM plugin_values WHERE plugin = $1 AND name = $2")
        .bind(plugin)
        .bind(key)
        .fetch_optional(pool)
        .await
}

/// All values of a plugin, in any order. A plugin has a limited number of them.
pub(super) async fn list(pool: &Reader, plugin: &str) -> sqlx::Result<Vec<StoredValue>> {
    sqlx::query_as("SELECT name, byte_size, updated_at FROM plugin_values WHERE plugin = $1")
        .bind(plugin)
        .fetch_all(pool)
        .await
}

/// Locks the values of a plugin until the transaction ends. Returns the time at which its store was closed, if it was.
pub(super) async fn lock(tx: &mut Tx, plugin: &str, now: Timestamp) -> sqlx::Result<Option<Timestamp>> {
    sqlx::query_scalar(
        "INSERT INTO plugin_stores (plugin, changed_at) VALUES ($1, $2) \
         ON CONFLICT (plugin) DO UPDATE SET changed_at = excluded.changed_at RETURNING closed_at",
    )
    .bind(plugin)
    .bind(now)
    .fetch_one(&mut **tx)
    .await
}

/// Unlocks the values of a plugin that has none, unless its store is closed.
pub(super) async fn forget(tx: &mut Tx, plugin: &str) -> sqlx::Result<()> {
    sqlx::query("DELETE FROM plugin_stores WHERE plugin = $1 AND closed_at IS NULL")
        .bind(plugin)
        .execute(&mut **tx)
        .await?;
    Ok(())
}

/// Closes the store of a plugin that is locked, or opens it again without a time.
pub(super) async fn set_closed_at(tx: &mut Tx, plugin: &str, closed_at: Option<Timestamp>) -> sqlx::Result<()> {
    sqlx::query("UPDATE plugin_stores SET closed_at = $1 WHERE plugin = $2")
        .bind(closed_at)
        .bind(plugin)
        .execute(&mut **tx)
        .await?;
    Ok(())
}

pub(super) const FORGET_CLOSED: &str = "DELETE FROM plugin_stores WHERE plugin IN \
       (SELECT plugin FROM plugin_stores WHERE closed_at <= $1 ORDER BY closed_at LIMIT $2)";

/// The number and the size of a plugin's values.
#[derive(sqlx::FromRow)]
pub(super) struct Usage {
    pub(super) entries: i64,
    pub(super) bytes: i64,
}

/// The usage of all values of a plugin except this one.
pub(super) async fn usage_without(tx: &mut Tx, plugin: &str, key: &str) -> sqlx::Result<Usage> {
    sqlx::query_as(
        "SELECT COUNT(*) AS entries, CAST(COALESCE(SUM(byte_size), 0) AS BIGINT) AS bytes FROM plugin_values \
         WHERE plugin = $1 AND name <> $2",
    )
    .bind(plugin)
    .bind(key)
    .fetch_one(&mut **tx)
    .await
}

/// A value to be stored.
pub(super) struct NewValue<'a> {
    pub(super) plugin: &'a str,
    pub(super) key: &'a str,
    pub(super) value: &'a str,
    pub(super) byte_size: i64,
    pub(super) updated_at: Timestamp,
}

pub(super) async fn put(tx: &mut Tx, new: &NewValue<'_>) -> sqlx::Result<()> {
    sqlx::query(
        "INSERT INTO plugin_values (plugin, name, value, byte_size, updated_at) VALUES ($1, $2, $3, $4, $5) \
         ON CONFLICT (plugin, name) DO UPDATE \
         SET value = excluded.value, byte_size = excluded.byte_size, updated_at = excluded.updated_at",
    )
    .bind(new.plugin)
    .bind(new.key)
    .bind(new.value)
    .bind(new.byte_size)
    .bind(new.updated_at)
    .execute(&mut **tx)
    .await?;
    Ok(())
}

pub(super) async fn delete(tx: &mut Tx, plugin: &str, key: &str) -> sqlx::Result<()> {
    sqlx::query("DELETE FROM plugin_values WHERE plugin = $1 AND name = $2")
        .bind(plugin)
        .bind(key)
        .execute(&mut **tx)
        .await?;
    Ok(())
}

/// Deletes all values of a plugin; returns their number.
pub(super) async fn clear(tx: &mut Tx, plugin: &str) -> sqlx::Result<u64> {
    let done = sqlx::query("DELETE FROM plugin_values WHERE plugin = $1")
        .bind(plugin)
        .execute(&mut **tx)
        .await?;
    Ok(done.rows_affected())
}
