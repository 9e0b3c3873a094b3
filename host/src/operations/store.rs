//! The SQL of operations.
use std::collections::HashMap;

use sqlx::{AnyPool, AssertSqlSafe};

use super::{Operation, OperationStatus};
use crate::caller::Caller;
use crate::clock::Timestamp;
use crate::database::{PageRequest, Tx, placeholders};
use crate::ids::{AccountId, OperationId};

#[derive(sqlx::FromRow)]
pub struct OperationRow {
    pub id: String,
    #[sqlx(rename = "type")]
    pub kind: String,
    pub status: String,
    pub resource_type: String,
    pub resource_id: String,
    pub completed: i64,
    pub failed: i64,
    pub total: i64,
    pub charged: i64,
    pub refunded: i64,
    pub created_at: i64,
    pub started_at: Option<i64>,
    pub finished_at: Option<i64>,
}

#[derive(sqlx::FromRow)]
pub struct ItemRow {
    pub operation_id: String,
    pub target_type: String,
    pub target_id: String,
    pub title: String,
    pub status: String,
    pub error_code: Option<String>,
}

#[derive(sqlx::FromRow)]
pub struct Counted {
    pub account_id: String,
    pub completed: i64,
    pub failed: i64,
    pub total: i64,
}

pub async fn insert(tx: &mut Tx, caller: &Caller, operation: &Operation) -> sqlx::Result<()> {
    sqlx::query(
        "INSERT INTO operations (id, account_id, type, status, resource_type, resource_id, total, charged, created_at) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
    )
    .bind(operation.id.as_str())
    .bind(caller.account_id.as_str())
    .bind(operation.kind.as_str())
    .bind(operation.status.as_str())
    .bind(operation.resource.kind.as_str())
    .bind(&operation.resource.id)
    .bind(operation.progress.total)
    .bind(operation.credits.charged)
    .bind(operation.created_at.microseconds())
    .execute(&mut **tx)
    .await?;
    Ok(())
}

pub async fn find(pool: &AnyPool, account: &AccountId, id: &OperationId) -> sqlx::Result<Option<OperationRow>> {
    sqlx::query_as(
        "SELECT id, type, status, resource_type, resource_id, completed, failed, total, charged, refunded, \
           created_at, started_at, finished_at FROM operations WHERE account_id = $1 AND id = $2",
    )
    .bind(account.as_str())
    .bind(id.as_str())
    .fetch_optional(pool)
    .await
}

/// One row more than the limit, if there are that many.
pub async fn list(
    pool: &AnyPool,
    account: &AccountId,
    status: Option<OperationStatus>,
    request: &PageRequest,
) -> sqlx::Result<Vec<OperationRow>> {
    sqlx::query_as(
        "SELECT id, type, status, resource_type, resource_id, completed, failed, total, charged, refunded, \
           created_at, started_at, finished_at FROM operations \
         WHERE account_id = $1 AND id < $2 AND ($3 IS NULL OR status = $3) ORDER BY id DESC LIMIT $4",
    )
    .bind(account.as_str())
    .bind(request.below())
    .bind(status.map(OperationStatus::as_str))
    .bind(request.limit + 1)
    .fetch_all(pool)
    .await
}

/// The items of these operations, by operation, in order.
pub async fn items(pool: &AnyPool, operations: &[&str]) -> sqlx::Result<HashMap<String, Vec<ItemRow>>> {
    if operations.is_empty() {
        return Ok(HashMap::new());
    }
    let statement = format!(
        "SELECT operation_id, target_type, target_id, title, status, error_code FROM drawings \
         WHERE operation_id IN ({}) ORDER BY operation_id, position",
        placeholders(1, operations.len())
    );
    let mut query = sqlx::query_as(AssertSqlSafe(statement));
    for id in operations {
        query = query.bind(*id);
    }
    let rows: Vec<ItemRow> = query.fetch_all(pool).await?;
    let mut by_operation: HashMap<String, Vec<ItemRow>> = HashMap::new();
    for row in rows {
        by_operation.entry(row.operation_id.clone()).or_default().push(row);
    }
    Ok(by_operation)
}

pub async fn start(tx: &mut Tx, id: &str, now: Timestamp) -> sqlx::Result<()> {
    sqlx::query("UPDATE operations SET status = 'running', started_at = $1 WHERE id = $2 AND status = 'queued'")
        .bind(now.microseconds())
        .bind(id)
        .execute(&mut **tx)
        .await?;
    Ok(())
}

/// Counts one drawing and locks the row, so that only one transaction sees the last one.
pub async fn count(tx: &mut Tx, id: &str, drawn: bool) -> sqlx::Result<Counted> {
    sqlx::query_as(
        "UPDATE operations SET completed = completed + $1, failed = failed + $2 WHERE id = $3 \
         RETURNING account_id, completed, failed, total",
    )
    .bind(i64::from(drawn))
    .bind(i64::from(!drawn))
    .bind(id)
    .fetch_one(&mut **tx)
    .await
}

pub async fn finish(tx: &mut Tx, id: &str, status: OperationStatus, refunded: i64, now: Timestamp) -> sqlx::Result<()> {
    sqlx::query("UPDATE operations SET status = $1, refunded = $2, finished_at = $3 WHERE id = $4")
        .bind(status.as_str())
        .bind(refunded)
        .bind(now.microseconds())
        .bind(id)
        .execute(&mut **tx)
        .await?;
    Ok(())
}
