//! The SQL of operations.
use std::collections::HashMap;

use sqlx::{AnyExecutor, AssertSqlSafe};

use super::{DrawingCounts, LastFailure, Operation, OperationStatus, OperationType, ResourceType};
use linepress_accounts::caller::Caller;
use linepress_accounts::webhooks::Callback;
use linepress_drawings::queue::{DrawingStatus, TargetType};
use linepress_platform::clock::Timestamp;
use linepress_platform::database::{PageRequest, Reader, Tx, placeholders};
use linepress_platform::ids::{AccountId, GrantId, KeyId, OperationId, WebhookId};

#[derive(sqlx::FromRow)]
pub(super) struct OperationRow {
    pub id: OperationId,
    #[sqlx(rename = "type", try_from = "String")]
    pub kind: OperationType,
    #[sqlx(try_from = "String")]
    pub status: OperationStatus,
    #[sqlx(try_from = "String")]
    pub resource_type: ResourceType,
    pub resource_id: String,
    pub completed: i64,
    pub failed: i64,
    pub total: i64,
    pub charged: i64,
    pub refunded: i64,
    pub created_at: Timestamp,
    pub started_at: Option<Timestamp>,
    pub finished_at: Option<Timestamp>,
}

#[derive(sqlx::FromRow)]
pub(super) struct ItemRow {
    pub operation_id: OperationId,
    #[sqlx(try_from = "String")]
    pub target_type: TargetType,
    pub target_id: String,
    pub title: String,
    pub credits: i64,
    #[sqlx(try_from = "String")]
    pub status: DrawingStatus,
    #[sqlx(try_from = "Option<String>")]
    pub error_code: LastFailure,
    pub note: Option<String>,
    pub instruction: Option<String>,
    pub progress_done: Option<i64>,
    pub progress_total: Option<i64>,
}

#[derive(sqlx::FromRow)]
pub(super) struct Counted {
    #[sqlx(rename = "type", try_from = "String")]
    pub kind: OperationType,
    pub completed: i64,
    pub failed: i64,
    pub total: i64,
    pub grant_id: Option<GrantId>,
    pub key_id: Option<KeyId>,
    pub created_at: Timestamp,
}

pub(super) async fn insert(
    tx: &mut Tx,
    caller: &Caller,
    operation: &Operation,
    uses_free_cover: bool,
    callback: Option<&Callback>,
) -> sqlx::Result<()> {
    sqlx::query(
        "INSERT INTO operations (id, account_id, type, status, resource_type, resource_id, total, charged, created_at, \
           grant_id, free_cover_at, key_id, callback_url, callback_webhook_id) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)",
    )
    .bind(operation.id.as_str())
    .bind(caller.account_id().as_str())
    .bind(operation.kind.as_str())
    .bind(operation.status.as_str())
    .bind(operation.resource.kind.as_str())
    .bind(&operation.resource.id)
    .bind(operation.progress.total)
    .bind(operation.credits.charged)
    .bind(operation.created_at.microseconds())
    .bind(caller.grant().map(|grant| grant.id.as_str()))
    .bind(uses_free_cover.then_some(operation.created_at))
    .bind(caller.key_id().map(KeyId::as_str))
    .bind(callback.map(|callback| callback.url.as_str()))
    .bind(callback.map(|callback| callback.webhook.as_str()))
    .execute(&mut **tx)
    .await?;
    Ok(())
}

/// The query that reads operations; the argument is its WHERE clause and what follows it.
macro_rules! select_operations {
    ($rest:literal) => {
        concat!(
            "SELECT id, type, status, resource_type, resource_id, completed, failed, total, charged, refunded, \
               created_at, started_at, finished_at FROM operations ",
            $rest
        )
    };
}

pub(super) async fn find<'e>(
    executor: impl AnyExecutor<'e>,
    account: &AccountId,
    id: &OperationId,
) -> sqlx::Result<Option<OperationRow>> {
    sqlx::query_as(select_operations!("WHERE account_id = $1 AND id = $2"))
        .bind(account.as_str())
        .bind(id.as_str())
        .fetch_optional(executor)
        .await
}

/// Lists operations, newest first, with one row more than the limit if there are that many. Filtering by status needs
/// its own statement: one for both cases could use neither index.
pub(super) async fn list(
    pool: &Reader,
    account: &AccountId,
    status: Option<OperationStatus>,
    request: &PageRequest,
) -> sqlx::Result<Vec<OperationRow>> {
    let statement = match status {
        None => select_operations!("WHERE account_id = $1 AND id < $2 ORDER BY id DESC LIMIT $3"),
        Some(_) => select_operations!("WHERE account_id = $1 AND id < $2 AND status = $4 ORDER BY id DESC LIMIT $3"),
    };
    let query = sqlx::query_as(statement)
        .bind(account)
        .bind(request.below())
        .bind(request.limit + 1);
    let query = match status {
        None => query,
        Some(status) => query.bind(status.as_str()),
    };
    query.fetch_all(pool).await
}

