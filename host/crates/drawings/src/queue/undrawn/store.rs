//! The SQL of drawings that end without a picture while no worker holds them.
use std::sync::LazyLock;
use std::time::Duration;

use sqlx::AssertSqlSafe;

use super::UndrawnDrawing;
use crate::queue::request::is_test_request;
use crate::queue::store::{insert_states, with_states};
use crate::queue::{DrawingStatus, Target, TargetType, source_from_request};
use linepress_accounts::credits::Refund;
use linepress_platform::clock::{Timestamp, microseconds};
use linepress_platform::database::{Dialect, LeaseClock, Reader, Tx, placeholders};
use linepress_platform::ids::{AccountId, DrawingId, OperationId};

#[derive(sqlx::FromRow)]
pub(super) struct UndrawnRow {
    id: DrawingId,
    operation_id: OperationId,
    #[sqlx(try_from = "String")]
    target_type: TargetType,
    target_id: String,
    credits: i64,
    request: String,
}

impl UndrawnRow {
    pub(super) fn into_drawing(self) -> UndrawnDrawing {
        UndrawnDrawing {
            source: source_from_request(&self.request),
            is_test: is_test_request(&self.request),
            target: Target::from_parts(self.target_type, self.target_id),
            refund: Refund {
                operation: self.operation_id,
                drawing: self.id,
                credits: self.credits,
            },
        }
    }
}

/// Cancels what is queued for these targets. The account's place in the queue is corrected when its turn comes.
pub(super) async fn cancel(
    dialect: Dialect,
    tx: &mut Tx,
    targets: &[Target],
    error_code: &str,
    now: Timestamp,
) -> sqlx::Result<Vec<UndrawnRow>> {
    let mut canceled = Vec::new();
    for some in targets.chunks(500) {
        // Ids are unique over all kinds of targets, because their prefix names the kind.
        let ids: Vec<&str> = some.iter().map(Target::id).collect();
        let condition = format!("target_id IN ({})", placeholders(1, ids.len()));
        lock_queued(dialect, tx, &condition, &ids).await?;
        let statement = format!(
            "UPDATE drawings SET status = $3, error_code = $1, finished_at = $2 \
             WHERE status = $4 AND target_id IN ({}) RETURNING id, operation_id, target_type, target_id, credits, request",
            placeholders(5, ids.len())
        );
        let mut query = sqlx::query_as(AssertSqlSafe(statement))
            .bind(error_code)
            .bind(now)
            .bind(DrawingStatus::Failed.as_str())
            .bind(DrawingStatus::Queued.as_str());
        for id in ids {
            query = query.bind(id.to_owned());
        }
        canceled.extend(query.fetch_all(&mut **tx).await?);
    }
    Ok(canceled)
}

/// Locks what is queued under a condition on these ids until the transaction ends, in the order of the drawings' ids,
/// in which every cancellation locks them.
async fn lock_queued(dialect: Dialect, tx: &mut Tx, condition: &str, ids: &[&str]) -> sqlx::Result<()> {
    let statement = format!(
        "SELECT id FROM drawings WHERE status = '{}' AND {condition} ORDER BY id{}",
        DrawingStatus::Queued,
        dialect.lock_rows()
    );
    let mut query = sqlx::query(AssertSqlSafe(statement));
    for id in ids {
        query = query.bind((*id).to_owned());
    }
    query.execute(&mut **tx).await?;
    Ok(())
}

/// Cancels all that is queued for an operation.
pub(super) async fn cancel_of_operation(
    dialect: Dialect,
    tx: &mut Tx,
    operation: &OperationId,
    error_code: &str,
    now: Timestamp,
) -> sqlx::Result<Vec<UndrawnRow>> {
    lock_queued(dialect, tx, "operation_id = $1", &[operation.as_str()]).await?;
    sqlx::query_as(
        "UPDATE drawings SET status = $1, error_code = $2, finished_at = $3 WHERE operation_id = $4 AND status = $5 \
         RETURNING id, operation_id, target_type, target_id, credits, request",
    )
    .bind(DrawingStatus::Failed.as_str())
    .bind(error_code)
    .bind(now)
    .bind(operation)
    .bind(DrawingStatus::Queued.as_str())
    .fetch_all(&mut **tx)
    .await
}

