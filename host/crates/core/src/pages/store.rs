//! The SQL of pages.
use std::collections::HashMap;

use linepress_model::{Aspect, Audience};
use sqlx::{AnyExecutor, AssertSqlSafe};

use super::refine::PresentPicture;
use super::search::store::reindex;
use super::{Origin, Page};
use crate::artwork::attempts::Chosen;
use crate::artwork::{ImageColumns, QualityColumns, Status};
use crate::characters::CharacterLinks;
use crate::looks::LookColumns;
use crate::operations::{FailureCode, LastFailure};
use crate::search;
use linepress_accounts::caller::Caller;
use linepress_accounts::deleted::Location;
use linepress_drawings::queue::DrawingRequest;
use linepress_platform::clock::Timestamp;
use linepress_platform::database::{PageRequest, Reader, Tx, aggregate, placeholders, value_rows};
use linepress_platform::ids::{AccountId, ArtworkId, BookId, CharacterId, OperationId, PageId};

/// A page, with the columns of other tables that its resource shows.
#[derive(Clone, Debug, sqlx::FromRow)]
pub(crate) struct StoredPage {
    pub id: PageId,
    pub title: String,
    pub sort_title: String,
    pub prompt: String,
    pub caption: String,
    #[sqlx(try_from = "String")]
    pub aspect: Aspect,
    #[sqlx(try_from = "String")]
    pub origin: Origin,
    #[sqlx(try_from = "String")]
    pub audience: Audience,
    #[sqlx(try_from = "String")]
    pub status: Status,
    #[sqlx(try_from = "Option<String>")]
    pub error_code: LastFailure,
    pub active_operation_id: Option<OperationId>,
    pub locked_at: Option<Timestamp>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    #[sqlx(flatten)]
    pub look: LookColumns,
    #[sqlx(flatten)]
    pub image: ImageColumns,
    #[sqlx(flatten)]
    pub quality: QualityColumns,
    #[sqlx(try_from = "Option<String>")]
    pub characters: CharacterLinks,
    #[sqlx(try_from = "Option<String>")]
    pub book_ids: BookIds,
}

/// The books that contain a page.
#[derive(Clone, Debug)]
pub(crate) struct BookIds(pub Vec<BookId>);

impl From<Option<String>> for BookIds {
    fn from(gathered: Option<String>) -> Self {
        Self(aggregate::records(gathered.as_deref()).map(BookId::from_text).collect())
    }
}

/// The query that reads pages `p`; the argument is its WHERE clause and what follows it.
macro_rules! select_pages {
    ($($rest:literal)*) => {
        concat!(
            "SELECT p.id, p.title, p.sort_title, p.prompt, p.caption, p.aspect, p.origin, p.audience, p.line_weight, \
               p.detail, p.style, p.frame, p.status, p.error_code, p.active_operation_id, p.locked_at, p.created_at, \
               p.updated_at, p.revision, a.width, a.height, a.media_type, a.byte_size, a.measures, a.faults, \
               a.alternative_text, \
               (SELECT string_agg(c.id || '\u{1f}' || c.name, '\u{1e}' ORDER BY pc.position) \
                  FROM page_characters pc JOIN characters c ON c.id = pc.character_id WHERE pc.page_id = p.id) AS characters, \
               (SELECT string_agg(bp.book_id, '\u{1e}' ORDER BY bp.book_id) FROM book_pages bp WHERE bp.page_id = p.id) AS book_ids \
             FROM pages p LEFT JOIN artworks a ON a.id = p.artwork_id ",
            $($rest),*
        )
    };
}

pub(super) use select_pages;

const FIND: &str = select_pages!("WHERE p.account_id = $1 AND p.id = $2");

pub(super) async fn find<'e>(
    executor: impl AnyExecutor<'e>,
    account: &AccountId,
    id: &PageId,
) -> sqlx::Result<Option<StoredPage>> {
    sqlx::query_as(FIND)
        .bind(account.as_str())
        .bind(id.as_str())
        .fetch_optional(executor)
        .await
}

