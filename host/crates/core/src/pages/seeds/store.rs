//! The SQL of the seeds of pages.
use std::collections::HashMap;

use sqlx::AssertSqlSafe;

use linepress_platform::database::{Tx, placeholders};
use linepress_platform::ids::{BookId, PageId};

/// The books from whose ids the seeds of the oldest books of these pages are derived, by page.
pub(super) async fn seed_books(tx: &mut Tx, pages: &[&PageId]) -> sqlx::Result<HashMap<PageId, BookId>> {
    let mut found = HashMap::new();
    for some in pages.chunks(500) {
        let statement = format!(
            "SELECT bp.page_id, COALESCE(b.seed_book_id, b.id) FROM book_pages bp JOIN books b ON b.id = bp.book_id \
             WHERE NOT EXISTS (SELECT 1 FROM book_pages o WHERE o.page_id = bp.page_id AND o.book_id < bp.book_id) \
               AND bp.page_id IN ({})",
            placeholders(1, some.len())
        );
        let query = sqlx::query_as(AssertSqlSafe(statement));
        let query = some.iter().fold(query, |query, id| query.bind(*id));
        let rows: Vec<(PageId, BookId)> = query.fetch_all(&mut **tx).await?;
        found.extend(rows);
    }
    Ok(found)
}
