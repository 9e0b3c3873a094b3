//! The SQL of pages.
use sqlx::AnyPool;

use super::Page;
use crate::artwork::{Audience, ImageColumns};
use crate::caller::Caller;
use crate::clock::Timestamp;
use crate::database::{PageRequest, Tx};
use crate::ids::{AccountId, ArtworkId, BookId, OperationId, PageId};

/// A page with what its resource shows of other tables.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct StoredPage {
    pub id: String,
    pub title: String,
    pub prompt: String,
    pub caption: String,
    pub aspect: String,
    pub origin: String,
    pub audience: String,
    pub status: String,
    pub error_code: Option<String>,
    pub active_operation_id: Option<String>,
    pub created_at: i64,
    pub updated_at: i64,
    #[sqlx(flatten)]
    pub image: ImageColumns,
    /// `id <unit separator> name`, joined by record separators.
    pub characters: Option<String>,
    /// Ids, joined by record separators.
    pub book_ids: Option<String>,
}

/// Reads pages `p`; what follows narrows them down.
macro_rules! select_pages {
    ($($rest:literal)*) => {
        concat!(
            "SELECT p.id, p.title, p.prompt, p.caption, p.aspect, p.origin, p.audience, p.status, p.error_code, \
               p.active_operation_id, p.created_at, p.updated_at, p.revision, a.width, a.height, a.media_type, a.byte_size, \
               (SELECT string_agg(c.id || '\u{1f}' || c.name, '\u{1e}' ORDER BY pc.position) \
                  FROM page_characters pc JOIN characters c ON c.id = pc.character_id WHERE pc.page_id = p.id) AS characters, \
               (SELECT string_agg(bp.book_id, '\u{1e}' ORDER BY bp.book_id) FROM book_pages bp WHERE bp.page_id = p.id) AS book_ids \
             FROM pages p LEFT JOIN artworks a ON a.id = p.artwork_id ",
            $($rest),*
        )
    };
}

const FIND: &str = select_pages!("WHERE p.account_id = $1 AND p.id = $2");

pub async fn find(pool: &AnyPool, account: &AccountId, id: &PageId) -> sqlx::Result<Option<StoredPage>> {
    sqlx::query_as(FIND)
        .bind(account.as_str())
        .bind(id.as_str())
        .fetch_optional(pool)
        .await
}

pub async fn find_in(tx: &mut Tx, account: &AccountId, id: &PageId) -> sqlx::Result<Option<StoredPage>> {
    sqlx::query_as(FIND)
        .bind(account.as_str())
        .bind(id.as_str())
        .fetch_optional(&mut **tx)
        .await
}

/// One row more than the limit, if there are that many.
pub async fn list(
    pool: &AnyPool,
    account: &AccountId,
    book: Option<&BookId>,
    request: &PageRequest,
) -> sqlx::Result<Vec<StoredPage>> {
    sqlx::query_as(select_pages!(
        "WHERE p.account_id = $1 AND p.id < $2 \
         AND ($3 IS NULL OR EXISTS (SELECT 1 FROM book_pages b WHERE b.page_id = p.id AND b.book_id = $3)) \
         ORDER BY p.id DESC LIMIT $4"
    ))
    .bind(account.as_str())
    .bind(request.below())
    .bind(book.map(BookId::as_str))
    .bind(request.limit + 1)
    .fetch_all(pool)
    .await
}

pub async fn insert(tx: &mut Tx, caller: &Caller, page: &Page, audience: Audience) -> sqlx::Result<()> {
    sqlx::query(
        "INSERT INTO pages (id, account_id, title, prompt, caption, aspect, origin, audience, status, active_operation_id, \
           created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $6, 'generated', $7, 'generating', $8, $9, $9)",
    )
    .bind(page.id.as_str())
    .bind(caller.account_id.as_str())
    .bind(&page.title)
    .bind(&page.prompt)
    .bind(&page.caption)
    .bind(page.aspect.as_str())
    .bind(audience.as_str())
    .bind(page.active_operation_id.as_ref().map(OperationId::as_str))
    .bind(page.created_at.microseconds())
    .execute(&mut **tx)
    .await?;
    for (position, character) in (0_i64..).zip(&page.characters) {
        sqlx::query("INSERT INTO page_characters (page_id, character_id, position) VALUES ($1, $2, $3)")
            .bind(page.id.as_str())
            .bind(character.id.as_str())
            .bind(position)
            .execute(&mut **tx)
            .await?;
    }
    Ok(())
}

/// Marks the page as being drawn, unless it is already; answers it as it then is.
pub async fn start_generation(
    tx: &mut Tx,
    caller: &Caller,
    id: &PageId,
    operation: &OperationId,
    now: Timestamp,
) -> sqlx::Result<Option<StoredPage>> {
    let done = sqlx::query(
        "UPDATE pages SET status = 'generating', error_code = NULL, active_operation_id = $1, \
           updated_at = $2 WHERE account_id = $3 AND id = $4 AND active_operation_id IS NULL",
    )
    .bind(operation.as_str())
    .bind(now.microseconds())
    .bind(caller.account_id.as_str())
    .bind(id.as_str())
    .execute(&mut **tx)
    .await?;
    if done.rows_affected() == 0 {
        return Ok(None);
    }
    find_in(tx, &caller.account_id, id).await
}

/// Object key and media type of the page's image.
pub async fn image_key(pool: &AnyPool, account: &AccountId, id: &PageId) -> sqlx::Result<Option<(String, String)>> {
    sqlx::query_as(
        "SELECT a.image_key, a.media_type FROM pages p JOIN artworks a ON a.id = p.artwork_id \
         WHERE p.account_id = $1 AND p.id = $2",
    )
    .bind(account.as_str())
    .bind(id.as_str())
    .fetch_optional(pool)
    .await
}

/// With an artwork the page is ready, and shows what its prompt says. Without one it keeps the image it had, or has failed when it had none.
pub async fn settle(
    tx: &mut Tx,
    id: &str,
    artwork: Option<&ArtworkId>,
    prompt: &str,
    error: Option<&str>,
    now: Timestamp,
) -> sqlx::Result<()> {
    sqlx::query(
        "UPDATE pages SET \
           status = CASE WHEN COALESCE($1, artwork_id) IS NULL THEN 'failed' ELSE 'ready' END, \
           error_code = CASE WHEN COALESCE($1, artwork_id) IS NULL THEN $2 ELSE NULL END, \
           revision = revision + CASE WHEN $1 IS NULL THEN 0 ELSE 1 END, \
           prompt = CASE WHEN $1 IS NULL THEN prompt ELSE $3 END, \
           artwork_id = COALESCE($1, artwork_id), active_operation_id = NULL, updated_at = $4 WHERE id = $5",
    )
    .bind(artwork.map(ArtworkId::as_str))
    .bind(error)
    .bind(prompt)
    .bind(now.microseconds())
    .bind(id)
    .execute(&mut **tx)
    .await?;
    Ok(())
}
