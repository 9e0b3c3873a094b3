//! The SQL of books.
use std::collections::HashMap;

use linepress_model::{Aspect, Audience, DetailLevel, FrameStyle, LineWeight, Look};
use sqlx::{AnyExecutor, AssertSqlSafe};

use super::search::store::reindex;
use super::{BookChange, CoverStyle, NewBook};
use crate::artwork::{ImageColumns, Status};
use crate::characters::{CharacterLink, CharacterLinks, ReadyCharacter};
use crate::looks::LookColumns;
use crate::search;
use linepress_accounts::caller::Caller;
use linepress_platform::clock::Timestamp;
use linepress_platform::database::{Database, PageRequest, Reader, Tx, placeholders, value_rows};
use linepress_platform::ids::{AccountId, BookId, OperationId, PageId};
use linepress_platform::text::Isbn;

#[derive(Clone, Debug, sqlx::FromRow)]
pub(super) struct BookRow {
    pub id: BookId,
    pub title: String,
    pub sort_title: String,
    pub subtitle: String,
    pub author: String,
    pub description: String,
    #[sqlx(try_from = "String")]
    pub audience: Audience,
    #[sqlx(try_from = "String")]
    pub aspect: Aspect,
    pub language: String,
    pub isbn: String,
    pub cover_prompt: String,
    #[sqlx(try_from = "String")]
    pub cover_style: CoverStyle,
    #[sqlx(try_from = "String")]
    pub cover_status: Status,
    pub active_operation_id: Option<OperationId>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    pub cover_master_key: Option<String>,
    pub cover_image_key: Option<String>,
    /// The book from whose id the seed of its pages is derived.
    pub seed_book_id: BookId,
    #[sqlx(flatten)]
    pub look: LookColumns,
    #[sqlx(flatten)]
    pub image: ImageColumns,
    #[sqlx(try_from = "Option<String>")]
    pub characters: CharacterLinks,
}

/// A page of a book, read in the order of its position.
#[derive(Clone, Debug, sqlx::FromRow)]
pub(super) struct PageRow {
    pub book_id: BookId,
    pub id: PageId,
    pub title: String,
    pub caption: String,
    #[sqlx(try_from = "String")]
    pub status: Status,
    pub active_operation_id: Option<OperationId>,
    pub master_key: Option<String>,
    #[sqlx(flatten)]
    pub image: ImageColumns,
}

/// The query that reads books `b`; the argument is its WHERE clause and what follows it.
macro_rules! select_books {
    ($rest:literal) => {
        concat!(
            "SELECT b.id, b.title, b.sort_title, b.subtitle, b.author, b.description, b.audience, b.aspect, \
               b.language, b.isbn, b.line_weight, b.detail, b.style, b.frame, b.cover_prompt, b.cover_style, b.cover_status, \
               b.active_operation_id, b.created_at, b.updated_at, b.cover_revision AS revision, \
               COALESCE(b.seed_book_id, b.id) AS seed_book_id, \
               a.master_key AS cover_master_key, a.image_key AS cover_image_key, a.width, a.height, a.media_type, a.byte_size, \
               (SELECT string_agg(c.id || '\u{1f}' || c.name, '\u{1e}' ORDER BY bc.position) \
                  FROM book_characters bc JOIN characters c ON c.id = bc.character_id WHERE bc.book_id = b.id) AS characters \
             FROM books b LEFT JOIN artworks a ON a.id = b.cover_artwork_id ",
            $rest
        )
    };
}

pub(super) use select_books;

/// The query that reads the pages of the books whose ids are bound.
fn select_pages(books: usize) -> AssertSqlSafe<String> {
    AssertSqlSafe(format!(
        "SELECT bp.book_id, p.id, p.title, p.caption, p.status, p.active_operation_id, p.revision, a.master_key, \
       a.width, a.height, a.media_type, a.byte_size, a.alternative_text \
     FROM book_pages bp JOIN pages p ON p.id = bp.page_id LEFT JOIN artworks a ON a.id = p.artwork_id \
     WHERE bp.book_id IN ({}) ORDER BY bp.book_id, bp.position, bp.page_id",
        placeholders(1, books)
    ))
}

const FIND: &str = select_books!("WHERE b.account_id = $1 AND b.id = $2");

pub(super) async fn find<'e>(
    executor: impl AnyExecutor<'e>,
    account: &AccountId,
    id: &BookId,
) -> sqlx::Result<Option<BookRow>> {
    sqlx::query_as(FIND)
        .bind(account.as_str())
        .bind(id.as_str())
        .fetch_optional(executor)
        .await
}

