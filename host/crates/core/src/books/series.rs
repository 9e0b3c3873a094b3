//! The volumes of a series among the account's books.
use std::collections::HashMap;

use super::store;
use crate::series::{self, Volume};
use linepress_accounts::caller::Caller;
use linepress_platform::app::App;
use linepress_platform::error::Result;
use linepress_platform::ids::BookId;
use linepress_plugin_host::EarlierPage;

/// The volumes of the series that a book with this title belongs to, the oldest first.
pub async fn volumes(app: &App, caller: &Caller, title: &str) -> Result<Vec<Volume>> {
    caller.require_reading()?;
    let pool = &app.database.read;
    let mut titles = store::titles_like(pool, caller.account_id(), series::name(title)).await?;
    titles.retain(|(_, other)| series::is_same(title, other));
    let ids: Vec<&BookId> = titles.iter().map(|(id, _)| id).collect();
    let mut pages: HashMap<BookId, Vec<EarlierPage>> = HashMap::new();
    for (book, title, prompt) in store::page_texts(pool, &ids).await? {
        pages.entry(book).or_default().push(EarlierPage { title, prompt });
    }
    let volume = |(id, title): &(BookId, String)| Volume {
        title: title.clone(),
        pages: pages.remove(id).unwrap_or_default(),
    };
    Ok(titles.iter().map(volume).collect())
}
