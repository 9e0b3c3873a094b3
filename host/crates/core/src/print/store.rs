//! The SQL of the cache of PDFs, in the table `editions`.
use sqlx::AnyExecutor;

use super::cache::PdfId;
use linepress_platform::clock::Timestamp;
use linepress_platform::database::Tx;
use linepress_platform::ids::{AccountId, BookId};

/// A finished PDF in the cache.
#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub(super) struct PdfRow {
    pub object_key: String,
    pub byte_size: i64,
}

/// The book's latest PDF with this name.
pub(super) async fn find<'e>(
    executor: impl AnyExecutor<'e>,
    book: &BookId,
    name: &str,
) -> sqlx::Result<Option<PdfRow>> {
    sqlx::query_as("SELECT object_key, byte_size FROM editions WHERE book_id = $1 AND name = $2")
        .bind(book)
        .bind(name)
        .fetch_optional(executor)
        .await
}

/// Records a PDF, which replaces the previous one. Returns false when the book was deleted meanwhile.
pub(super) async fn replace(tx: &mut Tx, pdf_id: &PdfId<'_>, byte_size: i64, now: Timestamp) -> sqlx::Result<bool> {
    let done = sqlx::query(
        "INSERT INTO editions (book_id, name, account_id, object_key, byte_size, made_at) VALUES ($1, $2, $3, $4, $5, $6) \
         ON CONFLICT (book_id, name) DO UPDATE \
           SET object_key = excluded.object_key, byte_size = excluded.byte_size, made_at = excluded.made_at",
    )
    .bind(pdf_id.book)
    .bind(pdf_id.name)
    .bind(pdf_id.account)
    .bind(pdf_id.key)
    .bind(byte_size)
    .bind(now)
    .execute(&mut **tx)
    .await;
    match done {
        Err(sqlx::Error::Database(error)) if error.is_foreign_key_violation() => Ok(false),
        done => done.map(|_| true),
    }
}

/// The account's PDFs, newest first.
pub(super) async fn find_by_account(tx: &mut Tx, account: &AccountId) -> sqlx::Result<Vec<PdfRow>> {
    sqlx::query_as("SELECT object_key, byte_size FROM editions WHERE account_id = $1 ORDER BY made_at DESC")
        .bind(account)
        .fetch_all(&mut **tx)
        .await
}

pub(super) async fn delete(tx: &mut Tx, account: &AccountId, key: &str) -> sqlx::Result<()> {
    sqlx::query("DELETE FROM editions WHERE account_id = $1 AND object_key = $2")
        .bind(account)
        .bind(key)
        .execute(&mut **tx)
        .await?;
    Ok(())
}

/// Deletes the rows of the book's PDFs. Returns the keys of their objects.
pub(super) async fn delete_of_book(tx: &mut Tx, book: &BookId) -> sqlx::Result<Vec<String>> {
    sqlx::query_scalar("DELETE FROM editions WHERE book_id = $1 RETURNING object_key")
        .bind(book)
        .fetch_all(&mut **tx)
        .await
}
