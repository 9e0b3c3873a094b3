//! The SQL of drafts.
use sqlx::AnyExecutor;

use super::{Draft, DraftSummary, Version};
use linepress_platform::clock::Timestamp;
use linepress_platform::database::{Reader, Tx};
use linepress_platform::error::Result;
use linepress_platform::ids::{AccountId, BookId, DraftId};

pub(super) struct NewDraft<'a> {
    pub id: &'a DraftId,
    pub title: String,
    pub page_count: i64,
    pub contents: String,
    pub version: Version,
    pub order_key: String,
    pub theme: String,
}

/// The time of a change, and the time when the draft expires unless it is changed again.
#[derive(Clone, Copy)]
pub(super) struct Times {
    pub now: Timestamp,
    pub expires_at: Timestamp,
}

pub(super) async fn insert(tx: &mut Tx, account: &AccountId, new: &NewDraft<'_>, times: Times) -> sqlx::Result<()> {
    sqlx::query(
        "INSERT INTO drafts (id, account_id, title, page_count, book, version, order_key, created_at, updated_at, expires_at, \
           theme) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8, $9, $10)",
    )
    .bind(new.id)
    .bind(account)
    .bind(&new.title)
    .bind(new.page_count)
    .bind(&new.contents)
    .bind(new.version.as_str())
    .bind(&new.order_key)
    .bind(times.now)
    .bind(times.expires_at)
    .bind(&new.theme)
    .execute(&mut **tx)
    .await?;
    Ok(())
}

/// The books of the account's drafts that are not ordered, as JSON, the most recently changed first.
pub(super) async fn books(pool: &Reader, account: &AccountId, limit: i64) -> sqlx::Result<Vec<String>> {
    sqlx::query_scalar(
        "SELECT book FROM drafts WHERE account_id = $1 AND ordered_book_id IS NULL ORDER BY updated_at DESC LIMIT $2",
    )
    .bind(account)
    .bind(limit)
    .fetch_all(pool)
    .await
}

/// The themes of the account's drafts that are not ordered, the most recently changed first.
pub(super) async fn themes(pool: &Reader, account: &AccountId, limit: i64) -> sqlx::Result<Vec<String>> {
    sqlx::query_scalar(
        "SELECT theme FROM drafts WHERE account_id = $1 AND ordered_book_id IS NULL AND theme <> '' \
         ORDER BY updated_at DESC LIMIT $2",
    )
    .bind(account)
    .bind(limit)
    .fetch_all(pool)
    .await
}

/// The number of the account's drafts that are not ordered.
pub(super) async fn count(tx: &mut Tx, account: &AccountId) -> sqlx::Result<i64> {
    sqlx::query_scalar("SELECT COUNT(*) FROM drafts WHERE account_id = $1 AND ordered_book_id IS NULL")
        .bind(account)
        .fetch_one(&mut **tx)
        .await
}

pub(super) async fn list(pool: &Reader, account: &AccountId, limit: i64) -> sqlx::Result<Vec<DraftSummary>> {
    sqlx::query_as(
        "SELECT id, title, page_count, updated_at FROM drafts WHERE account_id = $1 AND ordered_book_id IS NULL \
         ORDER BY updated_at DESC LIMIT $2",
    )
    .bind(account)
    .bind(limit)
    .fetch_all(pool)
    .await
}

#[derive(sqlx::FromRow)]
pub(super) struct DraftRow {
    book: String,
    version: String,
    ordered_book_id: Option<BookId>,
}

impl DraftRow {
    /// The book of the draft as it is stored.
    pub(super) fn contents(&self) -> &str {
        &self.book
    }

    pub(super) fn into_draft(self) -> Result<Draft> {
        Ok(Draft {
            book: serde_json::from_str(&self.book)?,
            version: Version(self.version),
            ordered: self.ordered_book_id,
        })
    }
}

