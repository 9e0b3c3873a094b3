//! The volumes of a series among the account's books.
mod store;

use std::collections::HashMap;

use crate::series::{self, Volume};
use linepress_accounts::caller::Caller;
use linepress_platform::app::App;
use linepress_platform::database::Tx;
use linepress_platform::error::Result;
use linepress_platform::ids::{AccountId, BookId};
use linepress_plugin_host::EarlierPage;
use store::TitledBook;

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
    let books = store::books_of(&app.database.read, caller.account_id(), title).await?;
    if !is_any_numbered(books.iter().map(|book| book.title.as_str())) {
        return Ok(Vec::new());
    }
    let volume = |book: TitledBook| NumberedVolume {
        number: series::number(&book.title),
        id: book.id,
        title: book.title,
    };
    let mut volumes: Vec<NumberedVolume> = books.into_iter().map(volume).collect();
    // Stable: volumes with the same number remain in the order of their creation.
    volumes.sort_by_key(|volume| volume.number);
    Ok(volumes)
}

/// The volumes of the series that a book with this title belongs to, the oldest first.
pub async fn volumes(app: &App, caller: &Caller, title: &str) -> Result<Vec<Volume>> {
    caller.require_reading()?;
    let books = store::books_of(&app.database.read, caller.account_id(), title).await?;
    let ids: Vec<&BookId> = books.iter().map(|book| &book.id).collect();
    let mut pages: HashMap<BookId, Vec<EarlierPage>> = HashMap::new();
    for (book, title, prompt) in store::page_texts(&app.database.read, &ids).await? {
        pages.entry(book).or_default().push(EarlierPage { title, prompt });
    }
    let volume = |book: TitledBook| Volume {
        pages: pages.remove(&book.id).unwrap_or_default(),
        title: book.title,
    };
    Ok(books.into_iter().map(volume).collect())
}

/// The book whose id seeds the pages of a new book with this title: the seed book of the oldest volume of its series.
/// Later volumes store it, so it outlives the first one. None for a book that continues no series.
pub(super) async fn seed_book(tx: &mut Tx, account: &AccountId, title: &str) -> Result<Option<BookId>> {
    let books = store::books_of(&mut **tx, account, title).await?;
    let titles = books.iter().map(|book| book.title.as_str());
    if !is_any_numbered(titles.chain([title])) {
        return Ok(None);
    }
    Ok(books.into_iter().next().map(|oldest| oldest.seed_book_id))
}

/// Returns true if one of these titles has the number of a volume. Without a number, books with the same title are no
/// series.
fn is_any_numbered<'a>(mut titles: impl Iterator<Item = &'a str>) -> bool {
    titles.any(|title| series::parse(title).is_some())
}
