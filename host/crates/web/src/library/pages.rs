//! `/library/pages`: the list of pages, and the forms for new ones.
use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Redirect, Response};
use linepress_model::Aspect;

use super::books::{ListQuery, PER_PAGE};
use super::choices::{self, CharacterChoice, Choice, VariantChoice};
use super::form::{Change, Complaints, Fields, may_change, new_key};
use super::page_texts::{self, TextInputs};
use super::pictures::Picture;
use super::search_bar::{SearchBar, unless_stale};
use super::undo::Undo;
use super::upload::Upload;
use super::{accepted, words};
use linepress_accounts::credits::pricing;
use linepress_core::artwork::Status;
use linepress_core::generation;
use linepress_core::pages::{self, NewImport, NewPage, Page};
use linepress_http::html::{Frame, Section, page};
use linepress_http::session::SignedIn;
use linepress_http::{Query, Reply};
use linepress_platform::app::App;
use linepress_platform::database::PageRequest;
use linepress_platform::field::Field;
use linepress_platform::ids::PageId;

#[derive(Template)]
#[template(path = "library/pages.html")]
struct PagesPage {
    frame: Frame,
    may_change: bool,
    done: Option<&'static str>,
    undo: Option<Undo>,
    bar: SearchBar,
    pages: Vec<PageCard>,
    is_first: bool,
    next: Option<String>,
}

/// A page, as a card of the list.
struct PageCard {
    id: PageId,
    title: String,
    aspect: &'static str,
    picture: Option<Picture>,
    is_drawing: bool,
    has_failed: bool,
}

impl PageCard {
    fn from_page(page: Page) -> Self {
        Self {
            picture: Picture::small(&format!("pages/{}", page.id), page.image.as_ref()),
            is_drawing: page.active_operation_id.is_some(),
            has_failed: page.error.is_some(),
            aspect: page.aspect.as_str(),
            id: page.id,
            title: page.title,
        }
    }
}

pub(super) async fn list(State(app): State<App>, signed_in: SignedIn, Query(query): Query<ListQuery>) -> Reply {
    let caller = signed_in.caller();
    let scope = app.cursors.scope(caller.account_id(), PageId::PREFIX);
    // The cursor may come from an old bookmark of a page of the list.
    let Ok(request) = PageRequest::parse(Some(PER_PAGE), query.after.as_deref(), scope) else {
        return Ok(Redirect::to("/library/pages").into_response());
    };
    let (bar, search) = SearchBar::read::<Status>("/library/pages", &query, true);
    let Some(list) = unless_stale(pages::search(&app, &caller, None, &search, &request).await)? else {
        return Ok(Redirect::to("/library/pages").into_response());
    };
    let all = PagesPage {
        frame: signed_in.frame(Section::Pages),
        may_change: may_change(&signed_in),
        done: words::done(query.done.as_deref()),
        undo: Undo::deletion(query.deleted),
        bar,
        pages: list.items.into_iter().map(PageCard::from_page).collect(),
        is_first: query.after.is_none(),
        next: list.next_cursor,
    };
    Ok(page(StatusCode::OK, &all))
}

#[derive(Template)]
#[template(path = "library/new_page.html")]
struct NewPagePage {
    frame: Frame,
    may_change: bool,
    draw_complaints: Complaints,
    import_complaints: Complaints,
    draw_inputs: TextInputs,
    photo_inputs: TextInputs,
    import_inputs: TextInputs,
    image_url: String,
    aspects: Vec<Choice>,
    characters: Vec<CharacterChoice>,
    key: String,
    import_key: String,
    variants: Vec<VariantChoice>,
    balance: String,
    most_megabytes: u64,
    draws_from_pictures: bool,
}

pub(super) async fn show_new(State(app): State<App>, signed_in: SignedIn) -> Reply {
    new_page(&app, &signed_in, StatusCode::OK, Sent::Nothing).await
}

/// Redirects from the address of a form's submission to the page of the form.
pub(super) async fn to_new(_: SignedIn) -> Redirect {
    Redirect::to("/library/pages/new")
}

