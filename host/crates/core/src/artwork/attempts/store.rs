//! The SQL of attempts.
use std::collections::HashMap;

use sqlx::{AnyExecutor, AssertSqlSafe};

use super::{Chosen, NewAttempt, StoredAttempt};
use linepress_platform::clock::Timestamp;
use linepress_platform::database::{PageRequest, Reader, Tx, placeholders};
use linepress_platform::ids::{AccountId, ArtworkId, AttemptId, BookId, OperationId, PageId};

/// Lists the attempts of a target, newest first, with one row more than the limit if there are that many. A picture of
/// an attempt never changes, so its revision is always the first.
pub(super) async fn list<'e>(
    executor: impl AnyExecutor<'e>,
    target: &str,
    request: &PageRequest,
) -> sqlx::Result<Vec<StoredAttempt>> {
    sqlx::query_as(
        "SELECT t.id, t.origin, t.prompt, t.note, t.created_at, t.replaced_at, CAST(1 AS BIGINT) AS revision, \
           a.width, a.height, a.media_type, a.byte_size, a.measures, a.faults \
         FROM attempts t JOIN artworks a ON a.id = t.artwork_id \
         WHERE t.target_id = $1 AND t.id < $2 ORDER BY t.id DESC LIMIT $3",
    )
    .bind(target)
    .bind(request.below())
    .bind(request.limit + 1)
    .fetch_all(executor)
    .await
}

/// The key and the media type of the picture of an attempt.
pub(super) async fn image_key(pool: &Reader, target: &str, id: &AttemptId) -> sqlx::Result<Option<(String, String)>> {
    sqlx::query_as(
        "SELECT a.image_key, a.media_type FROM attempts t JOIN artworks a ON a.id = t.artwork_id \
         WHERE t.id = $1 AND t.target_id = $2",
    )
    .bind(id)
    .bind(target)
    .fetch_optional(pool)
    .await
}

/// The notes of the chosen attempts of these pages. Pages without a note are missing.
pub(super) async fn page_notes(
    pool: &Reader,
    account: &AccountId,
    pages: &[PageId],
) -> sqlx::Result<HashMap<PageId, String>> {
    let mut notes = HashMap::new();
    for some in pages.chunks(500) {
        let statement = format!(
            "SELECT target_id, note FROM attempts \
             WHERE replaced_at IS NULL AND account_id = $1 AND note IS NOT NULL AND target_id IN ({})",
            placeholders(2, some.len())
        );
        let mut query = sqlx::query_as(AssertSqlSafe(statement)).bind(account);
        for page in some {
            query = query.bind(page);
        }
        let rows: Vec<(PageId, String)> = query.fetch_all(pool).await?;
        notes.extend(rows);
    }
    Ok(notes)
}

/// The number of chosen attempts of a page that were drawn from a photograph; 0 if the page was changed later than its
/// picture, which its attempts record. The key of a drawn picture is `drawings/` and the id of its drawing job, which
/// has 31 characters.
pub(super) async fn count_unedited_from_photographs(
    pool: &Reader,
    account: &AccountId,
    page: &PageId,
) -> sqlx::Result<i64> {
    sqlx::query_scalar(
        "SELECT COUNT(*) FROM attempts t JOIN artworks a ON a.id = t.artwork_id \
         JOIN drawings d ON d.id = substr(a.image_key, 10, 31) JOIN pages p ON p.id = t.target_id \
         WHERE t.target_id = $1 AND t.replaced_at IS NULL AND t.account_id = $2 AND d.source_bytes > 0 \
           AND p.updated_at <= (SELECT MAX(COALESCE(replaced_at, created_at)) FROM attempts WHERE target_id = $1)",
    )
    .bind(page)
    .bind(account)
    .fetch_one(pool)
    .await
}

/// The style of a cover's attempt is that of the cover, which the transaction has changed already.
pub(super) async fn insert(tx: &mut Tx, id: &AttemptId, new: &NewAttempt<'_>, now: Timestamp) -> sqlx::Result<()> {
    let NewAttempt {
        account,
        target,
        artwork,
        origin,
        prompt,
        seed,
        note,
        operation,
        is_chosen,
    } = new;
    sqlx::query(
        "INSERT INTO attempts (id, account_id, target_id, artwork_id, origin, prompt, seed, note, created_at, operation_id, \
           replaced_at, style) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, \
           (SELECT cover_style FROM books WHERE id = $3))",
    )
    .bind(id)
    .bind(*account)
    .bind(target.id())
    .bind(*artwork)
    .bind(origin.as_str())
    .bind(*prompt)
    .bind(*seed)
    .bind(*note)
    .bind(now)
    .bind(*operation)
    .bind((!is_chosen).then_some(now))
    .execute(&mut **tx)
    .await?;
    Ok(())
}

/// Inserts a copy of the chosen attempt of a target for another target, with other artwork.
pub(super) async fn copy_chosen(
    tx: &mut Tx,
    from: &str,
    (id, to): (&AttemptId, &str),
    artwork: &ArtworkId,
) -> sqlx::Result<()> {
    sqlx::query(
        "INSERT INTO attempts (id, account_id, target_id, artwork_id, origin, prompt, seed, note, created_at, operation_id, \
           style) \
         SELECT $1, account_id, $2, $3, origin, prompt, seed, note, created_at, operation_id, style FROM attempts \
         WHERE target_id = $4 AND replaced_at IS NULL",
    )
    .bind(id)
    .bind(to)
    .bind(artwork)
    .bind(from)
    .execute(&mut **tx)
    .await?;
    Ok(())
}

