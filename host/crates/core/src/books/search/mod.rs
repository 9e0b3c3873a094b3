//! The search for books.
pub(super) mod store;

use super::{Book, BookStatus, list, with_pages};
use crate::search::{Beginning, Search};
use linepress_accounts::caller::Caller;
use linepress_platform::app::App;
use linepress_platform::database::{PageOf, PageRequest};
use linepress_platform::error::Result;
use linepress_platform::ids::BookId;

/// The account's books that a search finds, in its order.
pub async fn search(
    app: &App,
    caller: &Caller,
    search: &Search<BookStatus>,
    request: &PageRequest,
) -> Result<PageOf<Book>> {
    caller.require_reading()?;
    let Some(part) = search.part(request)? else {
        return list(app, caller, request).await;
    };
    let rows = store::search(&app.database.read, caller.account_id(), &part).await?;
    with_pages(app, part.page(rows)).await
}

/// The account's books whose title or id begins with a text, sorted by title; at most `limit`, each with its title.
pub async fn suggest(app: &App, caller: &Caller, beginning: &str, limit: i64) -> Result<Vec<(BookId, String)>> {
    caller.require_reading()?;
    let beginning = Beginning::new(beginning);
    Ok(store::suggest(&app.database.read, caller.account_id(), &beginning, limit).await?)
}