/// The account that owns the book.
pub(super) async fn account_of<'e>(executor: impl AnyExecutor<'e>, id: &BookId) -> sqlx::Result<Option<AccountId>> {
    sqlx::query_scalar("SELECT account_id FROM books WHERE id = $1")
        .bind(id.as_str())
        .fetch_optional(executor)
        .await
}

/// Lists books, newest first, with one row more than the limit if there are that many.
pub(super) async fn list(pool: &Reader, account: &AccountId, request: &PageRequest) -> sqlx::Result<Vec<BookRow>> {
    sqlx::query_as(select_books!(
        "WHERE b.account_id = $1 AND b.id < $2 ORDER BY b.id DESC LIMIT $3"
    ))
    .bind(account.as_str())
    .bind(request.below())
    .bind(request.limit + 1)
    .fetch_all(pool)
    .await
}

/// The theme of the book. None if the account has no such book.
pub(super) async fn theme(pool: &Reader, account: &AccountId, id: &BookId) -> sqlx::Result<Option<String>> {
    sqlx::query_scalar("SELECT theme FROM books WHERE account_id = $1 AND id = $2")
        .bind(account)
        .bind(id)
        .fetch_optional(pool)
        .await
}

pub(super) async fn set_theme(tx: &mut Tx, id: &BookId, theme: &str) -> sqlx::Result<()> {
    sqlx::query("UPDATE books SET theme = $1 WHERE id = $2")
        .bind(theme)
        .bind(id)
        .execute(&mut **tx)
        .await?;
    Ok(())
}

/// The themes of the account's books that have one, the newest first.
pub(super) async fn themes(pool: &Reader, account: &AccountId, limit: i64) -> sqlx::Result<Vec<String>> {
    sqlx::query_scalar("SELECT theme FROM books WHERE account_id = $1 AND theme <> '' ORDER BY id DESC LIMIT $2")
        .bind(account)
        .bind(limit)
        .fetch_all(pool)
        .await
}

/// The pages of these books, in order, by book id.
pub(super) async fn pages_of<'e>(
    executor: impl AnyExecutor<'e>,
    books: &[&BookId],
) -> sqlx::Result<HashMap<BookId, Vec<PageRow>>> {
    if books.is_empty() {
        return Ok(HashMap::new());
    }
    let mut query = sqlx::query_as(select_pages(books.len()));
    for id in books {
        query = query.bind(id.as_str());
    }
    let rows: Vec<PageRow> = query.fetch_all(executor).await?;
    let mut by_book: HashMap<BookId, Vec<PageRow>> = HashMap::new();
    for row in rows {
        by_book.entry(row.book_id.clone()).or_default().push(row);
    }
    Ok(by_book)
}

/// The title of a page of the book. None if the page is not in the book.
pub(super) async fn page_title(pool: &Reader, book: &BookId, page: &PageId) -> sqlx::Result<Option<String>> {
    sqlx::query_scalar(
        "SELECT p.title FROM book_pages bp JOIN pages p ON p.id = bp.page_id WHERE bp.book_id = $1 AND bp.page_id = $2",
    )
    .bind(book)
    .bind(page)
    .fetch_optional(pool)
    .await
}

/// A book that is inserted before its first drawing.
pub(super) struct Inserted<'a> {
    pub id: &'a BookId,
    pub new: &'a NewBook,
    pub characters: &'a [ReadyCharacter],
    pub operation: &'a OperationId,
    /// The book from whose id the seed of its pages is derived. None if it is the book itself.
    pub seed_book: Option<&'a BookId>,
}

pub(super) async fn insert(tx: &mut Tx, caller: &Caller, inserted: Inserted<'_>, now: Timestamp) -> sqlx::Result<()> {
    // Destructured by name, so that a new field must be stored or left out on purpose.
    let NewBook {
        title,
        subtitle,
        author,
        description,
        audience,
        aspect,
        language,
        // Only the ids; `characters` holds the characters that they name.
        character_ids: _,
        cover: _,
        // Stored as a whole.
        line_weight: _,
        detail: _,
        style: _,
        frame: _,
        pages: _,
    } = inserted.new;
    let look = inserted.new.look();
    sqlx::query(
        "INSERT INTO books (id, account_id, title, subtitle, author, description, audience, aspect, language, cover_prompt, \
           cover_status, active_operation_id, created_at, updated_at, cover_style, line_weight, detail, style, frame, \
           search_text, sort_title, seed_book_id) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $13, $14, \
           $15, $16, $17, $18, $19, $20, $21)",
    )
    .bind(inserted.id)
    .bind(caller.account_id())
    .bind(&**title)
    .bind(subtitle.as_deref().unwrap_or_default())
    .bind(author.as_deref().unwrap_or_default())
    .bind(description.as_deref().unwrap_or_default())
    .bind(audience.unwrap_or_default().as_str())
    .bind(aspect.unwrap_or_default().as_str())
    .bind(language.as_deref().unwrap_or("en"))
    .bind(inserted.new.cover_prompt())
    .bind(Status::Generating.as_str())
    .bind(inserted.operation)
    .bind(now)
    .bind(inserted.new.cover_style().as_str())
    .bind(look.line_weight.as_str())
    .bind(look.detail.as_str())
    .bind(&look.style)
    .bind(look.frame.as_str())
    .bind(search::text(&[
        title,
        subtitle.as_deref().unwrap_or_default(),
        author.as_deref().unwrap_or_default(),
        inserted.new.cover_prompt(),
    ]))
    .bind(search::sort_title(title))
    .bind(inserted.seed_book)
    .execute(&mut **tx)
    .await?;
    let links: Vec<_> = inserted.characters.iter().map(ReadyCharacter::link).collect();
    add_characters(tx, inserted.id, &links).await
}