/// Records the present style of a cover with its chosen attempt.
pub(super) async fn keep_style(tx: &mut Tx, cover: &BookId) -> sqlx::Result<()> {
    sqlx::query(
        "UPDATE attempts SET style = (SELECT cover_style FROM books WHERE id = $1) \
         WHERE target_id = $1 AND replaced_at IS NULL",
    )
    .bind(cover)
    .execute(&mut **tx)
    .await?;
    Ok(())
}

/// Records that the chosen attempt of the target is not chosen any more. Returns its prompt and its style.
pub(super) async fn replace_chosen(
    tx: &mut Tx,
    target: &str,
    now: Timestamp,
) -> sqlx::Result<Option<(String, Option<String>)>> {
    sqlx::query_as(
        "UPDATE attempts SET replaced_at = $1 WHERE target_id = $2 AND replaced_at IS NULL RETURNING prompt, style",
    )
    .bind(now)
    .bind(target)
    .fetch_optional(&mut **tx)
    .await
}

/// Returns whether the chosen attempt of the target was drawn by this operation.
pub(super) async fn shows_drawing_of(tx: &mut Tx, target: &str, operation: &OperationId) -> sqlx::Result<bool> {
    let found: Option<AttemptId> = sqlx::query_scalar(
        "SELECT id FROM attempts WHERE target_id = $1 AND replaced_at IS NULL AND operation_id = $2",
    )
    .bind(target)
    .bind(operation)
    .fetch_optional(&mut **tx)
    .await?;
    Ok(found.is_some())
}

/// Returns whether the attempt is the chosen one. None if the target has no such attempt.
pub(super) async fn is_chosen(tx: &mut Tx, target: &str, id: &AttemptId) -> sqlx::Result<Option<bool>> {
    let replaced_at: Option<Option<Timestamp>> =
        sqlx::query_scalar("SELECT replaced_at FROM attempts WHERE id = $1 AND target_id = $2")
            .bind(id)
            .bind(target)
            .fetch_optional(&mut **tx)
            .await?;
    Ok(replaced_at.map(|replaced_at| replaced_at.is_none()))
}

/// Makes the attempt the chosen one; no other may be. None if the target has no such attempt.
pub(super) async fn choose(tx: &mut Tx, target: &str, id: &AttemptId) -> sqlx::Result<Option<Chosen>> {
    sqlx::query_as(
        "UPDATE attempts SET replaced_at = NULL WHERE id = $1 AND target_id = $2 \
         RETURNING artwork_id, origin, prompt, seed, style",
    )
    .bind(id)
    .bind(target)
    .fetch_optional(&mut **tx)
    .await
}

/// The attempts of the target that are not chosen, the one that was shown last first.
pub(super) async fn replaced(tx: &mut Tx, target: &str) -> sqlx::Result<Vec<AttemptId>> {
    sqlx::query_scalar(
        "SELECT id FROM attempts WHERE target_id = $1 AND replaced_at IS NOT NULL ORDER BY replaced_at DESC, id DESC",
    )
    .bind(target)
    .fetch_all(&mut **tx)
    .await
}

/// Up to `limit` attempts of the account that are not chosen, those first that have not been shown for the longest
/// time.
pub(super) async fn longest_replaced(tx: &mut Tx, account: &AccountId, limit: i64) -> sqlx::Result<Vec<AttemptId>> {
    sqlx::query_scalar(
        "SELECT id FROM attempts WHERE account_id = $1 AND replaced_at IS NOT NULL ORDER BY replaced_at, id LIMIT $2",
    )
    .bind(account)
    .bind(limit)
    .fetch_all(&mut **tx)
    .await
}

/// Up to `limit` attempts that were replaced before this moment, each with its account.
pub(super) async fn replaced_before(
    pool: &Reader,
    moment: Timestamp,
    limit: i64,
) -> sqlx::Result<Vec<(AttemptId, AccountId)>> {
    sqlx::query_as(
        "SELECT id, account_id FROM attempts WHERE replaced_at IS NOT NULL AND replaced_at < $1 \
         ORDER BY replaced_at LIMIT $2",
    )
    .bind(moment)
    .bind(limit)
    .fetch_all(pool)
    .await
}

/// Deletes the attempt unless it is chosen. Returns its artwork.
pub(super) async fn delete_replaced(tx: &mut Tx, id: &AttemptId) -> sqlx::Result<Option<ArtworkId>> {
    sqlx::query_scalar("DELETE FROM attempts WHERE id = $1 AND replaced_at IS NOT NULL RETURNING artwork_id")
        .bind(id)
        .fetch_optional(&mut **tx)
        .await
}

/// Deletes all attempts of the target. Returns their artwork.
pub(super) async fn delete_of(tx: &mut Tx, target: &str) -> sqlx::Result<Vec<ArtworkId>> {
    sqlx::query_scalar("DELETE FROM attempts WHERE target_id = $1 RETURNING artwork_id")
        .bind(target)
        .fetch_all(&mut **tx)
        .await
}

/// Deletes the attempts of the account that are not chosen. Returns their artwork.
pub(super) async fn delete_replaced_of(tx: &mut Tx, account: &AccountId) -> sqlx::Result<Vec<ArtworkId>> {
    sqlx::query_scalar("DELETE FROM attempts WHERE account_id = $1 AND replaced_at IS NOT NULL RETURNING artwork_id")
        .bind(account)
        .fetch_all(&mut **tx)
        .await
}
