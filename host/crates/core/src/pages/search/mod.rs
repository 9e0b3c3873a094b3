//! The search for pages.
pub(super) mod store;

use super::{Page, StoredPage, list};
use crate::artwork::Status;
use crate::search::Search;
use linepress_accounts::caller::Caller;
use linepress_platform::app::App;
use linepress_platform::database::{PageOf, PageRequest};
use linepress_platform::error::Result;
use linepress_platform::ids::BookId;

/// The account's pages that a search finds, in its order; only the pages of `book` if it is given.
pub async fn search(
    app: &App,
    caller: &Caller,
    book: Option<&BookId>,
    search: &Search<Status>,
    request: &PageRequest,
) -> Result<PageOf<Page>> {
    caller.require_reading()?;
    let Some(part) = search.part(request)? else {
        return list(app, caller, book, request).await;
    };
    let rows = store::search(&app.database.read, caller.account_id(), book, &part).await?;
    Ok(part.page(rows).map(StoredPage::into_page))
}