async fn add_characters(tx: &mut Tx, id: &BookId, characters: &[CharacterLink]) -> sqlx::Result<()> {
    if characters.is_empty() {
        return Ok(());
    }
    let statement = format!(
        "INSERT INTO book_characters (book_id, character_id, position) VALUES {}",
        value_rows(1, 3, characters.len(), "")
    );
    let mut query = sqlx::query(AssertSqlSafe(statement));
    for (position, character) in (0_i64..).zip(characters) {
        query = query.bind(id).bind(&character.id).bind(position);
    }
    query.execute(&mut **tx).await?;
    Ok(())
}

/// Locks the pages of the book until the transaction ends. Returns their ids; `None` for SQLite, whose transaction has
/// locked everything.
pub(super) async fn lock_pages(database: &Database, tx: &mut Tx, id: &BookId) -> sqlx::Result<Option<Vec<PageId>>> {
    let Some(statement) = database.dialect.lock_pages_of_book() else {
        return Ok(None);
    };
    let ids = sqlx::query_scalar(statement).bind(id).fetch_all(&mut **tx).await?;
    Ok(Some(ids))
}

/// Locks the book until the transaction ends, without a change of its times. Returns false when it does not exist.
pub(super) async fn lock_unchanged(tx: &mut Tx, account: &AccountId, id: &BookId) -> sqlx::Result<bool> {
    let done = sqlx::query("UPDATE books SET updated_at = updated_at WHERE account_id = $1 AND id = $2")
        .bind(account)
        .bind(id)
        .execute(&mut **tx)
        .await?;
    Ok(done.rows_affected() == 1)
}

/// Replaces the characters of the book.
pub(super) async fn set_characters(tx: &mut Tx, id: &BookId, characters: &[CharacterLink]) -> sqlx::Result<()> {
    sqlx::query("DELETE FROM book_characters WHERE book_id = $1")
        .bind(id.as_str())
        .execute(&mut **tx)
        .await?;
    add_characters(tx, id, characters).await
}

/// Changes the given fields. Returns false when the account has no such book.
pub(super) async fn update(
    tx: &mut Tx,
    account: &AccountId,
    id: &BookId,
    change: &BookChange,
    now: Timestamp,
) -> sqlx::Result<bool> {
    // Destructured by name, so that a new field must be stored or left out on purpose.
    let BookChange {
        title,
        subtitle,
        author,
        description,
        audience,
        language,
        isbn,
        cover,
        // Stored in another table.
        character_ids: _,
        line_weight,
        detail,
        style,
        frame,
    } = change;
    let done = sqlx::query(
        "UPDATE books SET title = COALESCE($1, title), subtitle = COALESCE($2, subtitle), author = COALESCE($3, author), \
           description = COALESCE($4, description), audience = COALESCE($5, audience), updated_at = $6, \
           cover_prompt = COALESCE($9, cover_prompt), language = COALESCE($10, language), \
           cover_style = COALESCE($11, cover_style), line_weight = COALESCE($12, line_weight), \
           detail = COALESCE($13, detail), style = COALESCE($14, style), isbn = COALESCE($15, isbn), \
           frame = COALESCE($16, frame) WHERE account_id = $7 AND id = $8",
    )
    .bind(title.as_deref())
    .bind(subtitle.as_deref())
    .bind(author.as_deref())
    .bind(description.as_deref())
    .bind(audience.map(Audience::as_str))
    .bind(now.microseconds())
    .bind(account.as_str())
    .bind(id.as_str())
    .bind(cover.as_ref().and_then(|cover| cover.prompt.as_deref()))
    .bind(language.as_deref())
    .bind(cover.as_ref().and_then(|cover| cover.style).map(CoverStyle::as_str))
    .bind(line_weight.map(LineWeight::as_str))
    .bind(detail.map(DetailLevel::as_str))
    .bind(style.as_deref())
    .bind(isbn.as_ref().map(Isbn::hyphenated))
    .bind(frame.map(FrameStyle::as_str))
    .execute(&mut **tx)
    .await?;
    let is_changed = done.rows_affected() == 1;
    if is_changed {
        reindex(tx, &[id]).await?;
    }
    Ok(is_changed)
}