/// The time when a drawing of the operation last ended. None before the first one ends.
pub(super) async fn last_ended(pool: &Reader, id: &OperationId) -> sqlx::Result<Option<Timestamp>> {
    sqlx::query_scalar("SELECT MAX(finished_at) FROM drawings WHERE operation_id = $1")
        .bind(id)
        .fetch_one(pool)
        .await
}

/// The items of these operations, in order, by operation id.
pub(super) async fn items(
    pool: &Reader,
    operations: &[&OperationId],
) -> sqlx::Result<HashMap<OperationId, Vec<ItemRow>>> {
    if operations.is_empty() {
        return Ok(HashMap::new());
    }
    let statement = format!(
        "SELECT operation_id, target_type, target_id, title, credits, status, error_code, note, instruction, progress_done, \
           progress_total FROM drawings \
         WHERE operation_id IN ({}) ORDER BY operation_id, position",
        placeholders(1, operations.len())
    );
    let mut query = sqlx::query_as(AssertSqlSafe(statement));
    for id in operations {
        query = query.bind(*id);
    }
    let rows: Vec<ItemRow> = query.fetch_all(pool).await?;
    let mut by_operation: HashMap<OperationId, Vec<ItemRow>> = HashMap::new();
    for row in rows {
        by_operation.entry(row.operation_id.clone()).or_default().push(row);
    }
    Ok(by_operation)
}

pub(super) async fn start(tx: &mut Tx, id: &OperationId, now: Timestamp) -> sqlx::Result<()> {
    sqlx::query("UPDATE operations SET status = $3, started_at = $1 WHERE id = $2 AND status = $4")
        .bind(now.microseconds())
        .bind(id)
        .bind(OperationStatus::Running.as_str())
        .bind(OperationStatus::Queued.as_str())
        .execute(&mut **tx)
        .await?;
    Ok(())
}

/// Counts drawings that ended and locks the row, so that exactly one transaction sees the last one.
pub(super) async fn record_counts(tx: &mut Tx, id: &OperationId, counts: DrawingCounts) -> sqlx::Result<Counted> {
    sqlx::query_as(
        "UPDATE operations SET completed = completed + $1, failed = failed + $2, refunded = refunded + $3, \
           earned = earned + $4 WHERE id = $5 RETURNING type, completed, failed, total, \
           grant_id, key_id, created_at",
    )
    .bind(counts.completed)
    .bind(counts.failed)
    .bind(counts.refunded)
    .bind(counts.earned)
    .bind(id)
    .fetch_one(&mut **tx)
    .await
}

/// Records that the cover of a new book is about to be drawn for free, unless that was recorded before or a paid
/// drawing of the operation has succeeded. Returns the credits that were charged and not refunded if it was recorded
/// now.
pub(super) async fn take_free_cover(tx: &mut Tx, id: &OperationId, now: Timestamp) -> sqlx::Result<Option<i64>> {
    sqlx::query_scalar(
        "UPDATE operations SET free_cover_at = $1 \
         WHERE id = $2 AND type = $3 AND earned = 0 AND free_cover_at IS NULL RETURNING charged - refunded",
    )
    .bind(now)
    .bind(id)
    .bind(OperationType::BookCreate.as_str())
    .fetch_optional(&mut **tx)
    .await
}

/// Ends the operation; returns the callback of its order, if it has one.
pub(super) async fn finish(
    tx: &mut Tx,
    id: &OperationId,
    status: OperationStatus,
    now: Timestamp,
) -> sqlx::Result<Option<Callback>> {
    let (webhook, url): (Option<WebhookId>, Option<String>) = sqlx::query_as(
        "UPDATE operations SET status = $1, finished_at = $2 WHERE id = $3 RETURNING callback_webhook_id, callback_url",
    )
    .bind(status.as_str())
    .bind(now.microseconds())
    .bind(id)
    .fetch_one(&mut **tx)
    .await?;
    Ok(webhook.zip(url).map(|(webhook, url)| Callback { webhook, url }))
}

pub(super) async fn lock_open(tx: &mut Tx, id: &OperationId) -> sqlx::Result<bool> {
    let done = sqlx::query("UPDATE operations SET status = status WHERE id = $1 AND finished_at IS NULL")
        .bind(id)
        .execute(&mut **tx)
        .await?;
    Ok(done.rows_affected() == 1)
}
