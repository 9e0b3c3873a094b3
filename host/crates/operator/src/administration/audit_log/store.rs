//! The SQL of the audit log.
use super::{AuditEntry, AuditTarget};
use crate::administration::Actor;
use linepress_platform::clock::Timestamp;
use linepress_platform::database::{PageRequest, Reader, Tx};
use linepress_platform::error::Result;
use linepress_platform::ids::{AccountId, AuditId, KeyId};

/// An entry to be written.
pub(super) struct NewRow<'a> {
    pub id: AuditId,
    pub at: Timestamp,
    pub action: String,
    pub target_type: AuditTarget,
    pub target_id: &'a str,
    pub details: String,
}

pub(super) async fn insert(tx: &mut Tx, actor: &Actor, row: &NewRow<'_>) -> sqlx::Result<()> {
    sqlx::query(
        "INSERT INTO audit_log (id, at, account_id, key_id, address, action, target_type, target_id, details) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
    )
    .bind(&row.id)
    .bind(row.at)
    .bind(actor.account_id().map(AccountId::as_str))
    .bind(actor.key_id().map(KeyId::as_str))
    .bind(actor.address().map(|address| address.to_string()))
    .bind(&row.action)
    .bind(row.target_type.as_str())
    .bind(row.target_id)
    .bind(&row.details)
    .execute(&mut **tx)
    .await?;
    Ok(())
}

#[derive(sqlx::FromRow)]
pub(super) struct Row {
    pub id: AuditId,
    at: Timestamp,
    account_id: Option<AccountId>,
    email: Option<String>,
    key_id: Option<KeyId>,
    address: Option<String>,
    action: String,
    #[sqlx(try_from = "String")]
    target_type: AuditTarget,
    target_id: String,
    details: String,
}

impl Row {
    pub(super) fn into_entry(self) -> Result<AuditEntry> {
        Ok(AuditEntry {
            details: serde_json::from_str(&self.details)?,
            id: self.id,
            at: self.at,
            operator_id: self.account_id,
            operator_email: self.email,
            key_id: self.key_id,
            address: self.address,
            action: self.action,
            target_type: self.target_type,
            target_id: self.target_id,
        })
    }
}

/// The query that reads entries; the argument is its WHERE clause and what follows it.
macro_rules! select_entries {
    ($rest:literal) => {
        concat!(
            "SELECT l.id, l.at, l.account_id, a.email, l.key_id, l.address, l.action, l.target_type, l.target_id, l.details \
             FROM audit_log l LEFT JOIN accounts a ON a.id = l.account_id ",
            $rest
        )
    };
}

/// Lists entries, newest first, with one row more than the limit if there are that many. Each filter needs its own
/// statement: one for both cases could use neither index.
pub(super) async fn list(pool: &Reader, target: Option<&str>, request: &PageRequest) -> sqlx::Result<Vec<Row>> {
    let statement = match target {
        None => select_entries!("WHERE l.id < $1 ORDER BY l.id DESC LIMIT $2"),
        Some(_) => select_entries!("WHERE l.id < $1 AND l.target_id = $3 ORDER BY l.id DESC LIMIT $2"),
    };
    let query = sqlx::query_as(statement).bind(request.below()).bind(request.limit + 1);
    let query = match target {
        None => query,
        Some(target) => query.bind(target),
    };
    query.fetch_all(pool).await
}
