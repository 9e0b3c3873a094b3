//! The SQL of shared secrets.
use sqlx::AnyExecutor;

use crate::database::Tx;

pub(super) async fn find<'e>(executor: impl AnyExecutor<'e>, name: &str) -> sqlx::Result<Option<String>> {
    sqlx::query_scalar("SELECT value FROM secrets WHERE name = $1")
        .bind(name)
        .fetch_optional(executor)
        .await
}

/// Stores the value unless the name has one already; returns the stored one.
pub(super) async fn find_or_insert(tx: &mut Tx, name: &str, value: &str) -> sqlx::Result<String> {
    sqlx::query("INSERT INTO secrets (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING")
        .bind(name)
        .bind(value)
        .execute(&mut **tx)
        .await?;
    sqlx::query_scalar("SELECT value FROM secrets WHERE name = $1")
        .bind(name)
        .fetch_one(&mut **tx)
        .await
}

/// Stores the value, replacing the current one.
pub(super) async fn replace(tx: &mut Tx, name: &str, value: &str) -> sqlx::Result<()> {
    sqlx::query(
        "INSERT INTO secrets (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
    )
    .bind(name)
    .bind(value)
    .execute(&mut **tx)
    .await?;
    Ok(())
}