/// Cancels all that is queued for an account.
pub(super) async fn cancel_of_account(
    dialect: Dialect,
    tx: &mut Tx,
    account: &AccountId,
    error_code: &str,
    now: Timestamp,
) -> sqlx::Result<Vec<UndrawnRow>> {
    lock_queued(dialect, tx, "account_id = $1", &[account.as_str()]).await?;
    let statement = with_states!(
        "UPDATE drawings SET status = {failed}, error_code = $1, finished_at = $2 \
         WHERE account_id = $3 AND status = {queued} RETURNING id, operation_id, target_type, target_id, credits, request",
    );
    sqlx::query_as(statement)
        .bind(error_code)
        .bind(now)
        .bind(account)
        .fetch_all(&mut **tx)
        .await
}

/// The drawings that are given up when they have waited for too long.
#[derive(Clone, Copy)]
pub(super) enum Waiting {
    /// Queued since their order or their first claim.
    Queued,
    /// Running under a lease that has expired. A worker that renews its lease before they are given up keeps them.
    Expired,
}

impl Waiting {
    /// Selects the account of the drawing that has waited longest.
    fn account_statement(self) -> &'static str {
        match self {
            Self::Queued => with_states!(
                "SELECT account_id FROM drawings WHERE status = {queued} AND created_at < {now} - $2 \
                   AND COALESCE(first_claimed_at, created_at) < {now} - $2 ORDER BY created_at LIMIT 1",
            ),
            Self::Expired => with_states!(
                "SELECT account_id FROM drawings WHERE status = {running} AND due_at <= {now} \
                   AND first_claimed_at < {now} - $2 ORDER BY due_at LIMIT 1",
            ),
        }
    }

    /// Fails up to 100 drawings of one account.
    fn give_up_statement(self) -> &'static str {
        match self {
            Self::Queued => with_states!(
                "UPDATE drawings SET status = {failed}, error_code = $3, finished_at = $4 WHERE status = {queued} AND id IN \
                   (SELECT id FROM drawings WHERE account_id = $5 AND status = {queued} AND created_at < {now} - $2 \
                      AND COALESCE(first_claimed_at, created_at) < {now} - $2 LIMIT 100) \
                 RETURNING id, operation_id, target_type, target_id, credits, request",
            ),
            Self::Expired => with_states!(
                "UPDATE drawings SET status = {failed}, error_code = $3, finished_at = $4, lease = NULL \
                 WHERE status = {running} AND due_at <= {now} AND id IN \
                   (SELECT id FROM drawings WHERE account_id = $5 AND status = {running} AND due_at <= {now} \
                      AND first_claimed_at < {now} - $2 LIMIT 100) \
                 RETURNING id, operation_id, target_type, target_id, credits, request",
            ),
        }
    }
}

/// The account of the drawing that has waited longest, if that is longer than `patience`.
pub(super) async fn longest_waiting(
    clock: LeaseClock<'_>,
    pool: &Reader,
    waiting: Waiting,
    patience: Duration,
) -> sqlx::Result<Option<AccountId>> {
    clock
        .query_scalar(waiting.account_statement())
        .bind(microseconds(patience))
        .fetch_optional(pool)
        .await
}

/// Fails up to 100 drawings of the account that have waited longer than `patience`.
pub(super) async fn give_up(
    clock: LeaseClock<'_>,
    tx: &mut Tx,
    waiting: Waiting,
    account: &AccountId,
    error_code: &str,
    patience: Duration,
    now: Timestamp,
) -> sqlx::Result<Vec<UndrawnRow>> {
    clock
        .query_as(waiting.give_up_statement())
        .bind(microseconds(patience))
        .bind(error_code)
        .bind(now)
        .bind(account)
        .fetch_all(&mut **tx)
        .await
}

/// Deletes the requests of up to 500 drawings that ended before this time. Returns their number.
pub(super) async fn forget_requests(tx: &mut Tx, before: Timestamp) -> sqlx::Result<u64> {
    let done = sqlx::query(
        "UPDATE drawings SET request = '', instruction = NULL, review_hint = NULL WHERE id IN \
           (SELECT id FROM drawings WHERE finished_at < $1 AND request <> '' LIMIT 500)",
    )
    .bind(before)
    .execute(&mut **tx)
    .await?;
    Ok(done.rows_affected())
}

/// Deletes the requests of these ended drawings.
pub(super) async fn forget_requests_of(tx: &mut Tx, drawings: &[&DrawingId]) -> sqlx::Result<()> {
    for some in drawings.chunks(500) {
        let statement = format!(
            "UPDATE drawings SET request = '', instruction = NULL, review_hint = NULL WHERE id IN ({})",
            placeholders(1, some.len())
        );
        let mut query = sqlx::query(AssertSqlSafe(statement));
        for id in some {
            query = query.bind(id.as_str().to_owned());
        }
        query.execute(&mut **tx).await?;
    }
    Ok(())
}
