//! The SQL of the outbox.
use super::{ClaimedMail, MailKind, OldMail, Recipient};
use linepress_platform::clock::Timestamp;
use linepress_platform::database::{Reader, Tx};
use linepress_platform::ids::{MailId, OperationId};

/// Inserts a mail, unless it is for a sandbox: tests cause no mails.
pub(super) async fn insert(
    tx: &mut Tx,
    id: &MailId,
    kind: MailKind,
    to: Recipient<'_>,
    operation: Option<&OperationId>,
    now: Timestamp,
) -> sqlx::Result<()> {
    let (account, address) = match to {
        Recipient::Account(account) => (Some(account.as_str()), None),
        Recipient::Address(address) => (None, Some(address)),
    };
    sqlx::query(
        "INSERT INTO mails (id, kind, account_id, address, operation_id, due_at, created_at) \
         SELECT $1, $2, $3, $4, $5, $6, $6 \
         WHERE NOT EXISTS (SELECT 1 FROM accounts WHERE id = $3 AND sandbox_of IS NOT NULL)",
    )
    .bind(id)
    .bind(kind.as_str())
    .bind(account)
    .bind(address)
    .bind(operation.map(OperationId::as_str))
    .bind(now)
    .execute(&mut **tx)
    .await?;
    Ok(())
}

/// Returns true when a mail is due. Idle servers ask often, and a claim would wait for the writing connection.
pub(super) async fn is_any_due(pool: &Reader, now: Timestamp) -> sqlx::Result<bool> {
    let due: Option<i64> = sqlx::query_scalar("SELECT due_at FROM mails WHERE due_at <= $1 LIMIT 1")
        .bind(now)
        .fetch_optional(pool)
        .await?;
    Ok(due.is_some())
}

/// Claims a mail until this time. The outer condition is checked again after another node's claim of the same mail was
/// waited for.
pub(super) async fn claim(tx: &mut Tx, now: Timestamp, until: Timestamp) -> sqlx::Result<Option<ClaimedMail>> {
    sqlx::query_as(
        "UPDATE mails SET due_at = $2, attempts = attempts + 1 \
         WHERE due_at <= $1 AND id = (SELECT id FROM mails WHERE due_at <= $1 ORDER BY due_at, id LIMIT 1) \
         RETURNING id, kind, account_id, address, operation_id, attempts, created_at",
    )
    .bind(now)
    .bind(until)
    .fetch_optional(&mut **tx)
    .await
}

pub(super) async fn delete(tx: &mut Tx, mail: &ClaimedMail) -> sqlx::Result<()> {
    sqlx::query("DELETE FROM mails WHERE id = $1 AND attempts = $2")
        .bind(&mail.id)
        .bind(mail.attempts)
        .execute(&mut **tx)
        .await?;
    Ok(())
}

/// Deletes and returns the mails that were inserted up to this time.
pub(super) async fn delete_old(tx: &mut Tx, until: Timestamp) -> sqlx::Result<Vec<OldMail>> {
    sqlx::query_as("DELETE FROM mails WHERE created_at <= $1 RETURNING id, kind")
        .bind(until)
        .fetch_all(&mut **tx)
        .await
}

pub(super) async fn put_off(tx: &mut Tx, mail: &ClaimedMail, due_at: Timestamp) -> sqlx::Result<()> {
    sqlx::query("UPDATE mails SET due_at = $1 WHERE id = $2 AND attempts = $3")
        .bind(due_at)
        .bind(&mail.id)
        .bind(mail.attempts)
        .execute(&mut **tx)
        .await?;
    Ok(())
}

pub(super) async fn count(pool: &Reader) -> sqlx::Result<i64> {
    sqlx::query_scalar("SELECT COUNT(*) FROM mails").fetch_one(pool).await
}
