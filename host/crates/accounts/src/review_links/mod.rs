//! The end of review links: they are deleted, with their comments, when their book is deleted for good, when their
//! account is closed, and when the account gets another owner. The crate `linepress-reviews` makes them.
mod store;

use linepress_platform::database::Tx;
use linepress_platform::error::Result;
use linepress_platform::ids::{AccountId, BookId};

/// Deletes the review links of a book that is deleted for good.
pub(crate) async fn delete_of_book(tx: &mut Tx, book: &BookId) -> Result<()> {
    Ok(store::delete_of_book(tx, book).await?)
}

/// Deletes the review links of an account that is closed or gets another owner, and those of its sandbox.
pub async fn delete_all(tx: &mut Tx, account: &AccountId) -> Result<()> {
    Ok(store::delete_all(tx, account).await?)
}
