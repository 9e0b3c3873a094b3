//! `/library/bin`: the deleted books and pages, which can be restored.
use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Redirect};

use super::books::{ListQuery, PER_PAGE};
use super::form::{Change, Complaints, may_change};
use super::{accepted, words};
use linepress_core::deletion::{self, DeletedId, DeletedItem, DeletedKind, Restored};
use linepress_http::html::{Frame, Section, page};
use linepress_http::session::SignedIn;
use linepress_http::{PathId, Query, Reply};
use linepress_platform::app::App;
use linepress_platform::database::PageRequest;
use linepress_platform::error::Error;
use linepress_platform::ids::BinId;

#[derive(Template)]
#[template(path = "library/bin.html")]
struct BinPage {
    frame: Frame,
    may_change: bool,
    done: Option<&'static str>,
    complaints: Complaints,
    days: u64,
    items: Vec<DeletedCard>,
    is_first: bool,
    next: Option<String>,
}

/// A deleted book or page.
struct DeletedCard {
    id: DeletedId,
    title: String,
    facts: String,
}

impl DeletedCard {
    fn from_item(item: DeletedItem) -> Self {
        let kind = match item.kind {
            DeletedKind::Book => "Book",
            DeletedKind::Page => "Page",
        };
        Self {
            facts: format!(
                "{kind}, deleted {}, for good on {}",
                words::day(item.deleted_at),
                words::day(item.expires_at)
            ),
            id: item.id,
            title: item.title,
        }
    }
}

pub(super) async fn show(State(app): State<App>, signed_in: SignedIn, Query(query): Query<ListQuery>) -> Reply {
    let complained = (StatusCode::OK, Complaints::none());
    render(&app, &signed_in, query, complained).await
}

/// Redirects from the address of a form to the bin.
pub(super) async fn to_bin(_: SignedIn) -> Redirect {
    Redirect::to(ADDRESS)
}

/// The same from the address of a form about one book or page.
pub(super) async fn from_item(_: SignedIn, PathId(_): PathId<DeletedId>) -> Redirect {
    Redirect::to(ADDRESS)
}

const ADDRESS: &str = "/library/bin";

async fn render(
    app: &App,
    signed_in: &SignedIn,
    query: ListQuery,
    (status, complaints): (StatusCode, Complaints),
) -> Reply {
    let caller = signed_in.caller();
    let scope = app.cursors.scope(caller.account_id(), BinId::PREFIX);
    // The cursor may come from an old bookmark of a page of the list.
    let Ok(request) = PageRequest::parse(Some(PER_PAGE), query.after.as_deref(), scope) else {
        return Ok(Redirect::to(ADDRESS).into_response());
    };
    let list = deletion::list(app, &caller, &request).await?;
    let view = BinPage {
        frame: signed_in.frame(Section::Books),
        may_change: may_change(signed_in),
        done: words::done(query.done.as_deref()),
        complaints,
        days: app.config.bin.days,
        items: list.items.into_iter().map(DeletedCard::from_item).collect(),
        is_first: query.after.is_none(),
        next: list.next_cursor,
    };
    Ok(page(status, &view))
}

pub(super) async fn restore(State(app): State<App>, PathId(id): PathId<DeletedId>, change: Change) -> Reply {
    match deletion::restore(&app, &change.caller, &id).await {
        Ok(Some(Restored::Book(book))) => Ok(accepted::to(&format!("/library/books/{}", book.id), "book-restored")),
        Ok(Some(Restored::Page(page))) => Ok(accepted::to(&format!("/library/pages/{}", page.id), "page-restored")),
        Ok(None) => Err(missing().into()),
        // A deleted book or page has no page, so the complaints are shown in the bin.
        Err(error) => {
            let refused = Complaints::with_status(error)?;
            render(&app, &change.signed_in, ListQuery::default(), refused).await
        }
    }
}

pub(super) async fn delete(State(app): State<App>, PathId(id): PathId<DeletedId>, change: Change) -> Reply {
    if deletion::delete_for_good(&app, &change.caller, &id).await? {
        return Ok(accepted::to(ADDRESS, "deleted-for-good"));
    }
    Err(missing().into())
}

pub(super) async fn empty(State(app): State<App>, change: Change) -> Reply {
    deletion::empty_bin(&app, &change.caller).await?;
    Ok(accepted::to(ADDRESS, "bin-emptied"))
}

fn missing() -> Error {
    Error::not_found("deleted book or page")
}
