//! The SQL of review links.
use super::ReviewLink;
use linepress_platform::clock::Timestamp;
use linepress_platform::database::{PageRequest, Reader, Tx};
use linepress_platform::ids::{AccountId, BookId, ReviewLinkId};

/// A link that works, as a visit needs it.
#[derive(Clone, Debug, sqlx::FromRow)]
pub(crate) struct WorkingLink {
    pub id: ReviewLinkId,
    pub account_id: AccountId,
    pub book_id: BookId,
    pub expires_at: Timestamp,
    pub last_opened_at: Option<Timestamp>,
}

/// Lists the links to a book, newest first, with one row more than the limit if there are that many.
pub(super) async fn list(pool: &Reader, book: &BookId, request: &PageRequest) -> sqlx::Result<Vec<ReviewLink>> {
    sqlx::query_as(
        "SELECT l.id, l.book_id, l.name, l.created_at, l.expires_at, l.withdrawn_at, l.last_opened_at, \
           (SELECT COUNT(*) FROM review_comments c WHERE c.link_id = l.id) AS comments, \
           (SELECT COUNT(*) FROM review_comments c WHERE c.link_id = l.id AND c.resolved_at IS NULL) AS unresolved_comments \
         FROM review_links l WHERE l.book_id = $1 AND l.id < $2 ORDER BY l.id DESC LIMIT $3",
    )
    .bind(book)
    .bind(request.below())
    .bind(request.limit + 1)
    .fetch_all(pool)
    .await
}

/// The number of links to a book that work.
pub(super) async fn count_working(tx: &mut Tx, book: &BookId, now: Timestamp) -> sqlx::Result<i64> {
    sqlx::query_scalar(
        "SELECT COUNT(*) FROM review_links WHERE book_id = $1 AND withdrawn_at IS NULL AND expires_at > $2",
    )
    .bind(book)
    .bind(now)
    .fetch_one(&mut **tx)
    .await
}

/// Deletes the links to a book that do not work any more, except for the newest ones.
pub(super) async fn trim_ended(tx: &mut Tx, book: &BookId, now: Timestamp, kept: i64) -> sqlx::Result<()> {
    // A clause `OFFSET` needs a limit. A book never has as many links.
    const MAX_ROWS: i64 = 1_000;
    sqlx::query(
        "DELETE FROM review_links WHERE id IN \
           (SELECT id FROM review_links WHERE book_id = $1 AND (withdrawn_at IS NOT NULL OR expires_at <= $2) \
            ORDER BY id DESC LIMIT $3 OFFSET $4)",
    )
    .bind(book)
    .bind(now)
    .bind(MAX_ROWS)
    .bind(kept)
    .execute(&mut **tx)
    .await?;
    Ok(())
}

pub(super) async fn insert(tx: &mut Tx, account: &AccountId, link: &ReviewLink, token_hash: &str) -> sqlx::Result<()> {
    sqlx::query(
        "INSERT INTO review_links (id, account_id, book_id, token_hash, name, created_at, expires_at) \
         VALUES ($1, $2, $3, $4, $5, $6, $7)",
    )
    .bind(&link.id)
    .bind(account)
    .bind(&link.book_id)
    .bind(token_hash)
    .bind(&link.name)
    .bind(link.created_at)
    .bind(link.expires_at)
    .execute(&mut **tx)
    .await?;
    Ok(())
}

/// Withdraws a link of the account to a book that is not in the bin. Returns false if there is none.
pub(super) async fn withdraw(
    tx: &mut Tx,
    account: &AccountId,
    id: &ReviewLinkId,
    now: Timestamp,
) -> sqlx::Result<bool> {
    let done = sqlx::query(
        "UPDATE review_links SET withdrawn_at = COALESCE(withdrawn_at, $1) WHERE id = $2 AND account_id = $3 \
           AND EXISTS (SELECT 1 FROM books b WHERE b.id = review_links.book_id)",
    )
    .bind(now)
    .bind(id)
    .bind(account)
    .execute(&mut **tx)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// The link with this token if it works, unless its account is suspended or closed, or its book is in the bin.
pub(super) async fn find_working(pool: &Reader, token_hash: &str, now: Timestamp) -> sqlx::Result<Option<WorkingLink>> {
    sqlx::query_as(
        "SELECT l.id, l.account_id, l.book_id, l.expires_at, l.last_opened_at FROM review_links l \
           JOIN accounts a ON a.id = l.account_id JOIN books b ON b.id = l.book_id \
         WHERE l.token_hash = $1 AND l.withdrawn_at IS NULL AND l.expires_at > $2 \
           AND a.closed_at IS NULL AND a.suspended_at IS NULL",
    )
    .bind(token_hash)
    .bind(now)
    .fetch_optional(pool)
    .await
}

/// Locks a link until the transaction ends. Returns false if it does not work any more.
pub(super) async fn lock_working(tx: &mut Tx, id: &ReviewLinkId, now: Timestamp) -> sqlx::Result<bool> {
    let done = sqlx::query(
        "UPDATE review_links SET expires_at = expires_at WHERE id = $1 AND withdrawn_at IS NULL AND expires_at > $2",
    )
    .bind(id)
    .bind(now)
    .execute(&mut **tx)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Records that the link was opened, unless that was recorded since `last`.
pub(super) async fn record_opening(
    tx: &mut Tx,
    id: &ReviewLinkId,
    now: Timestamp,
    last: Timestamp,
) -> sqlx::Result<()> {
    sqlx::query(
        "UPDATE review_links SET last_opened_at = $1 WHERE id = $2 AND (last_opened_at IS NULL OR last_opened_at <= $3)",
    )
    .bind(now)
    .bind(id)
    .bind(last)
    .execute(&mut **tx)
    .await?;
    Ok(())
}

/// Deletes links that expired until the time `$1`, the oldest first and at most `$2`.
pub(super) const DELETE_EXPIRED: &str = "DELETE FROM review_links WHERE id IN \
       (SELECT id FROM review_links WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2)";
