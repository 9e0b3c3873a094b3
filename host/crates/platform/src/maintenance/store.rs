//! The SQL of the table `maintenance`.
use super::Maintenance;
use crate::clock::Timestamp;
use crate::database::{Reader, Tx};

/// The id of the only row.
const ID: i64 = 1;

pub(super) async fn find(reader: &Reader) -> sqlx::Result<Option<Maintenance>> {
    sqlx::query_as("SELECT began_at, message FROM maintenance WHERE id = $1")
        .bind(ID)
        .fetch_optional(reader)
        .await
}

/// Inserts the row, or changes the message of the existing one.
pub(super) async fn begin(tx: &mut Tx, now: Timestamp, message: &str) -> sqlx::Result<Maintenance> {
    sqlx::query_as(
        "INSERT INTO maintenance (id, began_at, message) VALUES ($1, $2, $3) \
         ON CONFLICT (id) DO UPDATE SET message = excluded.message RETURNING began_at, message",
    )
    .bind(ID)
    .bind(now)
    .bind(message.to_owned())
    .fetch_one(&mut **tx)
    .await
}

/// Deletes the row; returns false if there was none.
pub(super) async fn end(tx: &mut Tx) -> sqlx::Result<bool> {
    let done = sqlx::query("DELETE FROM maintenance WHERE id = $1")
        .bind(ID)
        .execute(&mut **tx)
        .await?;
    Ok(done.rows_affected() == 1)
}
