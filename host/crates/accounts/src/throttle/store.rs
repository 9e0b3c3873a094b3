//! The SQL of throttles.
use std::time::Duration;

use linepress_platform::clock::Timestamp;
use linepress_platform::database::Tx;

/// Takes a turn that lasts `interval`; returns the time until which the subject is busy then, or `None` when it is busy
/// beyond `latest`.
pub(super) async fn take_turn(
    tx: &mut Tx,
    name: &str,
    subject_hash: &str,
    now: Timestamp,
    interval: Duration,
    latest: Timestamp,
) -> sqlx::Result<Option<Timestamp>> {
    sqlx::query_scalar(
        "INSERT INTO throttles (name, subject_hash, busy_until) VALUES ($1, $2, $3 + $4) \
         ON CONFLICT (name, subject_hash) DO UPDATE \
           SET busy_until = CASE WHEN throttles.busy_until > $3 THEN throttles.busy_until ELSE $3 END + $4 \
           WHERE throttles.busy_until <= $5 RETURNING busy_until",
    )
    .bind(name)
    .bind(subject_hash)
    .bind(now)
    .bind(i64::try_from(interval.as_micros()).unwrap_or(i64::MAX))
    .bind(latest)
    .fetch_optional(&mut **tx)
    .await
}

pub(super) async fn busy_until(tx: &mut Tx, name: &str, subject_hash: &str) -> sqlx::Result<Timestamp> {
    sqlx::query_scalar("SELECT busy_until FROM throttles WHERE name = $1 AND subject_hash = $2")
        .bind(name)
        .bind(subject_hash)
        .fetch_one(&mut **tx)
        .await
}

pub(super) async fn delete(tx: &mut Tx, name: &str, subject_hash: &str) -> sqlx::Result<()> {
    sqlx::query("DELETE FROM throttles WHERE name = $1 AND subject_hash = $2")
        .bind(name)
        .bind(subject_hash)
        .execute(&mut **tx)
        .await?;
    Ok(())
}

/// Deletes the throttles that have no effect any more; returns their number.
pub(super) async fn delete_old(tx: &mut Tx, now: Timestamp) -> sqlx::Result<u64> {
    let done = sqlx::query("DELETE FROM throttles WHERE busy_until <= $1")
        .bind(now)
        .execute(&mut **tx)
        .await?;
    Ok(done.rows_affected())
}