/// The rejected form, of which the page shows the texts and the complaints again.
enum Sent<'a> {
    Nothing,
    /// A form for a drawing.
    Drawing(&'a Fields, Complaints),
    /// The form for the account's own artwork.
    Import(&'a Fields, Complaints),
}

async fn new_page(app: &App, signed_in: &SignedIn, status: StatusCode, sent: Sent<'_>) -> Reply<Response> {
    let nothing = Fields::default();
    let ((fields, draw_complaints), (import, import_complaints)) = match sent {
        Sent::Nothing => ((&nothing, Complaints::none()), (&nothing, Complaints::none())),
        Sent::Drawing(fields, complaints) => ((fields, complaints), (&nothing, Complaints::none())),
        Sent::Import(fields, complaints) => ((&nothing, Complaints::none()), (fields, complaints)),
    };
    let aspect = fields.given("aspect").unwrap_or_else(|| Aspect::default().to_string());
    let view = NewPagePage {
        frame: signed_in.frame(Section::Pages),
        may_change: may_change(signed_in),
        draw_inputs: TextInputs::of_drawing("draw-", "What to draw", fields, &draw_complaints),
        photo_inputs: TextInputs::of_drawing("photo-", "What to draw of it", fields, &draw_complaints),
        import_inputs: TextInputs::of_import("import-", import, &import_complaints),
        draw_complaints,
        import_complaints,
        image_url: import.text("image_url"),
        aspects: choices::aspects(&aspect),
        characters: choices::characters(app, &signed_in.caller(), &fields.character_ids()).await?,
        key: new_key(app),
        import_key: new_key(app),
        variants: choices::variants(app, fields.variants(), pricing::PAGE),
        balance: pricing::credits(signed_in.account.credits),
        most_megabytes: app.config.import_limit() / 1_000_000,
        draws_from_pictures: generation::draws(app, true),
    };
    Ok(page(status, &view))
}

/// Redirects to a page that is being drawn.
fn drawn(id: &PageId) -> Response {
    accepted::to(&format!("/library/pages/{id}"), "drawing")
}

pub(super) async fn draw(State(app): State<App>, change: Change) -> Reply {
    let fields = &change.fields;
    let new = NewPage {
        aspect: Aspect::parse(&fields.text("aspect")),
        character_ids: Some(fields.character_ids()).filter(|ids| !ids.is_empty()),
        variants: fields.variants(),
        ..page_texts::typed(fields).into()
    };
    let error = match pages::create(&app, &change.caller, &fields.order_of_variants()?, &new, None).await {
        Ok(accepted) => return Ok(drawn(&accepted.reply.page.id)),
        Err(error) => error,
    };
    let (status, complaints) = Complaints::with_status(error)?;
    new_page(&app, &change.signed_in, status, Sent::Drawing(fields, complaints)).await
}

/// Draws a new page from a photograph.
pub(super) async fn draw_from(State(app): State<App>, upload: Upload) -> Reply {
    let fields = &upload.fields;
    let new = NewPage {
        aspect: Aspect::parse(&fields.text("aspect")),
        variants: fields.variants(),
        ..page_texts::typed(fields).into()
    };
    if upload.file.is_none() {
        let missing = Complaints::from_message("Choose a photograph to draw from.");
        let sent = Sent::Drawing(fields, missing);
        return new_page(&app, &upload.signed_in, StatusCode::UNPROCESSABLE_ENTITY, sent).await;
    }
    let error = match pages::create(&app, &upload.caller, &fields.order_of_variants()?, &new, upload.file).await {
        Ok(accepted) => return Ok(drawn(&accepted.reply.page.id)),
        Err(error) => error,
    };
    let (status, complaints) = Complaints::with_status(error)?;
    new_page(&app, &upload.signed_in, status, Sent::Drawing(fields, complaints)).await
}

/// Imports finished artwork from a file or an https address.
pub(super) async fn import(State(app): State<App>, upload: Upload) -> Reply {
    let fields = &upload.fields;
    let new = NewImport {
        aspect: Aspect::parse(&fields.text("aspect")),
        image_url: fields.given("image_url"),
        ..page_texts::typed(fields).into()
    };
    let key = upload.fields.key()?;
    let imported = match upload.check(&app, &key).await {
        Ok(()) => pages::import(&app, &upload.caller, Some(&key), &new, upload.file).await,
        Err(error) => Err(error),
    };
    let error = match imported {
        Ok(done) => {
            let id = done.reply.page.id;
            return Ok(accepted::to(&format!("/library/pages/{id}"), "imported"));
        }
        Err(error) => error,
    };
    let (status, complaints) = Complaints::with_status(error)?;
    new_page(&app, &upload.signed_in, status, Sent::Import(fields, complaints)).await
}
