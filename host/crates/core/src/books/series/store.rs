//! The SQL of series.
use sqlx::{AnyExecutor, AssertSqlSafe};

use crate::series;
use linepress_platform::database::{Reader, literal_pattern, placeholders};
use linepress_platform::ids::{AccountId, BookId};

/// A book among those with similar titles.
#[derive(sqlx::FromRow)]
pub(super) struct TitledBook {
    pub id: BookId,
    pub title: String,
    /// The book from whose id the seed of its pages is derived.
    pub seed_book_id: BookId,
}

/// The account's books of the series that a book with this title belongs to, the oldest first.
pub(super) async fn books_of<'e>(
    executor: impl AnyExecutor<'e>,
    account: &AccountId,
    title: &str,
) -> sqlx::Result<Vec<TitledBook>> {
    let mut books: Vec<TitledBook> = sqlx::query_as(
        "SELECT id, title, COALESCE(seed_book_id, id) AS seed_book_id FROM books \
         WHERE account_id = $1 AND lower(title) LIKE lower($2) ESCAPE '!' ORDER BY id",
    )
    .bind(account.as_str())
    .bind(format!("{}%", literal_pattern(series::name(title))))
    .fetch_all(executor)
    .await?;
    books.retain(|book| series::is_same(title, &book.title));
    Ok(books)
}

/// The title and the prompt of each page of these books, by book and in order.
pub(super) async fn page_texts(pool: &Reader, books: &[&BookId]) -> sqlx::Result<Vec<(BookId, String, String)>> {
    let mut texts = Vec::new();
    for some in books.chunks(500) {
        let statement = format!(
            "SELECT bp.book_id, p.title, p.prompt FROM book_pages bp JOIN pages p ON p.id = bp.page_id \
             WHERE bp.book_id IN ({}) ORDER BY bp.book_id, bp.position",
            placeholders(1, some.len())
        );
        let mut query = sqlx::query_as(AssertSqlSafe(statement));
        for id in some {
            query = query.bind(id.as_str());
        }
        let rows: Vec<(BookId, String, String)> = query.fetch_all(pool).await?;
        texts.extend(rows);
    }
    Ok(texts)
}