/// The pages of the account among these ids.
pub(super) async fn find_all(pool: &Reader, account: &AccountId, ids: &[&PageId]) -> sqlx::Result<Vec<StoredPage>> {
    let mut rows = Vec::new();
    for some in ids.chunks(500) {
        rows.extend(find_some(pool, account, some).await?);
    }
    Ok(rows)
}

/// The pages of the account among these ids, as the transaction sees them.
pub(super) async fn find_all_in(tx: &mut Tx, account: &AccountId, ids: &[&PageId]) -> sqlx::Result<Vec<StoredPage>> {
    let mut rows = Vec::new();
    for some in ids.chunks(500) {
        rows.extend(find_some(&mut **tx, account, some).await?);
    }
    Ok(rows)
}

async fn find_some<'e>(
    executor: impl AnyExecutor<'e>,
    account: &AccountId,
    ids: &[&PageId],
) -> sqlx::Result<Vec<StoredPage>> {
    let statement = format!(
        "{} IN ({})",
        select_pages!("WHERE p.account_id = $1 AND p.id"),
        placeholders(2, ids.len())
    );
    let query = sqlx::query_as(AssertSqlSafe(statement)).bind(account);
    let query = ids.iter().fold(query, |query, id| query.bind(*id));
    query.fetch_all(executor).await
}

/// Lists pages, newest first, with one row more than the limit if there are that many. Filtering by book needs its own
/// statement: one for both cases could use neither index.
pub(super) async fn list(
    pool: &Reader,
    account: &AccountId,
    book: Option<&BookId>,
    request: &PageRequest,
) -> sqlx::Result<Vec<StoredPage>> {
    let statement = match book {
        None => select_pages!("WHERE p.account_id = $1 AND p.id < $2 ORDER BY p.id DESC LIMIT $3"),
        Some(_) => select_pages!(
            "JOIN book_pages b ON b.page_id = p.id \
             WHERE p.account_id = $1 AND b.page_id < $2 AND b.book_id = $4 ORDER BY b.page_id DESC LIMIT $3"
        ),
    };
    let query = sqlx::query_as(statement)
        .bind(account)
        .bind(request.below())
        .bind(request.limit + 1);
    let query = match book {
        None => query,
        Some(book) => query.bind(book),
    };
    query.fetch_all(pool).await
}

/// Lists the pages that can be attached to the book, newest first, with one row more than the limit if there are
/// that many.
pub(super) async fn list_attachable(
    pool: &Reader,
    account: &AccountId,
    book: &BookId,
    aspect: Aspect,
    request: &PageRequest,
) -> sqlx::Result<Vec<StoredPage>> {
    sqlx::query_as(select_pages!(
        "WHERE p.account_id = $1 AND p.id < $2 AND p.status = $6 AND p.active_operation_id IS NULL AND p.aspect = $4 \
           AND NOT EXISTS (SELECT 1 FROM book_pages b WHERE b.book_id = $5 AND b.page_id = p.id) ORDER BY p.id DESC LIMIT $3"
    ))
    .bind(account)
    .bind(request.below())
    .bind(request.limit + 1)
    .bind(aspect.as_str())
    .bind(book)
    .bind(Status::Ready.as_str())
    .fetch_all(pool)
    .await
}

/// The columns that decide whether a page can be attached to a book.
#[derive(sqlx::FromRow)]
pub(crate) struct PageState {
    pub id: PageId,
    #[sqlx(try_from = "String")]
    pub status: Status,
    #[sqlx(try_from = "String")]
    pub aspect: Aspect,
    pub active_operation_id: Option<OperationId>,
}

/// The states of the account's pages among these ids.
pub(super) async fn states(
    tx: &mut Tx,
    account: &AccountId,
    ids: &[&PageId],
) -> sqlx::Result<HashMap<PageId, PageState>> {
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let statement = format!(
        "SELECT id, status, aspect, active_operation_id FROM pages WHERE account_id = $1 AND id IN ({})",
        placeholders(2, ids.len())
    );
    let mut query = sqlx::query_as(AssertSqlSafe(statement)).bind(account);
    for id in ids {
        query = query.bind(*id);
    }
    let rows: Vec<PageState> = query.fetch_all(&mut **tx).await?;
    Ok(rows.into_iter().map(|row| (row.id.clone(), row)).collect())
}

