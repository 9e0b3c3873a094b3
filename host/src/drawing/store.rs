//! The SQL of the queue.
use sqlx::AnyPool;

use super::{NewDrawing, TargetType};
use crate::caller::Caller;
use crate::clock::Timestamp;
use crate::database::{Database, Tx};
use crate::ids::{DrawingId, LeaseId, OperationId};

/// A drawing that a worker holds.
#[derive(Debug, sqlx::FromRow)]
pub struct ClaimedRow {
    pub id: String,
    pub operation_id: String,
    pub account_id: String,
    pub target_type: String,
    pub target_id: String,
    pub request: String,
    pub attempts: i64,
}

#[expect(clippy::too_many_arguments, reason = "one argument per column")]
pub async fn insert(
    tx: &mut Tx,
    id: &DrawingId,
    caller: &Caller,
    operation: &OperationId,
    position: i64,
    drawing: &NewDrawing,
    request: &str,
    now: Timestamp,
) -> sqlx::Result<()> {
    sqlx::query(
        "INSERT INTO drawings (id, operation_id, account_id, position, target_type, target_id, title, credits, request, \
           status, due_at, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, 'queued', $10, $10)",
    )
    .bind(id.as_str())
    .bind(operation.as_str())
    .bind(caller.account_id.as_str())
    .bind(position)
    .bind(drawing.target.kind.as_str())
    .bind(&drawing.target.id)
    .bind(&drawing.title)
    .bind(drawing.credits)
    .bind(request)
    .bind(now.microseconds())
    .execute(&mut **tx)
    .await?;
    Ok(())
}

/// Takes the next drawing for a lease: of the account with the fewest under way, then of the one
/// served longest ago, then the oldest. A running drawing whose lease has run out is as good as queued.
pub async fn claim(
    database: &Database,
    tx: &mut Tx,
    lease: &LeaseId,
    now: Timestamp,
    until: Timestamp,
) -> sqlx::Result<Option<ClaimedRow>> {
    let claimed: Option<ClaimedRow> = sqlx::query_as(database.dialect.claim_drawing())
        .bind(now.microseconds())
        .bind(lease.as_str())
        .bind(until.microseconds())
        .fetch_optional(&mut **tx)
        .await?;
    if let Some(claimed) = &claimed {
        sqlx::query("UPDATE accounts SET last_served_at = $1 WHERE id = $2")
            .bind(now.microseconds())
            .bind(&claimed.account_id)
            .execute(&mut **tx)
            .await?;
    }
    Ok(claimed)
}

/// Whether there is something to claim.
pub async fn is_anything_due(pool: &AnyPool, now: Timestamp) -> sqlx::Result<bool> {
    let due: Option<i64> = sqlx::query_scalar(
        "SELECT due_at FROM drawings WHERE status IN ('queued', 'running') AND due_at <= $1 LIMIT 1",
    )
    .bind(now.microseconds())
    .fetch_optional(pool)
    .await?;
    Ok(due.is_some())
}

/// False when the lease is no longer the worker's.
pub async fn renew(tx: &mut Tx, id: &str, lease: &LeaseId, until: Timestamp) -> sqlx::Result<bool> {
    let done = sqlx::query("UPDATE drawings SET due_at = $1 WHERE id = $2 AND lease = $3 AND status = 'running'")
        .bind(until.microseconds())
        .bind(id)
        .bind(lease.as_str())
        .execute(&mut **tx)
        .await?;
    Ok(done.rows_affected() == 1)
}

/// Ends the drawing; false, and nothing changed, when the lease is no longer the worker's.
pub async fn finish(
    tx: &mut Tx,
    id: &str,
    lease: &LeaseId,
    error_code: Option<&str>,
    now: Timestamp,
) -> sqlx::Result<bool> {
    let done = sqlx::query(
        "UPDATE drawings SET status = $1, error_code = $2, finished_at = $3, lease = NULL \
         WHERE id = $4 AND lease = $5 AND status = 'running'",
    )
    .bind(if error_code.is_some() { "failed" } else { "succeeded" })
    .bind(error_code)
    .bind(now.microseconds())
    .bind(id)
    .bind(lease.as_str())
    .execute(&mut **tx)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Ends what is queued for a target; answers the operation of each.
pub async fn cancel_queued(
    tx: &mut Tx,
    kind: TargetType,
    target: &str,
    error_code: &str,
    now: Timestamp,
) -> sqlx::Result<Vec<String>> {
    sqlx::query_scalar(
        "UPDATE drawings SET status = 'failed', error_code = $1, finished_at = $2 \
         WHERE target_id = $3 AND target_type = $4 AND status = 'queued' RETURNING operation_id",
    )
    .bind(error_code)
    .bind(now.microseconds())
    .bind(target)
    .bind(kind.as_str())
    .fetch_all(&mut **tx)
    .await
}

/// Puts the drawing back for another attempt at `due`.
pub async fn requeue(tx: &mut Tx, id: &str, lease: &LeaseId, due: Timestamp) -> sqlx::Result<bool> {
    let done = sqlx::query(
        "UPDATE drawings SET status = 'queued', lease = NULL, due_at = $1 WHERE id = $2 AND lease = $3 AND status = 'running'",
    )
    .bind(due.microseconds())
    .bind(id)
    .bind(lease.as_str())
    .execute(&mut **tx)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Gives the drawing back as if it had not been claimed: the worker stops before it drew.
pub async fn release(tx: &mut Tx, id: &str, lease: &LeaseId, now: Timestamp) -> sqlx::Result<()> {
    sqlx::query(
        "UPDATE drawings SET status = 'queued', lease = NULL, due_at = $1, attempts = attempts - 1 \
         WHERE id = $2 AND lease = $3 AND status = 'running'",
    )
    .bind(now.microseconds())
    .bind(id)
    .bind(lease.as_str())
    .execute(&mut **tx)
    .await?;
    Ok(())
}

pub async fn credits_of_failed(tx: &mut Tx, operation: &str) -> sqlx::Result<i64> {
    sqlx::query_scalar(
        "SELECT CAST(COALESCE(SUM(credits), 0) AS BIGINT) FROM drawings WHERE operation_id = $1 AND status = 'failed'",
    )
    .bind(operation)
    .fetch_one(&mut **tx)
    .await
}
