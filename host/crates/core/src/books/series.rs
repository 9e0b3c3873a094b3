//! The volumes of a series among the account's books.
use std::collections::HashMap;

use super::store;
use crate::series::{self, Volume};
use linepress_accounts::caller::Caller;
use linepress_platform::app::App;
use linepress_platform::error::Result;
use linepress_platform::ids::BookId;
use linepress_plugin_host::EarlierPage;

/// A volume of a series among the account's books.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NumberedVolume {
    pub id: BookId,
    pub title: String,
    pub number: u32,
}

/// The series that a book with this title belongs to, by number. A book without a number is the first volume. Empty if
/// no volume has a number, because then there is no series.
pub async fn numbered_volumes(app: &App, caller: &Caller, title: &str) -> Result<Vec<NumberedVolume>> {
    caller.require_reading()?;
    let titles = titles(app, caller, title).await?;
    if titles.iter().all(|(_, other)| series::parse(other).is_none()) {
        return Ok(Vec::new());
    }
    let volume = |(id, title): (BookId, String)| NumberedVolume {
        number: series::number(&title),
        id,
        title,
    };
    let mut volumes: Vec<NumberedVolume> = titles.into_iter().map(volume).collect();
    // Stable: volumes with the same number remain in the order of their creation.
    volumes.sort_by_key(|volume| volume.number);
    Ok(volumes)
}

/// The volumes of the series that a book with this title belongs to, the oldest first.
pub async fn volumes(app: &App, caller: &Caller, title: &str) -> Result<Vec<Volume>> {
    caller.require_reading()?;
    let titles = titles(app, caller, title).await?;
    let ids: Vec<&BookId> = titles.iter().map(|(id, _)| id).collect();
    let mut pages: HashMap<BookId, Vec<EarlierPage>> = HashMap::new();
    for (book, title, prompt) in store::page_texts(&app.database.read, &ids).await? {
        pages.entry(book).or_default().push(EarlierPage { title, prompt });
    }
    let volume = |(id, title): &(BookId, String)| Volume {
        title: title.clone(),
        pages: pages.remove(id).unwrap_or_default(),
    };
    Ok(titles.iter().map(volume).collect())
}

/// The books of the series that a book with this title belongs to, the oldest first, with their titles.
async fn titles(app: &App, caller: &Caller, title: &str) -> Result<Vec<(BookId, String)>> {
    let mut titles = store::titles_like(&app.database.read, caller.account_id(), series::name(title)).await?;
    titles.retain(|(_, other)| series::is_same(title, other));
    Ok(titles)
}
