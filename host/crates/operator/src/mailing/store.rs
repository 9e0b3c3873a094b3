//! The SQL of notices.
use super::notices::{Notice, NoticeSettings};
use linepress_core::operations::FailureCode;
use linepress_platform::clock::Timestamp;
use linepress_platform::database::{Reader, Tx};
use linepress_platform::ids::{AccountId, BookId, OperationId};

#[derive(sqlx::FromRow)]
struct SwitchedOff {
    book_notices_off_since: Option<Timestamp>,
    credit_notices_off_since: Option<Timestamp>,
}

/// The notices that an account receives. None if there is no such account.
pub(super) async fn notices(pool: &Reader, account: &AccountId) -> sqlx::Result<Option<NoticeSettings>> {
    let row: Option<SwitchedOff> =
        sqlx::query_as("SELECT book_notices_off_since, credit_notices_off_since FROM accounts WHERE id = $1")
            .bind(account)
            .fetch_optional(pool)
            .await?;
    Ok(row.map(|row| NoticeSettings {
        book_ready: row.book_notices_off_since.is_none(),
        low_credits: row.credit_notices_off_since.is_none(),
    }))
}

/// Switches notices on and off.
pub(super) async fn set_notices(
    tx: &mut Tx,
    account: &AccountId,
    settings: NoticeSettings,
    now: Timestamp,
) -> sqlx::Result<()> {
    let off_since = |is_on: bool| (!is_on).then_some(now);
    sqlx::query("UPDATE accounts SET book_notices_off_since = $1, credit_notices_off_since = $2 WHERE id = $3")
        .bind(off_since(settings.book_ready))
        .bind(off_since(settings.low_credits))
        .bind(account)
        .execute(&mut **tx)
        .await?;
    Ok(())
}

/// Switches a notice off. Each has its own statement, because two may be switched off at the same moment.
pub(super) async fn switch_off(tx: &mut Tx, account: &AccountId, notice: Notice, now: Timestamp) -> sqlx::Result<()> {
    let statement = match notice {
        Notice::BookReady => "UPDATE accounts SET book_notices_off_since = $1 WHERE id = $2",
        Notice::LowCredits => "UPDATE accounts SET credit_notices_off_since = $1 WHERE id = $2",
    };
    sqlx::query(statement)
        .bind(now)
        .bind(account)
        .execute(&mut **tx)
        .await?;
    Ok(())
}

/// An ended operation and the book that it drew.
#[derive(sqlx::FromRow)]
pub(super) struct DrawnBook {
    pub book_id: BookId,
    pub title: String,
    pub completed: i64,
    /// Drawings that ended without a picture, including those that were canceled.
    pub failed: i64,
    /// Drawings that a person canceled, with the cover if it was not drawn without them.
    pub canceled: i64,
}

/// The book that an operation drew. None if the book was deleted since.
pub(super) async fn drawn_book(pool: &Reader, operation: &OperationId) -> sqlx::Result<Option<DrawnBook>> {
    sqlx::query_as(
        "SELECT b.id AS book_id, b.title, o.completed, o.failed, \
           (SELECT COUNT(*) FROM drawings d WHERE d.operation_id = o.id AND d.error_code IN ($2, $3)) AS canceled \
         FROM operations o JOIN books b ON b.id = o.resource_id WHERE o.id = $1",
    )
    .bind(operation)
    .bind(FailureCode::Canceled.as_str())
    .bind(FailureCode::FreeCovers.as_str())
    .fetch_optional(pool)
    .await
}
