//! The SQL of drawing pages of a book again.
use linepress_model::Look;
use sqlx::AssertSqlSafe;

use crate::artwork::Status;
use crate::pages::Origin;
use linepress_platform::clock::Timestamp;
use linepress_platform::database::{Tx, placeholders};
use linepress_platform::ids::{BookId, OperationId, PageId};

/// Counts the pages of the book that are drawn again with it.
pub(super) async fn count_restyled(tx: &mut Tx, book: &BookId) -> sqlx::Result<i64> {
    sqlx::query_scalar(
        "SELECT COUNT(*) FROM book_pages JOIN pages ON pages.id = book_pages.page_id \
         WHERE book_pages.book_id = $1 AND pages.origin <> $2 AND pages.locked_at IS NULL",
    )
    .bind(book)
    .bind(Origin::Imported.as_str())
    .fetch_one(&mut **tx)
    .await
}

/// Gives pages another look and marks them as being drawn. Returns false when one of them is locked or being drawn
/// already.
pub(super) async fn restyle(
    tx: &mut Tx,
    ids: &[&PageId],
    operation: &OperationId,
    look: &Look,
    now: Timestamp,
) -> sqlx::Result<bool> {
    let mut changed = 0;
    for some in ids.chunks(500) {
        let statement = format!(
            "UPDATE pages SET status = $1, error_code = NULL, active_operation_id = $2, updated_at = $3, \
               line_weight = $4, detail = $5, style = $6, frame = $7 \
             WHERE active_operation_id IS NULL AND locked_at IS NULL AND id IN ({})",
            placeholders(8, some.len())
        );
        let query = sqlx::query(AssertSqlSafe(statement))
            .bind(Status::Generating.as_str())
            .bind(operation)
            .bind(now)
            .bind(look.line_weight.as_str())
            .bind(look.detail.as_str())
            .bind(&look.style)
            .bind(look.frame.as_str());
        let query = some.iter().fold(query, |query, id| query.bind(*id));
        changed += query.execute(&mut **tx).await?.rows_affected();
    }
    Ok(changed == ids.len() as u64)
}
