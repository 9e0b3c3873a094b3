//! The SQL of the end of review links. Comments are deleted with their link.
use linepress_platform::database::Tx;
use linepress_platform::ids::{AccountId, BookId};

pub(super) async fn delete_of_book(tx: &mut Tx, book: &BookId) -> sqlx::Result<()> {
    sqlx::query("DELETE FROM review_links WHERE book_id = $1")
        .bind(book)
        .execute(&mut **tx)
        .await?;
    Ok(())
}

pub(super) async fn delete_all(tx: &mut Tx, account: &AccountId) -> sqlx::Result<()> {
    sqlx::query(
        "DELETE FROM review_links WHERE account_id IN (SELECT id FROM accounts WHERE id = $1 OR sandbox_of = $1)",
    )
    .bind(account)
    .execute(&mut **tx)
    .await?;
    Ok(())
}
