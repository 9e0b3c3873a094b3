//! The SQL of the queue's pause.
use super::QueuePause;
use linepress_platform::clock::Timestamp;
use linepress_platform::database::{Reader, Tx};

pub(super) async fn find(pool: &Reader) -> sqlx::Result<Option<QueuePause>> {
    sqlx::query_as("SELECT reason, since FROM queue_pause WHERE id = 1")
        .fetch_optional(pool)
        .await
}

/// Returns false when there is a pause already.
pub(super) async fn insert(tx: &mut Tx, reason: &str, since: Timestamp) -> sqlx::Result<bool> {
    let done =
        sqlx::query("INSERT INTO queue_pause (id, reason, since) VALUES (1, $1, $2) ON CONFLICT (id) DO NOTHING")
            .bind(reason)
            .bind(since)
            .execute(&mut **tx)
            .await?;
    Ok(done.rows_affected() == 1)
}

/// Returns false when there is no pause.
pub(super) async fn delete(tx: &mut Tx) -> sqlx::Result<bool> {
    let done = sqlx::query("DELETE FROM queue_pause WHERE id = 1")
        .execute(&mut **tx)
        .await?;
    Ok(done.rows_affected() == 1)
}
