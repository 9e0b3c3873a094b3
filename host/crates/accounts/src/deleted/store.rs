//! The SQL of the bin.
use sqlx::AssertSqlSafe;

use super::item::{DeletedId, DeletedKind, EntryRow};
use linepress_platform::clock::Timestamp;
use linepress_platform::database::{Database, PageRequest, Reader, Tx, placeholders};
use linepress_platform::ids::{AccountId, BinId, BookId, PageId};

/// Lists the entries of the account, newest first, with one row more than the limit if there are that many.
pub(super) async fn list(pool: &Reader, account: &AccountId, request: &PageRequest) -> sqlx::Result<Vec<EntryRow>> {
    sqlx::query_as(
        "SELECT b.id AS entry_id, b.item_id, b.kind, b.title, b.deleted_at, \
           (SELECT CAST(COALESCE(SUM(a.stored_bytes), 0) AS BIGINT) FROM attempts t JOIN artworks a ON a.id = t.artwork_id \
              WHERE t.target_id = b.item_id) AS stored_bytes \
         FROM bin b WHERE b.account_id = $1 AND b.id < $2 ORDER BY b.id DESC LIMIT $3",
    )
    .bind(account)
    .bind(request.below())
    .bind(request.limit + 1)
    .fetch_all(pool)
    .await
}

pub(super) async fn insert(
    tx: &mut Tx,
    entry: &BinId,
    account: &AccountId,
    id: &DeletedId,
    title: &str,
    now: Timestamp,
) -> sqlx::Result<()> {
    sqlx::query("INSERT INTO bin (id, account_id, kind, item_id, title, deleted_at) VALUES ($1, $2, $3, $4, $5, $6)")
        .bind(entry)
        .bind(account)
        .bind(id.kind().as_str())
        .bind(id.as_str())
        .bind(title)
        .bind(now)
        .execute(&mut **tx)
        .await?;
    Ok(())
}

/// Returns true if the book or page is in the account's bin.
pub(super) async fn contains(tx: &mut Tx, account: &AccountId, id: &DeletedId) -> sqlx::Result<bool> {
    let found: Option<i64> = sqlx::query_scalar("SELECT deleted_at FROM bin WHERE item_id = $1 AND account_id = $2")
        .bind(id.as_str())
        .bind(account)
        .fetch_optional(&mut **tx)
        .await?;
    Ok(found.is_some())
}

/// Locks the entry of a book or page until the transaction ends. None if it is not in the bin any more.
pub(super) async fn lock(tx: &mut Tx, id: &DeletedId) -> sqlx::Result<Option<BinId>> {
    sqlx::query_scalar("UPDATE bin SET deleted_at = deleted_at WHERE item_id = $1 RETURNING id")
        .bind(id.as_str())
        .fetch_optional(&mut **tx)
        .await
}

/// Deletes the entry of a book or page, with its rows. Returns false if it is not in the bin.
pub(super) async fn delete(tx: &mut Tx, id: &DeletedId) -> sqlx::Result<bool> {
    let done = sqlx::query("DELETE FROM bin WHERE item_id = $1")
        .bind(id.as_str())
        .execute(&mut **tx)
        .await?;
    Ok(done.rows_affected() == 1)
}

/// Deletes the places of pages in a book, or of a page in books, that wait for its restoration.
pub(super) async fn forget_places(tx: &mut Tx, id: &DeletedId) -> sqlx::Result<()> {
    let statement = match id {
        DeletedId::Book(_) => "DELETE FROM bin_places WHERE book_id = $1",
        DeletedId::Page(_) => "DELETE FROM bin_places WHERE page_id = $1",
    };
    sqlx::query(statement).bind(id.as_str()).execute(&mut **tx).await?;
    Ok(())
}

/// Up to `limit` books and pages in the account's bin, the one that was deleted first first.
pub(super) async fn oldest(tx: &mut Tx, account: &AccountId, limit: i64) -> sqlx::Result<Vec<DeletedId>> {
    let rows: Vec<(String, String)> =
        sqlx::query_as("SELECT kind, item_id FROM bin WHERE account_id = $1 ORDER BY id LIMIT $2")
            .bind(account)
            .bind(limit)
            .fetch_all(&mut **tx)
            .await?;
    rows.into_iter().map(|(kind, id)| deleted_id(kind, id)).collect()
}

