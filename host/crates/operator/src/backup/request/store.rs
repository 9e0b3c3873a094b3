//! The SQL of requests for backups.
use linepress_platform::clock::Timestamp;
use linepress_platform::database::{LeaseClock, Reader, Tx};

pub(super) async fn put(clock: LeaseClock<'_>, tx: &mut Tx) -> sqlx::Result<()> {
    clock
        .query(
            "INSERT INTO backup_requests (id, requested_at) VALUES (1, {now}) \
             ON CONFLICT (id) DO UPDATE SET requested_at = excluded.requested_at",
        )
        .execute(&mut **tx)
        .await?;
    Ok(())
}

pub(super) async fn find(pool: &Reader) -> sqlx::Result<Option<Timestamp>> {
    sqlx::query_scalar("SELECT requested_at FROM backup_requests WHERE id = 1")
        .fetch_optional(pool)
        .await
}
