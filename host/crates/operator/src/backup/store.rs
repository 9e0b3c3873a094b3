//! The SQL of the table `backups`. It may run before newer migrations are applied, so it names only the columns that
//! the table has had from the beginning.
use std::time::Duration;

use linepress_platform::clock::Timestamp;
use linepress_platform::database::{LeaseClock, Tx};

/// Ends the claim of a process that disappeared.
pub(super) async fn end_expired(clock: LeaseClock<'_>, tx: &mut Tx) -> sqlx::Result<()> {
    clock
        .query("UPDATE backups SET running = NULL WHERE running = 1 AND held_until <= {now}")
        .execute(&mut **tx)
        .await?;
    Ok(())
}

/// Records the beginning of a backup. Returns false when another one is running.
pub(super) async fn begin(
    clock: LeaseClock<'_>,
    tx: &mut Tx,
    id: &str,
    target: &str,
    lifetime_microseconds: i64,
) -> sqlx::Result<bool> {
    let done = clock
        .query(
            "INSERT INTO backups (id, target, began_at, held_until, running) VALUES ($2, $3, {now}, {now} + $4, 1) \
             ON CONFLICT (running) DO NOTHING",
        )
        .bind(id.to_owned())
        .bind(target.to_owned())
        .bind(lifetime_microseconds)
        .execute(&mut **tx)
        .await?;
    Ok(done.rows_affected() == 1)
}

/// Extends a claim. Returns false when it has expired.
pub(super) async fn renew(
    clock: LeaseClock<'_>,
    tx: &mut Tx,
    id: &str,
    lifetime_microseconds: i64,
) -> sqlx::Result<bool> {
    let done = clock
        .query("UPDATE backups SET held_until = {now} + $2 WHERE id = $3 AND running = 1 AND held_until > {now}")
        .bind(lifetime_microseconds)
        .bind(id.to_owned())
        .execute(&mut **tx)
        .await?;
    Ok(done.rows_affected() == 1)
}

pub(super) async fn complete(clock: LeaseClock<'_>, tx: &mut Tx, id: &str) -> sqlx::Result<()> {
    clock
        .query("UPDATE backups SET running = NULL, completed_at = {now} WHERE id = $2")
        .bind(id.to_owned())
        .execute(&mut **tx)
        .await?;
    Ok(())
}

pub(super) async fn give_up(tx: &mut Tx, id: &str) -> sqlx::Result<()> {
    sqlx::query("UPDATE backups SET running = NULL WHERE id = $1")
        .bind(id)
        .execute(&mut **tx)
        .await?;
    Ok(())
}

/// The beginning of the last backup to this target that was completed.
pub(super) async fn last_completed(tx: &mut Tx, target: &str) -> sqlx::Result<Option<Timestamp>> {
    sqlx::query_scalar(
        "SELECT began_at FROM backups WHERE target = $1 AND completed_at IS NOT NULL ORDER BY began_at DESC LIMIT 1",
    )
    .bind(target)
    .fetch_optional(&mut **tx)
    .await
}

/// The time since the beginning of the last completed backup to this target.
pub(super) async fn age_at(clock: LeaseClock<'_>, target: &str) -> sqlx::Result<Option<Duration>> {
    let age: Option<i64> = clock
        .query_scalar(
            "SELECT {now} - began_at FROM backups WHERE target = $2 AND completed_at IS NOT NULL \
             ORDER BY began_at DESC LIMIT 1",
        )
        .bind(target.to_owned())
        .fetch_optional(&clock.database.read)
        .await?;
    Ok(age.map(positive))
}

/// The time since the beginning of the last completed backup. The condition on its time lets the database search the
/// index.
pub(super) async fn age(clock: LeaseClock<'_>) -> sqlx::Result<Option<Duration>> {
    let age: Option<i64> = clock
        .query_scalar(
            "SELECT {now} - began_at FROM backups WHERE completed_at IS NOT NULL AND began_at > 0 \
             ORDER BY began_at DESC LIMIT 1",
        )
        .fetch_optional(&clock.database.read)
        .await?;
    Ok(age.map(positive))
}

/// The duration of a number of microseconds; zero when a clock was set back.
fn positive(microseconds: i64) -> Duration {
    Duration::from_micros(u64::try_from(microseconds).unwrap_or(0))
}

/// The beginning of the last backup to this target before the backup `id`, whether or not it was completed.
pub(super) async fn last_begun(tx: &mut Tx, target: &str, id: &str) -> sqlx::Result<Option<Timestamp>> {
    sqlx::query_scalar("SELECT began_at FROM backups WHERE target = $1 AND id <> $2 ORDER BY began_at DESC LIMIT 1")
        .bind(target)
        .bind(id)
        .fetch_optional(&mut **tx)
        .await
}

/// Deletes the rows of backups to this target that began before this moment and are not running.
pub(super) async fn forget(tx: &mut Tx, target: &str, before: Timestamp) -> sqlx::Result<()> {
    sqlx::query("DELETE FROM backups WHERE target = $1 AND began_at < $2 AND running IS NULL")
        .bind(target)
        .bind(before)
        .execute(&mut **tx)
        .await?;
    Ok(())
}