/// Up to `limit` books and pages in the account's bin after the `kept` ones that were deleted last.
pub(super) async fn beyond(tx: &mut Tx, account: &AccountId, kept: i64, limit: i64) -> sqlx::Result<Vec<DeletedId>> {
    let rows: Vec<(String, String)> =
        sqlx::query_as("SELECT kind, item_id FROM bin WHERE account_id = $1 ORDER BY id DESC LIMIT $2 OFFSET $3")
            .bind(account)
            .bind(limit)
            .bind(kept)
            .fetch_all(&mut **tx)
            .await?;
    rows.into_iter().map(|(kind, id)| deleted_id(kind, id)).collect()
}

/// The book or page with pictures in the account's bin that was deleted first.
pub(super) async fn oldest_with_pictures(tx: &mut Tx, account: &AccountId) -> sqlx::Result<Option<DeletedId>> {
    let row: Option<(String, String)> = sqlx::query_as(
        "SELECT kind, item_id FROM bin WHERE account_id = $1 \
           AND EXISTS (SELECT 1 FROM attempts t WHERE t.target_id = bin.item_id) ORDER BY id LIMIT 1",
    )
    .bind(account)
    .fetch_optional(&mut **tx)
    .await?;
    row.map(|(kind, id)| deleted_id(kind, id)).transpose()
}

/// Up to `limit` books and pages that were deleted before this moment, each with its account.
pub(super) async fn deleted_before(
    pool: &Reader,
    moment: Timestamp,
    limit: i64,
) -> sqlx::Result<Vec<(DeletedId, AccountId)>> {
    let rows: Vec<(String, String, AccountId)> =
        sqlx::query_as("SELECT kind, item_id, account_id FROM bin WHERE deleted_at < $1 ORDER BY deleted_at LIMIT $2")
            .bind(moment)
            .bind(limit)
            .fetch_all(pool)
            .await?;
    rows.into_iter()
        .map(|(kind, id, account)| Ok((deleted_id(kind, id)?, account)))
        .collect()
}

fn deleted_id(kind: String, id: String) -> sqlx::Result<DeletedId> {
    let kind = DeletedKind::try_from(kind).map_err(|error| sqlx::Error::Decode(Box::new(error)))?;
    Ok(DeletedId::from_row(kind, id))
}

/// The columns of `pages`, all of which `bin_pages` has, too.
macro_rules! page_columns {
    () => {
        "id, account_id, title, prompt, caption, aspect, origin, audience, status, error_code, artwork_id, revision, \
           active_operation_id, created_at, updated_at, locked_at, line_weight, detail, style, frame, \
           search_text, sort_title"
    };
}

/// The columns of `books`, all of which `bin_books` has, too.
macro_rules! book_columns {
    () => {
        "id, account_id, title, subtitle, author, description, audience, aspect, language, cover_prompt, cover_style, \
           cover_status, cover_artwork_id, cover_revision, active_operation_id, created_at, updated_at, line_weight, detail, \
           style, frame, theme, search_text, sort_title, isbn, seed_book_id"
    };
}

/// Locks a page until the transaction ends. Returns its title; None if the account has no such page.
pub(super) async fn lock_page(tx: &mut Tx, account: &AccountId, id: &PageId) -> sqlx::Result<Option<String>> {
    sqlx::query_scalar("UPDATE pages SET updated_at = updated_at WHERE account_id = $1 AND id = $2 RETURNING title")
        .bind(account)
        .bind(id)
        .fetch_optional(&mut **tx)
        .await
}

/// Locks a book until the transaction ends. Returns its title; None if the account has no such book.
pub(super) async fn lock_book(tx: &mut Tx, account: &AccountId, id: &BookId) -> sqlx::Result<Option<String>> {
    sqlx::query_scalar("UPDATE books SET updated_at = updated_at WHERE account_id = $1 AND id = $2 RETURNING title")
        .bind(account)
        .bind(id)
        .fetch_optional(&mut **tx)
        .await
}

/// Locks those of these pages that have no image until the transaction ends, in the order of their ids. Returns their
/// ids.
pub(super) async fn lock_undrawn_pages(
    database: &Database,
    tx: &mut Tx,
    account: &AccountId,
    ids: &[&PageId],
) -> sqlx::Result<Vec<PageId>> {
    let mut ids = ids.to_vec();
    ids.sort_unstable();
    let mut locked = Vec::new();
    for some in ids.chunks(500) {
        let statement = format!(
            "SELECT id FROM pages WHERE account_id = $1 AND artwork_id IS NULL AND id IN ({}) ORDER BY id{}",
            placeholders(2, some.len()),
            database.dialect.lock_rows()
        );
        let mut query = sqlx::query_scalar(AssertSqlSafe(statement)).bind(account);
        for id in some {
            query = query.bind(*id);
        }
        locked.extend(query.fetch_all(&mut **tx).await?);
    }
    Ok(locked)
}

