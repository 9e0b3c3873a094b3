//! `/library`: the account's books.
use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Redirect};
use serde::Deserialize;

use super::form::may_change;
use super::pictures::Picture;
use super::search_bar::{SearchBar, unless_stale};
use super::undo::Undo;
use super::words;
use linepress_core::books::{self, Book, BookStatus};
use linepress_core::deletion::DeletedId;
use linepress_http::html::{Frame, Section, page};
use linepress_http::session::SignedIn;
use linepress_http::{Query, Reply};
use linepress_planning::drafts::{self, DraftSummary};
use linepress_platform::app::App;
use linepress_platform::database::PageRequest;
use linepress_platform::ids::{BookId, DraftId};

/// The number of items on a page of a list. It fills rows of two, three and four.
pub(super) const PER_PAGE: &str = "24";

/// The query parameters of a list's address.
#[derive(Default, Deserialize)]
pub(super) struct ListQuery {
    pub after: Option<String>,
    pub done: Option<String>,
    /// A book or page that was just deleted, which the page offers to restore.
    pub deleted: Option<DeletedId>,
    /// The words that are looked for.
    pub q: Option<String>,
    pub status: Option<String>,
    pub aspect: Option<String>,
    pub sort: Option<String>,
    /// Present if items are to be selected.
    pub select: Option<String>,
}

#[derive(Template)]
#[template(path = "library/books.html")]
struct LibraryPage {
    frame: Frame,
    may_change: bool,
    done: Option<&'static str>,
    undo: Option<Undo>,
    drafts: Vec<DraftCard>,
    bar: SearchBar,
    books: Vec<BookCard>,
    is_first: bool,
    next: Option<String>,
}

/// A book plan that has not been ordered, as a card of the library.
struct DraftCard {
    id: DraftId,
    title: String,
    pages: String,
    changed: String,
}

impl DraftCard {
    fn from_draft(draft: DraftSummary) -> Self {
        let title = draft.title.trim();
        Self {
            title: if title.is_empty() {
                "A plan without a title"
            } else {
                title
            }
            .to_owned(),
            pages: words::pages(usize::try_from(draft.page_count).unwrap_or_default()),
            changed: words::day(draft.updated_at),
            id: draft.id,
        }
    }
}

/// A book, as a card of the library.
struct BookCard {
    id: BookId,
    title: String,
    aspect: &'static str,
    cover: Option<Picture>,
    status: BookStatus,
    status_words: String,
    pages: String,
    /// The index of the crayon color of its spine.
    hue: usize,
    operation: Option<String>,
}

impl BookCard {
    fn from_book(book: Book) -> Self {
        Self {
            cover: Picture::small(&format!("books/{}/cover", book.id), book.cover.image.as_ref()),
            status_words: words::book_status(&book),
            pages: words::pages(book.page_count),
            hue: hue(&book.id),
            aspect: book.aspect.as_str(),
            status: book.status,
            operation: book.active_operation_id.map(|id| id.to_string()),
            title: book.title,
            id: book.id,
        }
    }

    fn is(&self, status: &str) -> bool {
        self.status.as_str() == status
    }
}

/// The index of a crayon color, which is always the same for a book and varies between books.
pub(super) fn hue(id: &BookId) -> usize {
    id.as_str().bytes().map(usize::from).sum::<usize>() % 6
}

pub(super) async fn show(State(app): State<App>, signed_in: SignedIn, Query(query): Query<ListQuery>) -> Reply {
    let caller = signed_in.caller();
    let scope = app.cursors.scope(caller.account_id(), BookId::PREFIX);
    // The cursor may come from an old bookmark of a page of the list.
    let Ok(request) = PageRequest::parse(Some(PER_PAGE), query.after.as_deref(), scope) else {
        return Ok(Redirect::to("/library").into_response());
    };
    let (bar, search) = SearchBar::read::<BookStatus>("/library", &query, true);
    let Some(list) = unless_stale(books::search(&app, &caller, &search, &request).await)? else {
        return Ok(Redirect::to("/library").into_response());
    };
    let is_first = query.after.is_none();
    let drafts = if is_first && !bar.is_active && !bar.is_selecting {
        drafts::list(&app, &caller).await?
    } else {
        Vec::new()
    };
    let library = LibraryPage {
        frame: signed_in.frame(Section::Books),
        may_change: may_change(&signed_in),
        done: words::done(query.done.as_deref()),
        undo: Undo::deletion(query.deleted),
        bar,
        books: list.items.into_iter().map(BookCard::from_book).collect(),
        drafts: drafts.into_iter().map(DraftCard::from_draft).collect(),
        is_first,
        next: list.next_cursor,
    };
    Ok(page(StatusCode::OK, &library))
}