/// Inserts pages with their characters. With an artwork, all of them have it as their image.
pub(super) async fn insert(
    tx: &mut Tx,
    caller: &Caller,
    pages: &[&Page],
    audience: Audience,
    artwork: Option<&ArtworkId>,
) -> sqlx::Result<()> {
    const COLUMNS: usize = 20;
    for some in pages.chunks(500) {
        let statement = format!(
            "INSERT INTO pages (id, account_id, title, prompt, caption, aspect, origin, audience, status, active_operation_id, \
               artwork_id, revision, created_at, updated_at, line_weight, detail, style, frame, search_text, \
               sort_title) VALUES {}",
            value_rows(1, COLUMNS, some.len(), "")
        );
        let mut query = sqlx::query(AssertSqlSafe(statement));
        for page in some {
            // Destructured by name, so that a new field must be stored or left out on purpose.
            let Page {
                id,
                title,
                prompt,
                caption,
                aspect,
                line_weight,
                detail,
                style,
                frame,
                origin,
                status,
                // Stored in other tables.
                alternative_text: _,
                characters: _,
                book_ids: _,
                image: _,
                // A new page has no error.
                error: _,
                active_operation_id,
                // A new page is not locked.
                locked: _,
                created_at,
                updated_at,
            } = page;
            query = query
                .bind(id)
                .bind(caller.account_id())
                .bind(title)
                .bind(prompt)
                .bind(caption)
                .bind(aspect.as_str())
                .bind(origin.as_str())
                .bind(audience.as_str())
                .bind(status.as_str())
                .bind(active_operation_id.as_ref())
                .bind(artwork)
                .bind(i64::from(artwork.is_some()))
                .bind(*created_at)
                .bind(*updated_at)
                .bind(line_weight.as_str())
                .bind(detail.as_str())
                .bind(style)
                .bind(frame.as_str())
                .bind(search::text(&[title, prompt, caption]))
                .bind(search::sort_title(title));
        }
        query.execute(&mut **tx).await?;
    }
    let links = pages.iter().flat_map(|page| {
        let characters = (0_i64..).zip(&page.characters);
        characters.map(|(position, character)| (&page.id, &character.id, position))
    });
    add_characters(tx, &links.collect::<Vec<_>>()).await
}

pub(super) async fn add_characters(tx: &mut Tx, links: &[(&PageId, &CharacterId, i64)]) -> sqlx::Result<()> {
    for some in links.chunks(500) {
        let statement = format!(
            "INSERT INTO page_characters (page_id, character_id, position) VALUES {}",
            value_rows(1, 3, some.len(), "")
        );
        let mut query = sqlx::query(AssertSqlSafe(statement));
        for (page, character, position) in some {
            query = query.bind(*page).bind(*character).bind(*position);
        }
        query.execute(&mut **tx).await?;
    }
    Ok(())
}

/// Marks the page as being drawn. Returns it as it is afterwards; None if the page does not exist, it is already being
/// drawn, or it is locked.
pub(super) async fn start_generation(
    tx: &mut Tx,
    caller: &Caller,
    id: &PageId,
    operation: &OperationId,
    now: Timestamp,
) -> sqlx::Result<Option<StoredPage>> {
    let done = sqlx::query(
        "UPDATE pages SET status = $5, error_code = NULL, active_operation_id = $1, \
           updated_at = $2 WHERE account_id = $3 AND id = $4 AND active_operation_id IS NULL AND locked_at IS NULL",
    )
    .bind(operation.as_str())
    .bind(now.microseconds())
    .bind(caller.account_id().as_str())
    .bind(id.as_str())
    .bind(Status::Generating.as_str())
    .execute(&mut **tx)
    .await?;
    if done.rows_affected() == 0 {
        return Ok(None);
    }
    find(&mut **tx, caller.account_id(), id).await
}

