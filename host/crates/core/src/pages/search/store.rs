//! The SQL of the search for pages.
use crate::artwork::Status;
use crate::pages::store::{StoredPage, select_pages};
use crate::search::{SearchIndex, SearchPart, SearchStatement, Searched};
use linepress_platform::clock::Timestamp;
use linepress_platform::database::{Reader, Tx};
use linepress_platform::ids::{AccountId, BookId, PageId};

impl Searched for StoredPage {
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

/// Lists the pages that a search finds, in its order, with one row more than the limit if there are that many.
pub(in crate::pages) async fn search(
    pool: &Reader,
    account: &AccountId,
    book: Option<&BookId>,
    part: &SearchPart<'_, Status>,
) -> sqlx::Result<Vec<StoredPage>> {
    let mut statement = SearchStatement::new(select_pages!("WHERE p.account_id = $1"), account);
    for pattern in part.search.patterns() {
        statement.push(
            " AND (p.search_text LIKE {} OR EXISTS (SELECT 1 FROM page_characters pc JOIN characters c \
               ON c.id = pc.character_id WHERE pc.page_id = p.id AND ' ' || c.sort_title LIKE {}))",
            pattern,
        );
    }
    if let Some(status) = part.search.status {
        statement.push(" AND p.status = {}", status.as_str());
    }
    if let Some(aspect) = part.search.aspect {
        statement.push(" AND p.aspect = {}", aspect.as_str());
    }
    if let Some(book) = book {
        statement.push(
            " AND EXISTS (SELECT 1 FROM book_pages b WHERE b.book_id = {} AND b.page_id = p.id)",
            book.as_str(),
        );
    }
    statement.push_order(part, "p");
    statement.fetch_all(pool).await
}

/// The texts by which pages are found and sorted. In the bin they are not searched, so their texts may be out of date
/// there.
pub(crate) const SEARCH_INDEX: SearchIndex = SearchIndex {
    select: "SELECT id, title, title || ' ' || prompt || ' ' || caption FROM pages WHERE id IN",
    update: "UPDATE pages SET search_text = $1, sort_title = $2 WHERE id = $3",
    unindexed: "SELECT id FROM pages WHERE search_text = '' AND id > '' ORDER BY id LIMIT $1",
};

/// Updates the texts by which these pages are found and sorted.
pub(in crate::pages) async fn reindex(tx: &mut Tx, ids: &[&PageId]) -> sqlx::Result<()> {
    let ids: Vec<&str> = ids.iter().map(|id| id.as_str()).collect();
    SEARCH_INDEX.update(tx, &ids).await
}
