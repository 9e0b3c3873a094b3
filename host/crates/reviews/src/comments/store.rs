//! The SQL of comments.
use super::Comment;
use linepress_platform::clock::Timestamp;
use linepress_platform::database::{PageRequest, Reader, Tx};
use linepress_platform::ids::{AccountId, BookId, CommentId, PageId, ReviewLinkId};

/// The query that reads comments `c`; the argument is its WHERE clause and what follows it.
macro_rules! select_comments {
    ($rest:literal) => {
        concat!(
            "SELECT c.id, c.link_id, c.page_id, c.page_title, c.name, c.body, c.created_at, c.resolved_at FROM review_comments c ",
            $rest
        )
    };
}

/// Lists the comments on a book, newest first, with one row more than the limit if there are that many.
pub(super) async fn list(pool: &Reader, book: &BookId, request: &PageRequest) -> sqlx::Result<Vec<Comment>> {
    sqlx::query_as(select_comments!(
        "WHERE c.book_id = $1 AND c.id < $2 ORDER BY c.id DESC LIMIT $3"
    ))
    .bind(book)
    .bind(request.below())
    .bind(request.limit + 1)
    .fetch_all(pool)
    .await
}

/// The comments that were made with a link, in their order.
pub(super) async fn of_link(pool: &Reader, link: &ReviewLinkId) -> sqlx::Result<Vec<Comment>> {
    sqlx::query_as(select_comments!("WHERE c.link_id = $1 ORDER BY c.id"))
        .bind(link)
        .fetch_all(pool)
        .await
}

/// A comment on a book of the account that is not in the bin.
pub(super) async fn find(tx: &mut Tx, account: &AccountId, id: &CommentId) -> sqlx::Result<Option<Comment>> {
    sqlx::query_as(select_comments!(
        "WHERE c.id = $1 AND EXISTS (SELECT 1 FROM books b WHERE b.id = c.book_id AND b.account_id = $2)"
    ))
    .bind(id)
    .bind(account)
    .fetch_optional(&mut **tx)
    .await
}

/// The number of comments that were made with a link.
pub(super) async fn count(tx: &mut Tx, link: &ReviewLinkId) -> sqlx::Result<i64> {
    sqlx::query_scalar("SELECT COUNT(*) FROM review_comments WHERE link_id = $1")
        .bind(link)
        .fetch_one(&mut **tx)
        .await
}

pub(super) async fn insert(tx: &mut Tx, book: &BookId, comment: &Comment) -> sqlx::Result<()> {
    // Destructured by name, so that a new field must be stored or left out on purpose.
    let Comment {
        id,
        review_link_id,
        page_id,
        page_title,
        name,
        text,
        created_at,
        // A new comment is not resolved.
        resolved_at: _,
    } = comment;
    sqlx::query(
        "INSERT INTO review_comments (id, link_id, book_id, page_id, page_title, name, body, created_at) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
    )
    .bind(id)
    .bind(review_link_id)
    .bind(book)
    .bind(page_id.as_ref().map(PageId::as_str))
    .bind(page_title)
    .bind(name)
    .bind(text)
    .bind(*created_at)
    .execute(&mut **tx)
    .await?;
    Ok(())
}

/// Sets the time when a comment on a book of the account was resolved; None if it is not. A comment that is resolved
/// keeps its time.
pub(super) async fn set_resolved(
    tx: &mut Tx,
    account: &AccountId,
    id: &CommentId,
    at: Option<Timestamp>,
) -> sqlx::Result<()> {
    sqlx::query(
        "UPDATE review_comments SET resolved_at = CASE WHEN $1 IS NULL THEN NULL ELSE COALESCE(resolved_at, $1) END \
         WHERE id = $2 AND EXISTS (SELECT 1 FROM books b WHERE b.id = review_comments.book_id AND b.account_id = $3)",
    )
    .bind(at)
    .bind(id)
    .bind(account)
    .execute(&mut **tx)
    .await?;
    Ok(())
}

/// Deletes a comment on a book of the account that is not in the bin. Returns false if there is none.
pub(super) async fn delete(tx: &mut Tx, account: &AccountId, id: &CommentId) -> sqlx::Result<bool> {
    let done = sqlx::query(
        "DELETE FROM review_comments WHERE id = $1 \
           AND EXISTS (SELECT 1 FROM books b WHERE b.id = review_comments.book_id AND b.account_id = $2)",
    )
    .bind(id)
    .bind(account)
    .execute(&mut **tx)
    .await?;
    Ok(done.rows_affected() == 1)
}