/// The objects of a page's picture.
#[derive(sqlx::FromRow)]
pub(super) struct ImageKeys {
    pub image_key: String,
    pub master_key: String,
    pub media_type: String,
    /// The title of the page.
    pub title: String,
}

pub(super) async fn image_keys(pool: &Reader, account: &AccountId, id: &PageId) -> sqlx::Result<Option<ImageKeys>> {
    sqlx::query_as(
        "SELECT a.image_key, a.master_key, a.media_type, p.title FROM pages p JOIN artworks a ON a.id = p.artwork_id \
         WHERE p.account_id = $1 AND p.id = $2",
    )
    .bind(account.as_str())
    .bind(id.as_str())
    .fetch_optional(pool)
    .await
}

/// The picture that the page shows; None if it has none. Its drawing is found by its object, as in the SQL of attempts.
pub(super) async fn picture(tx: &mut Tx, id: &PageId) -> sqlx::Result<Option<PresentPicture>> {
    sqlx::query_as(
        "SELECT a.image_key, CASE WHEN t.origin = $2 THEN t.prompt END AS prompt, t.seed, d.request FROM pages p \
         JOIN artworks a ON a.id = p.artwork_id LEFT JOIN attempts t ON t.target_id = p.id AND t.replaced_at IS NULL \
         LEFT JOIN drawings d ON d.id = substr(a.image_key, 10, 31) WHERE p.id = $1",
    )
    .bind(id)
    .bind(Origin::Generated.as_str())
    .fetch_optional(&mut **tx)
    .await
}

pub(super) async fn exists(pool: &Reader, id: &PageId) -> sqlx::Result<bool> {
    let found: Option<i64> = sqlx::query_scalar("SELECT created_at FROM pages WHERE id = $1")
        .bind(id)
        .fetch_optional(pool)
        .await?;
    Ok(found.is_some())
}

/// Locks the row of a page until the transaction ends. Returns its prompt. None if the page does not exist, it is being
/// drawn, or its owner locked it.
pub(super) async fn lock_idle(
    tx: &mut Tx,
    account: &AccountId,
    id: &PageId,
    now: Timestamp,
) -> sqlx::Result<Option<String>> {
    sqlx::query_scalar(
        "UPDATE pages SET updated_at = $1 WHERE account_id = $2 AND id = $3 AND active_operation_id IS NULL AND locked_at IS NULL \
         RETURNING prompt",
    )
    .bind(now.microseconds())
    .bind(account.as_str())
    .bind(id.as_str())
    .fetch_optional(&mut **tx)
    .await
}

/// Replaces the page's image by imported artwork.
pub(super) async fn replace_image(tx: &mut Tx, id: &PageId, artwork: &ArtworkId, now: Timestamp) -> sqlx::Result<()> {
    sqlx::query(
        "UPDATE pages SET artwork_id = $1, revision = revision + 1, origin = $4, status = $5, error_code = NULL, \
           updated_at = $2 WHERE id = $3",
    )
    .bind(artwork.as_str())
    .bind(now.microseconds())
    .bind(id.as_str())
    .bind(Origin::Imported.as_str())
    .bind(Status::Ready.as_str())
    .execute(&mut **tx)
    .await?;
    Ok(())
}

/// Makes the page show an attempt that was chosen again. The page gets the attempt's prompt unless its own was edited
/// since the attempt before.
pub(super) async fn show_attempt(tx: &mut Tx, id: &PageId, chosen: &Chosen, now: Timestamp) -> sqlx::Result<()> {
    sqlx::query(
        "UPDATE pages SET artwork_id = $1, revision = revision + 1, origin = $2, status = $3, error_code = NULL, \
           prompt = CASE WHEN prompt = $4 THEN $5 ELSE prompt END, updated_at = $6 WHERE id = $7",
    )
    .bind(&chosen.artwork_id)
    .bind(chosen.origin.as_str())
    .bind(Status::Ready.as_str())
    .bind(chosen.prompt_before.as_deref())
    .bind(&chosen.prompt)
    .bind(now)
    .bind(id)
    .execute(&mut **tx)
    .await?;
    reindex(tx, &[id]).await
}