/// Moves pages, which are locked, to the bin, with their characters and their places in books.
pub(super) async fn move_pages(tx: &mut Tx, entry: &BinId, ids: &[&PageId]) -> sqlx::Result<()> {
    const COPY: &str = concat!(
        "INSERT INTO bin_pages (bin_id, ",
        page_columns!(),
        ") SELECT $1, ",
        page_columns!(),
        " FROM pages WHERE id IN "
    );
    const COPY_CHARACTERS: &str = "INSERT INTO bin_characters (bin_id, owner_id, character_id, position) \
         SELECT $1, page_id, character_id, position FROM page_characters WHERE page_id IN ";
    const COPY_PLACES: &str = "INSERT INTO bin_places (book_id, page_id, position) \
         SELECT book_id, page_id, position FROM book_pages WHERE page_id IN ";
    const UNLESS_COPIED: &str = " ON CONFLICT (book_id, page_id) DO NOTHING";
    for some in ids.chunks(500) {
        for (statement, entry, rest) in [
            (COPY, Some(entry), ""),
            (COPY_CHARACTERS, Some(entry), ""),
            (COPY_PLACES, None, UNLESS_COPIED),
            ("DELETE FROM pages WHERE id IN ", None, ""),
        ] {
            let first = if entry.is_some() { 2 } else { 1 };
            let statement = format!("{statement}({}){rest}", placeholders(first, some.len()));
            let query = sqlx::query(AssertSqlSafe(statement));
            let query = match entry {
                Some(entry) => query.bind(entry),
                None => query,
            };
            let query = some.iter().fold(query, |query, id| query.bind(*id));
            query.execute(&mut **tx).await?;
        }
    }
    Ok(())
}

/// Moves a book, which is locked, to the bin, with its characters and the places of its pages.
pub(super) async fn move_book(tx: &mut Tx, entry: &BinId, id: &BookId) -> sqlx::Result<()> {
    const COPY: &str = concat!(
        "INSERT INTO bin_books (bin_id, ",
        book_columns!(),
        ") SELECT $1, ",
        book_columns!(),
        " FROM books WHERE id = $2"
    );
    const COPY_CHARACTERS: &str = "INSERT INTO bin_characters (bin_id, owner_id, character_id, position) \
         SELECT $1, book_id, character_id, position FROM book_characters WHERE book_id = $2";
    for statement in [COPY, COPY_CHARACTERS] {
        sqlx::query(statement).bind(entry).bind(id).execute(&mut **tx).await?;
    }
    // A page of the book may be deleted at the same moment, and its place be copied by that.
    const COPY_PLACES: &str = "INSERT INTO bin_places (book_id, page_id, position) \
         SELECT book_id, page_id, position FROM book_pages WHERE book_id = $1 ON CONFLICT (book_id, page_id) DO NOTHING";
    for statement in [COPY_PLACES, "DELETE FROM books WHERE id = $1"] {
        sqlx::query(statement).bind(id).execute(&mut **tx).await?;
    }
    Ok(())
}

/// The existing books in which the page has a place, in order, each with the position.
pub(super) async fn places_of(tx: &mut Tx, page: &PageId) -> sqlx::Result<Vec<(BookId, i64)>> {
    sqlx::query_as(
        "SELECT p.book_id, p.position FROM bin_places p JOIN books b ON b.id = p.book_id WHERE p.page_id = $1 \
         ORDER BY p.book_id",
    )
    .bind(page)
    .fetch_all(&mut **tx)
    .await
}

/// The places of a restored page in existing books, or of existing pages in a restored book, that are still waiting.
pub(super) async fn waiting_places(tx: &mut Tx, id: &DeletedId) -> sqlx::Result<Vec<(BookId, PageId, i64)>> {
    macro_rules! waiting {
        ($rest:literal) => {
            concat!(
                "SELECT w.book_id, w.page_id, w.position FROM bin_places w JOIN books b ON b.id = w.book_id \
                   JOIN pages p ON p.id = w.page_id WHERE ",
                $rest
            )
        };
    }
    let statement = match id {
        DeletedId::Book(_) => waiting!("w.book_id = $1 ORDER BY w.book_id, w.position"),
        DeletedId::Page(_) => waiting!("w.page_id = $1 ORDER BY w.book_id, w.position"),
    };
    sqlx::query_as(statement).bind(id.as_str()).fetch_all(&mut **tx).await
}

