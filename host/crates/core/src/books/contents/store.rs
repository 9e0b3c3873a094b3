//! The SQL of the pages of a book and their order.
use sqlx::AssertSqlSafe;

use crate::books::store::{BookRow, find};
use linepress_platform::clock::Timestamp;
use linepress_platform::database::{Tx, value_rows};
use linepress_platform::ids::{AccountId, BookId, PageId};

/// Updates the time of the last change and locks the book's list of pages until the transaction ends. None if the book
/// does not exist.
pub(super) async fn lock(
    tx: &mut Tx,
    account: &AccountId,
    id: &BookId,
    now: Timestamp,
) -> sqlx::Result<Option<BookRow>> {
    let done = sqlx::query("UPDATE books SET updated_at = $1 WHERE account_id = $2 AND id = $3")
        .bind(now.microseconds())
        .bind(account.as_str())
        .bind(id.as_str())
        .execute(&mut **tx)
        .await?;
    if done.rows_affected() == 0 {
        return Ok(None);
    }
    find(&mut **tx, account, id).await
}

/// The ids of the book's pages in order, each with its stored position.
pub(super) async fn positions(tx: &mut Tx, book: &BookId) -> sqlx::Result<Vec<(PageId, i64)>> {
    sqlx::query_as("SELECT page_id, position FROM book_pages WHERE book_id = $1 ORDER BY position, page_id")
        .bind(book.as_str())
        .fetch_all(&mut **tx)
        .await
}

/// Stores new positions of pages of the book.
pub(super) async fn set_positions(tx: &mut Tx, book: &BookId, moved: &[(&PageId, i64)]) -> sqlx::Result<()> {
    for some in moved.chunks(500) {
        let statement = format!(
            "WITH moved (page_id, position) AS (VALUES {}) UPDATE book_pages SET position = moved.position FROM moved \
             WHERE book_pages.book_id = $1 AND book_pages.page_id = moved.page_id",
            value_rows(2, 2, some.len(), "")
        );
        let mut query = sqlx::query(AssertSqlSafe(statement)).bind(book);
        for (page, position) in some {
            query = query.bind(*page).bind(*position);
        }
        query.execute(&mut **tx).await?;
    }
    Ok(())
}

/// Removes the page from the book. Returns false when it is not in the book.
pub(super) async fn detach(tx: &mut Tx, book: &BookId, page: &PageId) -> sqlx::Result<bool> {
    let done = sqlx::query("DELETE FROM book_pages WHERE book_id = $1 AND page_id = $2")
        .bind(book.as_str())
        .bind(page.as_str())
        .execute(&mut **tx)
        .await?;
    Ok(done.rows_affected() == 1)
}

/// Adds the page to the book. Returns false when the page was deleted meanwhile; the transaction is then unusable.
pub(super) async fn attach(tx: &mut Tx, book: &BookId, page: &PageId, position: i64) -> sqlx::Result<bool> {
    let done = sqlx::query("INSERT INTO book_pages (book_id, page_id, position) VALUES ($1, $2, $3)")
        .bind(book.as_str())
        .bind(page.as_str())
        .bind(position)
        .execute(&mut **tx)
        .await;
    unless_deleted(done)
}

/// Adds all pages of a new book, in order. Returns false when one was deleted meanwhile; the transaction is then
/// unusable.
pub(in crate::books) async fn attach_all(tx: &mut Tx, book: &BookId, pages: &[PageId]) -> sqlx::Result<bool> {
    let places: Vec<_> = (1_i64..).zip(pages).collect();
    for some in places.chunks(500) {
        let statement = format!(
            "INSERT INTO book_pages (book_id, page_id, position) VALUES {}",
            value_rows(1, 3, some.len(), "")
        );
        let mut query = sqlx::query(AssertSqlSafe(statement));
        for (position, page) in some {
            query = query.bind(book).bind(*page).bind(*position);
        }
        if !unless_deleted(query.execute(&mut **tx).await)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Converts a foreign key violation to false: the row that the insertion refers to was deleted.
fn unless_deleted<T>(done: sqlx::Result<T>) -> sqlx::Result<bool> {
    match done {
        Err(sqlx::Error::Database(error)) if error.is_foreign_key_violation() => Ok(false),
        done => done.map(|_| true),
    }
}