pub(super) async fn find<'e>(
    executor: impl AnyExecutor<'e>,
    account: &AccountId,
    id: &DraftId,
) -> sqlx::Result<Option<DraftRow>> {
    sqlx::query_as("SELECT book, version, ordered_book_id FROM drafts WHERE account_id = $1 AND id = $2")
        .bind(account)
        .bind(id)
        .fetch_optional(executor)
        .await
}

pub(super) struct Changed<'a> {
    pub title: String,
    pub page_count: i64,
    pub contents: String,
    pub seen: &'a Version,
    pub own: &'a Version,
}

/// Saves the draft if its version is the one seen by the browser page, or the page's own. Returns false otherwise, and
/// if the draft does not exist or was ordered.
pub(super) async fn update(
    tx: &mut Tx,
    account: &AccountId,
    id: &DraftId,
    changed: &Changed<'_>,
    times: Times,
) -> sqlx::Result<bool> {
    let done = sqlx::query(
        "UPDATE drafts SET title = $1, page_count = $2, book = $3, version = $4, updated_at = $5, expires_at = $9 \
         WHERE account_id = $6 AND id = $7 AND ordered_book_id IS NULL AND version IN ($4, $8) AND $4 <> ''",
    )
    .bind(&changed.title)
    .bind(changed.page_count)
    .bind(&changed.contents)
    .bind(changed.own.as_str())
    .bind(times.now)
    .bind(account)
    .bind(id)
    .bind(changed.seen.as_str())
    .bind(times.expires_at)
    .execute(&mut **tx)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// New contents of a draft that has the same title and the same number of pages afterwards.
pub(super) struct Replacement {
    /// The contents that are replaced.
    pub before: String,
    pub contents: String,
    pub version: Version,
}

/// Replaces the contents of a draft. Returns false if it has other contents by now, was deleted or was ordered.
pub(super) async fn replace_contents(
    tx: &mut Tx,
    account: &AccountId,
    id: &DraftId,
    new: &Replacement,
    times: Times,
) -> sqlx::Result<bool> {
    let done = sqlx::query(
        "UPDATE drafts SET book = $1, version = $2, updated_at = $3, expires_at = $4 \
         WHERE account_id = $5 AND id = $6 AND ordered_book_id IS NULL AND book = $7",
    )
    .bind(&new.contents)
    .bind(new.version.as_str())
    .bind(times.now)
    .bind(times.expires_at)
    .bind(account)
    .bind(id)
    .bind(&new.before)
    .execute(&mut **tx)
    .await?;
    Ok(done.rows_affected() == 1)
}

pub(super) async fn order_key(pool: &Reader, account: &AccountId, id: &DraftId) -> sqlx::Result<Option<String>> {
    sqlx::query_scalar("SELECT order_key FROM drafts WHERE account_id = $1 AND id = $2")
        .bind(account)
        .bind(id)
        .fetch_optional(pool)
        .await
}

pub(super) async fn mark_ordered(
    tx: &mut Tx,
    account: &AccountId,
    id: &DraftId,
    book: &BookId,
    expires_at: Timestamp,
) -> sqlx::Result<()> {
    sqlx::query("UPDATE drafts SET ordered_book_id = $1, expires_at = $2 WHERE account_id = $3 AND id = $4")
        .bind(book)
        .bind(expires_at)
        .bind(account)
        .bind(id)
        .execute(&mut **tx)
        .await?;
    Ok(())
}

/// Deletes the draft. Returns false when the account has no such draft.
pub(super) async fn delete(tx: &mut Tx, account: &AccountId, id: &DraftId) -> sqlx::Result<bool> {
    let done = sqlx::query("DELETE FROM drafts WHERE account_id = $1 AND id = $2")
        .bind(account)
        .bind(id)
        .execute(&mut **tx)
        .await?;
    Ok(done.rows_affected() == 1)
}

pub(super) async fn delete_expired(tx: &mut Tx, now: Timestamp) -> sqlx::Result<u64> {
    let done = sqlx::query("DELETE FROM drafts WHERE expires_at <= $1")
        .bind(now)
        .execute(&mut **tx)
        .await?;
    Ok(done.rows_affected())
}