/// Puts a page back into a book, which is locked, at its position. If another page has that now, it and those after it
/// move by one.
pub(super) async fn take_place(tx: &mut Tx, book: &BookId, page: &PageId, position: i64) -> sqlx::Result<()> {
    let taken: Option<i64> =
        sqlx::query_scalar("SELECT position FROM book_pages WHERE book_id = $1 AND position = $2 LIMIT 1")
            .bind(book)
            .bind(position)
            .fetch_optional(&mut **tx)
            .await?;
    if taken.is_some() {
        sqlx::query("UPDATE book_pages SET position = position + 1 WHERE book_id = $1 AND position >= $2")
            .bind(book)
            .bind(position)
            .execute(&mut **tx)
            .await?;
    }
    sqlx::query("INSERT INTO book_pages (book_id, page_id, position) VALUES ($1, $2, $3)")
        .bind(book)
        .bind(page)
        .bind(position)
        .execute(&mut **tx)
        .await?;
    sqlx::query("DELETE FROM bin_places WHERE book_id = $1 AND page_id = $2")
        .bind(book)
        .bind(page)
        .execute(&mut **tx)
        .await?;
    Ok(())
}

/// Moves the pages of an entry, and their characters, back. Returns their ids.
pub(super) async fn restore_pages(tx: &mut Tx, entry: &BinId) -> sqlx::Result<Vec<PageId>> {
    const COPY: &str = concat!(
        "INSERT INTO pages (",
        page_columns!(),
        ") SELECT ",
        page_columns!(),
        " FROM bin_pages WHERE bin_id = $1 RETURNING id"
    );
    const COPY_CHARACTERS: &str = "INSERT INTO page_characters (page_id, character_id, position) \
         SELECT c.owner_id, c.character_id, c.position FROM bin_characters c JOIN bin_pages p ON p.id = c.owner_id \
         WHERE c.bin_id = $1";
    let restored = sqlx::query_scalar(COPY).bind(entry).fetch_all(&mut **tx).await?;
    sqlx::query(COPY_CHARACTERS).bind(entry).execute(&mut **tx).await?;
    Ok(restored)
}

/// Locks the pages that have a place in a deleted book until the transaction ends, so that a deletion of one of them
/// sees the place that it takes.
pub(super) async fn lock_pages_of(database: &Database, tx: &mut Tx, book: &BookId) -> sqlx::Result<()> {
    if let Some(statement) = database.dialect.lock_pages_of_deleted_book() {
        sqlx::query(statement).bind(book).execute(&mut **tx).await?;
    }
    Ok(())
}

/// Moves the book of an entry back, with its characters and the places of its pages that exist.
pub(super) async fn restore_book(tx: &mut Tx, entry: &BinId, id: &BookId) -> sqlx::Result<()> {
    const COPY: &str = concat!(
        "INSERT INTO books (",
        book_columns!(),
        ") SELECT ",
        book_columns!(),
        " FROM bin_books WHERE bin_id = $1"
    );
    const COPY_CHARACTERS: &str = "INSERT INTO book_characters (book_id, character_id, position) \
         SELECT c.owner_id, c.character_id, c.position FROM bin_characters c JOIN bin_books b ON b.id = c.owner_id \
         WHERE c.bin_id = $1";
    for statement in [COPY, COPY_CHARACTERS] {
        sqlx::query(statement).bind(entry).execute(&mut **tx).await?;
    }
    const TAKE_PLACES: &str = "INSERT INTO book_pages (book_id, page_id, position) \
         SELECT b.book_id, b.page_id, b.position FROM bin_places b JOIN pages p ON p.id = b.page_id WHERE b.book_id = $1";
    const FORGET_PLACES: &str = "DELETE FROM bin_places WHERE book_id = $1 \
           AND page_id IN (SELECT page_id FROM book_pages WHERE book_id = $1)";
    for statement in [TAKE_PLACES, FORGET_PLACES] {
        sqlx::query(statement).bind(id).execute(&mut **tx).await?;
    }
    Ok(())
}
