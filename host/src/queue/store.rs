//! The SQL of the queue.
use sqlx::AnyPool;

use super::{DrawingJob, NewDrawingJob, Target, TargetType};
use crate::caller::Caller;
use crate::clock::Timestamp;
use crate::database::{Database, Tx};
use crate::ids::{AccountId, DrawingId, LeaseId, OperationId};

#[derive(sqlx::FromRow)]
pub(super) struct ClaimedRow {
    id: DrawingId,
    operation_id: OperationId,
    account_id: AccountId,
    #[sqlx(try_from = "String")]
    target_type: TargetType,
    target_id: String,
    request: String,
    attempts: i64,
}

impl ClaimedRow {
    pub(super) fn held_under(self, lease: LeaseId) -> DrawingJob {
        DrawingJob {
            id: self.id,
            operation_id: self.operation_id,
            account_id: self.account_id,
            target: Target::of(self.target_type, self.target_id),
            request: self.request,
            attempts: self.attempts,
            lease,
        }
    }
}

/// A drawing in its place in an operation.
pub(super) struct Queued<'a> {
    pub id: &'a DrawingId,
    pub operation: &'a OperationId,
    pub position: i64,
    pub job: &'a NewDrawingJob,
    /// JSON.
    pub request: &'a str,
}

pub(super) async fn insert(tx: &mut Tx, caller: &Caller, queued: Queued<'_>, now: Timestamp) -> sqlx::Result<()> {
    sqlx::query(
        "INSERT INTO drawings (id, operation_id, account_id, position, target_type, target_id, title, credits, request, \
           status, due_at, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, 'queued', $10, $10)",
    )
    .bind(queued.id)
    .bind(queued.operation)
    .bind(&caller.account_id)
    .bind(queued.position)
    .bind(queued.job.target.kind().as_str())
    .bind(queued.job.target.id())
    .bind(&queued.job.title)
    .bind(queued.job.credits)
    .bind(queued.request)
    .bind(now)
    .execute(&mut **tx)
    .await?;
    Ok(())
}

/// Takes the next drawing for a lease: of the account with the fewest under way, then of the one
/// served longest ago, then the oldest. A running drawing whose lease has run out is as good as queued.
pub(super) async fn claim(
    database: &Database,
    tx: &mut Tx,
    lease: &LeaseId,
    now: Timestamp,
    until: Timestamp,
) -> sqlx::Result<Option<ClaimedRow>> {
    let claimed: Option<ClaimedRow> = sqlx::query_as(database.dialect.claim_drawing())
        .bind(now)
        .bind(lease)
        .bind(until)
        .fetch_optional(&mut **tx)
        .await?;
    if let Some(claimed) = &claimed {
        sqlx::query("UPDATE accounts SET last_served_at = $1 WHERE id = $2")
            .bind(now)
            .bind(&claimed.account_id)
            .execute(&mut **tx)
            .await?;
    }
    Ok(claimed)
}

/// Whether there is something to claim.
pub(super) async fn is_anything_due(pool: &AnyPool, now: Timestamp) -> sqlx::Result<bool> {
    let due: Option<i64> = sqlx::query_scalar(
        "SELECT due_at FROM drawings WHERE status IN ('queued', 'running') AND due_at <= $1 LIMIT 1",
    )
    .bind(now)
    .fetch_optional(pool)
    .await?;
    Ok(due.is_some())
}

/// False when the lease is no longer the worker's.
pub(super) async fn renew(tx: &mut Tx, job: &DrawingJob, until: Timestamp) -> sqlx::Result<bool> {
    let done = sqlx::query("UPDATE drawings SET due_at = $1 WHERE id = $2 AND lease = $3 AND status = 'running'")
        .bind(until)
        .bind(&job.id)
        .bind(&job.lease)
        .execute(&mut **tx)
        .await?;
    Ok(done.rows_affected() == 1)
}

/// Ends the drawing; false, and nothing changed, when the lease is no longer the worker's.
pub(super) async fn finish(
    tx: &mut Tx,
    job: &DrawingJob,
    error_code: Option<&str>,
    now: Timestamp,
) -> sqlx::Result<bool> {
    let done = sqlx::query(
        "UPDATE drawings SET status = $1, error_code = $2, finished_at = $3, lease = NULL \
         WHERE id = $4 AND lease = $5 AND status = 'running'",
    )
    .bind(if error_code.is_some() { "failed" } else { "succeeded" })
    .bind(error_code)
    .bind(now)
    .bind(&job.id)
    .bind(&job.lease)
    .execute(&mut **tx)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Ends what is queued for a target; returns the operation of each.
pub(super) async fn cancel(
    tx: &mut Tx,
    target: &Target,
    error_code: &str,
    now: Timestamp,
) -> sqlx::Result<Vec<OperationId>> {
    sqlx::query_scalar(
        "UPDATE drawings SET status = 'failed', error_code = $1, finished_at = $2 \
         WHERE target_id = $3 AND target_type = $4 AND status = 'queued' RETURNING operation_id",
    )
    .bind(error_code)
    .bind(now)
    .bind(target.id())
    .bind(target.kind().as_str())
    .fetch_all(&mut **tx)
    .await
}

/// Puts the drawing back for another attempt at `due`.
pub(super) async fn requeue(tx: &mut Tx, job: &DrawingJob, due: Timestamp) -> sqlx::Result<bool> {
    let done = sqlx::query(
        "UPDATE drawings SET status = 'queued', lease = NULL, due_at = $1 WHERE id = $2 AND lease = $3 AND status = 'running'",
    )
    .bind(due)
    .bind(&job.id)
    .bind(&job.lease)
    .execute(&mut **tx)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Gives the drawing back as if it had not been claimed: the worker stops before it drew.
pub(super) async fn release(tx: &mut Tx, job: &DrawingJob, now: Timestamp) -> sqlx::Result<()> {
    sqlx::query(
        "UPDATE drawings SET status = 'queued', lease = NULL, due_at = $1, attempts = attempts - 1 \
         WHERE id = $2 AND lease = $3 AND status = 'running'",
    )
    .bind(now)
    .bind(&job.id)
    .bind(&job.lease)
    .execute(&mut **tx)
    .await?;
    Ok(())
}

pub(super) async fn credits_of_failed(tx: &mut Tx, operation: &OperationId) -> sqlx::Result<i64> {
    sqlx::query_scalar(
        "SELECT CAST(COALESCE(SUM(credits), 0) AS BIGINT) FROM drawings WHERE operation_id = $1 AND status = 'failed'",
    )
    .bind(operation)
    .fetch_one(&mut **tx)
    .await
}
