//! The SQL of statements.
use super::{Line, Purpose};
use crate::credits::EntryKind;
use linepress_platform::clock::Timestamp;
use linepress_platform::database::{PageRequest, Reader};
use linepress_platform::ids::{AccountId, EntryId};

#[derive(sqlx::FromRow)]
pub(super) struct Row {
    id: EntryId,
    #[sqlx(try_from = "String")]
    kind: EntryKind,
    amount: i64,
    reason: String,
    created_at: Timestamp,
    operation_type: Option<String>,
    resource_type: Option<String>,
    resource_id: Option<String>,
    title: Option<String>,
}

impl Row {
    pub(super) fn into_line(self) -> sqlx::Result<Line> {
        let purpose = match (self.operation_type, self.resource_type, self.resource_id) {
            (Some(operation), Some(resource), Some(resource_id)) => Some(Purpose {
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

/// Up to one row more than the limit, which shows that there is a further page.
pub(super) async fn list(pool: &Reader, account: &AccountId, request: &PageRequest) -> sqlx::Result<Vec<Row>> {
    sqlx::query_as(
        "SELECT e.id, e.kind, e.amount, e.reason, e.created_at, o.type AS operation_type, o.resource_type, o.resource_id, \
           COALESCE(b.title, p.title, c.name) AS title \
         FROM ledger_entries e LEFT JOIN operations o ON o.id = e.operation_id \
           LEFT JOIN books b ON b.id = o.resource_id LEFT JOIN pages p ON p.id = o.resource_id \
           LEFT JOIN characters c ON c.id = o.resource_id \
         WHERE e.account_id = $1 AND e.id < $2 ORDER BY e.id DESC LIMIT $3",
    )
    .bind(account)
    .bind(request.below())
    .bind(request.limit + 1)
    .fetch_all(pool)
    .await
}
