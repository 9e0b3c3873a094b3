//! `/library/books/{id}/add`: adds a page to a book, either a new drawing or an existing page.
use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Redirect, Response};

use super::accepted;
use super::books::{ListQuery, PER_PAGE};
use super::choices::{self, VariantChoice};
use super::form::{Change, Complaints, Fields, may_change, new_key};
use super::page::no_photograph;
use super::page_texts::{self, TextInputs};
use super::pictures::Picture;
use super::upload::Upload;
use linepress_accounts::credits::pricing;
use linepress_accounts::idempotency;
use linepress_core::books::{self, NewBookPage};
use linepress_core::generation;
use linepress_core::pages::{self, NewPage};
use linepress_http::html::{Frame, Section, page};
use linepress_http::session::SignedIn;
use linepress_http::{PathId, Query, Reply};
use linepress_platform::app::App;
use linepress_platform::database::PageRequest;
use linepress_platform::error::{Error, Result};
use linepress_platform::field::Field;
use linepress_platform::ids::{BookId, PageId};

#[derive(Template)]
#[template(path = "library/add_page.html")]
struct AddPage {
    frame: Frame,
    may_change: bool,
    complaints: Complaints,
    book: BookId,
    book_title: String,
    aspect: &'static str,
    inputs: TextInputs,
    photo_inputs: TextInputs,
    key: String,
    photo_key: String,
    attach_key: String,
    most_megabytes: u64,
    draws_from_pictures: bool,
    variants: Vec<VariantChoice>,
    ready: Vec<ReadyPage>,
    /// The cursor of this page of the list, and below that of the next.
    after: String,
    next: Option<String>,
}

/// A page that can be attached to the book.
struct ReadyPage {
    id: PageId,
    title: String,
    picture: Option<Picture>,
    chosen: bool,
}

pub(super) async fn show(
    State(app): State<App>,
    signed_in: SignedIn,
    PathId(id): PathId<BookId>,
    Query(query): Query<ListQuery>,
) -> Reply {
    let nothing = Fields::default();
    let after = query.after.as_deref();
    render(
        &app,
        &signed_in,
        &id,
        after,
        &nothing,
        (StatusCode::OK, Complaints::none()),
    )
    .await
}

async fn render(
    app: &App,
    signed_in: &SignedIn,
    id: &BookId,
    after: Option<&str>,
    fields: &Fields,
    (status, complaints): (StatusCode, Complaints),
) -> Reply<Response> {
    let caller = signed_in.caller();
    let book = books::get(app, &caller, id).await?;
    let book = book.ok_or_else(|| Error::not_found("book"))?;
    let scope = app.cursors.scope(caller.account_id(), PageId::PREFIX);
    let Ok(request) = PageRequest::parse(Some(PER_PAGE), after, scope) else {
        return Ok(Redirect::to(&format!("/library/books/{id}/add")).into_response());
    };
    let list = pages::list_attachable(app, &caller, &book.id, book.aspect, &request).await?;
    let chosen: Vec<String> = fields.all("page").collect();
    let ready = list.items.into_iter().map(|page| ReadyPage {
        chosen: chosen.iter().any(|id| id == page.id.as_str()),
        picture: Picture::small(&format!("pages/{}", page.id), page.image.as_ref()),
        id: page.id,
        title: page.title,
    });
    let add = AddPage {
        frame: signed_in.frame(Section::Books),
        may_change: may_change(signed_in),
        inputs: TextInputs::of_drawing("", "What to draw", fields, &complaints),
        photo_inputs: TextInputs::of_drawing("photo-", "What to draw of it", fields, &complaints),
        complaints,
        ready: ready.collect(),
        after: after.unwrap_or_default().to_owned(),
        next: list.next_cursor,
        aspect: book.aspect.as_str(),
        book: book.id,
        book_title: book.title,
        key: fields.given("idempotency_key").unwrap_or_else(|| new_key(app)),
        photo_key: new_key(app),
        attach_key: new_key(app),
        most_megabytes: app.config.import_limit() / 1_000_000,
        draws_from_pictures: generation::draws(app, true),
        variants: choices::variants(app, fields.variants(), pricing::PAGE),
    };
    Ok(page(status, &add))
}

/// Draws a new page at the end of the book.
pub(super) async fn draw(State(app): State<App>, PathId(id): PathId<BookId>, change: Change) -> Reply {
    let fields = &change.fields;
    let new = NewBookPage {
        page: NewPage {
            variants: fields.variants(),
            ..page_texts::typed(fields).into()
        },
        position: None,
    };
    let order = fields.order_of_variants()?;
    let drawn = books::generate(&app, &change.caller, &order, &id, &new, None).await;
    // The form contains the page's fields directly.
    let drawn = drawn.map_err(|error| error.without(&Field::page()));
    respond(&app, (&change.signed_in, fields), &id, drawn, "drawing").await
}

/// Draws a new page at the end of the book from a photograph.
pub(super) async fn draw_from(State(app): State<App>, PathId(id): PathId<BookId>, upload: Upload) -> Reply {
    let Upload {
        signed_in,
        caller,
        fields,
        file,
    } = upload;
    let new = NewBookPage {
        page: NewPage {
            variants: fields.variants(),
            ..page_texts::typed(&fields).into()
        },
        position: None,
    };
    let order = fields.order_of_variants()?;
    let drawn = match file {
        file @ Some(_) => books::generate(&app, &caller, &order, &id, &new, file).await,
        None => Err(no_photograph()),
    };
    let drawn = drawn.map_err(|error| error.without(&Field::page()));
    respond(&app, (&signed_in, &fields), &id, drawn, "drawing").await
}

/// Adds the chosen ready pages at the end of the book.
pub(super) async fn attach(State(app): State<App>, PathId(id): PathId<BookId>, change: Change) -> Reply {
    let mut pages: Vec<PageId> = change.fields.all("page").map(|id| PageId::from_client(&id)).collect();
    pages.sort_unstable();
    pages.dedup();
    let key = change.fields.key()?;
    let attached = if pages.is_empty() {
        let error = Error::invalid_field(Field::pages(), "choose at least one page");
        Err(idempotency::conflict_if_used(&app, &change.caller, Some(&key), error).await)
    } else {
        books::attach_all(&app, &change.caller, &key, &id, &pages).await
    };
    respond(&app, (&change.signed_in, &change.fields), &id, attached, "added").await
}

/// Redirects from the address of a form to the page with both forms.
pub(super) async fn to_add(_: SignedIn, PathId(id): PathId<BookId>) -> Redirect {
    Redirect::to(&format!("/library/books/{id}/add"))
}

/// Redirects to the book, or renders the forms with the complaints.
async fn respond<T>(
    app: &App,
    (signed_in, fields): (&SignedIn, &Fields),
    id: &BookId,
    outcome: Result<Option<T>>,
    done: &'static str,
) -> Reply<Response> {
    let after = fields.given::<String>("after");
    match accepted::changed(outcome, "book", &format!("/library/books/{id}"), done)? {
        Ok(response) => Ok(response),
        Err(refused) => render(app, signed_in, id, after.as_deref(), fields, refused).await,
    }
}
