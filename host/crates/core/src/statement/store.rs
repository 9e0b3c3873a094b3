//! The SQL of statements.
use super::{Line, Purpose, UsageLine};
use linepress_accounts::credits::EntryKind;
use linepress_platform::clock::Timestamp;
use linepress_platform::database::{PageRequest, Reader};
use linepress_platform::ids::{AccountId, EntryId, OperationId};

#[derive(sqlx::FromRow)]
pub(super) struct Row {
    id: EntryId,
    #[sqlx(try_from = "String")]
    kind: EntryKind,
    amount: i64,
    reason: String,
    created_at: Timestamp,
    operation_id: Option<OperationId>,
    operation_type: Option<String>,
    resource_type: Option<String>,
    resource_id: Option<String>,
    title: Option<String>,
}

impl Row {
    pub(super) fn into_line(self) -> sqlx::Result<Line> {
        let operation = self.operation_id.zip(self.operation_type);
        let purpose = match (operation, self.resource_type, self.resource_id) {
            (Some((operation_id, operation)), Some(resource), Some(resource_id)) => Some(Purpose {
                operation_id,
                operation: operation
                    .try_into()
                    .map_err(|error| sqlx::Error::Decode(Box::new(error)))?,
                resource: resource
                    .try_into()
                    .map_err(|error| sqlx::Error::Decode(Box::new(error)))?,
                resource_id,
                title: self.title,
            }),
            _ => None,
        };
        Ok(Line {
            id: self.id,
            kind: self.kind,
            amount: self.amount,
            purpose,
            reason: self.reason,
            created_at: self.created_at,
        })
    }
}

/// Up to one row more than the limit, which shows that there is a further page. `ids` are the bounds of a month.
pub(super) async fn list(
    pool: &Reader,
    account: &AccountId,
    ids: Option<(EntryId, EntryId)>,
    request: &PageRequest,
) -> sqlx::Result<Vec<Row>> {
    let (from, to) = ids.unzip();
    let below = to
        .as_ref()
        .map_or(request.below(), |to| to.as_str().min(request.below()));
    sqlx::query_as(
        "SELECT e.id, e.kind, e.amount, e.reason, e.created_at, o.id AS operation_id, \
           o.type AS operation_type, o.resource_type, o.resource_id, COALESCE(b.title, p.title, c.name) AS title \
         FROM ledger_entries e LEFT JOIN operations o ON o.id = e.operation_id \
           LEFT JOIN books b ON b.id = o.resource_id LEFT JOIN pages p ON p.id = o.resource_id \
           LEFT JOIN characters c ON c.id = o.resource_id \
         WHERE e.account_id = $1 AND e.id < $2 AND e.id >= $4 ORDER BY e.id DESC LIMIT $3",
    )
    .bind(account)
    .bind(below)
    .bind(request.limit + 1)
    .bind(from.as_ref().map_or("", |from| from.as_str()))
    .fetch_all(pool)
    .await
}

/// The sums of the entries with ids within these bounds.
pub(super) async fn usage(
    pool: &Reader,
    account: &AccountId,
    (from, to): (EntryId, EntryId),
) -> sqlx::Result<Vec<UsageLine>> {
    sqlx::query_as(
        "SELECT e.kind, o.type AS operation_type, COUNT(*) AS entries, CAST(SUM(e.amount) AS BIGINT) AS amount \
         FROM ledger_entries e LEFT JOIN operations o ON o.id = e.operation_id \
         WHERE e.account_id = $1 AND e.id >= $2 AND e.id < $3 GROUP BY e.kind, o.type ORDER BY e.kind, o.type",
    )
    .bind(account)
    .bind(from)
    .bind(to)
    .fetch_all(pool)
    .await
}