/// Stores another look of the book.
pub(super) async fn set_look(tx: &mut Tx, id: &BookId, look: &Look) -> sqlx::Result<()> {
    sqlx::query("UPDATE books SET line_weight = $1, detail = $2, style = $3, frame = $4 WHERE id = $5")
        .bind(look.line_weight.as_str())
        .bind(look.detail.as_str())
        .bind(&look.style)
        .bind(look.frame.as_str())
        .bind(id)
        .execute(&mut **tx)
        .await?;
    Ok(())
}

/// The pages of the book that have no image and are in no other book.
pub(super) async fn undrawn_pages(tx: &mut Tx, id: &BookId) -> sqlx::Result<Vec<PageId>> {
    sqlx::query_scalar(
        "SELECT p.id FROM book_pages bp JOIN pages p ON p.id = bp.page_id \
         WHERE bp.book_id = $1 AND p.artwork_id IS NULL \
           AND NOT EXISTS (SELECT 1 FROM book_pages o WHERE o.page_id = p.id AND o.book_id <> $1) ORDER BY p.id",
    )
    .bind(id)
    .fetch_all(&mut **tx)
    .await
}

pub(super) async fn exists(pool: &Reader, id: &BookId) -> sqlx::Result<bool> {
    let found: Option<i64> = sqlx::query_scalar("SELECT created_at FROM books WHERE id = $1")
        .bind(id)
        .fetch_optional(pool)
        .await?;
    Ok(found.is_some())
}

/// Locks the book and records the operation that draws for it. None if the book does not exist, or another operation
/// draws for it.
pub(super) async fn start_generation(
    tx: &mut Tx,
    account: &AccountId,
    id: &BookId,
    operation: &OperationId,
    now: Timestamp,
) -> sqlx::Result<Option<BookRow>> {
    let done = sqlx::query(
        "UPDATE books SET active_operation_id = $1, updated_at = $2 \
         WHERE account_id = $3 AND id = $4 AND active_operation_id IS NULL",
    )
    .bind(operation.as_str())
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

pub(super) async fn lock_of_operation(tx: &mut Tx, operation: &OperationId) -> sqlx::Result<()> {
    sqlx::query("UPDATE books SET updated_at = updated_at WHERE active_operation_id = $1")
        .bind(operation)
        .execute(&mut **tx)
        .await?;
    Ok(())
}

pub(super) async fn operation_ended(tx: &mut Tx, operation: &OperationId, now: Timestamp) -> sqlx::Result<()> {
    sqlx::query("UPDATE books SET active_operation_id = NULL, updated_at = $1 WHERE active_operation_id = $2")
        .bind(now.microseconds())
        .bind(operation)
        .execute(&mut **tx)
        .await?;
    Ok(())
}

pub(super) async fn active_operation(tx: &mut Tx, id: &BookId) -> sqlx::Result<Option<OperationId>> {
    let found: Option<Option<OperationId>> = sqlx::query_scalar("SELECT active_operation_id FROM books WHERE id = $1")
        .bind(id)
        .fetch_optional(&mut **tx)
        .await?;
    Ok(found.flatten())
}

/// Sets the state of a book that was just restored. A cover without an image that is not being drawn has failed.
pub(super) async fn settle_restored(
    tx: &mut Tx,
    id: &BookId,
    operation: Option<&OperationId>,
    is_cover_drawn: bool,
    now: Timestamp,
) -> sqlx::Result<()> {
    sqlx::query(
        "UPDATE books SET active_operation_id = $1, updated_at = $2, \
           cover_status = CASE WHEN $3 = 1 THEN $4 WHEN cover_artwork_id IS NULL THEN $5 ELSE $6 END WHERE id = $7",
    )
    .bind(operation)
    .bind(now)
    .bind(i64::from(is_cover_drawn))
    .bind(Status::Generating.as_str())
    .bind(Status::Failed.as_str())
    .bind(Status::Ready.as_str())
    .bind(id)
    .execute(&mut **tx)
    .await?;
    reindex(tx, &[id]).await
}
