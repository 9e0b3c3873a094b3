//! The plan of the next volume of a series.
use linepress_plugin_host::EarlierPage;

use super::next_title::next_title;
use super::{BookPlan, NewPlan, plans_in};
use linepress_accounts::caller::Caller;
use linepress_core::books::{self, Book, NewBook, NewCover};
use linepress_core::characters;
use linepress_core::series::{self, Volume};
use linepress_platform::app::App;
use linepress_platform::error::{Error, Result};
use linepress_platform::field::Field;
use linepress_platform::ids::BookId;
use linepress_platform::text::{Language, unless_default, unless_empty};

/// Maximum number of earlier pages that a planner gets, the last ones.
const MAX_EARLIER_PAGES: usize = 1000;

/// The book that a plan follows, with all volumes of its series.
pub(super) struct Series {
    book: Book,
    /// The account's books.
    volumes: Vec<Volume>,
    /// Plans of further volumes, which are not ordered.
    planned: Vec<Volume>,
}

impl Series {
    /// Finds the series of a book among the account's books and the planned ones.
    pub(super) async fn find(app: &App, caller: &Caller, book: &BookId, planned: Vec<Volume>) -> Result<Self> {
        caller.require_reading()?;
        let book = books::get(app, caller, book).await?;
        let book = book.ok_or_else(|| Error::invalid_field(Field::follows(), "names no book of this account"))?;
        Self::of(app, caller, book, planned).await
    }

    /// Finds the series of this book among the account's books and the planned ones. A plan of a volume that exists as
    /// a book, such as one that was abandoned for another, is no further volume.
    async fn of(app: &App, caller: &Caller, book: Book, mut planned: Vec<Volume>) -> Result<Self> {
        let volumes = books::volumes(app, caller, &book.title).await?;
        let is_book = |number: u32| volumes.iter().any(|volume| series::number(&volume.title) == number);
        planned.retain(|volume| series::is_same(&volume.title, &book.title) && !is_book(series::number(&volume.title)));
        Ok(Self { book, volumes, planned })
    }

    /// The request with the values of the book in place of those that it omits.
    pub(super) async fn complete(&self, app: &App, caller: &Caller, new: &NewPlan) -> Result<NewPlan> {
        caller.require_reading()?;
        let mut tx = app.database.begin_read().await?;
        let named = self.book.characters.iter().map(|link| &link.id);
        let active = characters::still_active(&mut tx, caller, named).await?;
        let language = Some(&self.book.language).filter(|language| plans_in(app, language));
        Ok(NewPlan {
            aspect: new.aspect.or(Some(self.book.aspect)),
            audience: new.audience.or(Some(self.book.audience)),
            title: new.title.clone().or_else(|| Some(self.next_title().into())),
            character_ids: match &new.character_ids {
                Some(ids) => Some(ids.clone()),
                None => Some(active.iter().map(|character| character.link().id).collect()),
            },
            language: new.language.clone().or_else(|| language.cloned().map(Into::into)),
            ..new.clone()
        })
    }

    fn next_title(&self) -> String {
        let volumes = self.volumes.iter().chain(&self.planned);
        next_title(&self.book.title, volumes.map(|volume| volume.title.as_str()))
    }

    /// The pages that the plan must not repeat.
    pub(super) fn earlier(&self) -> Vec<EarlierPage> {
        let volumes = self.volumes.iter().chain(&self.planned);
        let pages: Vec<&EarlierPage> = volumes.flat_map(|volume| &volume.pages).collect();
        let skipped = pages.len().saturating_sub(MAX_EARLIER_PAGES);
        pages.into_iter().skip(skipped).cloned().collect()
    }

    /// The plan with the author, the look and the cover style of the book, and with its language if the client named
    /// none.
    pub(super) fn dress(&self, mut plan: BookPlan, language: Option<&Language>) -> BookPlan {
        let Book {
            author,
            line_weight,
            detail,
            style,
            frame,
            cover,
            ..
        } = &self.book;
        let book = &mut plan.generation_request.book;
        let new_cover = NewCover {
            style: unless_default(cover.style),
            ..book.cover.take().unwrap_or_default()
        };
        *book = NewBook {
            author: unless_empty(author.clone()),
            line_weight: unless_default(*line_weight),
            detail: unless_default(*detail),
            style: unless_empty(style.clone()),
            frame: unless_default(*frame),
            cover: Some(new_cover),
            language: language.cloned().or_else(|| Some(self.book.language.clone().into())),
            ..book.clone()
        };
        plan
    }
}

/// The title and the number of pages of the volumes of a book's series, for a page that offers to plan the next one.
pub struct NextVolume {
    pub title: String,
    /// The number of pages of the volumes before it, which it will not repeat.
    pub earlier_pages: usize,
    /// The number of pages in plans of further volumes that are not ordered, which it will not repeat either.
    pub planned_pages: usize,
}

/// The next volume of the series of a book. None if the book does not exist.
pub(crate) async fn next_volume(
    app: &App,
    caller: &Caller,
    id: &BookId,
    planned: Vec<Volume>,
) -> Result<Option<(Book, NextVolume)>> {
    caller.require_reading()?;
    let Some(book) = books::get(app, caller, id).await? else {
        return Ok(None);
    };
    let found = Series::of(app, caller, book, planned).await?;
    let planned: usize = found.planned.iter().map(|volume| volume.pages.len()).sum();
    let planned_pages = planned.min(MAX_EARLIER_PAGES);
    let next = NextVolume {
        title: found.next_title(),
        earlier_pages: found.earlier().len() - planned_pages,
        planned_pages,
    };
    Ok(Some((found.book, next)))
}
