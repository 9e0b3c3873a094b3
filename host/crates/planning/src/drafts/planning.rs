//! Planning a book in the browser: the plan becomes a draft.
use super::{DraftBook, MAX_DRAFTS, check_room, create, store};
use crate::plans::{self, NewPlan, NextVolume};
use linepress_accounts::caller::Caller;
use linepress_core::books::{self, Book};
use linepress_core::series::Volume;
use linepress_platform::app::App;
use linepress_platform::error::Result;
use linepress_platform::ids::{BookId, DraftId};
use linepress_platform::scopes::Scopes;
use linepress_platform::text::Language;

/// Maximum number of drafts, and of books, whose themes are read: those of a series often have the same one.
const MAX_THEMES_READ: i64 = 50;

/// Plans a book and stores the plan. The book may have another language than its plan: few planners write in every
/// language that layouts have words in.
pub async fn plan(app: &App, caller: &Caller, new: &NewPlan, language: Option<Language>) -> Result<DraftId> {
    caller.require(Scopes::WRITING)?;
    // Before the planner is called, which may take long.
    check_room(app, caller).await?;
    let planned = match new.follows {
        Some(_) => volumes(app, caller).await?,
        None => Vec::new(),
    };
    let plan = plans::plan_after(app, caller, new, planned).await?;
    let mut book = DraftBook {
        theme: new.theme.to_string(),
        ..DraftBook::from_plan(plan)
    };
    if let Some(language) = language {
        book.language = language.to_string();
    }
    create(app, caller, &book).await
}

/// The next volume of the series of a book, among the account's books and its drafts. None if the book does not exist.
pub async fn next_volume(app: &App, caller: &Caller, id: &BookId) -> Result<Option<(Book, NextVolume)>> {
    caller.require_reading()?;
    plans::next_volume(app, caller, id, volumes(app, caller).await?).await
}

/// The account's drafts that are not ordered, as volumes of series.
async fn volumes(app: &App, caller: &Caller) -> Result<Vec<Volume>> {
    caller.require_reading()?;
    let stored = store::books(&app.database.read, caller.account_id(), MAX_DRAFTS).await?;
    let books = stored.iter().map(|book| Ok(serde_json::from_str::<DraftBook>(book)?));
    let books: Vec<DraftBook> = books.collect::<Result<_>>()?;
    Ok(books.into_iter().map(DraftBook::into_volume).collect())
}

/// The themes from which the account planned last, at most `limit`, without repetition.
pub async fn recent_themes(app: &App, caller: &Caller, limit: usize) -> Result<Vec<String>> {
    caller.require_reading()?;
    let mut themes = store::themes(&app.database.read, caller.account_id(), MAX_THEMES_READ).await?;
    themes.extend(books::themes(app, caller, MAX_THEMES_READ).await?);
    let mut recent: Vec<String> = Vec::new();
    for theme in themes {
        if !recent.contains(&theme) && recent.len() < limit {
            recent.push(theme);
        }
    }
    Ok(recent)
}
