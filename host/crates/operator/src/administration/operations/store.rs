//! The SQL of operations for operators.
use super::{ManagedOperation, OperationFilter};
use linepress_core::operations::{
    LastFailure, OperationCredits, OperationStatus, OperationType, Progress, ResourceType,
};
use linepress_drawings::queue::{DrawingStatus, TargetType};
use linepress_platform::clock::Timestamp;
use linepress_platform::database::{LeaseClock, PageRequest, Reader};
use linepress_platform::ids::{AccountId, DrawingId, OperationId};

#[derive(sqlx::FromRow)]
pub(super) struct Row {
    pub id: OperationId,
    account_id: AccountId,
    email: String,
    #[sqlx(rename = "type", try_from = "String")]
    kind: OperationType,
    #[sqlx(try_from = "String")]
    status: OperationStatus,
    #[sqlx(try_from = "String")]
    resource_type: ResourceType,
    resource_id: String,
    completed: i64,
    failed: i64,
    total: i64,
    charged: i64,
    refunded: i64,
    created_at: Timestamp,
    started_at: Option<Timestamp>,
    finished_at: Option<Timestamp>,
}

impl Row {
    pub(super) fn into_operation(self) -> ManagedOperation {
        ManagedOperation {
            id: self.id,
            account_id: self.account_id,
            account_email: self.email,
            kind: self.kind,
            status: self.status,
            progress: Progress {
                completed: self.completed,
                failed: self.failed,
                total: self.total,
            },
            credits: OperationCredits {
                charged: self.charged,
                refunded: self.refunded,
            },
            resource_type: self.resource_type,
            resource_id: self.resource_id,
            created_at: self.created_at,
            started_at: self.started_at,
            finished_at: self.finished_at,
        }
    }
}

/// The query that reads operations; the argument is its WHERE clause and what follows it.
macro_rules! select_operations {
    ($rest:literal) => {
        concat!(
            "SELECT o.id, o.account_id, COALESCE(w.email, a.email) AS email, o.type, o.status, o.resource_type, o.resource_id, o.completed, o.failed, \
               o.total, o.charged, o.refunded, o.created_at, o.started_at, o.finished_at \
             FROM operations o JOIN accounts a ON a.id = o.account_id LEFT JOIN accounts w ON w.id = a.sandbox_of ",
            $rest
        )
    };
}

pub(super) async fn find(pool: &Reader, id: &OperationId) -> sqlx::Result<Option<Row>> {
    sqlx::query_as(select_operations!("WHERE o.id = $1"))
        .bind(id)
        .fetch_optional(pool)
        .await
}

/// Lists operations, newest first, with one row more than the limit if there are that many. Each filter needs its own
/// statement: one for all cases could use none of the indexes.
pub(super) async fn list(pool: &Reader, filter: &OperationFilter, request: &PageRequest) -> sqlx::Result<Vec<Row>> {
    let statement = match (&filter.account, filter.open) {
        (None, false) => select_operations!("WHERE o.id < $1 ORDER BY o.id DESC LIMIT $2"),
        (None, true) => {
            select_operations!("WHERE o.finished_at IS NULL AND o.id < $1 ORDER BY o.id DESC LIMIT $2")
        }
        (Some(_), false) => {
            select_operations!("WHERE o.account_id = $3 AND o.id < $1 ORDER BY o.id DESC LIMIT $2")
        }
        (Some(_), true) => select_operations!(
            "WHERE o.account_id = $3 AND o.finished_at IS NULL AND o.id < $1 ORDER BY o.id DESC LIMIT $2"
        ),
    };
    let query = sqlx::query_as(statement).bind(request.below()).bind(request.limit + 1);
    let query = match &filter.account {
        None => query,
        Some(account) => query.bind(account),
    };
    query.fetch_all(pool).await
}

#[derive(sqlx::FromRow)]
pub(super) struct DrawingRow {
    pub id: DrawingId,
    #[sqlx(try_from = "String")]
    pub target_type: TargetType,
    pub target_id: String,
    pub title: String,
    #[sqlx(try_from = "String")]
    pub status: DrawingStatus,
    pub attempts: i64,
    pub credits: i64,
    #[sqlx(try_from = "Option<String>")]
    pub error_code: LastFailure,
    pub provider: Option<String>,
    pub model: Option<String>,
    pub cost_microdollars: i64,
    pub waits_for: Option<String>,
    /// The time until it may be claimed, in microseconds; of a running one, the time until its lease ends.
    pub due_in: i64,
    pub request: String,
    pub finished_at: Option<Timestamp>,
}

/// The drawings of an operation, in order.
pub(super) async fn drawings(
    clock: LeaseClock<'_>,
    pool: &Reader,
    operation: &OperationId,
) -> sqlx::Result<Vec<DrawingRow>> {
    clock
        .query_as(
            "SELECT id, target_type, target_id, title, status, attempts, credits, error_code, provider, model, \
               cost_microdollars, waits_for, due_at - {now} AS due_in, request, finished_at \
             FROM drawings WHERE operation_id = $2 ORDER BY position",
        )
        .bind(operation)
        .fetch_all(pool)
        .await
}