/// Locks the page in this location until the transaction ends. Returns false when it is not there.
pub(super) async fn lock(tx: &mut Tx, location: Location, id: &PageId, now: Timestamp) -> sqlx::Result<bool> {
    let statement = match location {
        Location::Library => "UPDATE pages SET updated_at = $1 WHERE id = $2",
        Location::Bin => "UPDATE bin_pages SET updated_at = $1 WHERE id = $2",
    };
    let done = sqlx::query(statement).bind(now).bind(id).execute(&mut **tx).await?;
    Ok(done.rows_affected() == 1)
}

/// The statement that records the result of a drawing; the argument is its beginning.
macro_rules! complete_page {
    ($update:literal) => {
        concat!(
            $update,
            "status = CASE WHEN $4 = 0 THEN status WHEN COALESCE($1, artwork_id) IS NULL THEN $11 ELSE $12 END, \
               error_code = CASE WHEN $4 = 1 AND COALESCE($1, artwork_id) IS NULL THEN $2 ELSE NULL END, \
               revision = revision + CASE WHEN $1 IS NULL THEN 0 ELSE 1 END, \
               prompt = CASE WHEN $1 IS NULL OR prompt <> COALESCE($6, prompt) THEN prompt ELSE COALESCE($3, prompt) END, \
               title = CASE WHEN $1 IS NULL OR title <> COALESCE($8, title) THEN title ELSE COALESCE($7, title) END, \
               caption = CASE WHEN $1 IS NULL OR caption <> COALESCE($10, caption) THEN caption \
                 ELSE COALESCE($9, caption) END, \
               origin = CASE WHEN $1 IS NULL THEN origin ELSE $13 END, artwork_id = COALESCE($1, artwork_id), \
               active_operation_id = CASE WHEN $4 = 1 THEN NULL ELSE active_operation_id END WHERE id = $5"
        )
    };
}

/// Records the result of a drawing of a page in this location. With an artwork, the page shows it and gets the prompt,
/// title and caption that the request changed, unless they were edited since. Without one, it keeps its image. After
/// the last drawing of its operation, it is ready; if it has no image, it has failed.
pub(super) async fn complete(
    tx: &mut Tx,
    (location, id): (Location, &PageId),
    artwork: Option<&ArtworkId>,
    asked: Option<&DrawingRequest>,
    failure: Option<FailureCode>,
    is_last: bool,
) -> sqlx::Result<()> {
    let title = asked.and_then(|asked| asked.new_title.as_ref());
    let caption = asked.and_then(|asked| asked.new_caption.as_ref());
    let statement = match location {
        Location::Library => complete_page!("UPDATE pages SET "),
        Location::Bin => complete_page!("UPDATE bin_pages SET "),
    };
    sqlx::query(statement)
        .bind(artwork.map(ArtworkId::as_str))
        .bind(failure.map(FailureCode::as_str))
        .bind(asked.and_then(|asked| asked.new_prompt.as_deref()))
        .bind(i64::from(is_last))
        .bind(id)
        .bind(asked.and_then(|asked| asked.old_prompt.as_deref()))
        .bind(title.map(|title| title.new.as_str()))
        .bind(title.map(|title| title.old.as_str()))
        .bind(caption.map(|caption| caption.new.as_str()))
        .bind(caption.map(|caption| caption.old.as_str()))
        .bind(Status::Failed.as_str())
        .bind(Status::Ready.as_str())
        .bind(Origin::Generated.as_str())
        .execute(&mut **tx)
        .await?;
    let is_reworded =
        |asked: &DrawingRequest| asked.new_prompt.is_some() || asked.new_title.is_some() || asked.new_caption.is_some();
    if location == Location::Library && artwork.is_some() && asked.is_some_and(is_reworded) {
        reindex(tx, &[id]).await?;
    }
    Ok(())
}
