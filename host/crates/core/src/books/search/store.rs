//! The SQL of the search for books.
use crate::artwork::Status;
use crate::books::BookStatus;
use crate::books::store::{BookRow, select_books};
use crate::search::{self, Beginning, SearchIndex, SearchPart, SearchStatement, Searched};
use linepress_platform::clock::Timestamp;
use linepress_platform::database::{Reader, Tx};
use linepress_platform::ids::{AccountId, BookId};

impl Searched for BookRow {
    fn id(&self) -> &str {
        self.id.as_str()
    }

    fn sort_title(&self) -> &str {
        &self.sort_title
    }

    fn updated_at(&self) -> Timestamp {
        self.updated_at
    }
}

/// Lists the books that a search finds, in its order, with one row more than the limit if there are that many. A book
/// is found by its own texts, by those of its pages, and by the names of its characters.
pub(in crate::books) async fn search(
    pool: &Reader,
    account: &AccountId,
    part: &SearchPart<'_, BookStatus>,
) -> sqlx::Result<Vec<BookRow>> {
    const PAGES: &str = "book_pages bp JOIN pages p ON p.id = bp.page_id WHERE bp.book_id = b.id";
    let mut statement = SearchStatement::new(select_books!("WHERE b.account_id = $1"), account);
    for pattern in part.search.patterns() {
        let matches = format!(
            " AND (b.search_text LIKE {{}} OR EXISTS (SELECT 1 FROM book_characters bc JOIN characters c \
               ON c.id = bc.character_id WHERE bc.book_id = b.id AND ' ' || c.sort_title LIKE {{}}) \
               OR EXISTS (SELECT 1 FROM {PAGES} AND p.search_text LIKE {{}}))"
        );
        statement.push(&matches, pattern);
    }
    if let Some(aspect) = part.search.aspect {
        statement.push(" AND b.aspect = {}", aspect.as_str());
    }
    if let Some(status) = part.search.status {
        let is_generating =
            format!("(b.active_operation_id IS NOT NULL OR EXISTS (SELECT 1 FROM {PAGES} AND p.status = {{}}))");
        let is_complete =
            format!("(EXISTS (SELECT 1 FROM {PAGES}) AND NOT EXISTS (SELECT 1 FROM {PAGES} AND p.status <> {{}}))");
        let not = if status == BookStatus::Generating { "" } else { "NOT " };
        statement.push(&format!(" AND {not}{is_generating}"), Status::Generating.as_str());
        match status {
            BookStatus::Generating => {}
            BookStatus::Ready => statement.push(&format!(" AND {is_complete}"), Status::Ready.as_str()),
            BookStatus::Incomplete => statement.push(&format!(" AND NOT {is_complete}"), Status::Ready.as_str()),
        }
    }
    statement.push_order(part, "b");
    statement.fetch_all(pool).await
}

/// The account's books whose title or id begins as given, sorted by title; at most `limit`, each with its title.
pub(in crate::books) async fn suggest(
    pool: &Reader,
    account: &AccountId,
    beginning: &Beginning,
    limit: i64,
) -> sqlx::Result<Vec<(BookId, String)>> {
    const STATEMENT: &str = "SELECT id, title FROM books WHERE account_id = $1 AND (sort_title LIKE $2 OR id LIKE $3 ESCAPE '!') \
         ORDER BY sort_title, id LIMIT $4";
    search::suggest(pool, STATEMENT, account, beginning, limit).await
}

/// The texts by which books are found and sorted. In the bin they are not searched, so their texts may be out of date
/// there.
pub(crate) const SEARCH_INDEX: SearchIndex = SearchIndex {
    select: "SELECT id, title, title || ' ' || subtitle || ' ' || author || ' ' || isbn || ' ' || replace(isbn, '-', '') || ' ' || cover_prompt FROM books WHERE id IN",
    update: "UPDATE books SET search_text = $1, sort_title = $2 WHERE id = $3",
    unindexed: "SELECT id FROM books WHERE search_text = '' AND id > '' ORDER BY id LIMIT $1",
};

/// Updates the texts by which these books are found and sorted.
pub(in crate::books) async fn reindex(tx: &mut Tx, ids: &[&BookId]) -> sqlx::Result<()> {
    let ids: Vec<&str> = ids.iter().map(|id| id.as_str()).collect();
    SEARCH_INDEX.update(tx, &ids).await
}
